// Heights that no answer covered are named, and those that were read are not. A list that is asked for by heights
// is short here: a poll leaves something out only where the times of its blocks are not known, and the next one goes on there.
import type { ChainLog, Gap, Instant, Reading, ReadPoll, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { headAt, madeAt } from './heights.ts';

const LOOK_BACK_MS = 7 * 3_600_000;

export function judgeGaps({ references, pollsOf, logs }: Evidence): Verdict[] {
  const lists = new Map(references.events.map(({ watch, path }) => [watch, path]));
  return [...lists].flatMap(([watch, path]) => {
    const polls = pollsOf(watch, path);
    const isByHeights = polls.some(({ readings }) => readings.some(({ heights }) => heights !== null));
    return isByHeights ? judgeHeights(watch, polls, logs.chain) : judgeList(watch, polls, logs.chain);
  });
}

/** So far below the newest block each poll begins at the latest: what was told is read again until it is final. */
const READ_AGAIN = 72;

function judgeHeights(watch: string, polls: readonly ReadPoll[], chain: ChainLog): Verdict[] {
  return polls.flatMap(({ readings }, n) => {
    const left = polls[n - 1]?.poll.gaps.find(({ to }) => to === Infinity);
    return readings.flatMap(({ at, heights }): Verdict[] => {
      const latest = headAt(at, chain) - READ_AGAIN;
      if (heights === null || heights.to !== Infinity || heights.from <= latest) return [];
      if (heights.from === left?.from) return [];
      return [verdictOf(watch, at, { from: latest, to: heights.from - 1 }, 'was not read again')];
    });
  });
}

function judgeList(watch: string, polls: readonly ReadPoll[], chain: ChainLog): Verdict[] {
  const verdicts: Verdict[] = [];
  let known: Known = { examined: { top: null, holes: [] }, named: [] };
  for (const poll of polls) {
    if (!poll.poll.isKept) continue;
    const next = after(known, poll, chain);
    verdicts.push(...judgePoll(watch, poll, known, next));
    known = next;
  }
  return verdicts;
}

/** What `status` says after a poll. Where the daemon does not know that it was kept, it says what it said before. */
function judgePoll(watch: string, poll: ReadPoll, before: Known, after: Known): Verdict[] {
  const { decided, gaps } = poll.poll;
  if (decided === null) return [];
  const { at } = decided;
  const holes = withoutOld(both(before.examined.holes, after.examined.holes), at);
  const unnamed = holes.find((hole) => !isWithin(hole, gaps));
  const read = gaps.find((gap) => stillNamed(gap, before.named).unread.length === 0);
  return [
    ...(unnamed === undefined ? [] : [verdictOf(watch, at, unnamed, 'was not read, and is not named')]),
    ...(read === undefined || !isUndisturbed(poll) ? [] : [verdictOf(watch, at, read, 'was read, and is named still')]),
  ];
}

/** After a poll that was kept. Where it came to nothing, the next one covers or names all that it read. */
interface Known {
  readonly examined: Examined;
  readonly named: readonly NamedGap[];
}

function after({ examined, named }: Known, { poll, readings }: ReadPoll, chain: ChainLog): Known {
  const still = poll.decided === null ? named : poll.gaps.map((gap) => stillNamed(gap, named));
  if (poll.isMissed) return { examined, named: still };
  return {
    examined: readings.reduce((one, reading) => withReading(one, reading, chain), examined),
    named: still.map((one) => ({ ...one, unread: readings.reduce(withoutRead, one.unread) })),
  };
}

interface NamedGap {
  readonly gap: Gap;
  /** What was not read of it since it was first named. */
  readonly unread: readonly Gap[];
}

/** One that grew since the last poll is another one. */
function stillNamed(gap: Gap, before: readonly NamedGap[]): NamedGap {
  const known = before.find((one) => one.gap.from === gap.from && one.gap.to >= gap.to);
  return { gap, unread: known === undefined ? [gap] : both([gap], known.unread) };
}

/**
 * A sweep goes on from a position that does not say its block. What lies between it and the first row counts as read only
 * when the gap itself is read.
 */
function withoutRead(unread: readonly Gap[], reading: Reading): Gap[] {
  const read = coveredBy(reading);
  if (read === null) return [...unread];
  const sure = reading.below === null ? read : { ...read, to: Math.min(read.to, highestIn(reading) - 1) };
  return unread.flatMap((hole) => without(hole, sure));
}

function isUndisturbed({ served }: ReadPoll): boolean {
  return served.every(({ fault, replica }) => fault === null && replica === 'chain');
}

interface Examined {
  /** The highest block that was read; null before the first reading. */
  readonly top: number | null;
  /** What was passed over below it. */
  readonly holes: readonly Gap[];
}

/** A list that is empty at first was read up to the head. */
function withReading({ top, holes }: Examined, reading: Reading, chain: ChainLog): Examined {
  const read = coveredBy(reading);
  if (read === null) return { top: top ?? (reading.isWhole ? headAt(reading.at, chain) : null), holes };
  const passed =
    top !== null && reading.below === null && read.from > top + 1 ? [{ from: top + 1, to: read.from - 1 }] : [];
  const left = holes.flatMap((hole) => without(hole, read));
  return { top: Math.max(top ?? 0, highestIn(reading)), holes: [...left, ...passed] };
}

/** Of the lowest block perhaps not all was read. Null where no row is in a block. */
function coveredBy({ rows, isWhole, below }: Reading): Gap | null {
  const blocks = rows.flatMap(({ block }) => (block === null ? [] : [block]));
  if (blocks.length === 0) return null;
  return { from: isWhole ? 0 : Math.min(...blocks) + 1, to: below ?? Infinity };
}

function highestIn({ rows }: Reading): number {
  return Math.max(...rows.map(({ block }) => block ?? 0));
}

function without({ from, to }: Gap, read: Gap): Gap[] {
  return [
    { from, to: Math.min(to, read.from - 1) },
    { from: Math.max(from, read.to + 1), to },
  ].filter((part) => part.from <= part.to);
}

/** What lies deeper is not looked for, and may be named or not. */
function withoutOld(holes: readonly Gap[], at: Instant): Gap[] {
  const oldest = Math.ceil((at - LOOK_BACK_MS - madeAt(0)) / 60_000);
  return holes.map(({ from, to }) => ({ from: Math.max(from, oldest), to })).filter(({ from, to }) => from <= to);
}

function both(a: readonly Gap[], b: readonly Gap[]): Gap[] {
  return a.flatMap((one) =>
    b
      .map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }))
      .filter(({ from, to }) => from <= to),
  );
}

function isWithin(hole: Gap, gaps: readonly Gap[]): boolean {
  return gaps.reduce<Gap[]>((left, gap) => left.flatMap((part) => without(part, gap)), [hole]).length === 0;
}

function verdictOf(watch: string, at: Instant, { from, to }: Gap, what: string): Verdict {
  return { check: 'unnamed-gap', at, watch, what: `blocks ${from}-${to}: ${what}` };
}
