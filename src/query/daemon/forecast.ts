// Whether the credits of each plan last until they are given anew, at the pace of the last hour. Plans begin anew at
// midnight UTC, or on the first of a month.
import type { ExplorerPlan } from '../../config/model.ts';
import { sharedPlans } from '../../config/shared-plans.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { Forecast } from '../shapes/overview.ts';
import type { CreditsState, RuntimeView } from '../view.ts';

const HOUR_MS = 3_600_000;

/** One for each plan with credits, in the order of the config; null where too little is known. */
export function forecasts(runtime: RuntimeView, now: Instant): (Forecast | null)[] {
  const states = new Map((runtime.explorers() ?? []).map((explorer) => [explorer.name, explorer]));
  const plans = new Set(sharedPlans(runtime.config().explorers).values());
  return [...plans].flatMap(({ explorers, plan }) => {
    const known = explorers.flatMap((name) => states.get(name)?.credits ?? []);
    if (plan === null || plan.credits === null) return [];
    const [newest] = known.toSorted((a, b) => b.at - a.at);
    if (newest === undefined) return [null];
    return [forecastOf({ explorers, plan, credits: { ...newest, rates: sumOf(known) } }, now)];
  });
}

/** Null: the use of the last hour, or what is left, is not known. */
function forecastOf(
  { explorers, plan, credits }: { explorers: readonly string[]; plan: ExplorerPlan; credits: CreditsState },
  now: Instant,
): Forecast | null {
  if (credits.rates === null) return null;
  const perHour = medianOf(credits.rates);
  const resetsAt = nextReset(plan.per, now);
  const runsOutMs = perHour > 0 ? (Math.max(0, credits.remaining) / perHour) * HOUR_MS : Infinity;
  const isShort = now + runsOutMs < resetsAt;
  return {
    explorers: [...explorers],
    remaining: credits.remaining,
    plan: plan.credits,
    per_hour: Math.round(perHour),
    resets_at: showInstant(resetsAt),
    at_reset: Math.round(credits.remaining - (perHour * (resetsAt - now)) / HOUR_MS),
    runs_out_at: isShort ? showInstant(Math.round(now + runsOutMs)) : null,
    reserve: plan.credits === null ? null : Math.round((plan.credits * plan.reservePercent) / 100),
  };
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

function nextReset(per: ExplorerPlan['per'], now: Instant): Instant {
  const today = new Date(now);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  return per === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
}
