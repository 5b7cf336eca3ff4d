// Alerts about what is behind a proxy: each change that lasts is told once, an unknown stretch is silent, and what was there
// before the last change counts again only after ten minutes in which every reading shows it.
import type { CodeReference, Instant, Logs, Owed, ReadPoll, Span, Step, Verdict } from '../model.ts';
import { decidedAt, type Evidence } from './evidence.ts';
import { headsElsewhere, isHeadDoubtful } from './heights.ts';
import type { RightTime } from './right-time.ts';

const RETURN_MS = 600_000;
const FACT = 'code';
/** What is told of it. */
const TOLD_FACT = 'implementation';
/** One that flaps is silent for a while. */
const FLAPPING_MS = 3 * 3_600_000;

interface Case {
  readonly logs: Logs;
  readonly reference: CodeReference;
  readonly polls: readonly ReadPoll[];
  readonly rightTime: RightTime;
  readonly intervalMs: number;
  readonly spells: readonly Spell[];
  /** Before anything is told. */
  readonly first: string | null;
  readonly changes: readonly Owed[];
  readonly states: readonly Owed[];
}

/** It was this on the chain, whatever an explorer showed. */
interface Spell extends Span {
  readonly code: string;
}

export function judgeCode({ logs, references, pollsOf, rightTimeOf }: Evidence): Verdict[] {
  return references.code.flatMap((reference) => {
    const { watch, path, changed, foreign } = reference;
    const spells = spellsOf(logs.chain.code, logs.span);
    const toldOf = (alert: string): Owed[] => logs.owed.filter((one) => one.watch === watch && one.alert === alert);
    const given: Case = {
      logs,
      reference,
      polls: pollsOf(watch, path),
      rightTime: rightTimeOf(path),
      intervalMs: references.intervalMs,
      spells,
      first: spells.find(({ to }) => to > logs.span.from)?.code ?? null,
      changes: toldOf(changed),
      states: toldOf(foreign),
    };
    return [...lostChanges(given), ...wrongChanges(given), ...lateStates(given), ...wrongStates(given)];
  });
}

/** Steps to the same code are none. */
function spellsOf(steps: readonly Step[], { to: end }: Span): Spell[] {
  const real = steps.filter(({ value }, n) => value !== steps[n - 1]?.value);
  return real.map(({ at, value }, n) => ({ from: at, to: real[n + 1]?.at ?? end, code: value }));
}

/** The code that was told last. */
function countingAt({ changes, first }: Case, at: Instant): string | null {
  const last = changes.findLast((one) => one.at <= at);
  return last === undefined ? first : codeOf(last);
}

function codeOf({ facts }: Owed): string | null {
  return facts[TOLD_FACT]?.toLowerCase() ?? null;
}

/** What stood for three intervals of right time, and the ten minutes of a return, is what counts. */
function lostChanges(given: Case): Verdict[] {
  const { reference, rightTime, intervalMs, spells, logs } = given;
  return spells.flatMap(({ from, to, code }): Verdict[] => {
    const dueAt = from < logs.span.from ? null : rightTime.after(from, 3 * intervalMs + RETURN_MS);
    if (dueAt === null || dueAt > to || countingAt(given, dueAt) === code) return [];
    const what = `${reference.changed}: ${code} since ${new Date(from).toISOString()} was not told`;
    return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
  });
}

function wrongChanges(given: Case): Verdict[] {
  const { reference, changes, first } = given;
  // What may return: after a return that was told, nothing waits.
  let [counting, previous] = [first, null as string | null];
  return changes.flatMap((one): Verdict[] => {
    const code = codeOf(one);
    const isReturn = code !== null && code === previous && reference.expected.includes(code);
    const [check, why] = whyWrong(given, one, { code, counting, isReturn });
    [counting, previous] = [code, isReturn ? null : counting];
    if (why === null) return [];
    return [{ check, at: one.at, watch: reference.watch, what: `${reference.changed}: ${code ?? 'nothing'} ${why}` }];
  });
}

interface Change {
  readonly code: string | null;
  readonly counting: string | null;
  readonly isReturn: boolean;
}

