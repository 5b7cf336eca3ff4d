// The part of a list that is remembered: seven hours of the rows' own time. A few heights are stored with their times
// to convert one into the other.
import { z } from 'zod';
import { LOOK_BACK_MS } from '../../core/model/watch/kind.ts';
import type { Instant } from '../../lib/clock.ts';
import { LOOK_BACK_BLOCKS } from '../seen-rows.ts';

/** Newest first. */
export type Marks = readonly (readonly [height: number, at: Instant])[];

export const Marks: z.ZodType<Marks> = z.array(z.tuple([z.number(), z.number()]));

const MARK_EVERY_MS = 1_800_000;

/** Adds the newest row that was read; the same object as before if nothing changes. */
export function marked(marks: Marks, height: number, at: Instant): Marks {
  const [last] = marks;
  if (last !== undefined && (height <= last[0] || at - last[1] < MARK_EVERY_MS)) return marks;
  const older = marks.findIndex(([, time]) => at - time >= LOOK_BACK_MS);
  return [[height, at], ...(older === -1 ? marks : marks.slice(0, older + 1))];
}

/** The block at and below which rows are older than the look-back; 0 = none. */
export function lookBackOf(marks: Marks): number {
  const newest = marks[0]?.[1] ?? 0;
  return marks.find(([, at]) => newest - at >= LOOK_BACK_MS)?.[0] ?? 0;
}

/** The lowest block that a sweep reads. */
export function lowestToSweep({ floor, marks }: { readonly floor: number; readonly marks: Marks }): number {
  return Math.max(floor, lookBackOf(marks)) + 1;
}

const NEAR_MS = 900_000;

/** The blocks below the highest row that are read again: a quarter of an hour, at least the usual depth. */
export function depthOf(marks: Marks): number {
  const [newest, oldest] = [marks[0], marks.at(-1)];
  if (newest === undefined || oldest === undefined || newest[1] <= oldest[1]) return LOOK_BACK_BLOCKS;
  const blocksPerMs = (newest[0] - oldest[0]) / (newest[1] - oldest[1]);
  return Math.max(LOOK_BACK_BLOCKS, Math.ceil(blocksPerMs * NEAR_MS));
}

/** The lowest block of the look-back, if known. */
export function lowestMark(marks: Marks): number | null {
  return marks.at(-1)?.[0] ?? null;
}
