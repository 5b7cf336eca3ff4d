// Parts of a list that were not read. A gap begins where a reading stops at its limit of pages, or where a page fails.
// Later polls continue from there. A gap is closed when a row below it, or the end of the list, is read.
import { z } from 'zod';
import type { Heights } from '../../core/model/detection.ts';
import type { Cursor } from '../../core/model/watch/question.ts';
import type { Instant } from '../../lib/clock.ts';
import type { SweepReading } from './sweep.ts';

/** Rows in the blocks from `from` to `to`, both included, may be unread. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  /** The position behind the last row that was read above the gap; null: behind the newest pages. */
  readonly resume: Cursor | null;
  readonly reason: string;
  readonly since: Instant;
}

export const Gap: z.ZodType<Gap> = z.object({
  from: z.number(),
  to: z.number(),
  resume: z.record(z.string(), z.string()).nullable(),
  reason: z.string(),
  since: z.number(),
});

/** The gaps do not overlap. The highest comes first. */
export type Gaps = readonly Gap[];

/** The part of a gap that one poll read. */
export interface GapReading {
  readonly gap: Gap;
  /** The lowest block that was read; null if no row names its block. */
  readonly lowest: number | null;
  readonly resume: Cursor | null;
  readonly isClosed: boolean;
}

const MOST_GAPS = 16;
/** No reading can get the other rows of such a block. */
const OVERFULL = 'more rows than a page has';
/** The explorer reported this in a sweep. The next sweep reads the blocks again. */
const UNTRACED = 'not traced yet';
/** Stands for the upper end of a gap that has none: a list that is read upwards has not reached the newest block. */
const NO_END = Number.MAX_SAFE_INTEGER;

/** True if the rows of a gap will be read, and would still be sent. */
export function isReadLater({ to, reason }: Gap, floor: number): boolean {
  return to > floor && reason !== OVERFULL;
}

/** The gap that has no upper end; null if there is none. */
export function openGap(gaps: Gaps): Gap | null {
  return gaps.find(({ to }) => to === NO_END) ?? null;
}

/** The part that a range reading leaves unread. */
interface UnreadRest {
  /** The block from which it began. */
  readonly from: number;
  /** The lowest block that it did not reach, and why; null if it reached the newest. */
  readonly unread: { readonly from: number; readonly why: string } | null;
  readonly overfull: readonly number[];
}

/** The gaps after a reading upwards. It has no effect on an open gap that begins below it. */
export function afterRange(gaps: Gaps, { from, unread, overfull }: UnreadRest, at: Instant): Gaps {
  const open = openGap(gaps);
  const isReadOn = open !== null && from <= open.from;
  const left = isReadOn ? gaps.filter((gap) => gap !== open) : gaps;
  const since = open?.since ?? at;
  const rest = unread === null ? [] : [{ from: unread.from, to: NO_END, resume: null, reason: unread.why, since }];
  const full = overfull
    .filter((block) => !isNamed(gaps, block))
    .map((block) => ({ from: block, to: block, resume: null, reason: OVERFULL, since: at }));
  return [...full, ...rest].reduce(withGap, left);
}

/** True if a gap contains the block. A gap without an upper end contains it only until the block is read. */
export function isNamed(gaps: Gaps, block: number): boolean {
  return gaps.some((gap) => gap.to !== NO_END && overlap(gap, { from: block, to: block }));
}

/** The gaps for a list that is read upwards: it goes on at the lowest block that a reading downwards did not reach. */
export function upwardGaps(gaps: Gaps, floor: number): Gaps {
  const unread = gaps.filter(({ to, reason }) => to > floor && to !== NO_END && ![OVERFULL, UNTRACED].includes(reason));
  const [highest] = unread;
  if (highest === undefined) return gaps;
  const from = Math.max(floor + 1, Math.min(...unread.map((gap) => gap.from)));
  const since = Math.min(...unread.map((gap) => gap.since));
  const left = gaps.filter((gap) => !unread.includes(gap));
  return withGap(left, { from, to: NO_END, resume: null, reason: highest.reason, since });
}

