// A plan of credits as data: its stored row, the times of its refills, and the cost of its requests.
import type { Instant } from '../../lib/clock.ts';
import type { CurvePoint } from './curve.ts';
import { FIRST_RATIO, type Supply } from './planner.ts';
import type { SeenPrices } from './prices.ts';
import type { Spend, SpendClass } from './spend.ts';

// Sums that fade: after the half-life, half of an added amount is left. A steady rate keeps its value.

interface Fading {
  readonly sum: number;
  readonly at: Instant;
}

export const NOTHING_FADING: Fading = { sum: 0, at: 0 };

/** The sum at `now`. If the clock was set back, nothing fades. */
function sumAt({ sum, at }: Fading, now: Instant, halfLifeMs: number): number {
  return sum * 2 ** (-Math.max(0, now - at) / halfLifeMs);
}

export function added(fading: Fading, amount: number, now: Instant, halfLifeMs: number): Fading {
  return { sum: sumAt(fading, now, halfLifeMs) + amount, at: now };
}

/** The rate in a millisecond. */
export function rateAt(fading: Fading, now: Instant, halfLifeMs: number): number {
  return (sumAt(fading, now, halfLifeMs) * Math.LN2) / halfLifeMs;
}

/** The credits left, by the explorer's headers and the requests since. */
export interface Books {
  /** The time at which the period began. */
  readonly from: Instant;
  /** The rule that gave the period's end; null if no plan is known. */
  readonly rule: PeriodRule | null;
  /** The next reset. Infinity if no plan is known. */
  readonly resetsAt: Instant;
  /** The time from which requests count in this period. */
  readonly bookedFrom: Instant;
  /** The expected reset, as long as no header has risen since; null: the credits left are known. */
  readonly refillingSince: Instant | null;
  /** The last expected reset that refilled nothing; null if there was none. */
  readonly missedReset: Instant | null;
  /**
   * The last header that counted; null: there was none yet, or none since a period ended without a request at its end.
   */
  readonly header: number | null;
  /** The time at which an answer last showed that nothing was refilled. */
  readonly saidAt: Instant | null;
  /** The last refills that were seen. */
  readonly refills: readonly SeenRefill[];
  /** The highest header of all. */
  readonly highest: number | null;
  /** The number of the request that brought the header. Requests are numbered in the order in which they are sent. */
  readonly order: number;
  /** True if requests after the header may not be counted here: the process had ended, or another process sent some. */
  readonly isResumed: boolean;
  /** The price of own requests since that header. */
  readonly own: number;
  /** A header that does not fit own requests, with their cost and the time when it came. */
  readonly doubted: { readonly header: number; readonly own: number; readonly at: Instant } | null;
  /** Credits spent in this period, by class. */
  readonly spent: Readonly<Record<SpendClass, number>>;
  /** Credits that other programs spent in this period; below zero if servers show different credits. */
  readonly foreign: number;
  readonly fast: Fading;
  readonly slow: Fading;
  /** The credits left during this period, without doubted values. */
  readonly curve: readonly CurvePoint[];
}

export const NOTHING_SPENT: Books['spent'] = {
  critical: 0,
  warning: 0,
  info: 0,
  pages: 0,
  sweep: 0,
  probe: 0,
  enrich: 0,
};

/** The percentage of a plan that details of events may cost if the config has none. */
export const ENRICH_PERCENT = 2;

/** Credits that were charged, and those that were planned. */
export interface Ratio {
  readonly charged: Fading;
  readonly planned: Fading;
}

/** The cost of requests beside the planned ones. */
export interface Use {
  readonly critical: Ratio;
  readonly others: Ratio;
  /** Second pages of critical watches. */
  readonly deep: Fading;
  readonly sweeps: Fading;
}

export interface PlanRow {
  readonly books: Books;
  readonly use: Use;
  readonly prices: SeenPrices;
}

const NO_RATIO: Ratio = { charged: NOTHING_FADING, planned: NOTHING_FADING };
export const NO_USE: Use = { critical: NO_RATIO, others: NO_RATIO, deep: NOTHING_FADING, sweeps: NOTHING_FADING };

