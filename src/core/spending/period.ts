// When the credits of a plan are refilled.
import type { Instant } from '../../lib/clock.ts';

/**
 * `time`: milliseconds after midnight UTC. `day`: a day of the month, at 00:00 UTC. Null: at midnight UTC for a daily
 * plan; else a month after the last reset, or after the first answer that named the credits.
 */
export type Resets =
  { readonly type: 'time'; readonly ms: number } | { readonly type: 'day'; readonly day: number } | null;

/** `06:30 UTC`, `day 5 of the month` */
export function showResets(resets: Resets): string {
  if (resets?.type === 'day') return `day ${resets.day} of the month`;
  return `${new Date(resets?.ms ?? 0).toISOString().slice(11, 16)} UTC`;
}

export interface PeriodRule {
  readonly per: 'day' | 'month';
  readonly resets: Resets;
}

export const DAY_MS = 86_400_000;
const DAYS_OF_MONTH = 30;

/** The length of a period. A month counts as 30 days. */
export function periodMs(per: PeriodRule['per']): number {
  return per === 'day' ? DAY_MS : DAYS_OF_MONTH * DAY_MS;
}

/** The first reset after a moment. `from`: the last reset, or the first answer that named the credits. */
export function resetAfter({ per, resets }: PeriodRule, from: Instant, at: Instant): Instant {
  if (per === 'day') {
    const offset = resets?.type === 'time' ? resets.ms : 0;
    return (Math.floor((at - offset) / DAY_MS) + 1) * DAY_MS + offset;
  }
  const day = resets?.type === 'day' ? resets.day : null;
  for (let months = 0; ; months += 1) {
    const reset = day === null ? monthsAfter(from, months) : dayOfMonth(at, day, months);
    if (reset > at) return reset;
  }
}

function monthsAfter(from: Instant, months: number): Instant {
  const date = new Date(from);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, last)) + (from % DAY_MS);
}

function dayOfMonth(at: Instant, day: number, months: number): Instant {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, day);
}
