// Values against their limits. The limit of an alert is the constant in the first comparison of its condition that uses
// <, <=, > or >=.
import type { Comparison, Clause, Condition } from '../../core/model/watch/condition.ts';
import type { Figures } from '../../core/model/figures.ts';
import type { ConditionAlert, Watch } from '../../core/model/watch/watch.ts';
import { Amount, roundAmount } from '../../core/values/amount.ts';
import { isDollars, typeAt } from '../../core/values/fields.ts';
import { namesOf } from '../../core/alerts/sentence.ts';
import { clauseOf, negated } from '../../core/wording/values.ts';
import { subjectName } from '../../explain/values.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import type { MeasureShape } from '../shapes/common.ts';
import { remembered } from '../../lib/remembered.ts';

/** Values that were read, and the time of reading. */
export interface MeasuredValue {
  readonly at: Instant;
  readonly isStale: boolean;
  /** Undefined: unknown. */
  valueOf(subject: Comparison['subject']): Amount | undefined;
}

/**
 * `goodAt`: when an answer was last usable. If the value is out of date, `at` is the time of reading or `goodAt`,
 * whichever is earlier.
 */
export function readingOf(
  figures: Figures | null,
  { isOld, goodAt }: { readonly isOld: boolean; readonly goodAt: Instant | null },
): MeasuredValue | null {
  if (figures === null) return null;
  const isStale = isOld || figures.isStale;
  return {
    at: isStale && goodAt !== null ? Math.min(figures.at, goodAt) : figures.at,
    isStale,
    valueOf: (subject) => (subject.type === 'window' || subject.isBefore ? undefined : figures.values[subject.path]),
  };
}

/** Null: the condition of the alert does not compare a number with a constant by <, <=, > or >=. */
export function measureOf(watch: Watch, alert: ConditionAlert, reading: MeasuredValue | null): MeasureShape | null {
  const limit = limitOf(alert.while);
  if (limit === null) return null;
  const value = reading?.valueOf(limit.subject);
  const show = scaleOf(watch, limit.subject);
  const apart = value === undefined ? null : distanceOf(value, limit.bound);
  return {
    field: subjectName(watch, limit.subject),
    value: value === undefined ? null : show.text(value),
    unit: show.unit,
    limit: show.text(limit.bound),
    distance: apart && show.text(apart),
    side: value === undefined ? null : sideOf(value, limit.bound),
    fires: firingSide(limit),
    clears_at: show.text(clearAt(alert, limit)),
    at: reading && showInstant(reading.at),
    is_stale: reading?.isStale ?? false,
  };
}

/** The value at which the alert ends. */
export function clearAt({ until }: ConditionAlert, limit: Comparison): Amount {
  const end = until === null ? null : limitOf(until);
  return end !== null && isSame(end, limit) ? end.bound : limit.bound;
}

/** The kind's measure, for a watch without an alert that compares it; null if the kind measures nothing. */
export function plainMeasureOf(watch: Watch, reading: MeasuredValue | null): MeasureShape | null {
  const path = watch.kind.while?.measured ?? null;
  if (path === null) return null;
  const subject = { type: 'field', path, isBefore: false } as const;
  const value = reading?.valueOf(subject);
  const show = scaleOf(watch, subject);
  return {
    field: path,
    value: value === undefined ? null : show.text(value),
    unit: show.unit,
    limit: null,
    distance: null,
    side: null,
    fires: null,
    clears_at: null,
    at: reading && showInstant(reading.at),
    is_stale: reading?.isStale ?? false,
  };
}

/**
 * The distance of the value from the limit, as a part of the limit: 0.1 is a tenth. Null: unknown, or the limit is
 * zero.
 */
export function relativeDistance({ distance, limit }: Pick<MeasureShape, 'distance' | 'limit'>): number | null {
  const [apart, of] = [Number(distance), Math.abs(Number(limit))];
  return distance === null || limit === null || of === 0 ? null : apart / of;
}

/**
 * The distance of the alert from firing, as a part of the limit, below zero if the value is beyond it. Infinity
 * if the distance is unknown or the limit is zero. Like `relativeDistance`, but without a conversion to text, since
 * thousands of watches are sorted by it.
 */
export function closenessOf(alert: ConditionAlert, reading: MeasuredValue): number {
  const limit = limitOf(alert.while);
  const value = limit === null ? undefined : reading.valueOf(limit.subject);
  if (limit === null || value === undefined || limit.bound.digits === 0n) return Infinity;
  const bound = limit.bound.toNumber();
  const part = Math.abs((value.toNumber() - bound) / bound);
  return sideOf(value, limit.bound) === firingSide(limit) ? -part : part;
}

/** True if the value is on the side of its limit on which the alert fires. */
export function isBeyond({ side, fires }: Pick<MeasureShape, 'side' | 'fires'>): boolean {
  return side !== null && side === fires;
}

/** The first comparison by size that decides the condition; null: there is none. */
export const limitOf = remembered((condition: Condition): Comparison | null => firstLimit(clauseOf(condition)));

function firstLimit({ compares, joins, parts }: Clause): Comparison | null {
  if (compares !== null) return compares.operator === '==' || compares.operator === '!=' ? null : compares;
  for (const part of parts) {
    const found = firstLimit(part);
    if (found !== null) return joins === 'not' ? negated(found) : found;
  }
  return null;
}

function isSame(one: Comparison, other: Comparison): boolean {
  return JSON.stringify(one.subject) === JSON.stringify(other.subject);
}

/** The side of its limit on which the alert fires. */
export function firingSide({ operator }: Comparison): 'below' | 'above' {
  return operator === '<' || operator === '<=' ? 'below' : 'above';
}

interface Scale {
  readonly unit: string;
  text(number: Amount): string;
}

const THOUSANDTH = new Amount(1n, 3);
const HUNDRED = new Amount(100n, 0);
const MOST_DECIMALS = 8;
const CENTS = 2;

/** Durations are shown in seconds, changes in percent, and amounts in the watch's unit. */
function scaleOf(watch: Watch, subject: Comparison['subject']): Scale {
  const window = subject.type === 'window' ? subject.window : null;
  if (window?.measure === 'change') return { unit: '%', text: (number) => shortened(number.times(HUNDRED)) };
  const path = subject.type === 'window' ? subject.window.path : subject.path;
  const text = (number: Amount): string => (window === null ? number.toString() : shortened(number));
  if (typeAt(watch.kind.fields, path)?.type === 'duration')
    return { unit: 's', text: (number) => number.times(THOUSANDTH).toString() };
  if (isDollars(watch.kind.fields, path))
    return { unit: 'USD', text: (number) => roundAmount(number, CENTS).toString() };
  return { unit: path === watch.kind.while?.measured ? unitOf(watch) : '', text };
}

/** Cuts a quotient to `MOST_DECIMALS` decimals. */
function shortened(number: Amount): string {
  const [text = ''] = new RegExp(`^-?\\d+(?:\\.\\d{1,${MOST_DECIMALS}})?`).exec(number.toString()) ?? [];
  return Amount.parse(text)?.toString() ?? number.toString();
}

/** `USDC`, `ETH`: the name from the config, never the name that a token gives itself. */
export function unitOf(watch: Watch): string {
  const { token, coin, of } = namesOf(watch);
  return token ?? (of === null ? '' : coin);
}

function distanceOf(value: Amount, bound: Amount): Amount {
  return value.compare(bound) < 0 ? bound.minus(value) : value.minus(bound);
}

function sideOf(value: Amount, bound: Amount): MeasureShape['side'] {
  const way = value.compare(bound);
  return way === 0 ? null : way < 0 ? 'below' : 'above';
}
