// Checks that explorers still send the fields that conditions read. An upgrade of an explorer may rename a field. Then
// its value is always unknown, and a rule that reads it sends nothing, without any error.
//
// If a field was never seen, this explorer may send it only sometimes, or never. If a field was seen, and then is in no
// row of three complete polls, it is gone. A value of null is not a missing key, and a poll without rows does not
// count.
import { remembered } from '../../../lib/remembered.ts';
import { Address } from '../../values/address.ts';
import {
  type AnyRecord,
  type AnyView,
  type Field,
  isRow,
  namesOf,
  type RowSource,
  sourceOf,
  valueAt,
} from '../../values/fields.ts';
import type { AlertId } from '../ids.ts';

/** For each field that was seen: the number of complete polls in a row without it, at most three. Plain JSON. */
export type FieldSightings = Readonly<Record<string, number>>;

/** A field of a kind, and its place in the rows of answers. */
export interface ReadField {
  readonly path: string;
  readonly source: string;
}

/** The rows of a reading as they came. */
export interface SourceRows {
  /** The same object for the same rows; missing if rows were not compared. */
  readonly content?: object | undefined;
  readonly rows: readonly AnyView[];
}

/** After this many complete polls without it, the field is gone. */
export const MISSING_POLLS = 3;

export const NO_SIGHTINGS: FieldSightings = {};

/** Returns the same object if nothing differs. Fields that no condition reads any more are forgotten. */
export function sightFields(
  before: FieldSightings,
  fields: readonly ReadField[],
  { source, isComplete }: { readonly source: SourceRows | null; readonly isComplete: boolean },
): FieldSightings {
  const states = source === null || fields.length === 0 ? [] : statesIn(source, fields);
  const after = fields.flatMap(({ path }, i): [string, number][] => {
    const state = states[i] ?? 'unknown';
    const missed = before[path];
    if (state === 'present') return [[path, 0]];
    if (missed === undefined) return [];
    const isMissed = state === 'missing' && isComplete;
    return [[path, isMissed ? Math.min(missed + 1, MISSING_POLLS) : missed]];
  });
  const isSame =
    after.length === Object.keys(before).length && after.every(([path, missed]) => before[path] === missed);
  return isSame ? before : Object.fromEntries(after);
}

/** Fields that the last complete poll did not have: conditions that read one of them are unknown. */
export function missingFields(sightings: FieldSightings): ReadonlySet<string> {
  return new Set(Object.keys(sightings).filter((path) => (sightings[path] ?? 0) > 0));
}

/** Fields that the last `MISSING_POLLS` complete polls did not have. */
export function goneFields(sightings: FieldSightings): string[] {
  return Object.keys(sightings).filter((path) => (sightings[path] ?? 0) >= MISSING_POLLS);
}

// Most polls get the same answer as before. With this cache its rows need not be decoded.
const statesByContent = new WeakMap<object, WeakMap<readonly ReadField[], readonly KeyState[]>>();

function statesIn(source: SourceRows, fields: readonly ReadField[]): readonly KeyState[] {
  const { content } = source;
  const known = content === undefined ? undefined : statesByContent.get(content)?.get(fields);
  if (known !== undefined) return known;
  const states = fields.map(({ source: path }) => stateIn(source.rows, path));
  if (content !== undefined)
    statesByContent.set(content, (statesByContent.get(content) ?? new WeakMap()).set(fields, states));
  return states;
}

function stateIn(rows: readonly AnyView[], path: string): KeyState {
  let isMissing = false;
  for (const row of rows) {
    const state = keyStateAt(row, path);
    if (state === 'present') return state;
    if (state === 'missing') isMissing = true;
  }
  return isMissing ? 'missing' : 'unknown';
}

/** `unknown`: the view was not read from a row, or a parent of the key is null. */
type KeyState = 'present' | 'missing' | 'unknown';

/**
 * Checks whether the row behind a view has the key at the end of a path, under any of its names. A null value and a
 * missing key are both unknown to conditions, but only a missing key shows that the explorer no longer sends the field.
 */
function keyStateAt(view: AnyView, path: string): KeyState {
  const source = view[sourceOf];
  return source === null ? 'unknown' : keyStateIn(source, namesOf(path));
}

function keyStateIn(
  { record, row }: Pick<RowSource, 'record' | 'row'>,
  [name = '', ...rest]: readonly string[],
): KeyState {
  const field: Field<unknown> | undefined = record.fields[name];
  const key = field === undefined ? undefined : [name, ...field.was].find((one) => Object.hasOwn(row, one));
  if (field === undefined || key === undefined) return 'missing';
  if (rest.length === 0) return 'present';
  const inner = field.from === undefined ? row[key] : field.from(row[key]);
  if (field.type.type !== 'record' || !isRow(inner)) return 'unknown';
  return keyStateIn({ record: field.type.record, row: inner }, rest);
}

// Comparisons that never hold: a contract signs no transaction, so it is never the sender of one. The rows that a watch
// reads show which addresses are contracts.

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
  /** A hint at the field that shows the calls of such a contract. */
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
