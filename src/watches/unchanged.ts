// Most polls bring the very answer of the last one. A state that was computed from the
// same bytes is not computed again.
import { NOTHING_DETECTED, type Detection, type Scope } from '../core/model/detection.ts';

/** Which states were computed from which answers; dropped with either of them. */
export interface UnchangedAnswers<State extends object> {
  /** For `observe`: nothing further has to be read or compared. */
  isUnchanged(content: object | undefined, state: State): boolean;
  /**
   * For `detect`: what `compute` detects, or nothing without looking. `content` is that of the one page that was all there
   * was to read; undefined of every other reading.
   */
  detect(
    content: object | undefined,
    state: State | null,
    scope: Scope,
    compute: () => Detection<State>,
  ): Detection<State>;
}

export function createUnchangedAnswers<State extends object>(): UnchangedAnswers<State> {
  // By the answer first, then by the state, for several watches may read one page; then the paths that were compared.
  const trackedByState = new WeakMap<object, WeakMap<State, Scope['tracked']>>();
  const trackedOf = (content: object | undefined, state: State): Scope['tracked'] | undefined =>
    content === undefined ? undefined : trackedByState.get(content)?.get(state);

  function remember(content: object, state: State, { tracked }: Scope): void {
    const states = trackedByState.get(content) ?? new WeakMap<State, Scope['tracked']>();
    trackedByState.set(content, states.set(state, tracked));
  }

  return {
    isUnchanged: (content, state) => trackedOf(content, state) !== undefined,
    detect(content, state, scope, compute) {
      if (state !== null && !scope.isWaiting && trackedOf(content, state) === scope.tracked) return nothingNew(state);
      const detection = compute();
      const isSaid = detection.notes.length > 0 || detection.doubt !== null;
      if (content !== undefined && detection.state !== null && !isSaid) remember(content, detection.state, scope);
      return detection;
    },
  };
}

function nothingNew<State>(state: State): Detection<State> {
  return { ...NOTHING_DETECTED, state };
}
