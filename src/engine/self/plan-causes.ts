// Causes about the credits of a plan: critical watches need more credits than are left, other programs use the key, or
// intervals are much longer than usual for the plan. A cause starts when its condition has held for some time, and ends
// when the condition has not held for some time.
import { highest } from '../../core/model/delivery.ts';
import type { Severity } from '../../core/model/ids.ts';
import type { CreditPlanState } from '../../core/model/quality/health-summary.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { severityOf } from '../../core/spending/asked.ts';
import { factorWords, stretchWords } from '../../core/spending/plan-words.ts';
import { MOST_CRITICAL } from '../../core/spending/planner.ts';
import { showTime } from '../../core/wording/words.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { counted, type Cause, type CauseId } from './cause.ts';
import { sinceText } from './words.ts';

export interface PlanCauseFacts extends Moment {
  /** Each plan once. */
  readonly plans: readonly CreditPlanState[];
  readonly watches: readonly Watch[];
}

export interface PlanCauses {
  look(facts: PlanCauseFacts): Cause[];
  /**
   * True if the cause may still last: since the start of the process, its condition has not been over for long enough.
   */
  isUndecided(cause: CauseId, now: Instant): boolean;
}

const MINUTE_MS = 60_000;
const OVER_AFTER_MS = 30 * MINUTE_MS;
const OVERDRAWN_AFTER_MS = 10 * MINUTE_MS;
const STRETCHED_AFTER_MS = 30 * MINUTE_MS;
/** Credits that run out less than this time before the reset are no cause. */
const SHORTLY_MS = 30 * MINUTE_MS;
const FOREIGN_OVER_AFTER_MS = 120 * MINUTE_MS;
const FOREIGN_SHARE = 0.05;
const [LEAST_TOLD, BEYOND_USUAL, BELOW_AGAIN] = [3, 1.5, 0.8];

/** If both are false, the cause neither starts nor ends. */
interface Seen {
  readonly begins: boolean;
  readonly ends: boolean;
}

interface Lasting {
  readonly isOn: boolean;
  /** The time at which the condition began to hold; null: it does not hold. */
  readonly begunAt: Instant | null;
  readonly calmAt: Instant | null;
}

const NOT_SEEN: Lasting = { isOn: false, begunAt: null, calmAt: null };

function after(before: Lasting, { begins, ends }: Seen, now: Instant, afterMs: number): Lasting {
  // After the clock was set back, a kept time may be in the future.
  const since = (is: boolean, at: Instant | null): Instant | null => (is ? Math.min(at ?? now, now) : null);
  const calmAt = since(ends, before.calmAt);
  const begunAt = before.isOn ? before.begunAt : since(begins, before.begunAt);
  if (before.isOn) {
    const isOver = calmAt !== null && now - calmAt >= OVER_AFTER_MS;
    return isOver ? { isOn: false, begunAt: null, calmAt } : { isOn: true, begunAt, calmAt };
  }
  return { isOn: begunAt !== null && now - begunAt >= afterMs, begunAt, calmAt };
}

interface Foreign {
  readonly from: Instant;
  /** The highest sum of the period; `roseAt`: when it last rose. */
  readonly most: number;
  readonly roseAt: Instant | null;
  readonly seenSince: Instant;
}

interface Tracked {
  readonly overdrawn: Lasting;
  readonly stretched: Readonly<Record<StretchedClass, Lasting>>;
  readonly foreign: Foreign;
}

type StretchedClass = 'warning' | 'info';

export function createPlanCauses(): PlanCauses {
  let trackedByPlan: ReadonlyMap<string, Tracked> = new Map();

  return {
    look({ plans, watches, ...moment }) {
      const next = new Map<string, Tracked>();
      const causes = plans.flatMap((plan) => {
        const own = watches.filter(({ target }) => plan.explorers.includes(target.explorer));
        const subject = plan.explorers[0];
        if (own.length === 0 || subject === undefined) return [];
        const tracked = trackedOf(trackedByPlan.get(subject), plan, own, moment.now);
        next.set(subject, tracked);
        return causesOf(tracked, { ...moment, plan, watches: own, subject });
      });
      trackedByPlan = next;
      return causes;
    },
    isUndecided({ alert, subject }, now) {
      const tracked = trackedByPlan.get(subject);
      if (tracked === undefined) return false;
      const { foreign, overdrawn, stretched } = tracked;
      // The spending of other programs before the start is unknown.
      if (alert === 'plan-foreign') return now - foreign.seenSince < FOREIGN_OVER_AFTER_MS;
      const isCalm = ({ calmAt }: Lasting): boolean => calmAt !== null && now - calmAt >= OVER_AFTER_MS;
      if (alert === 'plan-overdrawn') return !isCalm(overdrawn);
      return alert === 'plan-stretched' && !(isCalm(stretched.warning) && isCalm(stretched.info));
    },
  };
}

