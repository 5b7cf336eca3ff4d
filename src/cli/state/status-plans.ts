// A line for each plan: credits left, how intervals are stretched, and what other programs spent.
import type { HealthSummary, CreditPlanState } from '../../core/model/quality/health-summary.ts';
import { SEVERITIES } from '../../core/model/ids.ts';
import { showDuration, type Instant } from '../../lib/clock.ts';
import { countOf } from '../../rules/counts.ts';

/** `ethereum: 41,240 of 100,000 credits, refilled in 9 h; warning ×2.1, info ×4.4; others took 4,100` */
export function planLines({ explorers }: HealthSummary, now: Instant): string[] {
  const plans = Map.groupBy(
    explorers.flatMap(({ name, plan }) => (plan === null ? [] : [{ name, plan }])),
    ({ plan }) => JSON.stringify(plan),
  );
  return [...plans.values()].flatMap((sharing) => {
    const [first] = sharing;
    return first === undefined ? [] : [`${sharing.map(({ name }) => name).join(', ')}: ${planWords(first.plan, now)}`];
  });
}

function planWords(
  { credits, per, isAssumed, known, resetsAt, foreign, stretch }: CreditPlanState,
  now: Instant,
): string {
  const plan = `${countOf(credits)} credits a ${per}${isAssumed ? ', which is assumed' : ''}`;
  const left = known === null ? `what is left of ${plan} is not known yet` : `${countOf(known)} left of ${plan}`;
  const stretched = SEVERITIES.toReversed().flatMap((severity) =>
    stretch[severity] > 1 ? [`${severity} ×${Math.round(stretch[severity] * 10) / 10}`] : [],
  );
  return [
    `${left}, refilled in ${showDuration(Math.max(0, resetsAt - now))}`,
    ...(stretched.length === 0 ? [] : [`intervals: ${stretched.join(', ')}`]),
    ...(foreign > 0 ? [`other programs took ${countOf(foreign)}`] : []),
  ].join('; ');
}
