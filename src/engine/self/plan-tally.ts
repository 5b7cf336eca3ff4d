// The spent credits of each plan in its period, added up check by check for the daily report.
import { z } from 'zod';
import type { CreditPlanState } from '../../core/model/quality/health-summary.ts';
import { DAY_MS, periodMs } from '../../core/spending/plan.ts';
import { stretchWords } from '../../core/spending/plan-words.ts';

const PlanPeriod = z.object({
  resetsAt: z.number(),
  credits: z.number(),
  wanted: z.number(),
  spent: z.number(),
  pages: z.number(),
  sweeps: z.number(),
  foreign: z.number(),
  /**
   * `looks`: the number of checks. `stretch`: the sums over these checks of the factors by which intervals were
   * stretched.
   */
  looks: z.number(),
  stretch: z.object({ critical: z.number(), warning: z.number(), info: z.number() }),
});
type PlanPeriod = z.output<typeof PlanPeriod>;

const PlanTally = z.object({
  current: PlanPeriod,
  /** The last ended period, which is not reported yet; null: none ended since the last report. */
  ended: PlanPeriod.nullable(),
});

/** The key is the first explorer of a plan. */
export const PlanTallies = z.record(z.string(), PlanTally);
export type PlanTallies = z.output<typeof PlanTallies>;

export function withPlans(tallies: PlanTallies, plans: readonly CreditPlanState[]): PlanTallies {
  const next = { ...tallies };
  for (const plan of plans) {
    const name = plan.explorers[0] ?? '';
    const before = next[name];
    // A reset time that moves a little does not end a period.
    const isEnded = before !== undefined && plan.resetsAt - before.current.resetsAt > periodMs(plan.per) / 2;
    const current = periodOf(plan, isEnded ? undefined : before?.current);
    next[name] = { current, ended: isEnded ? before.current : (before?.ended ?? null) };
  }
  return next;
}

/** The tallies after a report: the reported periods are dropped. */
export function toldPlans(tallies: PlanTallies): PlanTallies {
  return Object.fromEntries(Object.entries(tallies).map(([name, { current }]) => [name, { current, ended: null }]));
}

function periodOf(plan: CreditPlanState, before: PlanPeriod | undefined): PlanPeriod {
  const { resetsAt, credits, per, wantedPerDay, spent, foreign, stretch } = plan;
  const sums = before?.stretch ?? { critical: 0, warning: 0, info: 0 };
  return {
    resetsAt,
    credits,
    wanted: Math.round((wantedPerDay * periodMs(per)) / DAY_MS),
    spent: Object.values(spent).reduce((sum, price) => sum + price, 0),
    pages: spent.pages,
    sweeps: spent.sweep,
    foreign,
    looks: (before?.looks ?? 0) + 1,
    stretch: {
      critical: sums.critical + stretch.critical,
      warning: sums.warning + stretch.warning,
      info: sums.info + stretch.info,
    },
  };
}

/** `ethereum: 99,800 of 100,000 credits, 141,600 wanted; second pages 6,200, sweeps 7,400, others 0. Warning ×2.1, info ×4.4.` */
export function planLines(tallies: PlanTallies): string[] {
  return Object.entries(tallies).flatMap(([name, { ended }]) => (ended === null ? [] : [`${name}: ${lineOf(ended)}`]));
}

function lineOf({ credits, wanted, spent, pages, sweeps, foreign, looks, stretch }: PlanPeriod): string {
  const [all, plan, rules] = [spent, credits, wanted].map(grouped);
  const parts = `second pages ${grouped(pages)}, sweeps ${grouped(sweeps)}, others ${grouped(foreign)}`;
  const mean = (sum: number): number => Math.round((sum / looks) * 10) / 10;
  const words = stretchWords({
    critical: mean(stretch.critical),
    warning: mean(stretch.warning),
    info: mean(stretch.info),
  });
  const intervals = words === '' ? 'Intervals as written' : words.charAt(0).toUpperCase() + words.slice(1);
  return `${all} of ${plan} credits, ${rules} wanted; ${parts}. ${intervals}.`;
}

function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
