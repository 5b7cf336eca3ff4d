// Reports at fixed times: each is told once, with the first poll after its time that knows what it names; after half of
// its period with what is known then.
import type { Instant, Owed, ReadPoll, ReportReference, Verdict } from '../model.ts';
import { begunBy, decidedAt, type Evidence } from './evidence.ts';

/** One due time, by the clock of the daemon. */
interface Due {
  readonly reference: ReportReference;
  readonly at: Instant;
  readonly next: Instant;
  readonly all: readonly ReadPoll[];
  /** Of them those that were decided from this time on, before the next. */
  readonly polls: readonly ReadPoll[];
  readonly told: readonly Owed[];
}

export function judgeReports(evidence: Evidence): Verdict[] {
  return evidence.references.reports.flatMap((reference) =>
    duesOf(evidence, reference).flatMap((due) => [...lostOf(due), ...doubledOf(due), ...unknownOf(due)]),
  );
}

function duesOf({ logs, pollsOf }: Evidence, reference: ReportReference): Due[] {
  const { watch, alert, path, periodMs, offsetMs } = reference;
  const polls = pollsOf(watch, path);
  const told = logs.owed.filter((one) => one.watch === watch && one.alert === alert);
  const first = Math.ceil((logs.span.from - offsetMs) / periodMs) + 1;
  const last = Math.floor((logs.span.to - offsetMs) / periodMs) - 1;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n): Due => {
    const at = (first + n) * periodMs + offsetMs;
    const next = at + periodMs;
    const isIts = (clockAt: Instant): boolean => at <= clockAt && clockAt < next;
    return {
      reference,
      at,
      next,
      all: polls,
      polls: polls.filter(({ poll }) => poll.decided !== null && isIts(poll.decided.clockAt)),
      told: told.filter(({ clockAt }) => isIts(clockAt)),
    };
  }).filter((due) => isClockEven(due, polls));
}

/** A clock that is set makes some times come twice, and others never. */
function isClockEven({ at, next }: Due, polls: readonly ReadPoll[]): boolean {
  const ahead = polls.flatMap(({ poll: { decided } }) =>
    decided !== null && at - HOUR_MS <= decided.clockAt && decided.clockAt < next + HOUR_MS
      ? [decided.clockAt - decided.at]
      : [],
  );
  return ahead.length > 0 && Math.max(...ahead) - Math.min(...ahead) < 1000;
}

const HOUR_MS = 3_600_000;

/**
 * Two polls in a row that know the value are enough; the second one spares what came to grief in the first one. One
 * before them that was shown another value, by a server that lags, may have decided it.
 */
function lostOf({ reference, at, polls, told }: Due): Verdict[] {
  const known = polls.flatMap((poll) => {
    const value = reference.valueOf(poll);
    return value === null ? [] : [{ poll, value }];
  });
  const [one, two] = known.filter(({ poll }) => isRight(poll));
  if (told.length > 0 || one === undefined || two === undefined) return [];
  if (!known.slice(0, known.indexOf(two) + 1).every(({ value }) => reference.isTold(value))) return [];
  const due = new Date(at).toISOString();
  const note = polls[0] === known[0]?.poll ? '' : ' after a poll that did not know its value';
  return [verdictOf(reference, 'lost', two.poll.until, `the report of ${due} was not told${note}`)];
}

function isRight({ served, poll }: ReadPoll): boolean {
  return poll.isKept && served.every(({ fault, replica }) => fault === null && replica === 'chain');
}

function doubledOf({ reference, at, told }: Due): Verdict[] {
  const [, second] = told;
  const due = new Date(at).toISOString();
  return second === undefined
    ? []
    : [verdictOf(reference, 'doubled', second.at, `the report of ${due} was told twice`)];
}

function unknownOf({ reference, at, told, all }: Due): Verdict[] {
  const [first] = told;
  const poll = first && all[begunBy(all, decidedAt(all, first)) - 1];
  if (first === undefined || poll === undefined || first.clockAt >= at + reference.periodMs / 2) return [];
  // A poll that was not reported lasts until the next one here, so it is unknown which value it saw.
  if (poll.poll.decided === null) return [];
  const value = reference.valueOf(poll);
  if (value === null) return [verdictOf(reference, 'invented', first.at, 'was told without its value')];
  return reference.isTold(value) ? [] : [verdictOf(reference, 'invented', first.at, `was told of ${value}`)];
}

function verdictOf({ watch, alert }: ReportReference, check: Verdict['check'], at: Instant, what: string): Verdict {
  return { check, at, watch, what: `${alert}: ${what}` };
}
