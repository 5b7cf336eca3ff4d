// What all judgements rest on, worked out once.
import type { Instant, Logs, Owed, Poll, ReadPoll, References } from '../model.ts';
import { countUntil } from '../people/facts/spans.ts';
import { readPolls } from './readings.ts';
import { rightTimeOf, type RightTime } from './right-time.ts';

export interface Evidence {
  readonly logs: Logs;
  readonly references: References;
  readonly pollsOf: (watch: string, path: string) => readonly ReadPoll[];
  readonly rightTimeOf: (path: string) => RightTime;
}

export function evidenceOf(all: Logs, references: References): Evidence {
  // No poll decides that a severity is raised: the oracle for people judges who hears of it.
  const logs = { ...all, owed: all.owed.filter(({ reason }) => reason !== 'severity-raised') };
  const polls = new Map<string, readonly ReadPoll[]>();
  const rightTimes = new Map<string, RightTime>();
  return {
    logs,
    references,
    pollsOf: (watch, path) => once(polls, watch, () => readPolls(logs, watch, path)),
    rightTimeOf: (path) => once(rightTimes, path, () => rightTimeOf(logs, path, references.intervalMs)),
  };
}

function once<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/** When it was decided: what the store refused is committed with a later poll. */
export function decidedAt(
  polls: readonly { readonly poll: Poll }[],
  { at, clockAt }: Pick<Owed, 'at' | 'clockAt'>,
): Instant {
  for (let n = begunBy(polls, at) - 1; n >= 0; n -= 1) {
    const decided = polls[n]?.poll.decided ?? null;
    if (decided !== null && decided.at <= at) return Math.min(at, clockAt - (decided.clockAt - decided.at));
  }
  return at;
}

/** How many of the polls of one watch had begun by then. */
export function begunBy(polls: readonly { readonly poll: Poll }[], at: Instant): number {
  return countUntil(polls.length, (n) => (polls[n]?.poll.startedAt ?? Infinity) <= at);
}
