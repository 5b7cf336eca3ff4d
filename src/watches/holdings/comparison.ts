// Finds tokens that arrived, left or changed since the last reading.
import type { AnyView } from '../../core/values/fields.ts';
import {
  NOTHING_DETECTED,
  type DetectedEvent,
  type Detection,
  type DetectionScope,
} from '../../core/model/detection.ts';
import { type Remembered, track, type Tracking, viewOf } from '../../core/values/encoded.ts';
import { needOf } from '../../core/chain/tick-chain.ts';
import { createPace, mapInSteps, type Steps } from '../../lib/steps.ts';
import { TokenBalance } from '../../explorer/reading/resources/token.ts';
import { NOT_EMPTY, readEmpty } from '../lists/emptied.ts';
import { firstCount } from '../values.ts';
import { type HoldingRow, type HoldingsReading, isEmpty } from './reading.ts';
import { CONTRACT, type HoldingItem, packItems, packItemsInSteps, unpackItemsInSteps } from './items.ts';
import { departuresOf, isConfirmed, type Missing, NONE_MISSING, undecided } from './missing.ts';
import type { HoldingsState } from './state.ts';

// Always remembered: the event of a token or piece that left the list takes its name from memory.
const ALWAYS_TRACKED = [CONTRACT, 'token.symbol', 'token_id'];

/**
 * Only a complete list is a baseline: a token that a partial list leaves out would later seem to be new. An explorer
 * that has not filled its list yet shows an empty one, so an empty list becomes the baseline only after several
 * readings.
 */
export function* baseline(
  state: HoldingsState | null,
  seen: HoldingsReading,
  scope: DetectionScope,
): Steps<Detection<HoldingsState>> {
  const nothing = { ...NOTHING_DETECTED, state, notes: notesOf(seen) };
  if (!scope.isComplete || (seen.rows.size === 0 && seen.nameless > 0)) return nothing;
  const counter = state?.counter ?? firstCount(scope.at);
  const isDoubtful = isEmpty(seen) && seen.isWritten !== true;
  const { emptied, ...reading } = isDoubtful ? readEmpty(state?.emptied ?? null, scope) : NOT_EMPTY;
  const blank = { counter, missing: NONE_MISSING, head: null };
  if (reading.doubt !== null) {
    const isSame = state !== null && emptied === state.emptied;
    const after = isSame ? state : { ...blank, items: packItems(new Map()), emptied, hasBaseline: false };
    return { ...nothing, state: after, ...reading };
  }
  const trackRow = trackerOf(scope);
  const rows = [...seen.rows];
  const items = yield* mapInSteps(rows, ([key, row]): [string, HoldingItem] => [
    key,
    { values: trackRow(null, row).after, arrival: 0, change: 0 },
  ]);
  return {
    ...nothing,
    state: { ...blank, items: yield* packItemsInSteps(new Map(items)), emptied: null, hasBaseline: true },
    events: rows.map(([key, row]) => eventOf('added', `${key}#0`, 'baseline', row, null)),
    baseline: rows.length,
  };
}

export function* compare(
  state: HoldingsState,
  seen: HoldingsReading,
  scope: DetectionScope,
): Steps<Detection<HoldingsState>> {
  const known = yield* unpackItemsInSteps(state.items);
  const absent = [...known.keys()].filter((key) => !seen.rows.has(key));
  const isBehind = isBehindArrival(state, absent, seen, scope);
  const isJudged = scope.isComplete && seen.nameless === 0 && !isBehind;
  const isEmptied = isJudged && isEmpty(seen) && absent.length > 0;
  const { emptied, ...reading } = isEmptied ? readEmpty(state.emptied, scope) : NOT_EMPTY;
  const notes = [...notesOf(seen), ...(isBehind ? [BEHIND] : [])];
  if (reading.doubt !== null) {
    const after = emptied === state.emptied ? state : { ...state, emptied };
    return { ...NOTHING_DETECTED, state: after, notes, ...reading };
  }
  const draft: Draft = { items: known, counter: state.counter, events: [], differs: false };
  const trackRow = trackerOf(scope);
  const isStep = createPace();
  for (const [key, row] of seen.rows) {
    detectRow(draft, key, row, trackRow);
    if (isStep(0)) yield;
  }
  const hasArrival = draft.events.some(({ on, novelty }) => on === 'added' && novelty === 'new');
  const isBelieved = isEmptied || seen.isWritten === true;
  const { gone, missing, askAgainMs } = isJudged
    ? departuresOf(state.missing, absent, { ...scope, isBelieved })
    : undecided(state.missing, seen.rows);
  removeGone(draft, gone);
  const { counter, differs } = draft;
  const after: HoldingsState = {
    ...state,
    items: differs ? yield* packItemsInSteps(draft.items) : state.items,
    counter,
    // An empty reading that is not complete cannot show whether the list is empty.
    emptied: isJudged || seen.rows.size > 0 ? null : state.emptied,
    missing,
    head: hasArrival ? (headIn(scope) ?? state.head) : state.head,
  };
  return {
    ...NOTHING_DETECTED,
    state: isSame(state, after) ? state : after,
    events: draft.events,
    notes: [...notes, ...notesOfMissing(missing)],
    needs: hasArrival || isBehind ? needOf(scope.chain, state.head ?? 0) : null,
    askAgainMs,
  };
}

