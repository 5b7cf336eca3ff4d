// Most polls bring the same answer as the last one. A state computed from the same bytes is not computed again. If
// alerts wait for items, the detection of these items is kept too: decoding a page for each poll takes half of the
// poll's time.
import {
  isAwaited,
  newestOf,
  NOTHING_DETECTED,
  type Awaited,
  type DetectedEvent,
  type Detection,
  type DetectionScope,
} from '../core/model/detection.ts';
import type { Steps } from '../lib/steps.ts';
import { recordTypeOf, sourceOf, type AnyRecord, type AnyView, type Units } from '../core/values/fields.ts';

/** Remembers the states that were computed from each answer. An entry is dropped with its answer or its state. */
export interface UnchangedAnswers<State extends object> {
  /** For `observe`: true if nothing more has to be read or compared. */
  isUnchanged(content: object | undefined, state: State): boolean;
  /**
   * For `detect`: the result of `compute`, or the kept result for an unchanged answer. It has known items only if
   * alerts await them. `content` is set for a reading of one page, and undefined for any other.
   */
  detect(
    content: object | undefined,
    state: State | null,
    scope: DetectionScope,
    compute: () => Steps<Detection<State>>,
  ): Steps<Detection<State>>;
}

interface Computed<State> {
  /** The paths that were compared. */
  readonly tracked: DetectionScope['tracked'];
  /** The detection to return again while only these items are awaited; null if unknown. */
  readonly again: { readonly awaited: Awaited; readonly detection: Detection<State> } | null;
}

export function createUnchangedAnswers<State extends object>(): UnchangedAnswers<State> {
  // By the answer first, then by the state, because several watches may read one page.
  const computedByState = new WeakMap<object, WeakMap<State, Computed<State>>>();
  const computedOf = (content: object | undefined, state: State): Computed<State> | undefined =>
    content === undefined ? undefined : computedByState.get(content)?.get(state);

  function remember(content: object, state: State, computed: Computed<State>): void {
    const states = computedByState.get(content) ?? new WeakMap<State, Computed<State>>();
    computedByState.set(content, states.set(state, computed));
  }

  return {
    isUnchanged: (content, state) => computedOf(content, state) !== undefined,
    *detect(content, state, scope, compute) {
      const computed = state === null ? undefined : computedOf(content, state);
      const known = state === null || computed === undefined ? null : detectedAgain(state, computed, scope);
      if (known !== null) return known;
      const detection = yield* compute();
      const isSaid = detection.notes.length > 0 || detection.doubt !== null;
      if (content !== undefined && detection.state !== null && !isSaid)
        remember(content, detection.state, { tracked: scope.tracked, again: repeatable(state, detection, scope) });
      return detection;
    },
  };
}

/** The result for an unchanged answer; null if it must be computed. */
function detectedAgain<State>(
  state: State,
  { tracked, again }: Computed<State>,
  scope: DetectionScope,
): Detection<State> | null {
  if (tracked !== scope.tracked) return null;
  if (scope.awaited === null) return { ...NOTHING_DETECTED, state };
  if (again === null || scope.chain !== 'not-asked') return null;
  const { keys, slots } = again.awaited;
  const isCovered = scope.awaited.keys.isSubsetOf(keys) && scope.awaited.slots.isSubsetOf(slots);
  return isCovered ? again.detection : null;
}

/** A detection without new items, reduced to the awaited items and to the newest, which pages show. */
function repeatable<State>(
  before: State | null,
  detection: Detection<State>,
  { awaited, chain }: DetectionScope,
): Computed<State>['again'] {
  const { state, events, needs } = detection;
  const isNothingNew = state === before && needs === null && events.every(({ novelty }) => novelty === 'known');
  if (awaited === null || !isNothingNew || chain !== 'not-asked') return null;
  const newest = newestOf(events);
  // The newest event is read in every poll, so it is not packed.
  const kept = events.flatMap((event) => {
    if (event === newest) return [event];
    return isAwaited(awaited, event) ? [new PackedEvent(event)] : [];
  });
  return { awaited, detection: { ...detection, events: kept } };
}

/**
 * An event with a packed view. Thousands of events may be tracked for a day each. Their rows are rarely read again, so
 * packing them saves memory.
 */
class PackedEvent implements DetectedEvent {
  readonly on: DetectedEvent['on'];
  readonly key: DetectedEvent['key'];
  readonly novelty: DetectedEvent['novelty'];
  readonly before: DetectedEvent['before'];
  readonly changed: DetectedEvent['changed'];
  readonly happenedAt: DetectedEvent['happenedAt'];
  readonly block: DetectedEvent['block'];
  readonly slot: DetectedEvent['slot'];
  readonly #view: () => DetectedEvent['view'];

  constructor(event: DetectedEvent) {
    this.on = event.on;
    this.key = event.key;
    this.novelty = event.novelty;
    this.before = event.before;
    this.changed = event.changed;
    this.happenedAt = event.happenedAt;
    this.block = event.block;
    this.slot = event.slot;
    this.#view = packView(event.view);
  }

  get view(): DetectedEvent['view'] {
    return this.#view();
  }
}

/**
 * Keeps a view as the text of its row, which takes a fifth of the memory of the row and its decoded fields. The
 * function makes an equal view at each call. A view of more than one row stays as it is.
 */
function packView(view: AnyView): () => AnyView {
  const source = view[sourceOf];
  if (source === null || source.record !== recordTypeOf(view)) return () => view;
  return unpacking(source.record, JSON.stringify(source.row), source.units);
}

// A separate function: all closures of one call keep the variables that any of them needs, so the row would stay in
// memory.
function unpacking(record: AnyRecord, row: string, units: Units): () => AnyView {
  return () => {
    const view = record.read(JSON.parse(row), units);
    if (view === undefined) throw new TypeError(`a row of ${record.name} is no object any more`);
    return view;
  };
}
