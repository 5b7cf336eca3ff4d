// What was measured, as it comes out of the storage, and how runs become hours.
import type { Run } from '../../core/model/memory.ts';
import { Amount } from '../../core/values/amount.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Bucket, UnknownSpan } from '../samples.ts';
import type { Row } from './rows.ts';

export const HOUR_MS = 3_600_000;
/** Of each table, so that none grows beyond a gigabyte. */
export const MOST_ROWS = 6_000_000;
/** Rows that are too much, dropped at once. */
export const MOST_DROPPED = 50_000;
export const MOST_SPANS = 50_000;

/** Where the hours begin that a run overlaps. */
export function hoursOf([since, until]: Run): Instant[] {
  const hours: Instant[] = [];
  for (let at = Math.floor(since / HOUR_MS) * HOUR_MS; at <= (until ?? since); at += HOUR_MS) hours.push(at);
  return hours;
}

/** What an hour is with one more value. `row`: what it was before; undefined: nothing. */
export function widened(row: Row | Bucket | undefined, value: string): { first: string; min: string; max: string } {
  if (row === undefined) return { first: value, min: value, max: value };
  const [first, min, max] = [String(row['first']), String(row['min']), String(row['max'])];
  const number = Amount.parse(value);
  const isBeyond = (limit: string, way: -1 | 1): boolean => {
    const other = Amount.parse(limit);
    return number !== undefined && other !== undefined && number.compare(other) === way;
  };
  return { first, min: isBeyond(min, -1) ? value : min, max: isBeyond(max, 1) ? value : max };
}

export function runOf(row: Row): Run {
  return [Number(row['since']), Number(row['until']), String(row['value'])];
}

export function bucketOf(row: Row): Bucket {
  const text = (name: string): string => String(row[name]);
  return { at: Number(row['at']), first: text('first'), last: text('last'), min: text('min'), max: text('max') };
}

export function spanOf(row: Row): UnknownSpan {
  const until = row['until'];
  return {
    watch: String(row['watch']),
    since: Number(row['since']),
    until: typeof until === 'number' ? until : null,
    cause: String(row['cause']),
  };
}

/** In the order of the rows. */
export function runsByPath(rows: Iterable<Row>): Record<string, Run[]> {
  const samples: Record<string, Run[]> = {};
  for (const row of rows) (samples[String(row['path'])] ??= []).push(runOf(row));
  return samples;
}

/** Of so many places, in the order of the rows. */
export function runsByPlace(places: number, rows: Iterable<Row>): Run[][] {
  const runs: Run[][] = Array.from({ length: places }, () => []);
  for (const row of rows) runs[Number(row['place'])]?.push(runOf(row));
  return runs;
}
