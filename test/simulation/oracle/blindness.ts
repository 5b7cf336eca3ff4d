// What the daemon says of its own sight: a watch is blind after three due times without an answer that is right, and
// not because none was due.
import type { Blindness, CronReference, Instant, Logs, ReadPoll, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { headsElsewhere, isHeadDoubtful } from './heights.ts';

const MISSED_MEANS_BLIND = 3;
/** Of those that begin late, or whose last answer is doubtful. */
const SPARE = 3;

export function judgeBlindness({ logs, references, pollsOf }: Evidence): Verdict[] {
  const elsewhere = headsElsewhere(logs);
  const isDoubtful = ({ poll: { decided } }: ReadPoll): boolean =>
    decided !== null && isHeadDoubtful({ ...decided, logs, elsewhere, intervalMs: references.intervalMs });
  return references.cron.flatMap((reference) => {
    const known = pollsOf(reference.watch, reference.path).filter((poll) => isRight(poll, reference));
    // Where the head stands still a poll tells nothing, though it knows the value.
    const polls = { known, certain: known.filter((poll) => !isDoubtful(poll)) };
    const verdicts = logs.blindness.flatMap((look, n) => judgeLook(look, n, reference, polls, logs));
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

interface Polls {
  readonly known: readonly ReadPoll[];
  readonly certain: readonly ReadPoll[];
}

function judgeLook(
  look: Blindness,
  nth: number,
  reference: CronReference,
  { known, certain }: Polls,
  logs: Logs,
): Verdict[] {
  const { at, clockAt, watches } = look;
  const { watch, dueBetween } = reference;
  if (watches.includes(watch)) {
    const last = lastBefore(look, certain);
    const missed = last === null ? MISSED_MEANS_BLIND : dueBetween(last.clockAt, clockAt);
    return missed < MISSED_MEANS_BLIND
      ? [verdictOf(watch, 'invented', at, `blind after ${missed} missed due times`)]
      : [];
  }
  const last = lastBefore(look, known);
  const start = logs.lives.find(({ from, to }) => from <= at && at <= to)?.from ?? null;
  if (last === null || start === null) return [];
  const from = Math.max(last.at, start, pausedUntil(logs, watch, at));
  const missed = Math.floor(missedSince({ at: from, clockAt: from + clockAt - at }, nth, reference, logs));
  return missed > MISSED_MEANS_BLIND + SPARE
    ? [verdictOf(watch, 'lost', at, `not blind after ${missed} missed due times`)]
    : [];
}

/** The end of its last pause, at most now; before everything: it never was paused. */
function pausedUntil({ paused }: Logs, watch: string, now: Instant): Instant {
  const ends = paused.filter((one) => one.watch === watch && one.from <= now).map(({ to }) => Math.min(to, now));
  return Math.max(-Infinity, ...ends);
}

/** The due times until the look, each divided by how far the plan stretched them then. The clock goes evenly. */
function missedSince(
  from: Pick<Blindness, 'at' | 'clockAt'>,
  nth: number,
  { dueBetween }: CronReference,
  { blindness }: Logs,
): number {
  let missed = 0;
  for (let n = nth; n >= 0; n -= 1) {
    const [before, look] = [blindness[n - 1], blindness[n]];
    const isFirst = before === undefined || before.at <= from.at;
    const dues = dueBetween(isFirst ? from.clockAt : before.clockAt, look?.clockAt ?? 0);
    // After a plan has more to spend, a watch is looked at again with its next due time.
    missed += dues / Math.max(...blindness.slice(Math.max(0, n - 2), n + 1).map(({ stretch }) => stretch));
    if (isFirst) break;
  }
  return missed;
}

/** Null where there is none, and where the clock was set since, which is for others to judge. */
function lastBefore({ at, clockAt }: Blindness, polls: readonly ReadPoll[]): ReadPoll['poll']['decided'] {
  const last = polls.findLast(({ until }) => until <= at)?.poll.decided ?? null;
  return last === null || Math.abs(clockAt - at - (last.clockAt - last.at)) > 1000 ? null : last;
}

function verdictOf(watch: string, check: Verdict['check'], at: Instant, what: string): Verdict {
  return { check, at, watch, what };
}