/**
 * True if the explorer's head is lower than at the last arrival of a token, or unknown. The head may cost a request, so
 * it is not needed (false) before a token would count as gone.
 */
function isBehindArrival(
  { head, missing }: HoldingsState,
  absent: readonly string[],
  seen: HoldingsReading,
  scope: DetectionScope,
): boolean {
  if (head === null || absent.length === 0) return false;
  const isOpen = isEmpty(seen) || absent.some((key) => isConfirmed(missing, key, scope));
  if (scope.chain === 'not-asked' && !isOpen) return false;
  return (headIn(scope) ?? -1) < head;
}

const BEHIND = 'the explorer has not read as far as when a token last arrived: nothing is judged to be gone';

function isSame(before: HoldingsState, after: HoldingsState): boolean {
  return Object.entries(after).every(([name, value]) => before[name as keyof HoldingsState] === value);
}

function headIn({ chain }: DetectionScope): number | null {
  return typeof chain === 'object' ? chain.head : null;
}

interface Draft {
  readonly items: Map<string, HoldingItem>;
  counter: number;
  readonly events: DetectedEvent[];
  differs: boolean;
}

type TrackRow = (before: Remembered | null, row: HoldingRow) => Tracking;

function trackerOf({ tracked }: DetectionScope): TrackRow {
  const paths = [...new Set([...ALWAYS_TRACKED, ...tracked])];
  return (before, row) => track(before, row, paths);
}

function detectRow(draft: Draft, key: string, row: HoldingRow, trackRow: TrackRow): void {
  const item = draft.items.get(key);
  if (item === undefined) {
    const arrival = (draft.counter += 1);
    draft.items.set(key, { values: trackRow(null, row).after, arrival, change: arrival });
    draft.events.push(eventOf('added', `${key}#${arrival}`, 'new', row, null));
    draft.differs = true;
    return;
  }
  const { after, changed } = trackRow(item.values, row);
  const change = changed.length > 0 ? (draft.counter += 1) : item.change;
  if (after !== item.values) {
    draft.items.set(key, { ...item, values: after, change });
    draft.differs = true;
  }
  draft.events.push(eventOf('added', `${key}#${item.arrival}`, 'known', row, null));
  const novelty = changed.length > 0 ? 'new' : 'known';
  draft.events.push({ ...eventOf('changed', `${key}#${change}`, novelty, row, item.values), changed });
}

function removeGone(draft: Draft, gone: readonly string[]): void {
  for (const key of gone) {
    const values = draft.items.get(key)?.values ?? {};
    draft.counter += 1;
    draft.differs = true;
    draft.items.delete(key);
    draft.events.push(eventOf('removed', `${key}#${draft.counter}`, 'new', viewOf(TokenBalance, values), values));
  }
}

function eventOf(
  on: DetectedEvent['on'],
  key: string,
  novelty: DetectedEvent['novelty'],
  view: AnyView,
  before: Remembered | null,
): DetectedEvent {
  return { on, key, novelty, view, before, changed: [], happenedAt: null, block: 'nowhere', slot: null };
}

function notesOf({ nameless }: HoldingsReading): string[] {
  return nameless === 0 ? [] : [`${nameless} rows without a token: nothing is judged to be gone`];
}

function notesOfMissing(missing: Missing): string[] {
  const count = Object.keys(missing).length;
  return count === 0 ? [] : [`tokens missing: ${count}, gone if the next whole reading lacks them too`];
}
