// A line for each plan: credits left, stretched intervals, and the use by other programs.
import { plansOf, type CreditPlanState, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import { DAY_MS, periodMs } from '../../core/spending/plan.ts';
import { paceWords, stretchWords } from '../../core/spending/plan-words.ts';
import { showDuration, type Instant } from '../../lib/clock.ts';
import { countOf } from '../../rules/counts.ts';

/** `ethereum: 41,240 of 100,000 credits, refilled in 9 h; warning ×2.1, info ×4.4; others took 4,100` */
export function planLines({ explorers }: HealthSummary, now: Instant): string[] {
  return [
    ...plansOf(explorers).map((plan) => `${plan.explorers.join(', ')}: ${planWords(plan, now)}`),
    ...explorers.flatMap(({ name, paced }) =>
      paced === null ? [] : [`${name}: ${paceWords(paced)}; intervals: ${stretchWords(paced.stretch)}`],
    ),
    ...explorers.flatMap(({ name, plan, credits }) =>
      plan === null && credits !== null ? [unplanned(name, credits)] : [],
    ),
  ];
}

/**
 * The line for a key without a plan in the config. It has more credits than the plan that would be assumed, so its
 * requests are not spread, and the credits may not last.
 */
function unplanned(name: string, credits: number): string {
  const plan = `plan: { credits: NUMBER, per: month }`;
  return `${name}: ${countOf(credits)} credits left; write ${plan} of what the key has to make them last`;
}

function planWords(
  {
    credits,
    per,
    isAssumed,
    isCounted,
    known,
    resetsAt,
    atReset,
    runsOutAt,
    wantedPerDay,
    foreign,
    stretch,
    ...more
  }: CreditPlanState,
  now: Instant,
): string {
  const plan = `${countOf(credits)} credits a ${per}${isAssumed ? ', which is assumed' : ''}`;
  const left = known === null ? `what is left of ${plan} is not known yet` : `${countOf(known)} left of ${plan}`;
  const stretched = stretchWords(stretch);
  const isOver = wantedPerDay * periodMs(per) > (credits - more.reserve) * DAY_MS;
  const rest = atReset === null ? [] : [`about ${countOf(Math.max(0, atReset))} left then`];
  return [
    `${left}, refilled in ${showDuration(Math.max(0, resetsAt - now))}`,
    ...(runsOutAt === null ? rest : [`they run out in ${showDuration(Math.max(0, runsOutAt - now))}`]),
    ...(isCounted ? ['counted here, not by the explorer'] : []),
    ...(isOver ? [`the rules want ${countOf(wantedPerDay)} a day`] : []),
    ...(stretched !== '' ? [`intervals: ${stretched}`] : isOver ? ['intervals are as they are written now'] : []),
    ...(foreign > 0 ? [`other programs took ${countOf(foreign)}`] : []),
  ].join('; ');
}
