// Plain data of a plan that is stored over a restart.
import type { Instant } from '../../lib/clock.ts';
import type { CurvePoint } from './curve.ts';
import { NOTHING_FADING, type Fading } from './fading.ts';
import type { PeriodRule } from './period.ts';
import type { SeenRefill } from './refills.ts';
import type { SeenPrices } from './prices.ts';
import type { SpendClass } from './spend.ts';

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
