// Finds tokens that arrived, left or changed since the last reading.
import type { AnyView } from '../../core/values/fields.ts';
import {
  NOTHING_DETECTED,
  type DetectedEvent,
  type Detection,
  type DetectionScope,
} from '../../core/model/detection.ts';
import { track, viewOf, type Remembered, type Tracking } from '../../core/values/tracked.ts';
import { needOf } from '../../core/chain/tick-chain.ts';
import { TokenBalance } from '../../explorer/reading/resources/token.ts';
import { NOT_EMPTY, readEmpty } from '../lists/emptied.ts';
import { firstCount } from '../values.ts';
import { type HoldingRow, type HoldingsReading, isEmpty } from './reading.ts';
import { CONTRACT, type HoldingItem, type ItemByKey, packItems, unpackItems } from './items.ts';
import type { HoldingsState } from './state.ts';

// A token or piece that is gone is named from memory.
const ALWAYS_TRACKED = [CONTRACT, 'token.symbol', 'token_id'];

/**
 * Only a complete list is a baseline: a token that a partial list leaves out would later seem to be new. An explorer
 * that has not filled its list yet shows an empty one, which becomes the baseline once it is believed.
 */
export function baseline(
  state: HoldingsState | null,
  seen: HoldingsReading,
  scope: DetectionScope,
): Detection<HoldingsState> {
  const nothing = { ...NOTHING_DETECTED, state, notes: notesOf(seen) };
  if (!scope.isComplete || (seen.rows.size === 0 && seen.nameless > 0)) return nothing;
  const counter = state?.counter ?? firstCount(scope.at);
  const isDoubtful = isEmpty(seen) && seen.isWritten !== true;
  const { emptied, doubt, needs } = isDoubtful ? readEmpty(state?.emptied ?? null, scope) : NOT_EMPTY;
  if (doubt !== null) {
    const isSame = state !== null && emptied === state.emptied;
    const after = isSame ? state : { items: packItems(new Map()), counter, emptied, head: null, hasBaseline: false };
    return { ...nothing, state: after, doubt, needs };
  }
  const trackRow = trackerOf(scope);
  const rows = [...seen.rows];
  const items = rows.map(([key, row]): [string, HoldingItem] => [
    key,
    { values: trackRow(null, row).after, arrival: 0, change: 0 },
  ]);
  return {
    ...nothing,
    state: { items: packItems(new Map(items)), counter, emptied: null, head: null, hasBaseline: true },
    events: rows.map(([key, row]) => eventOf('added', `${key}#0`, 'baseline', row, null)),
    baseline: rows.length,
  };
}

export function compare(state: HoldingsState, seen: HoldingsReading, scope: DetectionScope): Detection<HoldingsState> {
  const known = unpackItems(state.items);
  const isMissing = isAnyMissing(known, seen);
  const isBehind = isMissing && state.head !== null && (headIn(scope) ?? -1) < state.head;
  const notes = [...notesOf(seen), ...(isBehind ? [BEHIND] : [])];
  const isJudged = scope.isComplete && seen.nameless === 0 && !isBehind;
  const isEmptied = isJudged && isEmpty(seen) && isMissing;
  const { emptied, doubt, needs } = isEmptied ? readEmpty(state.emptied, scope) : NOT_EMPTY;
  if (doubt !== null) return { ...NOTHING_DETECTED, state: withEmptied(state, emptied), notes, doubt, needs };
  const draft: Draft = { items: known, counter: state.counter, events: [], differs: false };
  const trackRow = trackerOf(scope);
  for (const [key, row] of seen.rows) detectRow(draft, key, row, trackRow);
  const hasArrival = draft.events.some(({ on, novelty }) => on === 'added' && novelty === 'new');
  if (isJudged) removeMissing(draft, seen);
  const head = hasArrival ? (headIn(scope) ?? state.head) : state.head;
  // An empty reading that is not complete cannot show whether the list is empty.
  const kept = withEmptied(state, isJudged || seen.rows.size > 0 ? null : state.emptied);
  const items = draft.differs ? packItems(draft.items) : state.items;
  const { counter } = draft;
  return {
    ...NOTHING_DETECTED,
    state: draft.differs || head !== state.head ? { ...kept, items, counter, head } : kept,
    events: draft.events,
    notes,
    needs: hasArrival || isBehind ? needOf(scope.chain, state.head ?? 0) : null,
  };
}

const BEHIND = 'the explorer has not read as far as when a token last arrived: nothing is judged to be gone';

/** True if a reading lacks tokens that were there before. */
export function hasMissing(state: HoldingsState, seen: HoldingsReading): boolean {
  return isAnyMissing(unpackItems(state.items), seen);
}

function isAnyMissing(items: ItemByKey, { rows }: HoldingsReading): boolean {
  return items.keys().some((key) => !rows.has(key));
}

function withEmptied(state: HoldingsState, emptied: HoldingsState['emptied']): HoldingsState {
  return emptied === state.emptied ? state : { ...state, emptied };
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

function removeMissing(draft: Draft, seen: HoldingsReading): void {
  for (const [key, { values }] of draft.items) {
    if (seen.rows.has(key)) continue;
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
