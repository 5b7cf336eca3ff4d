// The comparison of a condition in words: `below 1,000,000`.
import {
  OPPOSITE,
  type Clause,
  type Comparison,
  type Condition,
  type EvaluationContext,
} from '../model/watch/condition.ts';
import { exactOf, typeAt, valueAt, type AnyRecord } from '../values/fields.ts';
import type { Amount } from '../values/amount.ts';
import { isDollars, showDollars } from '../values/dollars.ts';
import { showAmount, showSpan } from './words.ts';
import { remembered } from '../../lib/remembered.ts';

// Clauses are compiled on demand; a burst of events needs the same one many times, so they are cached.
export const clauseOf = remembered((condition: Condition): Clause => condition.clause());

/** The value on the left of a comparison; undefined when it is unknown. */
export function subjectValue(
  subject: Comparison['subject'],
  { view, before, history }: EvaluationContext,
): Amount | undefined {
  if (subject.type === 'window') return history?.(subject.window);
  const of = subject.isBefore ? before : view;
  return of === null ? undefined : exactOf(valueAt(of, subject.path));
}

type Operator = Comparison['operator'];

/** The opposite comparison. */
export function negated(comparison: Comparison): Comparison {
  return { ...comparison, operator: OPPOSITE[comparison.operator] };
}

export function holds({ operator, bound }: Pick<Comparison, 'operator' | 'bound'>, value: Amount): boolean {
  const { digits } = value.minus(bound);
  switch (operator) {
    case '<':
      return digits < 0n;
    case '<=':
      return digits <= 0n;
    case '>':
      return digits > 0n;
    case '>=':
      return digits >= 0n;
    case '==':
      return digits === 0n;
    case '!=':
      return digits !== 0n;
  }
}

export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  '<': 'below',
  '<=': 'at or below',
  '>': 'above',
  '>=': 'at or above',
  '==': 'exactly',
  '!=': 'not',
};

/** `below 1,000,000`, or `just below 0.05` if the value is shown as 0.05 too. `show`: writes both numbers. */
export function boundWords(
  { operator, bound, text }: Pick<Comparison, 'operator' | 'bound' | 'text'>,
  value: Amount,
  show: (number: Amount) => string,
): string {
  const isShownEqual = show(value) === show(bound) && !value.equals(bound);
  const just = isShownEqual && (operator === '<' || operator === '>') ? 'just ' : '';
  return `${just}${OPERATOR_WORDS[operator]} ${text === undefined ? show(bound) : `${text} (${show(bound)})`}`;
}

/** Writes the numbers of a field: milliseconds of a duration as a time, US dollars with `$`. */
export function numberWords(record: AnyRecord, path: string): (number: Amount) => string {
  if (isDollars(record, path)) return showDollars;
  return typeAt(record, path)?.type === 'duration' ? (number) => showSpan(number.toNumber()) : (one) => showAmount(one);
}

/** The comparison of a field with a constant that must hold for the condition to hold; null = there is none. */
export function limitOn(condition: Condition | null, path: string): Comparison | null {
  return condition === null ? null : (limitsOf(condition).find((one) => isOf(one, path)) ?? null);
}

/** The comparisons with constants that must hold for the condition to hold, in the order of its text. */
export function limitsOf(condition: Condition): readonly Comparison[] {
  return limitsIn(clauseOf(condition));
}

function limitsIn({ compares, joins, parts }: Clause): readonly Comparison[] {
  if (compares !== null) return [compares];
  return joins === 'all' ? parts.flatMap(limitsIn) : [];
}

function isOf({ subject }: Comparison, path: string): boolean {
  return subject.type === 'field' && subject.path === path && !subject.isBefore;
}
