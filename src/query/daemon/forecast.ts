// Shows whether the credits of each plan last until the refill, from the state of each plan in the daemon's health.
import { sharedPlans } from '../../config/shared-plans.ts';
import { DAY_MS, periodMs } from '../../core/spending/plan.ts';
import { plansOf, type CreditPlanState, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import { showInstant } from '../../lib/clock.ts';
import { stretchWords } from '../../core/spending/plan-words.ts';
import type { PricesOf } from '../../rules/costs.ts';
import type { Forecast } from '../shapes/overview.ts';
import type { RuntimeView } from '../view.ts';

/**
 * One for each plan, in the order of the config; null: the config names its credits, but its state is still unknown. A
 * plan whose credits neither the config nor the state contains is left out.
 */
export function forecasts(runtime: RuntimeView): (Forecast | null)[] {
  const { explorers } = runtime.health();
  const states = new Map(plansOf(explorers).map((state) => [state.explorers[0], state]));
  const written = new Set(sharedPlans(runtime.config().explorers).values());
  return [...written].flatMap(({ explorers: sharing, plan }) => {
    const state = states.get(sharing[0]);
    if (state !== undefined) return [forecastOf(state)];
    return plan === null || plan.credits === null ? [] : [null];
  });
}

/** The learned prices of requests, by explorer. */
export function pricesIn({ explorers }: HealthSummary): PricesOf {
  const prices = new Map(
    plansOf(explorers).flatMap((plan) => {
      const byOperation = new Map(Object.entries(plan.prices));
      return plan.explorers.map((name) => [name, byOperation] as const);
    }),
  );
  return (explorer) => prices.get(explorer) ?? new Map();
}

/** The forecast for the API and pages. */
export function forecastOf(state: CreditPlanState): Forecast {
  const usable = ((state.credits - state.reserve) * DAY_MS) / periodMs(state.per);
  return {
    explorers: [...state.explorers],
    remaining: state.known === null ? null : Math.round(state.known),
    is_counted: state.isCounted,
    plan: state.credits,
    per: state.per,
    is_assumed: state.isAssumed,
    from: showInstant(state.from),
    resets_at: showInstant(state.resetsAt),
    curve: state.curve.map(({ at, known }) => ({ at: showInstant(at), remaining: Math.round(known) })),
    wanted_per_day: state.wantedPerDay,
    wanted_share: usable === 0 ? null : state.wantedPerDay / usable,
    planned_per_day: state.plannedPerDay,
    at_reset: state.atReset,
    runs_out_at: state.runsOutAt === null ? null : showInstant(state.runsOutAt),
    reserve: state.reserve,
    spent: state.spent,
    foreign: state.foreign,
    stretch: state.stretch,
    intervals: stretchWords(state.stretch),
  };
}
