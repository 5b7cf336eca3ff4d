import type { Spend } from '../../src/core/spending/spend.ts';
import { createAccount } from '../../src/explorer/spending/account.ts';
import { createBudget, type Budget, type BudgetOptions } from '../../src/explorer/spending/budget.ts';

export const A_REQUEST: Spend = { class: 'warning', severity: 'warning', isRetry: false, price: 20 };

/** A budget with books of its own, of a plan of which nothing is known. */
export function aBudget(options: Omit<BudgetOptions, 'account'>): Budget {
  return createBudget({ ...options, account: createAccount({ clock: options.clock, assumesPlan: false }) });
}
