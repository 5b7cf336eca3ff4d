// Sorts the rows that were read into new, known and changed ones, and remembers them.
import type { Fields, View } from '../../core/values/fields.ts';
import type { BlockRange, DetectionScope } from '../../core/model/detection.ts';
import type { HeadNeed } from '../../core/model/observation.ts';
import { needOf } from '../../core/chain/tick-chain.ts';
import type { Instant } from '../../lib/clock.ts';
import { createPace, filterInSteps, type Steps } from '../../lib/steps.ts';
import {
  BLANK,
  hasMoved,
  hasRows,
  highestBlock,
  isFarBelow,
  isKnown,
  isLate,
  knownRowsOf,
  type ListRange,
  type ListState,
} from '../list-state.ts';
import { isUnbroken, PENDING, unpack } from '../seen-rows.ts';
import { changesSince } from './changed-rows.ts';
import { type EmptyReading, NOT_EMPTY, provenEmpty, readEmpty } from './emptied.ts';
import { afterRange, afterReadings, afterSweep, type Gaps, isNamed, withGap, withUntraced } from './gaps.ts';
import { allRows, type DetectOptions, type ListReading, rangeOf, type ReceivedRows } from './list-reading.ts';
import { lowestToSweep } from './look-back.ts';
import { remember } from './remember.ts';
import { basisOf } from './row-digests.ts';
import { isMinedNow, lowestBlock, positionOf, type RowKey } from './row-key.ts';
import { afterSweeping, begun, isDue, type Sweep, sweepHour } from './sweep.ts';

/** `paths`: the judged paths with another value. */
export interface ChangedRow<F extends Fields> {
  readonly row: View<F>;
  readonly paths: readonly string[];
}

export interface NewRows<F extends Fields> {
  /** The same object as before if there is nothing new. */
  readonly state: ListState;
  /** The new rows, oldest first. */
  readonly fresh: readonly View<F>[];
  readonly known: readonly View<F>[];
  /** Known rows with a content that differs from before. */
  readonly changed: readonly ChangedRow<F>[];
  /** The rows of the first reading, which are not sent. */
  readonly baseline: readonly View<F>[] | null;
  /** The number of rows that cannot be identified. */
  readonly nameless: number;
  /** The floor, if all rows are far below it, for example after a reset of the chain; else null. */
  readonly silentUpTo: number | null;
  readonly range: BlockRange | null;
  /** Set if the baseline, or an empty list, depends on the chain's head, and the head was not asked for. */
  readonly needs: HeadNeed | null;
  /**
   * The reason why an empty list does not count as empty yet. Then nothing else is detected. Null: there is no doubt.
   */
  readonly doubt: string | null;
  /** Like `askAgainMs` of `Detection`. */
  readonly askAgainMs: number | null;
}

