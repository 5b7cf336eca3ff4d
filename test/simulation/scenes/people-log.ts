// Writes down, for the oracle for people, what happens in a run.

import type { JournalEntry } from '../../../src/core/journal/entry.ts';
import type { OperatorRequest, StoredAnswer } from '../../../src/store/contract/operators.ts';
import type { Instant, Span } from '../model.ts';
import type {
  ConfigVersion,
  InForce,
  Life,
  OperatorAction,
  OperatorChange,
  PeopleLog,
  PollEnd,
} from '../people/log.ts';
import { AckAnswer, ackedInLines, keptChange } from './operate.ts';
import { createTransitionLog, type TransitionLog } from './transitions.ts';
import { createTryLog, type TryLog } from './tries.ts';

export interface PeopleRecorder extends Pick<TransitionLog, 'kept' | 'unkept'>, Omit<TryLog, 'all' | 'untried'> {
  readonly applied: (version: ConfigVersion) => void;
  /** Returns what was changed; nothing, where the request was answered before. `lines`: of the journal. */
  readonly operated: (
    stored: StoredAnswer,
    request: Pick<OperatorRequest, 'key' | 'actor'>,
    lines: readonly JournalEntry[],
  ) => readonly OperatorChange[];
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
    const { key, episode, at } = AckAnswer.parse(answer);
    return (ackedUntil.get(`${key} ${episode}`) ?? -Infinity) > at;
  }

  function changesOf(stored: StoredAnswer, lines: readonly JournalEntry[]): readonly OperatorChange[] {
    if (stored.action === 'ack-all') return ackedInLines(lines);
    return [keptChange(stored, replaces(stored))].filter((change) => change !== null);
  }

  return {
    kept: transitions.kept,
    unkept: transitions.unkept,
    ...tries,
    applied(config) {
      if (configs.at(-1)?.config !== config) configs.push({ from: now(), config });
    },
    operated(stored, { key, actor }, lines) {
      if (answered.has(key)) return [];
      answered.add(key);
      const changes = changesOf(stored, lines);
      for (const change of changes) {
        if (change.type === 'ack') ackedUntil.set(`${change.key} ${change.episode}`, change.untilClock);
        actions.push({ at: now(), by: actor, ...change });
      }
      return changes;
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