// The cost of requests beside the planned ones: retries, further pages, and known rows that are read again.

const RATIO_MS = 6 * 3_600_000;
const DEEP_MS = 35 * 60_000;
const MOST_RATIO = 3;
/** The assumed first ratio weighs as much as this many credits, about ten requests. */
const FIRST_WEIGHT = 200;

/** The use after one more request. */
export function usedBy(use: Use, { class: name, isExtra, severity, price }: Spend, at: Instant): Use {
  const planned = isExtra ? 0 : price;
  if (name === 'critical') return { ...use, critical: charged(use.critical, price, planned, at) };
  if (name === 'warning' || name === 'info') return { ...use, others: charged(use.others, price, planned, at) };
  if (name === 'sweep') return { ...use, sweeps: added(use.sweeps, price, at, RATIO_MS) };
  if (name !== 'pages') return use;
  if (severity === 'critical') return { ...use, deep: added(use.deep, price, at, DEEP_MS) };
  return { ...use, others: charged(use.others, price, 0, at) };
}

function charged(ratio: Ratio, more: number, ofPlan: number, at: Instant): Ratio {
  return {
    charged: added(ratio.charged, more, at, RATIO_MS),
    planned: added(ratio.planned, ofPlan, at, RATIO_MS),
  };
}

/** The rates that the planner uses. */
export function ratesOf(use: Use, at: Instant): Pick<Supply, 'k' | 'kc' | 'deep' | 'sweepPerMs'> {
  return {
    k: ratioAt(use.others, at),
    kc: ratioAt(use.critical, at),
    deep: rateAt(use.deep, at, DEEP_MS),
    sweepPerMs: rateAt(use.sweeps, at, RATIO_MS),
  };
}

/** Credits charged for each planned credit. */
function ratioAt({ charged: all, planned }: Ratio, at: Instant): number {
  const [spent, asked] = [sumAt(all, at, RATIO_MS), sumAt(planned, at, RATIO_MS)];
  const ratio = (spent + FIRST_RATIO * FIRST_WEIGHT) / (asked + FIRST_WEIGHT);
  return Math.min(MOST_RATIO, Math.max(1, ratio));
}

// Finds out from the headers when a daily plan is refilled.

/** Credits rose between these moments: the last answer before, and the first one after. */
interface SeenRefill {
  readonly after: Instant;
  readonly until: Instant;
}

const SAME_MS = 600_000;
/** If no answer came for longer than this, the refill could have been at any moment. */
const LONGEST_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Three refills are kept, because one of them may be something else: bought credits, or two servers that differ. */
export function withRefill(refills: readonly SeenRefill[], refill: SeenRefill): readonly SeenRefill[] {
  return [...refills, refill].slice(-3);
}

/** The time of day that two refills share, if it cannot be midnight; else null. */
export function resetsSeen(refills: readonly SeenRefill[]): Resets {
  const newestFirst = refills.toReversed();
  for (const [i, later] of newestFirst.entries()) {
    const earlier = newestFirst.slice(i + 1).find((one) => isSameTime(one, later));
    if (earlier !== undefined) return timeOf(earlier, later);
  }
  return null;
}

function isSameTime(earlier: SeenRefill, later: SeenRefill): boolean {
  const apart = later.until - earlier.until;
  const days = Math.round(apart / DAY_MS);
  return days > 0 && Math.abs(apart - days * DAY_MS) <= SAME_MS;
}

function timeOf(earlier: SeenRefill, later: SeenRefill): Resets {
  if (!isElsewhere(earlier) || !isElsewhere(later)) return null;
  const ms = Math.max(earlier.after % DAY_MS, later.after % DAY_MS);
  return { type: 'time', ms: Math.floor(ms / MINUTE_MS) * MINUTE_MS };
}

/** True if the two answers are close together, and midnight is not between them. */
function isElsewhere({ after, until }: SeenRefill): boolean {
  const isShort = until - after <= LONGEST_MS;
  return isShort && after % DAY_MS > 0 && Math.floor(after / DAY_MS) === Math.floor(until / DAY_MS);
}

// When the credits of a plan are refilled.

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