/** Sorts the rows that were read into new, known and changed ones, and remembers them. */
export function* detectList<F extends Fields>(
  former: ListState | null,
  seen: ListReading<F>,
  { row, scope, question }: DetectOptions<F>,
): Steps<NewRows<F>> {
  const all = allRows(seen, row);
  const isEmptied = former !== null && all.length === 0 && seen.reachedEnd && hasRows(former);
  const { emptied, doubt, needs, askAgainMs } = isEmptied ? emptyReading(former, scope) : NOT_EMPTY;
  const state = former && withEmptied(former, emptied);
  if (state !== null && doubt !== null) return { ...NOTHING_NEW, state, doubt, needs, askAgainMs };
  const named = yield* filterInSteps(all, (view) => positionOf(row, view).key !== undefined);
  const nameless = all.length - named.length;
  const range = rangeOf(seen, row);
  if (state === null)
    return {
      ...(yield* baseline(named, { row, scope, question }, seen.range?.head ?? seen.received?.to ?? PENDING)),
      nameless,
      silentUpTo: null,
      range,
    };
  const before = knownRowsOf(state);
  const fresh: View<F>[] = [];
  const known: View<F>[] = [];
  const changed: ChangedRow<F>[] = [];
  const changesOf = changesSince(state, before, { row, scope });
  const isStep = createPace();
  for (const view of named) {
    const isNews = !isKnown(before, positionOf(row, view));
    const paths = isNews ? [] : changesOf(view);
    if (paths.length > 0) changed.push({ row: view, paths });
    else (isNews ? fresh : known).push(view);
    if (isStep(0)) yield;
  }
  const isUpdate = (view: View<F>): boolean =>
    isMinedNow(state, row, view) ||
    isLate(state, before, positionOf(row, view)) ||
    hasMoved(before, positionOf(row, view));
  const gaps = gapsAfter(state, seen, scope);
  const sweep = sweepAfter(state, seen, { row, scope, question });
  const ends = rangeAfter(state, seen, { isSweepTime: sweep !== state.sweep, at: scope.at });
  const isSame =
    fresh.length + changed.length === 0 &&
    gaps === state.gaps &&
    sweep === state.sweep &&
    ends === state.range &&
    state.digests.basis === basisOf(scope.judged) &&
    !known.some(isUpdate);
  const after = isSame
    ? state
    : yield* remember({ ...state, gaps, sweep, range: ends }, before.blockByKey, named, { row, scope });
  const silentUpTo = seen.range === undefined && isFarBelow(state, range) ? state.floor : null;
  return {
    state: after,
    fresh: fresh.reverse(),
    known,
    changed,
    baseline: null,
    nameless,
    silentUpTo,
    range,
    needs: null,
    doubt: null,
    askAgainMs: null,
  };
}

const NOTHING_NEW = { fresh: [], known: [], changed: [], baseline: null, nameless: 0, silentUpTo: null, range: null };

function emptyReading(state: ListState, scope: DetectionScope): EmptyReading {
  return isReplaced(state, scope) ? provenEmpty(scope) : readEmpty(state.emptied, scope);
}

/** True if all remembered rows were in blocks that were replaced since the last reading. */
function isReplaced({ seen }: ListState, { chain, coveredUntil }: DetectionScope): boolean {
  if (typeof chain !== 'object') return false;
  const since = coveredUntil ?? Infinity;
  const replaced = new Set(chain.replaced.flatMap(([height, from]) => (from > since ? [height] : [])));
  return replaced.size > 0 && [...unpack(seen).values()].every((block) => replaced.has(block));
}

function withEmptied(state: ListState, emptied: ListState['emptied']): ListState {
  return emptied === state.emptied ? state : { ...state, emptied };
}

/**
 * If the newest pages end above the known rows, the blocks between are a gap. If they end within the highest known
 * block, the rest of that block is a gap. If late rows among known ones stopped the reading below the highest known
 * block, all blocks down to the floor may be unread.
 */
function gapsAfter<F extends Fields>(
  state: ListState,
  { stopped, older, range }: ListReading<F>,
  { at }: DetectionScope,
): Gaps {
  const sweep = older?.sweep ?? null;
  const swept = afterSweep(afterReadings(state.gaps, older?.gaps ?? []), sweep);
  const gaps = sweep === null ? swept : withUntraced(swept, sweep, at);
  if (range !== undefined) {
    const unread = stopped === null ? null : { from: stopped.unreadFrom ?? range.from, why: stopped.why };
    return afterRange(gaps, { from: range.from, unread, overfull: overfullIn({ range, older }) }, at);
  }
  if (stopped === null) return gaps;
  const to = stopped.lowest ?? Number.MAX_SAFE_INTEGER;
  const highest = Math.max(highestBlock(state), state.range?.examined ?? 0);
  const lowest = state.floor + 1;
  const from = to >= highest ? Math.max(lowest, Math.min(to, highest + 1)) : lowest;
  if (from > to) return gaps;
  return withGap(gaps, { from, to, resume: stopped.resume, reason: stopped.why, since: at });
}

/** Blocks with more rows than a page has. */
function overfullIn<F extends Fields>({ range, older }: Pick<ListReading<F>, 'range' | 'older'>): readonly number[] {
  return [...new Set([...(range?.overfull ?? []), ...(older?.sweep?.overfull ?? [])])];
}

/** Examined blocks are noted in steps, since each step is written to the store. */
const EXAMINED_STEP = 64;

