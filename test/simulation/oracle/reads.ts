// Alerts about values that contracts answer: a change that lasts is told once, and nothing is told that was not served, that is
// from before what was told, or that was not deep enough. Where a rule asks something else than before, it begins again.
import type { Instant, Logs, Owed, ReadPoll, ReadReference, Span, Step, Verdict } from '../model.ts';
import { decidedAt, type Evidence } from './evidence.ts';
import type { RightTime } from './right-time.ts';
import { spansOfVersion } from './versions.ts';

/** The answer to the last request for it; null: unknown. */
export function factIn({ served }: ReadPoll, fact: string): string | null {
  const asked = served.findLast(({ cursor }) => namesIn(cursor).includes(fact));
  return asked?.answer?.type === 'one' ? (asked.answer.facts[fact] ?? null) : null;
}

function namesIn(cursor: string): readonly string[] {
  return cursor.split(/[,+]/);
}

interface Told {
  readonly one: Owed;
  readonly value: string | null;
  /** The time of the decision. */
  readonly then: Instant;
  /** In which it was decided. */
  readonly poll: ReadPoll | undefined;
}

/** A version as long as it was in force. */
interface Case {
  readonly logs: Logs;
  readonly reference: ReadReference;
  readonly span: Span;
  /** That began within the span. */
  readonly polls: readonly ReadPoll[];
  readonly told: readonly Told[];
  /** The first value that was read; null: none was. */
  readonly baseline: { readonly at: Instant; readonly value: string } | null;
  readonly rightTime: RightTime;
  readonly intervalMs: number;
}

export function judgeReads(evidence: Evidence): Verdict[] {
  return evidence.references.reads.flatMap((reference) =>
    casesOf(evidence, reference).flatMap((given) => [...lostOf(given), ...wrongOf(given)]),
  );
}

function casesOf({ logs, references, pollsOf, rightTimeOf }: Evidence, reference: ReadReference): Case[] {
  const { name, watch, alert, path } = reference;
  const all = pollsOf(watch, path);
  const owed = logs.owed.filter((one) => one.watch === watch && one.alert === alert);
  return spansOfVersion(logs, watch, alert, name).map((span): Case => {
    const isWithin = (at: Instant): boolean => span.from <= at && at < span.to;
    const polls = all.filter(({ poll }) => isWithin(poll.startedAt));
    const told = owed.flatMap((one): Told[] => {
      const then = decidedAt(all, one);
      const poll = all.findLast(({ poll: { startedAt } }) => startedAt <= then);
      return poll !== undefined && isWithin(poll.poll.startedAt)
        ? [{ one, value: reference.toldIn(one.facts), then, poll }]
        : [];
    });
    const baseline = baselineOf(polls, reference);
    return {
      logs,
      reference,
      span,
      polls,
      told,
      baseline,
      rightTime: rightTimeOf(path),
      intervalMs: references.intervalMs,
    };
  });
}

function baselineOf(polls: readonly ReadPoll[], { fact }: ReadReference): Case['baseline'] {
  for (const poll of polls) {
    const value = isCounting(poll) ? valueIn(poll, fact) : null;
    if (value !== null) return { at: poll.until, value };
  }
  return null;
}

function isCounting({ poll }: ReadPoll): boolean {
  return poll.isKept && !poll.isMissed;
}

/** A call that reverts answers nothing. */
function valueIn(poll: ReadPoll, fact: string): string | null {
  const value = factIn(poll, fact);
  return value === 'reverted' ? null : value;
}

/** A value that stood for three intervals of right time was told last, or was there from the beginning. */
function lostOf({ logs, reference, span, told, baseline, rightTime, intervalMs }: Case): Verdict[] {
  if (baseline === null) return [];
  const spells = spellsOf(logs.chain.values.get(reference.fact) ?? [], span.to);
  return spells.flatMap(({ from, to, value }): Verdict[] => {
    const dueAt = from <= baseline.at ? null : rightTime.after(from, 3 * intervalMs);
    if (dueAt === null || dueAt > to) return [];
    const last = told.findLast(({ one }) => one.at <= dueAt)?.value ?? baseline.value;
    if (last === value) return [];
    const what = `${reference.name}: ${value} since ${new Date(from).toISOString()} was not told`;
    return [{ check: 'lost', at: dueAt, watch: reference.watch, what }];
  });
}

