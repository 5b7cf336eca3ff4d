// Whether the credits of each plan last until they are given anew, at the pace of the last hour. Plans begin anew at
// midnight UTC, on the first of a month, or as `resets` says.
import type { ExplorerPlan } from '../../config/model.ts';
import { sharedPlans, usableOf } from '../../config/shared-plans.ts';
import { resetAfter } from '../../core/spending/period.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { remembered } from '../../lib/remembered.ts';
import { dailySums } from '../../rules/costs.ts';
import type { Forecast } from '../shapes/overview.ts';
import type { CreditsState } from '../../core/model/quality/health-summary.ts';
import type { RuntimeView } from '../view.ts';

const HOUR_MS = 3_600_000;

/** One for each plan with credits, in the order of the config; null: no answer has said yet what is left. */
export function forecasts(runtime: RuntimeView, now: Instant): (Forecast | null)[] {
  const states = new Map(runtime.health().explorers.map((explorer) => [explorer.name, explorer]));
  const plans = new Set(sharedPlans(runtime.config().explorers).values());
  return [...plans].flatMap(({ explorers, plan }) => {
    const known = explorers.flatMap((name) => states.get(name)?.credits ?? []);
    if (plan === null || plan.credits === null) return [];
    const [newest] = known.toSorted((a, b) => b.at - a.at);
    if (newest === undefined) return [null];
    const perDay = plannedPerDay(runtime.watches(), explorers);
    return [forecastOf({ explorers, plan, credits: { ...newest, rates: sumOf(known) }, perDay }, now)];
  });
}

interface SpentPlan {
  readonly explorers: readonly string[];
  readonly plan: ExplorerPlan;
  readonly credits: CreditsState;
  /** By the rules. */
  readonly perDay: number;
}

function forecastOf({ explorers, plan, credits, perDay }: SpentPlan, now: Instant): Forecast {
  const { remaining, rates } = credits;
  const resetsAt = nextReset(plan, now);
  return {
    explorers: [...explorers],
    remaining,
    plan: plan.credits,
    planned_per_day: Math.round(perDay),
    planned_share: usableOf(plan) === 0 ? null : perDay / usableOf(plan),
    resets_at: showInstant(resetsAt),
    reserve: plan.credits === null ? null : Math.round((plan.credits * plan.reservePercent) / 100),
    ...paceOf(remaining, rates, { now, resetsAt }),
  };
}

interface Period {
  readonly now: Instant;
  readonly resetsAt: Instant;
}

/** Where it leads, at the pace of the last hour. */
function paceOf(
  remaining: number,
  rates: CreditsState['rates'],
  { now, resetsAt }: Period,
): Pick<Forecast, 'per_hour' | 'at_reset' | 'runs_out_at'> {
  if (rates === null) return { per_hour: null, at_reset: null, runs_out_at: null };
  const perHour = medianOf(rates);
  const runsOutMs = perHour > 0 ? (Math.max(0, remaining) / perHour) * HOUR_MS : Infinity;
  const isShort = now + runsOutMs < resetsAt;
  return {
    per_hour: Math.round(perHour),
    at_reset: Math.round(remaining - (perHour * (resetsAt - now)) / HOUR_MS),
    runs_out_at: isShort ? showInstant(Math.round(now + runsOutMs)) : null,
  };
}

// By the list, which is another one only when other rules are put in force.
const sumsOf = remembered((watches: readonly Watch[]) => dailySums(watches));

function plannedPerDay(watches: readonly Watch[], explorers: readonly string[]): number {
  const sums = sumsOf(watches);
  return explorers.reduce((sum, name) => sum + (sums.get(name)?.credits ?? 0), 0);
}

/** Of explorers that share a plan, together; null: of one it is not known. */
function sumOf(known: readonly CreditsState[]): number[] | null {
  const all = known.map(({ rates }) => rates);
  const [first] = all;
  if (first === undefined || first === null) return null;
  const rest = all.slice(1);
  return rest.some((rates) => rates === null)
    ? null
    : first.map((rate, i) => rest.reduce((sum, rates) => sum + (rates?.[i] ?? 0), rate));
}

function medianOf(rates: readonly number[]): number {
  const sorted = rates.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}

/** A month without a day of its own begins on the first. */
function nextReset({ per, resets }: ExplorerPlan, now: Instant): Instant {
  const begins = resets ?? (per === 'month' ? ({ type: 'day', day: 1 } as const) : null);
  return resetAfter({ per, resets: begins }, now, now);
}
