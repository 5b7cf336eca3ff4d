// Heights that no answer covered are named, and those that were read are not.
import type { ChainLog, Gap, Instant, Reading, ReadPoll, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { headAt, madeAt } from './heights.ts';

const LOOK_BACK_MS = 7 * 3_600_000;

export function judgeGaps({ references, pollsOf, logs }: Evidence): Verdict[] {
  const lists = new Map(references.events.map(({ watch, path }) => [watch, path]));
  return [...lists].flatMap(([watch, path]) => judgeList(watch, pollsOf(watch, path), logs.chain));
}

function judgeList(watch: string, polls: readonly ReadPoll[], chain: ChainLog): Verdict[] {
  const verdicts: Verdict[] = [];
  let examined: Examined = { top: null, holes: [] };
  let named: readonly NamedGap[] = [];
  for (const poll of polls) {
    if (poll.poll.decided === null) continue;
    const { at } = poll.poll.decided;
    const { gaps } = poll.poll;
    const before = examined.holes;
    examined = after(examined, poll.readings, chain);
    const unnamed = withoutOld(both(before, examined.holes), at).find((hole) => !isWithin(hole, gaps));
    if (unnamed !== undefined) verdicts.push(verdictOf(watch, at, unnamed, 'was not read, and is not named'));
    const still = gaps.map((gap) => stillNamed(gap, named));
    const read = still.find(({ unread }) => unread.length === 0);
    if (read !== undefined && isUndisturbed(poll))
      verdicts.push(verdictOf(watch, at, read.gap, 'was read, and is named still'));
    named = still.map((one) => ({ ...one, unread: poll.readings.reduce(withoutRead, one.unread) }));
  }
  return verdicts;
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

function withoutRead(unread: readonly Gap[], reading: Reading): Gap[] {
  const read = coveredBy(reading);
  return read === null ? [...unread] : unread.flatMap((hole) => without(hole, read));
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

function after({ top, holes }: Examined, readings: readonly Reading[], chain: ChainLog): Examined {
  let now: Examined = { top, holes };
  for (const reading of readings) now = withReading(now, reading, chain);
  return now;
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
