// Alerts about a value that changes, and about what an address holds: each lasting change is told once, and nothing is
// told that was not served.
import type { ChangeReference, HoldingsReference, Instant, Owed, ReadPoll, Step, Verdict } from '../model.ts';
import { whyNotGone } from './departures.ts';
import { decidedAt, type Evidence } from './evidence.ts';

export function judgeChanges(evidence: Evidence): Verdict[] {
  return evidence.references.changes.flatMap((reference) => judgeChange(evidence, reference));
}

function judgeChange(evidence: Evidence, { watch, path, fact, alertByValue }: ChangeReference): Verdict[] {
  const { logs } = evidence;
  const polls = evidence.pollsOf(watch, path);
  return judgeTurns(evidence, {
    watch,
    path,
    of: fact,
    steps: logs.chain.reputation,
    alertOf: (value) => alertByValue[value] ?? value,
    told: logs.owed.filter((one) => one.watch === watch),
    whyNot: (one, value) => (wasServed(polls, decidedAt(polls, one), fact, value) ? null : 'was not served'),
  });
}

export function judgeHoldings(evidence: Evidence): Verdict[] {
  return evidence.references.holdings.flatMap((reference) => judgeHeld(evidence, reference));
}

function judgeHeld(evidence: Evidence, { watch, path, arrived, left }: HoldingsReference): Verdict[] {
  const polls = evidence.pollsOf(watch, path);
  const told = evidence.logs.owed.filter((one) => one.watch === watch);
  const { tokens } = evidence.logs.chain;
  const all = new Set([...tokens.keys(), ...told.flatMap(({ item }) => item ?? [])]);
  return [...all].flatMap((token) =>
    judgeTurns(evidence, {
      watch,
      path,
      of: token,
      steps: (tokens.get(token) ?? HELD).map(({ at, value }) => ({ at, value: value === '0' ? left : arrived })),
      alertOf: (value) => value,
      told: told.filter(({ item }) => item === token),
      whyNot: (one, value) => whyNotHeld(polls, decidedAt(polls, one), token, value === arrived),
    }),
  );
}

/** What nothing happens to was there from the beginning. */
const HELD: readonly Step[] = [{ at: -Infinity, value: '1' }];

interface Subject {
  readonly watch: string;
  readonly path: string;
  /** What is shown of it. */
  readonly of: string;
  readonly steps: readonly Step[];
  readonly alertOf: (value: string) => string;
  readonly told: readonly Owed[];
  /** Why its poll was no reason to tell of that value; null = it was one. */
  readonly whyNot: (told: Owed, value: string) => string | null;
}

function judgeTurns(evidence: Evidence, subject: Subject): Verdict[] {
  const [recipient] = evidence.references.recipients;
  const told = subject.told.filter((one) => one.recipient === recipient);
  return [...lostOf(evidence, subject, told), ...inventedOf(subject, told)];
}

/** A value that stood for two intervals of right time is the last one that was told, unless it was there at first. */
function lostOf(evidence: Evidence, subject: Subject, told: readonly Owed[]): Verdict[] {
  const { logs } = evidence;
  const { intervalMs } = evidence.references;
  const rightTime = evidence.rightTimeOf(subject.path);
  const spans = spansOf(subject.steps);
  const first = spans.findLast(({ from }) => from <= logs.span.from)?.value;
  return spans.flatMap(({ from, to, value }): Verdict[] => {
    const dueAt = from < logs.span.from ? null : rightTime.after(from, 3 * intervalMs);
    if (dueAt === null || (to !== null && to < dueAt)) return [];
    const last = told.findLast(({ at }) => at <= dueAt)?.alert ?? (first === undefined ? null : subject.alertOf(first));
    if (last === subject.alertOf(value)) return [];
    const what = `${subject.of}: ${value} since ${new Date(from).toISOString()} was not told`;
    return [{ check: 'lost', at: dueAt, watch: subject.watch, what }];
  });
}

/** Steps to the same value as before are none. */
function spansOf(steps: readonly Step[]): { from: Instant; to: Instant | null; value: string }[] {
  const real = steps.filter(({ value }, n) => value !== steps[n - 1]?.value);
  return real.map(({ at, value }, n) => ({ from: at, to: real[n + 1]?.at ?? null, value }));
}

function inventedOf({ watch, of, steps, alertOf, whyNot }: Subject, told: readonly Owed[]): Verdict[] {
  const valueByAlert = new Map(steps.map(({ value }) => [alertOf(value), value]));
  return told.flatMap((one, n): Verdict[] => {
    const { alert, at } = one;
    if (told[n - 1]?.alert === alert) return [{ check: 'doubled', at, watch, what: `${of}: ${alert} twice in a row` }];
    const why = whyNot(one, valueByAlert.get(alert) ?? alert);
    return why === null ? [] : [{ check: 'invented', at, watch, what: `${of}: ${alert}, but it ${why}` }];
  });
}

function pollAt(polls: readonly ReadPoll[], at: Instant): ReadPoll | undefined {
  return polls.findLast(({ poll }) => poll.startedAt <= at);
}

function wasServed(polls: readonly ReadPoll[], at: Instant, fact: string, value: string): boolean {
  return (pollAt(polls, at)?.served ?? []).some(({ answer }) => answer?.type === 'one' && answer.facts[fact] === value);
}

function whyNotHeld(polls: readonly ReadPoll[], at: Instant, token: string, isHeld: boolean): string | null {
  if (!isHeld) return whyNotGone(polls, at, token);
  const readings = pollAt(polls, at)?.readings ?? [];
  return readings.some(({ rows }) => rows.some(({ id }) => id === token)) ? null : 'was not served';
}
