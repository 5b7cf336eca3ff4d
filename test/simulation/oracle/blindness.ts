// What the daemon says of its own sight: a watch is blind after three due times without an answer that is right, and
// not because none was due.
import type { Blindness, CronReference, Instant, Logs, ReadPoll, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';

const MISSED_MEANS_BLIND = 3;
/** Of those that begin late, or whose last answer is doubtful. */
const SPARE = 3;

export function judgeBlindness({ logs, references, pollsOf }: Evidence): Verdict[] {
  return references.cron.flatMap((reference) => {
    const right = pollsOf(reference.watch, reference.path).filter((poll) => isRight(poll, reference));
    const verdicts = logs.blindness.flatMap((look) => judgeLook(look, reference, right, logs));
    // One that lasts is one thing.
    return verdicts.filter((verdict, n) => {
      const before = verdicts[n - 1];
      return before?.check !== verdict.check || verdict.at - before.at > LASTING_MS;
    });
  });
}

const LASTING_MS = 3_600_000;

function isRight(poll: ReadPoll, { valueOf }: CronReference): boolean {
  return poll.poll.decided !== null && valueOf(poll) !== null;
}

function judgeLook(look: Blindness, reference: CronReference, right: readonly ReadPoll[], logs: Logs): Verdict[] {
  const { at, clockAt, watches } = look;
  const { watch, dueBetween } = reference;
  const last = right.findLast(({ until }) => until <= at)?.poll.decided ?? null;
  const start = logs.lives.find(({ from, to }) => from <= at && at <= to)?.from ?? null;
  // A clock that was set since is for others to judge.
  if (last === null || start === null || Math.abs(clockAt - at - (last.clockAt - last.at)) > 1000) return [];
  const missed = dueBetween(last.clockAt, clockAt);
  const isBlind = watches.includes(watch);
  const missedInLife = dueBetween(Math.max(last.clockAt, start + clockAt - at), clockAt);
  if (isBlind && missed < MISSED_MEANS_BLIND)
    return [verdictOf(watch, 'invented', at, `blind after ${missed} missed due times`)];
  if (!isBlind && missedInLife > MISSED_MEANS_BLIND + SPARE)
    return [verdictOf(watch, 'lost', at, `not blind after ${missedInLife} missed due times`)];
  return [];
}

function verdictOf(watch: string, check: Verdict['check'], at: Instant, what: string): Verdict {
  return { check, at, watch, what };
}
