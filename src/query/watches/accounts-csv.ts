// Accounts as a file for spreadsheets: RFC 4180, in UTF-8 with a byte order mark. Amounts are plain decimals; an
// unknown value is empty. A spreadsheet would run a text that begins like a formula, so such a text gets an apostrophe
// first.
import type { AccountListFilter } from '../shapes.ts';
import type { AccountList, AccountRow } from '../shapes/accounts.ts';

const COLUMNS = [
  'account',
  'address',
  'explorer',
  'asset',
  'token',
  'state',
  'balance',
  'usd',
  'rate',
  'limit_of',
  'limit',
  'distance',
  'change_24h',
  'last_outflow',
  'last_outflow_at',
  'as_of',
  'is_stale',
];

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

/** The first line, with the byte order mark. */
const HEAD = `\ufeff${COLUMNS.join(',')}\r\n`;

const PAGE = 500;

/** All accounts that match the filter. */
export async function accountsCsv(
  accounts: (filter: AccountListFilter) => Promise<AccountList>,
  filter: Omit<AccountListFilter, 'after' | 'limit'>,
): Promise<string> {
  const lines: string[] = [HEAD];
  let after: string | null = null;
  do {
    const page: AccountList = await accounts({ ...filter, after, limit: PAGE });
    lines.push(...page.items.map(lineOf));
    after = page.next;
  } while (after !== null);
  return lines.join('');
}

function lineOf({ of, asset, token, state, measure, balance, usd, rate, change_24h, outflow }: AccountRow): string {
  const cells = [
    text(of.name),
    text(of.address),
    text(of.explorer),
    text(asset),
    text(token),
    text(state),
    balance,
    usd,
    rate,
    text(measure.limit === null ? null : measure.field),
    measure.limit,
    measure.distance,
    change_24h,
    outflow?.amount,
    outflow?.at,
    measure.at,
    measure.is_stale,
  ];
  return `${cells.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`;
}

/** An apostrophe in front of a text that a spreadsheet takes for a formula. */
function text(cell: string | null): string {
  return cell === null ? '' : cell.replace(/^(?=[=+\-@\t\r])/, "'");
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
