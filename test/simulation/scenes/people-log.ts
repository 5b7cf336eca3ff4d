// Writes down, for the oracle for people, what happens in a run.

import type { OperatorRequest, StoredAnswer } from '../../../src/store/contract/operators.ts';
import type { Instant, Span } from '../model.ts';
import type { ConfigVersion, InForce, Life, OperatorAction, PeopleLog, PollEnd } from '../people/log.ts';
import { AckAnswer, keptChange } from './operate.ts';
import { createTransitionLog, type TransitionLog } from './transitions.ts';
import { createTryLog, type TryLog } from './tries.ts';

export interface PeopleRecorder extends Pick<TransitionLog, 'kept' | 'unkept'>, Omit<TryLog, 'all' | 'untried'> {
  readonly applied: (version: ConfigVersion) => void;
  readonly operated: (stored: StoredAnswer, request: Pick<OperatorRequest, 'key' | 'actor'>) => void;
  readonly polled: (watch: string, isComplete: boolean) => void;
  readonly lived: (life: Life) => void;
  readonly end: (span: Span, given: Pick<PeopleLog, 'jumps' | 'refusals'>) => PeopleLog;
}

export function createPeopleRecorder(now: () => Instant): PeopleRecorder {
  const configs: InForce[] = [];
  const actions: OperatorAction[] = [];
  const polls: PollEnd[] = [];
  const lives: Life[] = [];
  /** A repeated request is answered as it was at first, and changes nothing. */
  const answered = new Set<string>();
  const transitions = createTransitionLog(now);
  const { all: allTries, untried, ...tries } = createTryLog(now, transitions.of);
  /** When an acknowledgement ends by itself, by alert and episode. */
  const ackedUntil = new Map<string, Instant>();

  function replaces({ action, answer }: StoredAnswer): boolean {
    if (action !== 'ack') return false;
    const { key, episode, at, until } = AckAnswer.parse(answer);
    const name = `${key} ${episode}`;
    const before = ackedUntil.get(name);
    ackedUntil.set(name, until);
    return before !== undefined && before > at;
  }

  return {
    kept: transitions.kept,
    unkept: transitions.unkept,
    ...tries,
    applied(config) {
      if (configs.at(-1)?.config !== config) configs.push({ from: now(), config });
    },
    operated(stored, { key, actor }) {
      if (answered.has(key)) return;
      answered.add(key);
      const kept = keptChange(stored, replaces(stored));
      if (kept !== null) actions.push({ at: now(), by: actor, ...kept });
    },
    polled(watch, isComplete) {
      polls.push({ at: now(), watch, isComplete });
    },
    lived: (life) => lives.push(life),
    end: (span, { jumps, refusals }) => ({
      span,
      aheadMs: 0,
      jumps,
      configs: configs.map((one, n) => (n === 0 ? { ...one, from: span.from } : one)),
      actions,
      transitions: transitions.all(),
      tries: allTries(),
      untried: untried(),
      lives,
      polls,
      refusals,
    }),
  };
}
