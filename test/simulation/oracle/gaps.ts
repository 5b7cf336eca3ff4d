// Heights that no answer covered are named, and those that were read are not.
import type { Gap, Instant, Reading, ReadPoll, Verdict } from '../model.ts';
import type { Evidence } from './evidence.ts';
import { madeAt } from './heights.ts';

const LOOK_BACK_MS = 7 * 3_600_000;

export function judgeGaps({ references, pollsOf }: Evidence): Verdict[] {
  const lists = new Map(references.events.map(({ watch, path }) => [watch, path]));
  return [...lists].flatMap(([watch, path]) => judgeList(watch, pollsOf(watch, path)));
}

function judgeList(watch: string, polls: readonly ReadPoll[]): Verdict[] {
  const verdicts: Verdict[] = [];
  let examined: Examined = { top: null, holes: [] };
  let before: Examined = examined;
  for (const poll of polls) {
    if (poll.poll.decided === null) continue;
    const at = poll.poll.decided.at;
    [before, examined] = [examined, after(examined, poll.readings)];
    const { gaps } = poll.poll;
    const unnamed = withoutOld(both(before.holes, examined.holes), at).find((hole) => !isWithin(hole, gaps));
    if (unnamed !== undefined) verdicts.push(verdictOf(watch, at, unnamed, 'was not read, and is not named'));
    const read = gaps.find((gap) => !touches(gap, before.holes) && !touches(gap, examined.holes));
    if (read !== undefined) verdicts.push(verdictOf(watch, at, read, 'was read, and is named still'));
  }
  return verdicts;
}

interface Examined {
  /** The highest block that was read; null before the first reading. */
  readonly top: number | null;
  /** What was passed over below it. */
  readonly holes: readonly Gap[];
}

function after({ top, holes }: Examined, readings: readonly Reading[]): Examined {
  let now: Examined = { top, holes };
  for (const reading of readings) now = withReading(now, reading);
  return now;
}

function withReading({ top, holes }: Examined, { rows, isWhole, below }: Reading): Examined {
  const blocks = rows.flatMap(({ block }) => (block === null ? [] : [block]));
  if (blocks.length === 0) return { top, holes };
  const [low, high] = [isWhole ? -1 : Math.min(...blocks), Math.max(...blocks)];
  const passed = top !== null && below === null && low > top ? [{ from: top + 1, to: low }] : [];
  const left = holes.flatMap((hole) => without(hole, { from: low + 1, to: below === null ? Infinity : below - 1 }));
  return { top: Math.max(top ?? 0, high), holes: [...left, ...passed] };
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

function touches(gap: Gap, holes: readonly Gap[]): boolean {
  return both([gap], holes).length > 0;
}

function verdictOf(watch: string, at: Instant, { from, to }: Gap, what: string): Verdict {
  return { check: 'unnamed-gap', at, watch, what: `blocks ${from}-${to}: ${what}` };
}
