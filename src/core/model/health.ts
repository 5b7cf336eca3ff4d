// Checks whether an alert's condition is useful. A condition that cannot be true never alerts, and people ignore a
// condition that is always true. One poll does not show this, so a few counts are remembered.
import type { AlertId, Truth } from './ids.ts';
import type { Instant } from '../../lib/clock.ts';

/** Result of an alert's condition in one poll: of a watch's one value, or of all its items together. */
export interface ConditionEvaluation {
  readonly alert: AlertId;
  /** `not-evaluated`: there was nothing to evaluate, such as no item of its event. */
  readonly truth: Truth | 'not-evaluated';
  readonly at: Instant;
}

/** The record of one alert of one watch, since its condition was last written or changed. Plain JSON. */
export interface HealthRecord {
  readonly since: Instant;
  /** When it was last true, false or unknown. */
  readonly evaluatedAt: Instant | null;
  readonly trueAt: Instant | null;
  readonly falseAt: Instant | null;
  /** The time since which all results have been unknown; null: the last result was not unknown. */
  readonly unknownSince: Instant | null;
  /** Polls in which it was true or false. */
  readonly evaluations: number;
}

/** As stored: `condition` identifies the condition that the record belongs to. */
export type StoredHealth = Readonly<Record<AlertId, HealthRecord & { readonly condition: string }>>;

export const HEALTHS = ['ok', 'never-evaluated', 'never-true', 'always-true', 'unknown-too-long'] as const;
export type Health = (typeof HEALTHS)[number];

export type HealthByAlert = Readonly<Record<AlertId, HealthRecord>>;

/**
 * The records after a poll. Alerts without an evaluation keep their record. The caller leaves out alerts without a
 * condition, which match everything.
 *
 * afterPoll({}, [{ alert: 'low', truth: false, at }])
 * // { low: { since: at, evaluatedAt: at, trueAt: null, falseAt: at, unknownSince: null, evaluations: 1 } }
 */
export function afterPoll(known: HealthByAlert, evaluations: readonly ConditionEvaluation[]): HealthByAlert {
  if (evaluations.length === 0) return known;
  const updates = evaluations.map(
    (one) => [one.alert, afterEvaluation(known[one.alert] ?? blank(one.at), one)] as const,
  );
  return { ...known, ...Object.fromEntries(updates) };
}

/** The time at which an alert of the watch was last evaluated; null: none ever was. */
export function lastEvaluated(health: HealthByAlert): Instant | null {
  const times = Object.values(health).flatMap(({ evaluatedAt }) => evaluatedAt ?? []);
  return times.length === 0 ? null : Math.max(...times);
}

/**
 * The records after further polls that had the results of the last one. `at`: the time of the newest poll. Their number
 * is unknown, so `evaluations` stays.
 *
 * afterSameResults({ low: { falseAt: 10, evaluatedAt: 10, … } }, 90) // { low: { falseAt: 90, evaluatedAt: 90, … } }
 */
export function afterSameResults<R extends HealthRecord>(
  health: Readonly<Record<AlertId, R>>,
  at: Instant,
): Readonly<Record<AlertId, R>> {
  const last = lastEvaluated(health);
  if (last === null || at <= last) return health;
  const moved = (time: Instant | null): Instant | null => (time === last ? at : time);
  const records = Object.entries(health).map(([alert, record]): [string, R] => {
    const { evaluatedAt, trueAt, falseAt } = record;
    if (evaluatedAt !== last) return [alert, record];
    return [alert, { ...record, evaluatedAt: at, trueAt: moved(trueAt), falseAt: moved(falseAt) }];
  });
  return Object.fromEntries(records);
}

/** One truth for all items of a poll: true if one is true, else unknown if one is unknown; no items = not evaluated. */
export function truthOfAll(truths: readonly Truth[]): ConditionEvaluation['truth'] {
  if (truths.includes(true)) return true;
  if (truths.includes('unknown')) return 'unknown';
  return truths.length === 0 ? 'not-evaluated' : false;
}

const DAY_MS = 24 * 60 * 60_000;
const LEAST_EVALUATIONS = 20;
const UNKNOWN_POLLS = 10;
const UNKNOWN_MS = 15 * 60_000;

/** The times that decide when a condition can be evaluated. */
export interface ConditionPace {
  /** The time between two polls. */
  readonly intervalMs: number;
  /** The longest window of the condition; 0: it has none. */
  readonly windowMs: number;
}

/**
 * `unknown-too-long`: only unknown for more than ten polls and more than 15 minutes, until now. A condition that was
 * never known gets the time to fill its window first. `never-evaluated`: no evaluation for a day and twenty polls.
 * `never-true`, `always-true`: after a day and twenty evaluations. Most alerts are never true in good times, so this is
 * shown but sends no alert.
 */
export function healthOf(record: HealthRecord, now: Instant, pace: ConditionPace): Health {
  const { unknownAfter, unevaluatedAfter, ripeFrom } = limitsOf(record, pace);
  if (now > unknownAfter) return 'unknown-too-long';
  if (record.evaluatedAt === null) return now > unevaluatedAfter ? 'never-evaluated' : 'ok';
  if (now < ripeFrom || record.evaluations < LEAST_EVALUATIONS) return 'ok';
  if (record.trueAt === null) return 'never-true';
  return record.falseAt === null ? 'always-true' : 'ok';
}

/** The times at which the result of `healthOf` may change although the record stays the same. */
export function healthTurnsAt(record: HealthRecord, pace: ConditionPace): readonly Instant[] {
  return Object.values(limitsOf(record, pace));
}

function limitsOf({ since, unknownSince, evaluations }: HealthRecord, { intervalMs, windowMs }: ConditionPace) {
  const fillingMs = evaluations === 0 ? windowMs : 0;
  const unknownMs = fillingMs + Math.max(UNKNOWN_POLLS * intervalMs, UNKNOWN_MS);
  return {
    unknownAfter: unknownSince === null ? Infinity : unknownSince + unknownMs,
    unevaluatedAfter: since + Math.max(DAY_MS, LEAST_EVALUATIONS * intervalMs),
    ripeFrom: since + DAY_MS,
  };
}

/** True if the condition needs no attention. */
export function isHealthy(health: Health): boolean {
  return health !== 'always-true' && health !== 'unknown-too-long';
}

function blank(since: Instant): HealthRecord {
  return { since, evaluatedAt: null, trueAt: null, falseAt: null, unknownSince: null, evaluations: 0 };
}

function afterEvaluation(record: HealthRecord, { truth, at }: ConditionEvaluation): HealthRecord {
  switch (truth) {
    case 'not-evaluated':
      return record.unknownSince === null ? record : { ...record, unknownSince: null };
    case 'unknown':
      return { ...record, evaluatedAt: at, unknownSince: record.unknownSince ?? at };
    default:
      return {
        ...record,
        evaluatedAt: at,
        unknownSince: null,
        evaluations: record.evaluations + 1,
        ...(truth ? { trueAt: at } : { falseAt: at }),
      };
  }
}
