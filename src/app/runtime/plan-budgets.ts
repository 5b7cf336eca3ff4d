// What the explorers of one plan may ask together. Budgets live as long as an explorer that uses them: one of a key that
// was rotated out goes with its explorers.
import type { ExplorerSettings } from '../../config/model.ts';
import type { SharedPlan } from '../../config/shared-plans.ts';
import { createBudget, type Budget } from '../../explorer/spending/budget.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Pace {
  readonly concurrency: number;
  readonly requestsPerSecond: number | null;
  readonly creditsPerMs: number | null;
}

// The sandbox belongs to this process, so there is no foreign burst limiter.
const SANDBOX_PACE: Pace = { concurrency: 8, requestsPerSecond: null, creditsPerMs: null };

/** `shared`: of the explorer; undefined for a sandbox. */
export function paceOf(shared: SharedPlan | undefined): Pace {
  if (shared === undefined) return SANDBOX_PACE;
  const { concurrency, plan } = shared;
  const creditsPerMs = plan === null || plan.credits === null ? null : plan.credits / PERIOD_MS[plan.per];
  return { concurrency, requestsPerSecond: plan?.requestsPerSecond ?? null, creditsPerMs };
}

const PERIOD_MS = { day: 86_400_000, month: 30 * 86_400_000 };

/** A budget that is in use, and of which plan. */
export interface PlanBudget {
  /** Origin, key and pace; kept in memory only. */
  readonly plan: string;
  readonly budget: Budget;
}

export interface PlanBudgets {
  of(settings: ExplorerSettings, baseUrl: string, pace: Pace): PlanBudget;
}

/** `inUse`: those that go on where a plan stays as it was, with its rests. */
export function createPlanBudgets(
  inUse: Iterable<PlanBudget>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): PlanBudgets {
  const budgetByPlan = new Map([...inUse].map(({ plan, budget }) => [plan, budget]));
  return {
    of(settings, baseUrl, pace) {
      const { origin, host } = new URL(baseUrl);
      const key = settings.form === 'sandbox' ? null : (settings.apiKey?.reveal() ?? null);
      const plan = JSON.stringify([origin, key, pace]);
      const budget = budgetByPlan.get(plan) ?? createBudget({ clock, log, host, ...pace });
      budgetByPlan.set(plan, budget);
      return { plan, budget };
    },
  };
}
