// The items of `at_least: { in_a_row: N }`, in the order of the chain. An item that the chain no longer has at its place
// stays known, so that it is judged again when it is back.
import { remembered } from '../../lib/remembered.ts';
import type { Instant } from '../../lib/clock.ts';
import { blockOf, type DetectedEvent } from '../model/detection.ts';
import { idOf } from '../model/watch/identity.ts';
import type { RowItem } from '../model/memory.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import type { CountAlert } from '../model/watch/watch.ts';
import { valueAt } from '../values/fields.ts';
import type { AlertPoll } from './alert-evaluation.ts';
import { MOST_REASONS, reasonOf } from './counted-beside.ts';

/** Besides the limit, so many items are kept, so that late and replaced ones find their neighbours. */
const MOST_BESIDE = 200;

/** Besides these, this many items are kept until they are evaluated, so that a gap may be read in several polls. */
const MOST_UNJUDGED = 1000;

/** The most items of a row that are kept after evaluation. */
export function mostInRow(limit: number): number {
  return limit + MOST_BESIDE;
}

const keyIn = (event: DetectedEvent): string => idOf(event.key).slice(0, 13);

/** The height of the block, and the place in it; only the height if the place is unknown; empty if it is in no block. */
function placeOf(kind: AnyKind, event: DetectedEvent): readonly number[] {
  const height = blockOf(event);
  if (height === null) return [];
  const within = (kind.placeInBlock ?? []).map((path) => valueAt(event.view, path));
  return [height, ...(within.every((place) => typeof place === 'bigint') ? within.map(Number) : [])];
}

/** True if no other item can be at the same place. */
function isExact({ placeInBlock }: AnyKind, place: readonly number[]): boolean {
  return placeInBlock !== undefined && place.length === 1 + placeInBlock.length;
}

const itemsByKey = remembered((row: readonly RowItem[]) => new Map(row.map((item) => [item.key, item])));

/** True if a known item of the row is at another place now, is back, or has another value that `if` reads. */
export function isJudgedAgain(
  kind: AnyKind,
  { if: selector }: Pick<CountAlert, 'if'>,
  { row, event }: { readonly row: readonly RowItem[]; readonly event: DetectedEvent },
): boolean {
  const known = itemsByKey(row).get(keyIn(event));
  const place = placeOf(kind, event);
  if (known === undefined || place.length === 0) return false;
  const isOther = known.isHit === null || compare(known.place, place) !== 0;
  return isOther || (selector?.reads ?? []).some((path) => event.changed.includes(path));
}

/** An item whose condition is known. */
export interface JudgedItem {
  readonly event: DetectedEvent;
  readonly isHit: boolean;
}

interface RowReading {
  readonly kind: AnyKind;
  readonly limit: number;
  readonly at: Instant;
  /** The items that the poll showed, of the alert's event. */
  readonly events: readonly DetectedEvent[];
  readonly matches: readonly JudgedItem[];
  /** True for a height whose items the chain has no longer, except those that the poll shows. */
  readonly isReplaced: (height: number) => boolean;
}

/** The row after a poll; the same object if nothing changed. */
export function rowAfter(row: readonly RowItem[], reading: RowReading): readonly RowItem[] {
  const { kind, matches, isReplaced } = reading;
  const isAffected = row.some((item) => isReplacedAt(item, isReplaced));
  if (matches.length === 0 && !isAffected) return row;
  const listed = new Set(reading.events.map(keyIn));
  const left = row.map((item) => (isReplacedAt(item, isReplaced) && !listed.has(item.key) ? gone(item) : item));
  const known = itemsByKey(row);
  const judged = matches.map((match) => itemOf(reading, known, match));
  const moved = new Set(judged.map(({ key }) => key));
  const byKey = new Map(left.filter(({ key }) => !moved.has(key)).map((item) => [item.key, item]));
  const holders = new Map([...byKey.values()].flatMap((item) => holderOf(kind, item)));
  // An item that has its place already keeps it.
  const staying = new Set(left.flatMap((item) => holderOf(kind, item)).map((one) => one.join()));
  const isStaying = ({ place, key }: RowItem): boolean => staying.has([place.join(), key].join());
  for (const item of judged.toSorted((a, b) => Number(isStaying(b)) - Number(isStaying(a)))) {
    const other = byKey.get(holders.get(item.place.join()) ?? '');
    // Some explorers list an uncle beside the block of its height.
    const isBeside = other !== undefined && listed.has(other.key);
    byKey.set(item.key, isBeside ? gone(item) : item);
    if (isBeside) continue;
    if (other !== undefined) byKey.set(other.key, gone(other));
    for (const [place, key] of holderOf(kind, item)) holders.set(place, key);
  }
  const after = bounded([...byKey.values()], mostInRow(reading.limit) + MOST_UNJUDGED);
  return isEqual(row, after) ? row : after;
}

