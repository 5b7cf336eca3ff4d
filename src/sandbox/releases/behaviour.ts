// Differences between releases, apart from the fields of their rows.
import type { SandboxOperation } from '../operations.ts';
import type { Release } from './release.ts';

export interface Behaviour {
  /** Operations that refuse parameters which they did not declare; the others ignore unknown parameters. */
  readonly strict: 'all' | readonly SandboxOperation[];
  /**
   * The meaning of `items_count` in a cursor: the number of all rows so far (`total`), or of the rows in a page
   * (`page`); `none`: it sets the page size.
   */
  readonly itemsCount: 'total' | 'page' | 'none';
  /** Parameters that come back inside the cursor, the key among them. */
  readonly echoes: 'all' | readonly string[];
  /** Operations whose cursor has each key twice in its text; the second value is the one that was sent. */
  readonly repeatsKeys: readonly SandboxOperation[];
  /** True if the per-instance form reports its rate limit, as the multichain form does. */
  readonly reportsLimits: boolean;
  /** The message of the per-instance form after too many requests. */
  readonly tooMany: string;
  /** The filters of the list of all transactions, besides the status. */
  readonly transactionFilters: 'types-and-methods' | 'blobs';
  /**
   * True if lists of internal transactions report that they may still change, and can leave out calls without value.
   */
  readonly marksUntraced: boolean;
  /** `txlistinternal`: since release 9, calls without coins have to be asked for; since 10, it names missing traces. */
  readonly accountCalls: { readonly leavesOutZero: boolean; readonly marksUntraced: boolean };
}

const OF_ADDRESSES: readonly SandboxOperation[] = [
  'address',
  'address-tokens',
  'address-internal-transactions',
  'address-token-transfers',
  'address-transactions',
  'address-logs',
];

const LIMIT_REACHED = 'Too many requests. Increase limits now';

const OLD: Behaviour = {
  strict: [],
  itemsCount: 'total',
  echoes: 'all',
  repeatsKeys: [],
  reportsLimits: false,
  tooMany: '429 Too Many Requests',
  transactionFilters: 'types-and-methods',
  marksUntraced: false,
  accountCalls: { leavesOutZero: false, marksUntraced: false },
};

export const SPECIFIED: Behaviour = {
  strict: 'all',
  itemsCount: 'page',
  echoes: [],
  repeatsKeys: [],
  reportsLimits: false,
  tooMany: 'Too many requests',
  transactionFilters: 'types-and-methods',
  marksUntraced: false,
  accountCalls: { leavesOutZero: true, marksUntraced: true },
};

const STRICT: Behaviour = { ...SPECIFIED, reportsLimits: true, tooMany: LIMIT_REACHED, transactionFilters: 'blobs' };

export const BEHAVIOUR_BY_RELEASE: Readonly<Record<Release, Behaviour>> = {
  6: OLD,
  8: OLD,
  9: {
    ...STRICT,
    strict: OF_ADDRESSES,
    echoes: ['filter', 'type', 'method', 'apikey', 'key'],
    repeatsKeys: ['blocks', 'address-internal-transactions'],
    transactionFilters: 'types-and-methods',
    accountCalls: { leavesOutZero: true, marksUntraced: false },
  },
  11: { ...STRICT, echoes: ['key'] },
  12: { ...STRICT, itemsCount: 'none', marksUntraced: true },
};
