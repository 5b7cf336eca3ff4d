// The cost of requests beside the planned ones: retries, further pages, and known rows that are read again.
import type { Instant } from '../../lib/clock.ts';
import { added, rateAt, sumAt } from './fading.ts';
import type { Ratio, Use } from './plan-row.ts';
import { FIRST_RATIO, type Supply } from './planner.ts';
import type { Spend } from './spend.ts';

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
