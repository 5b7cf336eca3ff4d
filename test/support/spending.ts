import type { CreditPlanState } from '../../src/core/model/quality/health-summary.ts';
import type { Supply } from '../../src/core/spending/planner.ts';
import type { Spend } from '../../src/core/spending/spend.ts';
import { createAccount } from '../../src/explorer/spending/account.ts';
import { createBudget, type Budget, type BudgetOptions } from '../../src/explorer/spending/budget.ts';

export const A_REQUEST: Spend = {
  class: 'warning',
  severity: 'warning',
  isExtra: false,
  turn: null,
  operation: 'address',
  price: 20,
};

/** A budget with books of its own, of a plan of which nothing is known. */
export function aBudget(options: Omit<BudgetOptions, 'account'>): Budget {
  return createBudget({ ...options, account: createAccount({ clock: options.clock, assumesPlan: false }) });
}

/** The means of a day, whole. */
export const A_DAY: Supply = {
  known: 100_000,
  leftMs: 86_400_000,
  k: 1,
  kc: 1,
  deep: 0,
  foreign: 0,
  keep: 0,
  sweepPerMs: 0,
  dearest: 40,
  requestsPerMs: Infinity,
};

/** The plan of `chain`, at noon of a day on which half of it is left. */
export function aPlanState(parts: Partial<CreditPlanState> = {}): CreditPlanState {
  return {
    explorers: ['chain'],
    credits: 100_000,
    per: 'day',
    isAssumed: false,
    reserve: 0,
    known: 50_000,
    isCounted: false,
    from: Date.UTC(2026, 0, 1),
    resetsAt: Date.UTC(2026, 0, 2),
    atReset: 5000,
    runsOutAt: null,
    curve: [],
    wantedPerDay: 80_000,
    plannedPerDay: 90_000,
    prices: {},
    spent: { critical: 20_000, warning: 20_000, info: 8000, pages: 1500, sweep: 500, probe: 0, enrich: 0 },
    foreign: 0,
    isStretched: true,
    stretch: { critical: 1, warning: 1, info: 1 },
    usual: { critical: 1, warning: 1, info: 1 },
    ...parts,
  };
}
