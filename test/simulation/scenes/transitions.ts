// Writes down what was decided about alerts, whether the store took it or not.
import type { Decision } from '../../../src/core/model/decision.ts';
import { nameOfTransition, type Transition } from '../../../src/core/model/transition.ts';
import type { Instant } from '../model.ts';
import type { CommittedTransition } from '../people/log.ts';

export interface TransitionLog {
  readonly kept: (decisions: readonly Pick<Decision, 'transitions'>[]) => void;
  /** The store answered with an error, so that people can be told from memory only. */
  readonly unkept: (decisions: readonly Pick<Decision, 'transitions'>[]) => void;
  readonly of: (of: Pick<CommittedTransition, 'key' | 'seq'>) => CommittedTransition | undefined;
  /** In the order of time. */
  readonly all: () => readonly CommittedTransition[];
}

interface Times {
  readonly at: Instant | null;
  readonly fromMemoryAt: Instant | null;
}

export function createTransitionLog(now: () => Instant): TransitionLog {
  const byPlace = new Map<string, CommittedTransition>();
  /** Another poll decided otherwise in their place. */
  const overtaken: CommittedTransition[] = [];

  function note(transition: Transition, times: (before: CommittedTransition | undefined) => Times): void {
    const place = placeOf(transition.message);
    const before = byPlace.get(place);
    const isSame = before?.type === nameOfTransition(transition.message);
    if (before !== undefined && !isSame) overtaken.push(before);
    byPlace.set(place, committedOf(transition, times(isSame ? before : undefined)));
  }

  return {
    kept(decisions) {
      for (const transition of decisions.flatMap(({ transitions }) => transitions))
        note(transition, (before) => ({ at: before?.at ?? now(), fromMemoryAt: before?.fromMemoryAt ?? null }));
    },
    unkept(decisions) {
      for (const transition of decisions.flatMap(({ transitions }) => transitions))
        note(transition, (before) => ({ at: before?.at ?? null, fromMemoryAt: before?.fromMemoryAt ?? now() }));
    },
    of: (one) => byPlace.get(placeOf(one)),
    all: () => [...overtaken, ...byPlace.values()].toSorted((a, b) => timeOf(a) - timeOf(b)),
  };
}

function placeOf({ key, seq }: { readonly key: string; readonly seq: number }): string {
  return `${key} ${seq}`;
}

function timeOf({ at, fromMemoryAt }: CommittedTransition): Instant {
  return at ?? fromMemoryAt ?? 0;
}

/** Channels that the decision names are those of the routes too: only of the daemon's own alerts they are not. */
function committedOf({ message, labels, notify }: Transition, times: Times): CommittedTransition {
  const { key, episode, seq, watch, alert, severity, reason, summary } = message;
  return {
    ...times,
    decidedClock: message.at,
    watch,
    alert,
    key,
    episode,
    seq,
    type: nameOfTransition(message),
    severity,
    labels,
    reason,
    notify: watch === 'chainwarden' ? notify : null,
    foldedKeys: summary?.keys ?? null,
  };
}
