// Most polls bring the very answer of the last one. A state that has learned from an answer finds no news in it, so
// neither is looked at again.
import type { Noticed, Scope } from '../core/kind.ts';

/** Which states have learned from which answers; forgotten with either of them. */
export interface Quiet<State extends object> {
  /** For `observe`: there is no reason to read on, nor to look at what was read. */
  hasLearned(content: object | undefined, state: State): boolean;
  /**
   * For `detect`: what `look` notices, or nothing without looking. `content` is that of the one page that was all there
   * was to read; undefined of every other reading.
   */
  notice(content: object | undefined, state: State | null, scope: Scope, look: () => Noticed<State>): Noticed<State>;
}

export function createQuiet<State extends object>(): Quiet<State> {
  // By the answer first, then by the state, for several watches may read one page; then the paths that were compared.
  const trackedByState = new WeakMap<object, WeakMap<State, Scope['tracked']>>();
  const trackedOf = (content: object | undefined, state: State): Scope['tracked'] | undefined =>
    content === undefined ? undefined : trackedByState.get(content)?.get(state);

  function learn(content: object, state: State, { tracked }: Scope): void {
    const states = trackedByState.get(content) ?? new WeakMap<State, Scope['tracked']>();
    trackedByState.set(content, states.set(state, tracked));
  }

  return {
    hasLearned: (content, state) => trackedOf(content, state) !== undefined,
    notice(content, state, scope, look) {
      if (state !== null && !scope.isWaiting && trackedOf(content, state) === scope.tracked) return nothingNew(state);
      const noticed = look();
      if (content !== undefined && noticed.state !== null && noticed.notes.length === 0)
        learn(content, noticed.state, scope);
      return noticed;
    },
  };
}

function nothingNew<State>(state: State): Noticed<State> {
  return { state, events: [], now: null, before: null, range: null, baseline: null, notes: [], needs: null };
}