function trackedOf(
  before: Tracked | undefined,
  plan: CreditPlanState,
  watches: readonly Watch[],
  now: Instant,
): Tracked {
  const stretched = (severity: StretchedClass): Lasting => {
    const seen = stretchSeen(plan, watches, severity);
    return after(before?.stretched[severity] ?? NOT_SEEN, seen, now, STRETCHED_AFTER_MS);
  };
  return {
    overdrawn: after(before?.overdrawn ?? NOT_SEEN, overdrawnSeen(plan), now, OVERDRAWN_AFTER_MS),
    stretched: { warning: stretched('warning'), info: stretched('info') },
    foreign: foreignOf(before?.foreign, plan, now),
  };
}

function overdrawnSeen({ isStretched, stretch, atReset, runsOutAt, resetsAt }: CreditPlanState): Seen {
  if (isStretched) return { begins: stretch.critical > 1, ends: stretch.critical <= 1 };
  const isShort = runsOutAt !== null && resetsAt - runsOutAt > SHORTLY_MS;
  return { begins: isShort, ends: !isShort && atReset !== null };
}

function stretchSeen({ stretch, usual }: CreditPlanState, watches: readonly Watch[], severity: StretchedClass): Seen {
  if (!watches.some((watch) => severityOf(watch) === severity)) return { begins: false, ends: true };
  const limit = Math.max(LEAST_TOLD, BEYOND_USUAL * usual[severity]);
  return { begins: stretch[severity] > limit, ends: stretch[severity] < BELOW_AGAIN * limit };
}

function foreignOf(before: Foreign | undefined, { from, foreign }: CreditPlanState, now: Instant): Foreign {
  if (before === undefined) return { from, most: foreign, roseAt: foreign > 0 ? now : null, seenSince: now };
  // After a reset the former figures do not count.
  if (before.from !== from) return { from, most: foreign, roseAt: foreign > 0 ? now : null, seenSince: -Infinity };
  const { most, roseAt, seenSince } = before;
  const at = foreign > most ? now : roseAt === null ? null : Math.min(roseAt, now);
  return { from, most: Math.max(most, foreign), roseAt: at, seenSince: Math.min(seenSince, now) };
}

interface OnePlan extends Moment {
  readonly plan: CreditPlanState;
  /** The watches of its explorers. */
  readonly watches: readonly Watch[];
  readonly subject: string;
}

function causesOf(tracked: Tracked, one: OnePlan): Cause[] {
  const isUsedUp = one.plan.stretch.critical >= MOST_CRITICAL;
  const overdrawn = tracked.overdrawn.isOn ? [overdrawnCause(tracked.overdrawn, one, isUsedUp)] : [];
  const isExplained = isUsedUp || overdrawn.length > 0;
  return [
    ...(isUsedUp ? usedUpCauses(tracked.overdrawn, one) : []),
    ...overdrawn,
    ...foreignCause(tracked.foreign, one),
    ...stretchedCause(tracked.stretched, one).map((cause) => ({ ...cause, isExplained })),
  ];
}

/** Reports a plan without credits. Some explorers answer also below zero, so a refusal alone does not show it. */
function usedUpCauses({ begunAt }: Lasting, { plan, watches, subject: _subject, ...moment }: OnePlan): Cause[] {
  const since = begunAt ?? moment.now;
  return plan.explorers.flatMap((explorer) => {
    const own = watches.filter(({ target }) => target.explorer === explorer);
    if (own.length === 0) return [];
    const why = `critical watches are polled ${MOST_CRITICAL} times less often, others wait until ${showTime(plan.resetsAt, moment)}.`;
    return [
      {
        alert: 'credits',
        subject: explorer,
        severity: highestOf(own),
        since,
        watches: own.length,
        title: `${explorer} has no credits left, ${counted(own.length, 'watch', 'watches')}`,
        text: [{ text: `${sinceText(since, moment)}: ${why}` }],
        isExplained: false,
      },
    ];
  });
}

