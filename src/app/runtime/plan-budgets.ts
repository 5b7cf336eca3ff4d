// The budgets of plans; explorers with the same origin and key share one. A budget lives as long as an explorer that
// uses it, so a new key has a new budget. If only the pace of a plan changes, its account and its pauses stay.
import { createHmac } from 'node:crypto';
import type { ExplorerSettings } from '../../config/model.ts';
import type { SharedPlan } from '../../config/shared-plans.ts';
import { type Resets, showResets } from '../../core/spending/plan.ts';
import { createReachRecord, type ReachRecord } from '../../explorer/http/http-transport.ts';
import { createAccount, type Account } from '../../explorer/spending/account.ts';
import { createBudget, type Budget } from '../../explorer/spending/budget.ts';
import { RequestGate } from '../../explorer/spending/pause.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Pace {
  readonly concurrency: number;
  readonly requestsPerSecond: number | null;
}

// The sandbox belongs to this process, so no other program uses up its burst limit.
const SANDBOX_PACE: Pace = { concurrency: 8, requestsPerSecond: null };

/** `shared`: the explorer's plan; undefined for a sandbox. */
export function paceOf(shared: SharedPlan | undefined): Pace {
  if (shared === undefined) return SANDBOX_PACE;
  return { concurrency: shared.concurrency, requestsPerSecond: shared.plan?.requestsPerSecond ?? null };
}

/** A budget in use, with its plan. */
export interface PlanBudget {
  /** Origin and key; kept in memory only. */
  readonly plan: string;
  /** A digest of origin and key, for the state. Null for the plan of a sandbox, which ends with the process. */
  readonly nameIn: (salt: string) => string | null;
  readonly pace: Pace;
  readonly budget: Budget;
  readonly account: Account;
  readonly pause: RequestGate;
  readonly reach: ReachRecord;
}

export interface PlanBudgets {
  of(settings: ExplorerSettings, baseUrl: string, pace: Pace): PlanBudget;
}

/** `inUse`: budgets that continue, with their pauses, if their plan did not change. */
export function createPlanBudgets(
  inUse: Iterable<PlanBudget>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): PlanBudgets {
  const known = [...inUse];
  return {
    of(settings, baseUrl, pace) {
      const { origin, host } = new URL(baseUrl);
      const key = settings.form === 'sandbox' ? null : (settings.apiKey?.reveal() ?? null);
      const plan = JSON.stringify([origin, key]);
      const same = known.filter((one) => one.plan === plan);
      const found = same.find((one) => JSON.stringify(one.pace) === JSON.stringify(pace));
      if (found !== undefined) return found;
      const assumesPlan = settings.form === 'multichain' && key !== null;
      const onPrice = (operation: string, credits: number, before: number): void => {
        log.info('plan:price', { host, operation, credits, before });
      };
      const onResets = (resets: Resets): void => {
        log.info('plan:resets', { host, at: showResets(resets) });
      };
      const account = same[0]?.account ?? createAccount({ clock, assumesPlan, onPrice, onResets });
      const nameIn = (salt: string): string | null =>
        settings.form === 'sandbox' ? null : createHmac('sha256', salt).update(plan).digest('base64url');
      const pause = same[0]?.pause ?? new RequestGate();
      const budget = createBudget({ clock, log, host, account, pause, ...pace });
      const reach = same[0]?.reach ?? createReachRecord(clock);
      const fresh = { plan, nameIn, pace, account, pause, budget, reach };
      known.push(fresh);
      return fresh;
    },
  };
}
