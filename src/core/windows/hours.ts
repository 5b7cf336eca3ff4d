// The values of one hour.
import { Amount } from '../values/amount.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Run } from '../model/memory.ts';

export const HOUR_MS = 3_600_000;

/** The first, the lowest and the highest value of an hour. */
interface HourValues {
  readonly first: string;
  readonly min: string;
  readonly max: string;
}

/** The start times of the hours that overlap a run. */
export function hoursOf([since, until]: Run): Instant[] {
  const hours: Instant[] = [];
  for (let at = Math.floor(since / HOUR_MS) * HOUR_MS; at <= (until ?? since); at += HOUR_MS) hours.push(at);
  return hours;
}

/** An hour with one more value. `hour`: the values before; undefined: there were none. */
export function widened(hour: HourValues | undefined, value: string): HourValues {
  if (hour === undefined) return { first: value, min: value, max: value };
  const { first, min, max } = hour;
  const number = Amount.parse(value);
  const isBeyond = (limit: string, way: -1 | 1): boolean => {
    const other = Amount.parse(limit);
    return number !== undefined && other !== undefined && number.compare(other) === way;
  };
  return { first, min: isBeyond(min, -1) ? value : min, max: isBeyond(max, 1) ? value : max };
}
