// Counts the credits of a plan since the start, over all its periods.
import type { Severity } from '../../core/model/ids.ts';
import type { Books } from '../../core/spending/plan.ts';
import type { Spend, SpendClass } from '../../core/spending/spend.ts';

export interface SpendCounts {
  readonly spent: Readonly<Record<SpendClass, number>>;
  /** Spent by other programs: the highest sum of each period, since the sum of a period may fall again. */
  readonly foreign: number;
  /** First pages that were postponed by a minute. First pages of critical watches are never postponed. */
  readonly postponed: Readonly<Record<Exclude<Severity, 'critical'>, number>>;
}

type BookedPeriod = Pick<Books, 'from' | 'foreign'>;

export interface SpendCounter {
  charged(spend: Spend): void;
  /** Called with the books before and after the end of a request. */
  booked(before: BookedPeriod, after: BookedPeriod): void;
  /** Called when other books are in force. The earlier spending of other programs in them is not counted. */
  resumed(): void;
  postponed(severity: keyof SpendCounts['postponed']): void;
  counts(): SpendCounts;
}

export function createSpendCounter(): SpendCounter {
  const spent: Record<SpendClass, number> = { critical: 0, warning: 0, info: 0, pages: 0, sweep: 0, probe: 0 };
  const postponed = { warning: 0, info: 0 };
  let foreign = 0;
  /** The highest sum of the period. */
  let most: BookedPeriod | null = null;
  return {
    charged({ class: name, price }) {
      spent[name] += price;
    },
    booked(before, after) {
      // Books of another process contain spending that it counted. So the sum in `before` is not counted again.
      const known = most?.from === before.from ? most.foreign : 0;
      most = { from: before.from, foreign: Math.max(known, before.foreign) };
      if (most.from !== after.from) most = { from: after.from, foreign: 0 };
      foreign += Math.max(0, after.foreign - most.foreign);
      most = { from: after.from, foreign: Math.max(most.foreign, after.foreign) };
    },
    resumed() {
      most = null;
    },
    postponed(severity) {
      postponed[severity] += 1;
    },
    counts: () => ({ spent: { ...spent }, foreign, postponed: { ...postponed } }),
  };
}
