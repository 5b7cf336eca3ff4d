// The logs that a watch asks for, each with its identity. The place of a log in its block moves when the log is mined
// again, so equal logs of a transaction are counted.
import { hash } from 'node:crypto';
import type { Target } from '../../core/model/watch/target.ts';
import { sourceOf, valueAt, type AnyRecord, type AnyView, type View } from '../../core/values/fields.ts';
import { encodedAt } from '../../core/values/encoded.ts';
import { remembered } from '../../lib/remembered.ts';
import type { Log } from '../../explorer/reading/resources/log.ts';
import { wordOf } from './topic-words.ts';
import { askedTopics, wordsOf, type EventOptions } from './where.ts';

export type LogRow = View<typeof Log.fields>;

/** The key under which a row says how many equal logs come before it in its transaction. */
const NTH = 'nth';

/** The rows that are asked for, read by `again`, the newest first. */
export function ownRows(
  rows: readonly LogRow[],
  again: (row: LogRow) => LogRow,
  isAsked: (row: LogRow) => boolean,
): readonly LogRow[] {
  const asked = rows.filter(isAsked);
  // A transaction is in one block. Where a later page shows it in another one, it moved between the two pages.
  const lastBlock = new Map(asked.map((row) => [contentOf(row), row.block_number]));
  const there = asked.filter((row) => lastBlock.get(contentOf(row)) === row.block_number);
  // Blocks of an answer do not overlap, so rows without a place in their block are different ones, too.
  const once = new Map(there.map((row, i) => [`${contentOf(row)}:${row.log_index ?? `no place ${i}`}`, row]));
  const countByContent = new Map<string, number>();
  const numbered = [...once.values()].toSorted(upwards).map((row) => {
    const content = contentOf(row);
    const before = countByContent.get(content) ?? 0;
    countByContent.set(content, before + 1);
    return withNumber(again(row), before);
  });
  return numbered.reverse();
}

/** Reads a row by a record with more fields. Equal rows of an answer give equal objects. */
export function createAgain(record: AnyRecord): (row: LogRow) => LogRow {
  return remembered((row) => readBy(record, row, {}));
}

function readBy(record: AnyRecord, row: AnyView, more: Readonly<Record<string, unknown>>): LogRow {
  const source = row[sourceOf];
  const view = source === null ? undefined : record.read({ ...source.row, ...more }, source.units);
  return (view ?? record.over(row, {})) as LogRow;
}

/** The row with the time of its block, if that is known. */
export function withTime(row: LogRow, time: Date | undefined): LogRow {
  const source = row[sourceOf];
  return time === undefined || source === null ? row : readBy(source.record, row, { timestamp: time.toISOString() });
}

const numberedByRow = new WeakMap<LogRow, { readonly nth: number; readonly row: LogRow }>();

/** `nth`: the number of equal logs that come before the row in its transaction. */
export function withNumber(row: LogRow, nth: number): LogRow {
  if (nth === 0) return row;
  const known = numberedByRow.get(row);
  if (known?.nth === nth) return known.row;
  const source = row[sourceOf];
  const made = source === null ? row : readBy(source.record, row, { [NTH]: nth });
  numberedByRow.set(row, { nth, row: made });
  return made;
}

function upwards(one: LogRow, other: LogRow): number {
  return compare(one.block_number, other.block_number) || compare(one.log_index, other.log_index);
}

function compare(one: bigint | undefined, other: bigint | undefined): number {
  const [a, b] = [one ?? 0n, other ?? 0n];
  return a < b ? -1 : a > b ? 1 : 0;
}

const DIGEST_LENGTH = 16;

/** Transaction, emitter, topics and data: all that explorers show of a log in the same way. */
export const contentOf = remembered((row: LogRow): string => {
  // A test may write the event and its arguments in place of topics and data.
  const said = row.topics === undefined ? ['event', 'args'] : ['topics', 'data'];
  const text = JSON.stringify(['address', ...said].map((path) => encodedAt(row, path)));
  return `${row.transaction_hash ?? ''}:${hash('sha256', text, 'base64url').slice(0, DIGEST_LENGTH)}`;
});

/** Undefined for a log without transaction or block, since it cannot be distinguished from an old one. */
export function identityOf(row: LogRow): string | undefined {
  if (row.transaction_hash === undefined || row.block_number === undefined) return undefined;
  const nth = row[sourceOf]?.row[NTH];
  return `${contentOf(row)}:${typeof nth === 'number' ? nth : 0}`;
}

/**
 * True for a log that the watch asks for. Topics are checked again here, since an explorer leaves out a topic that it does
 * not understand.
 */
export function isAskedFor({ address, options }: Target<EventOptions>): (row: LogRow) => boolean {
  const asked = askedTopics(options);
  const words = wordsOf(options);
  return (row) => {
    if (row.address === undefined || (address !== null && !row.address.equals(address))) return false;
    if (row.topics === undefined) return hasWords(row, words);
    const { topics } = row;
    return asked.some((wanted) => wanted.every((topic, i) => topic === null || topic === topics[i]));
  };
}

/** For a row of a test that has arguments in place of topics. */
function hasWords(row: LogRow, words: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  return [...words].every(([name, wanted]) => wanted.has(wordOf(valueAt(row, `args.${name}`)) ?? ''));
}
