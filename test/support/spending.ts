import type { Supply } from '../../src/core/spending/planner.ts';
import type { Spend } from '../../src/core/spending/spend.ts';
import { createAccount } from '../../src/explorer/spending/account.ts';
import { createBudget, type Budget, type BudgetOptions } from '../../src/explorer/spending/budget.ts';

export const A_REQUEST: Spend = { class: 'warning', severity: 'warning', isRetry: false, price: 20 };

/** A budget with books of its own, of a plan of which nothing is known. */
export function aBudget(options: Omit<BudgetOptions, 'account'>): Budget {
  return createBudget({ ...options, account: createAccount({ clock: options.clock, assumesPlan: false }) });
}

/** The means of a day, whole. */
export const A_DAY: Supply = {
  known: 100_000,
  agreed: 100_000,
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