interface Spell extends Span {
  readonly value: string;
}

function spellsOf(steps: readonly Step[], until: Instant): Spell[] {
  const spells = steps.map(({ at, value }, n) => ({ from: at, to: Math.min(steps[n + 1]?.at ?? until, until), value }));
  return spells.filter(({ from, to }) => from < to);
}

function wrongOf(given: Case): Verdict[] {
  const { reference, told, baseline } = given;
  return told.flatMap((one, n): Verdict[] => {
    const before = told[n - 1];
    const known = before?.value ?? baseline?.value ?? null;
    const why = whyWrong(given, one, known) ?? (before === undefined ? null : whyOld(given, one, before));
    if (why === null) return [];
    const check = one.value === known ? 'doubled' : 'invented';
    return [
      { check, at: one.one.at, watch: reference.watch, what: `${reference.name}: ${one.value ?? 'nothing'} ${why}` },
    ];
  });
}

function whyWrong({ logs, reference }: Case, { value, poll }: Told, known: string | null): string | null {
  const { fact, confirmations } = reference;
  if (value === null) return 'is told, and is no value';
  if (known === null) return 'is told as a change of what was not known';
  if (value === known) return 'was known';
  if (poll === undefined || !servedIn(poll, fact).includes(value)) return 'was not served';
  if (confirmations === 0) return null;
  const [height, head] = [heightIn(poll, 'at'), heightIn(poll, 'block')];
  if (height === null || head === null || height > head - confirmations) return 'was not deep enough';
  return isOfChain(poll) && !stoodIn(logs.chain.values.get(fact) ?? [], value, poll) ? 'was never so deep' : null;
}

function servedIn({ served }: ReadPoll, fact: string): readonly (string | null)[] {
  return served.flatMap(({ answer }) => (answer?.type === 'one' ? [answer.facts[fact] ?? null] : []));
}

/** The newest that any request showed. */
function heightIn(poll: ReadPoll, fact: 'at' | 'block'): number | null {
  const heights = servedIn(poll, fact).flatMap((height) => (height === null ? [] : [Number(height)]));
  return heights.length === 0 ? null : Math.max(...heights);
}

function isOfChain({ served }: ReadPoll): boolean {
  return served.every(({ replica }) => replica === 'chain');
}

function stoodIn(steps: readonly Step[], value: string, { poll, until }: ReadPoll): boolean {
  return spellsOf(steps, Infinity).some((one) => one.value === value && one.from <= until && one.to >= poll.startedAt);
}

const BELIEVED_AFTER = 3;

/** A reading from before the block of what was told counts when it is the third of its sort in a row. */
function whyOld({ polls, reference: { fact } }: Case, { poll }: Told, before: Told): string | null {
  if (poll === undefined || before.poll === undefined) return null;
  const [height, known] = [blockIn(poll, fact), blockIn(before.poll, fact)];
  if (height === null || known === null || height >= known) return null;
  const isOld = (one: ReadPoll): boolean => (blockIn(one, fact) ?? -Infinity) < known;
  const counting = polls
    .slice(0, polls.indexOf(poll))
    .filter(isCounting)
    .slice(1 - BELIEVED_AFTER);
  const isThird = counting.length === BELIEVED_AFTER - 1 && counting.every(isOld);
  return isThird ? null : `was told as of block ${height}, and another value before as of block ${known}`;
}

/** As of which it was answered last. */
function blockIn({ served }: ReadPoll, fact: string): number | null {
  const heights = served.flatMap(({ answer, cursor }) => {
    if (answer?.type !== 'one' || !namesIn(cursor).includes(fact)) return [];
    return answer.facts['at'] ?? answer.facts['block'] ?? [];
  });
  const last = heights.at(-1);
  return last === undefined ? null : Number(last);
}