const LESS = 'Watch less often, or take a larger plan. `chainwarden check` says what would fit';

function overdrawnCause(
  { begunAt }: Lasting,
  { plan, watches, subject, ...moment }: OnePlan,
  isUsedUp: boolean,
): Cause {
  const since = begunAt ?? moment.now;
  const critical = watches.filter((watch) => severityOf(watch) === 'critical');
  const affected = plan.isStretched ? critical : watches;
  const times = factorWords(plan.stretch.critical);
  const ends = plan.runsOutAt ?? plan.resetsAt;
  const [title, why] = plan.isStretched
    ? [
        `the critical watches of ${subject} alone need more credits than are left, ${counted(affected.length, 'watch', 'watches')}`,
        `they are polled ${times} times less often. ${LESS}.`,
      ]
    : [
        `the credits of ${subject} are used up before the reset, ${counted(affected.length, 'watch', 'watches')}`,
        `at the present rate none is left from ${showTime(ends, moment)} until the reset at ${showTime(plan.resetsAt, moment)}. ${LESS}, and \`stretch: on\` makes them last.`,
      ];
  return {
    alert: 'plan-overdrawn',
    subject,
    severity: highestOf(affected.length === 0 ? watches : affected),
    since,
    watches: affected.length,
    title,
    text: [{ text: `${sinceText(since, moment)}: ${why}` }],
    isExplained: isUsedUp,
  };
}

function foreignCause({ most, roseAt }: Foreign, { plan, subject, ...moment }: OnePlan): Cause[] {
  const { credits, reserve, foreign, from } = plan;
  const isTold = most > reserve + FOREIGN_SHARE * credits;
  if (!isTold || roseAt === null || moment.now - roseAt >= FOREIGN_OVER_AFTER_MS) return [];
  const spent = `${foreign.toLocaleString('en')} credits since ${showTime(from, moment)}`;
  return [
    {
      alert: 'plan-foreign',
      subject,
      severity: 'warning',
      since: from,
      watches: null,
      title: `another program uses the key of ${subject}: ${spent}`,
      text: [
        {
          text: `Write ${reserveFor(plan)} in the config to reserve credits for that program, or give it another key.`,
        },
      ],
      isExplained: false,
    },
  ];
}

/** A reserve in steps of ten percent that is larger than the present one. */
function reserveFor({ credits, reserve, foreign, per, isAssumed }: CreditPlanState): string {
  const [used, kept] = [(foreign / credits) * 100, (reserve / credits) * 100];
  const percent = Math.min(90, Math.ceil(Math.max(used, kept + 5) / 10) * 10);
  return isAssumed
    ? `\`plan: { credits: ${credits}, per: ${per}, reserve: ${percent}% }\``
    : `\`reserve: ${percent}%\``;
}

function stretchedCause(stretched: Tracked['stretched'], { plan, watches, subject, ...moment }: OnePlan): Cause[] {
  const classes = (['warning', 'info'] as const).filter((severity) => stretched[severity].isOn);
  const [severity] = classes;
  if (severity === undefined) return [];
  const since = Math.min(...classes.flatMap((one) => stretched[one].begunAt ?? []));
  const affected = watches.filter((watch) => classes.some((one) => one === severityOf(watch)));
  const usually = stretchWords(plan.usual);
  return [
    {
      alert: 'plan-stretched',
      subject,
      severity,
      since,
      watches: affected.length,
      title: `${counted(affected.length, 'watch', 'watches')} of ${subject} ${affected.length === 1 ? 'is' : 'are'} polled less often than planned: ${stretchWords(plan.stretch)}`,
      text: [
        {
          text: `${sinceText(since, moment)}; on a whole plan: ${usually === '' ? 'as they are written' : usually}. Few credits are left until ${showTime(plan.resetsAt, moment)}. The page Explorers shows how they were spent. ${LESS}.`,
        },
      ],
      isExplained: false,
    },
  ];
}

function highestOf(watches: readonly Watch[]): Severity {
  return highest(watches.map(severityOf));
}