function whyWrong(
  { polls }: Case,
  one: Owed,
  { code, counting, isReturn }: Change,
): readonly [Verdict['check'], string | null] {
  if (code === null) return ['invented', 'is unknown, and no change'];
  if (code === counting) return ['doubled', 'was told twice in a row'];
  const then = decidedAt(polls, one);
  const last = polls.findLast(({ poll }) => poll.startedAt <= then);
  if (last === undefined || !codesIn(last).includes(code)) return ['invented', 'was not served'];
  return ['invented', isReturn && !hasStood(polls, last, code) ? 'counted again before ten minutes' : null];
}

/** Polls that came to nothing, or that were not kept, break nothing. */
function hasStood(polls: readonly ReadPoll[], last: ReadPoll, code: string | null): boolean {
  const before = polls.slice(0, polls.indexOf(last)).toReversed();
  const brokenAt = before.findIndex((poll) => poll.poll.isKept && !poll.poll.isMissed && !codesIn(poll).includes(code));
  const run = brokenAt < 0 ? before : before.slice(0, brokenAt);
  const first = run.findLast((poll) => codesIn(poll).includes(code));
  if (first === undefined) return false;
  // When one was decided that the process did not live to report is unknown.
  const passed = last.poll.startedAt - first.poll.startedAt;
  return Math.max(passed, first.poll.decided === null ? 0 : clockOf(last) - clockOf(first)) >= RETURN_MS;
}

function clockOf({ poll: { decided }, until }: ReadPoll): Instant {
  return decided?.clockAt ?? until;
}

function codesIn({ served }: ReadPoll): readonly (string | null)[] {
  return served.flatMap(({ answer }) => (answer?.type === 'one' ? [answer.facts[FACT] ?? null] : []));
}

function isForeign({ expected }: CodeReference, code: string | null): boolean {
  return code !== null && !expected.includes(code);
}

/** Whatever stands is foreign, or is not, for so long that it must be told. */
function lateStates(given: Case): Verdict[] {
  const { reference, rightTime, intervalMs, states, spells, logs, polls } = given;
  const runs: Spell[] = [];
  for (const spell of spells) {
    const last = runs.at(-1);
    const goesOn = last !== undefined && isForeign(reference, last.code) === isForeign(reference, spell.code);
    if (goesOn) runs[runs.length - 1] = { ...last, to: spell.to };
    else runs.push(spell);
  }
  const elsewhere = headsElsewhere(logs);
  return runs.flatMap(({ from, to, code }): Verdict[] => {
    const isFlapping = states.some(({ at, reason }) => reason !== null && at > from - FLAPPING_MS && at <= to);
    const ms = 4 * intervalMs + RETURN_MS + (isFlapping ? FLAPPING_MS : 0);
    const dueAt = rightTime.after(Math.max(from, logs.span.from), ms);
    const wanted = isForeign(reference, code);
    if (dueAt === null || dueAt > to || isFiringAt(states, dueAt) === wanted) return [];
    // A head that stands still, or that is not known, leaves the state as it is.
    const meanwhile = polls.filter(({ poll: { startedAt } }) => from <= startedAt && startedAt <= dueAt);
    if (
      meanwhile.some((poll) => isHeadDoubtful({ at: poll.until, clockAt: clockOf(poll), logs, elsewhere, intervalMs }))
    )
      return [];
    const since = new Date(from).toISOString();
    const what = `${reference.foreign}: ${wanted ? 'held and did not fire' : 'was over and did not end'}, since ${since}`;
    return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
  });
}

function isFiringAt(states: readonly Owed[], at: Instant): boolean {
  return states.findLast((one) => one.at <= at)?.type === 'alert.firing';
}

/** It goes by the code that counts. */
function wrongStates(given: Case): Verdict[] {
  const { reference, states } = given;
  return states.flatMap((one, n): Verdict[] => {
    const { type, at, reason } = one;
    const before = states[n - 1]?.type ?? 'alert.resolved';
    const verdict = (check: Verdict['check'], what: string): Verdict[] => [
      { check, at, watch: reference.watch, what: `${reference.foreign}: ${what}` },
    ];
    if (reason !== null) return [];
    if (type === before) return verdict('doubled', `${type} twice in a row`);
    const isSo = isForeign(reference, countingAt(given, at));
    if (type === 'alert.firing' && !isSo) return verdict('invented', 'fired of code that is expected');
    return type === 'alert.resolved' && isSo ? verdict('falsely-resolved', 'ended, but the code is foreign') : [];
  });
}