/** Adds a gap, joined with those that it overlaps. If there are too many gaps, the two closest are joined. */
export function withGap(gaps: Gaps, gap: Gap): Gaps {
  const overlaps = (other: Gap): boolean => overlap(other, gap);
  const joined = gaps.filter(overlaps).reduce(join, gap);
  const all = [...gaps.filter((other) => !overlaps(other)), joined].sort((a, b) => b.to - a.to);
  return all.length > MOST_GAPS ? withoutClosest(all) : all;
}

/**
 * The gaps after those readings. The lowest block may have been read in part only, so it stays in its gap. A reading
 * has no effect if its gap has changed meanwhile, since the memory was loaded again.
 */
export function afterReadings(gaps: Gaps, readings: readonly GapReading[]): Gaps {
  if (readings.length === 0) return gaps;
  const readingByGap = new Map(readings.map((reading) => [nameOf(reading.gap), reading]));
  return gaps.flatMap((gap) => {
    const reading = readingByGap.get(nameOf(gap));
    if (reading === undefined) return [gap];
    if (reading.isClosed) return [];
    return [{ ...gap, to: Math.min(gap.to, reading.lowest ?? gap.to), resume: reading.resume }];
  });
}

/**
 * The gaps without the heights that the sweep read. If the plan has pages for the sweep only, the sweep alone closes
 * gaps.
 */
export function afterSweep(gaps: Gaps, sweep: Pick<SweepReading, 'heights' | 'resume'> | null): Gaps {
  if (sweep === null || !gaps.some((gap) => sweep.heights.some((read) => overlap(gap, read)))) return gaps;
  return sweep.heights.reduce(
    (left: Gaps, read) => left.flatMap((gap) => without(gap, { ...read, resume: sweep.resume })),
    gaps,
  );
}

/** Blocks that the last sweep found untraced. They end with the next one, which reads them again. */
export function withUntraced(
  gaps: Gaps,
  { untraced, from }: Pick<SweepReading, 'untraced' | 'from'>,
  at: Instant,
): Gaps {
  const before = gaps.find(({ reason }) => reason === UNTRACED);
  const left = from === null && before !== undefined ? gaps.filter((gap) => gap !== before) : gaps;
  if (untraced === undefined) return left;
  return withGap(left, { ...untraced, resume: null, reason: UNTRACED, since: before?.since ?? at });
}

/** `resume`: the position below the heights. */
function without(gap: Gap, { from, to, resume }: Pick<Gap, 'from' | 'to' | 'resume'>): Gap[] {
  if (!overlap(gap, { from, to })) return [gap];
  return [
    ...(gap.to > to ? [{ ...gap, from: to + 1 }] : []),
    ...(gap.from < from ? [{ ...gap, to: from - 1, resume }] : []),
  ];
}

function overlap(one: Heights, other: Heights): boolean {
  return one.from <= other.to && other.from <= one.to;
}

/** `blocks 101-250`, `blocks from 101 on` */
export function showHeights({ from, to }: Pick<Gap, 'from' | 'to'>): string {
  if (to === NO_END) return `blocks from ${from} on`;
  return from === to ? `block ${from}` : `blocks ${from}-${to}`;
}

function nameOf({ from, to, resume }: Gap): string {
  return JSON.stringify([from, to, resume]);
}

function join(upper: Gap, lower: Gap): Gap {
  const [above, below] = upper.to >= lower.to ? [upper, lower] : [lower, upper];
  return { ...above, from: Math.min(above.from, below.from), since: Math.min(above.since, below.since) };
}

function withoutClosest(gaps: Gaps): Gaps {
  const distances = gaps.slice(1).map((gap, i) => (gaps[i]?.from ?? Infinity) - gap.to);
  const at = distances.indexOf(Math.min(...distances));
  const [above, below] = gaps.slice(at, at + 2);
  if (above === undefined || below === undefined) return gaps;
  return gaps.toSpliced(at, 2, join(above, below));
}
