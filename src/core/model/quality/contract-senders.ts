// Comparisons that never hold: a contract signs no transaction, so it is never the sender of one. The rows that a watch
// reads show which addresses are contracts.
import { remembered } from '../../../lib/remembered.ts';
import { Address } from '../../values/address.ts';
import { valueAt, type AnyRecord, type AnyView } from '../../values/fields.ts';
import type { AlertId } from '../ids.ts';
import type { SourceRows } from './field-sightings.ts';

/** A comparison with the sender of a transaction. */
export interface WantedSender {
  readonly alert: AlertId;
  /** `from == treasury` */
  readonly text: string;
  /** The names or addresses in the rule: `treasury`. */
  readonly written: string;
  readonly isGroup: boolean;
  /** The keys of its addresses, one of which must be the sender. */
  readonly members: readonly string[];
  /** The place of what such a contract does. */
  readonly hint: string;
}

/**
 * The sort of each address that is wanted as a sender, by its key, if rows have shown it. `signs`: it has sent a
 * transaction, or is an account that lets the code of a contract act for it (EIP-7702). Plain JSON.
 */
export type SenderSightings = Readonly<Record<string, 'contract' | 'signs'>>;

export const NO_SENDERS: SenderSightings = {};

/** Returns the same object if nothing differs. Addresses that no rule wants any more are forgotten. */
export function sightSenders(
  before: SenderSightings,
  wanted: readonly WantedSender[],
  { record, source }: { readonly record: AnyRecord; readonly source: SourceRows | null },
): SenderSightings {
  const keys = keysOf(wanted);
  const seen = source === null || keys.size === 0 ? NO_SENDERS : seenIn(source, record, wanted);
  const shownAll = Object.fromEntries(
    [...keys].flatMap((key) => {
      const shown = before[key] === 'signs' ? 'signs' : (seen[key] ?? before[key]);
      return shown === undefined ? [] : [[key, shown] as const];
    }),
  );
  const after = Object.keys(shownAll).length === 0 ? NO_SENDERS : shownAll;
  const isSame =
    Object.keys(before).length === Object.keys(after).length && [...keys].every((key) => before[key] === after[key]);
  return isSame ? before : after;
}

/** The comparisons whose addresses are all known as contracts. */
export function neverHolding(
  wanted: readonly WantedSender[],
  sightings: SenderSightings | undefined,
): readonly WantedSender[] {
  if (sightings === undefined) return [];
  return wanted.filter(({ members }) => members.every((key) => sightings[key] === 'contract'));
}

/** `treasury is a contract: it signs no transaction, so "from == treasury" is never true` */
export function neverWords({ written, isGroup, text }: Omit<WantedSender, 'alert' | 'members' | 'hint'>): string {
  const who = isGroup
    ? `${written} are contracts: they sign no transactions`
    : `${written} is a contract: it signs no transaction`;
  return `${who}, so "${text}" is never true`;
}

const keysOf = remembered(
  (wanted: readonly WantedSender[]): ReadonlySet<string> => new Set(wanted.flatMap(({ members }) => members)),
);

// Most polls get the same answer as before.
const seenByContent = new WeakMap<object, WeakMap<readonly WantedSender[], SenderSightings>>();

function seenIn({ content, rows }: SourceRows, record: AnyRecord, wanted: readonly WantedSender[]): SenderSightings {
  const known = content === undefined ? undefined : seenByContent.get(content)?.get(wanted);
  if (known !== undefined) return known;
  const seen = look(rows, partiesOf(record), keysOf(wanted));
  if (content !== undefined)
    seenByContent.set(content, (seenByContent.get(content) ?? new WeakMap()).set(wanted, seen));
  return seen;
}

interface Party {
  readonly path: string;
  readonly isSender: boolean;
}

/** The fields of a row that refer to an address, and show whether it is a contract. */
const partiesOf = remembered(({ fields }: AnyRecord): readonly Party[] =>
  Object.entries(fields).flatMap(([path, { type, signs }]) =>
    type.type === 'record' && 'hash' in type.record.fields && 'is_contract' in type.record.fields
      ? [{ path, isSender: signs !== undefined }]
      : [],
  ),
);

/** The type of a proxy that is an account, which signs. */
const DELEGATED = 'eip7702';

function look(rows: readonly AnyView[], parties: readonly Party[], keys: ReadonlySet<string>): SenderSightings {
  const seen = new Map<string, 'contract' | 'signs'>();
  for (const row of rows)
    for (const { path, isSender } of parties) {
      const address = valueAt(row, `${path}.hash`);
      if (!(address instanceof Address) || !keys.has(address.key) || seen.get(address.key) === 'signs') continue;
      if (isSender || valueAt(row, `${path}.proxy_type`) === DELEGATED) seen.set(address.key, 'signs');
      else if (valueAt(row, `${path}.is_contract`) === true) seen.set(address.key, 'contract');
    }
  return Object.fromEntries(seen);
}