/** A poll that shows the same uncle again changes nothing. */
function isEqual(row: readonly RowItem[], after: readonly RowItem[]): boolean {
  const textOf = (item: RowItem | undefined): string => JSON.stringify(item);
  return row.length === after.length && row.every((item, i) => item === after[i] || textOf(item) === textOf(after[i]));
}

function isReplacedAt({ place: [height], isHit }: RowItem, isReplaced: RowReading['isReplaced']): boolean {
  return isHit !== null && height !== undefined && isReplaced(height);
}

function gone({ place, key, at }: RowItem): RowItem {
  return { place, key, at, isHit: null };
}

function holderOf(kind: AnyKind, { place, key, isHit }: RowItem): [place: string, key: string][] {
  return isHit !== null && isExact(kind, place) ? [[place.join(), key]] : [];
}

function itemOf({ kind, at }: RowReading, known: ReadonlyMap<string, RowItem>, { event, isHit }: JudgedItem): RowItem {
  const key = keyIn(event);
  const place = placeOf(kind, event);
  const before = known.get(key);
  const isNew = before?.isHit !== isHit || before.isNew === true;
  const item = { place, key, at: event.happenedAt ?? at };
  if (place.length === 0) return { ...item, isHit: null };
  const reason = isHit ? reasonOf(kind, event) : undefined;
  return { ...item, isHit, ...(reason === undefined ? {} : { reason }), ...(isNew ? { isNew } : {}) };
}

/** The row after its evaluation. */
export function settled(row: readonly RowItem[], limit: number): readonly RowItem[] {
  const kept = bounded(row, mostInRow(limit));
  return kept.map(({ place, key, isHit, at, reason }, i) =>
    reason === undefined || i < kept.length - MOST_REASONS
      ? { place, key, isHit, at }
      : { place, key, isHit, at, reason },
  );
}

/** Items in the chain and others are bounded separately: many pending ones must not displace the others. */
function bounded(items: readonly RowItem[], most: number): readonly RowItem[] {
  const sorted = items.toSorted((a, b) => compare(a.place, b.place));
  const inChain = sorted.filter((item) => item.isHit !== null).slice(-most);
  const others = items.filter((item) => item.isHit === null).slice(-MOST_BESIDE);
  return [...others, ...inChain];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((one, i) => one !== b[i]);
  const i = differs < 0 ? a.length : differs;
  return (a[i] ?? -1) - (b[i] ?? -1);
}

/**
 * Whether a block of this height, or one below it, was replaced since then, and the poll shows all items from there on.
 * A fork may be shorter than the blocks that it replaced.
 */
export function replacedSince(
  { detection, chain, isComplete }: Pick<AlertPoll, 'detection' | 'chain' | 'isComplete'>,
  since: Instant,
): (height: number) => boolean {
  const range = detection?.range ?? null;
  if (!isComplete || range === null) return () => false;
  const ofChain = typeof chain === 'object' ? chain.replaced.filter(([, at]) => at > since) : [];
  const lowest = Math.min(...range.replaced, ...ofChain.map(([height]) => height));
  return (height) => height >= Math.max(lowest, range.from);
}

/** Matching items one after another. */
export interface Streak {
  readonly count: number;
  /** The times at which its first and its last item happened; null if it has none. */
  readonly since: Instant | null;
  readonly newest: Instant | null;
  /** False: an item that does not match follows it. */
  readonly isLast: boolean;
  /** The reasons of those that failed. */
  readonly reasons: readonly (string | null)[];
}

const NO_STREAK: Streak = { count: 0, since: null, newest: null, isLast: true, reasons: [] };

/**
 * Returns the last streak of the items that happened up to `at`. If this streak is shorter than the limit, an earlier
 * streak may have reached the limit, or grown beyond it, since the last evaluation. The last such streak is then
 * returned.
 */
export function streakOf(row: readonly RowItem[], limit: number, at: Instant): Streak {
  let streak: RowItem[] = [];
  let long: readonly RowItem[] | null = null;
  for (const item of row) {
    if (item.isHit === null || item.at > at) continue;
    if (item.isHit) {
      streak.push(item);
      continue;
    }
    if (isLongAnew(streak, limit)) long = streak;
    streak = [];
  }
  return long === null || streak.length >= limit ? streakIn(streak, true) : streakIn(long, false);
}

function isLongAnew(streak: readonly RowItem[], limit: number): boolean {
  const before = streak.filter(({ isNew }) => isNew !== true).length;
  return streak.length >= limit && (before < limit || streak.at(-1)?.isNew === true);
}

function streakIn(streak: readonly RowItem[], isLast: boolean): Streak {
  if (streak.length === 0) return NO_STREAK;
  const reasons = streak.flatMap(({ reason }) => (reason === undefined ? [] : [reason]));
  const times = streak.map(({ at }) => at);
  const [since, newest] = [Math.min(...times), Math.max(...times)];
  return { count: streak.length, since, newest, isLast, reasons };
}