/** `isSweepTime`: once an hour, one question is tried again for a contract with many other rows. */
function rangeAfter<F extends Fields>(
  { range: before, ...state }: ListState,
  { range, received, stopped, older }: ListReading<F>,
  { isSweepTime, at }: { readonly isSweepTime: boolean; readonly at: Instant },
): ListRange | undefined {
  if (range === undefined) return received === undefined ? before : examinedBy(received, { range: before, ...state });
  const isBusy = range.isBusy && !(isSweepTime && before?.isBusy === true);
  const known = before?.examined ?? 0;
  const top = stopped === null ? (range.top ?? 0) : 0;
  const examined = top >= Math.max(known, highestBlock(state)) + EXAMINED_STEP ? top : known;
  const overfull = overfullIn({ range, older });
  const isOverfull = overfull.some((block) => block > state.floor && !isNamed(state.gaps, block));
  const overfullAt = isOverfull ? at : before?.overfullAt;
  const isSame = examined === known && isBusy === (before?.isBusy ?? false) && !isOverfull;
  return isSame ? before : { examined, isBusy, ...(overfullAt === undefined ? {} : { overfullAt }) };
}

/**
 * A list that is newest first is read down to the examined block. If this takes several pages, the block is raised in
 * shorter steps. If a reading does not reach the block, the blocks below become a gap.
 */
function examinedBy({ to, pages }: ReceivedRows, { range, ...state }: ListState): ListRange | undefined {
  const known = Math.max(range?.examined ?? 0, highestBlock(state));
  return to < known + (pages === 1 ? LISTED_STEP : 1) ? range : { isBusy: false, ...range, examined: to };
}

const LISTED_STEP = 8;

function sweepAfter<F extends Fields>(
  state: ListState,
  { rows, reachedEnd, stopped, older, range }: ListReading<F>,
  { row, scope, question }: DetectOptions<F>,
): Sweep {
  const { at } = scope;
  const sweep = afterSweeping(state.sweep, older?.sweep ?? null, at);
  const hour = sweepHour(question, at);
  if (!isDue(sweep, hour)) return sweep;
  if (range !== undefined)
    return begun(sweep, hour, { at, coversAll: stopped === null && range.from <= lowestToSweep(state) });
  const lowest = lowestBlock(rows, row);
  const coversAll =
    stopped === null && (reachedEnd || (lowest !== null && lowest <= state.floor) || !mayHideRows(state, row));
  return begun(sweep, hour, { at, coversAll });
}

/**
 * True if an unknown row may be between known ones. It cannot be there if each row names the one below and the known
 * heights have no hole.
 */
function mayHideRows<F extends Fields>({ seen }: ListState, { isChain }: RowKey<F>): boolean {
  return isChain !== true || !isUnbroken(seen);
}

/**
 * Rows of the first reading are not new, and neither are older rows. The boundary is the highest block of the rows, and
 * `head` if that is higher. If no row has a block, it is the chain's head; if that is unknown too, it is the time of this
 * reading.
 */
function* baseline<F extends Fields>(
  rows: readonly View<F>[],
  { row, scope, question }: DetectOptions<F>,
  head: number,
): Steps<Omit<NewRows<F>, 'nameless' | 'silentUpTo' | 'range'>> {
  const { chain, at } = scope;
  const highest = Math.max(head, ...rows.map((view) => positionOf(row, view).standsIn));
  const isPlaced = highest !== PENDING;
  const floor = isPlaced ? highest : typeof chain === 'object' ? chain.head : 0;
  const emptyAt = isPlaced || typeof chain === 'object' ? null : at;
  // All rows are at or below the floor, so there is nothing to sweep in this hour.
  const sweep = begun(BLANK.sweep, sweepHour(question, at), { at, coversAll: true });
  const state = yield* remember({ ...BLANK, floor, emptyAt, sweep }, new Map(), rows, { row, scope });
  const needs = isPlaced ? null : needOf(chain, 0);
  return { state, fresh: [], known: [], changed: [], baseline: rows, needs, doubt: null, askAgainMs: null };
}
