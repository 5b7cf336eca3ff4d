// The sentence of a `while:` alert. A comparison of one field or window with a constant is written as people say it.
// For a condition with several parts, the values are listed.
import { showDuration, type Instant } from '../../lib/clock.ts';
import {
  OPPOSITE,
  type Clause,
  type Comparison,
  type Condition,
  type EvaluationContext,
  type Window,
} from '../model/watch/condition.ts';
import type { AlertId } from '../model/ids.ts';
import type { AnyKind } from '../model/watch/kind.ts';
import type { WordingContext, Sentence } from '../model/watch/wording.ts';
import { type Amount, showDollars } from '../values/amount.ts';
import { type AnyRecord, isDollars, recordTypeOf, typeAt } from '../values/fields.ts';
import { boundWords, clauseOf, holds, movedWords, negated, numberWords, ownValue, subjectValue } from './values.ts';
import { lineOf, showAgo, showAmount, showPart, showPath, showSpan, showTime } from './words.ts';

export interface ConditionOccasion extends WordingContext {
  readonly kind: AnyKind;
  readonly alert: { readonly id: AlertId; readonly while: Condition; readonly until: Condition | null };
  readonly context: EvaluationContext;
  readonly at: Instant;
  readonly isOver: boolean;
  readonly isStale: boolean;
}

export function conditionSentence(occasion: ConditionOccasion): Sentence {
  const { alert, isOver } = occasion;
  const decided = clauseOf(isOver && alert.until !== null ? alert.until : alert.while);
  const isNegated = isOver && alert.until === null;
  const compares = comparedIn(decided, isNegated) ?? relatedIn(decided, isNegated, occasion.context);
  const value = compares === null ? undefined : subjectValue(compares.subject, occasion.context);
  if (compares !== null && value !== undefined)
    return comparisonSentence(occasion, boundOf(occasion, compares, value), value);
  return stateSentence(occasion, decided) ?? compoundSentence(occasion, decided);
}

function comparedIn({ compares }: Clause, isNegated: boolean): Comparison | null {
  return compares === null || !isNegated ? compares : negated(compares);
}

const LONGEST_BOUND = 60;

/**
 * The comparison of a field with a value that is computed from other fields, with the present values; null if there is
 * none, or if a field is unknown.
 */
function relatedIn({ relates }: Clause, isNegated: boolean, context: EvaluationContext): Comparison | null {
  const bound = relates === undefined || relates.text.length > LONGEST_BOUND ? undefined : relates.boundIn(context);
  if (relates === undefined || bound === undefined) return null;
  const { subject, operator, text } = relates;
  return { subject, operator: isNegated ? OPPOSITE[operator] : operator, bound, text };
}

/** A comparison as a message shows it for a value. `isEnd`: it ends the alert, and does not hold yet. */
interface Bound {
  readonly comparison: Comparison;
  readonly isEnd: boolean;
}

/**
 * Between `while` and `until`, and during `keep_firing_for`, an alert fires although its condition does not hold. Then
 * the comparison that ends it is shown, or the negated one.
 */
function boundOf({ alert, isOver }: ConditionOccasion, comparison: Comparison, value: Amount): Bound {
  if (isOver || holds(comparison, value)) return { comparison, isEnd: false };
  const end = alert.until === null ? null : clauseOf(alert.until).compares;
  const isAwaited = end !== null && isSame(end.subject, comparison.subject) && !holds(end, value);
  return isAwaited ? { comparison: end, isEnd: true } : { comparison: negated(comparison), isEnd: false };
}

function isSame(a: Comparison['subject'], b: Comparison['subject']): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** `970,030, below 1,000,000`; `1,020,000, not yet above 1,050,000` */
function detailOf(
  measured: string,
  { comparison, isEnd }: Bound,
  value: Amount,
  show: (one: Amount) => string,
): string {
  return `${measured}, ${isEnd ? 'not yet ' : ''}${boundWords(comparison, value, show)}`;
}

function comparisonSentence(occasion: ConditionOccasion, told: Bound, value: Amount): Sentence {
  const { comparison, isEnd } = told;
  const { subject } = comparison;
  if (subject.type === 'window') return windowSentence(occasion, subject.window, told, value);
  const { kind, view, before, isOver } = occasion;
  const show = numberWords(recordTypeOf(view), subject.path);
  const measured = show(value);
  const { operator, bound } = comparison;
  const own = isEnd
    ? null
    : kind.wording.compared?.({ ...occasion, path: subject.path, operator, value: measured, bound: show(bound) });
  if (own !== undefined && own !== null) return own;
  const detail = detailOf(measured, told, value, show);
  const moved = subject.isBefore ? null : movedWords(view, before, subject.path);
  return {
    title: `${kind.wording.value(occasion, subject.path)} ${detail}`,
    detail,
    measured,
    lines: isOver ? lineOf(whereWords(occasion)) : lineOf(moved, clearsWords(occasion, show), whereWords(occasion)),
  };
}

/** `Clears above 1,050,000.` */
function clearsWords({ alert }: ConditionOccasion, show: (number: Amount) => string): string | null {
  const ends = alert.until === null ? null : clauseOf(alert.until).compares;
  return ends === null ? null : `Clears ${boundWords(ends, ends.bound, show)}.`;
}

function whereWords({ names, at }: ConditionOccasion): string {
  return `${names.explorer}, ${showTime(at, { now: at, zone: names.zone })}.`;
}

/** `treasury USDC fell 22.4 % in 10 min (limit 20 %)` */
function windowSentence(occasion: ConditionOccasion, window: Window, told: Bound, value: Amount): Sentence {
  const { kind, context } = occasion;
  const name = kind.wording.value(occasion, window.path);
  const span = showSpan(window.ms);
  const show = showMeasure(window, kind);
  if (window.measure !== 'change' && window.measure !== 'delta') {
    const measured = show(value);
    const detail = detailOf(measured, told, value, show);
    const title = `${EXTREMES[window.measure]} ${name} in ${span} ${detail}`;
    return { title, detail, measured, lines: lineOf(whereWords(occasion)) };
  }
  const moved = value.digits === 0n ? 'unchanged' : `${value.digits < 0n ? 'fell' : 'rose'} ${show(absolute(value))}`;
  const detail = `${moved} in ${span} (limit ${show(absolute(told.comparison.bound))})`;
  return { title: `${name} ${detail}`, detail, measured: moved, lines: lineOf(thenAndNow(window, kind, context)) };
}

const EXTREMES = { min: 'lowest', max: 'highest', avg: 'average' } as const;

function showMeasure({ measure, path }: Window, { fields }: AnyKind): (number: Amount) => string {
  return measure === 'change' ? showPart : amountWords(fields, path);
}

/** Differences of durations are written as numbers. */
function amountWords(fields: AnyRecord, path: string): (number: Amount) => string {
  return isDollars(fields, path) ? showDollars : (number) => showAmount(number);
}

function absolute(number: Amount): Amount {
  return number.digits < 0n ? number.negated() : number;
}

/** `970,030 now, 1,250,040 ten minutes ago.` */
function thenAndNow({ path, ms }: Window, { fields }: AnyKind, context: EvaluationContext): string | null {
  const now = subjectValue({ type: 'field', path, isBefore: false }, context);
  const delta = context.history?.({ measure: 'delta', path, ms });
  if (now === undefined || delta === undefined) return null;
  const show = amountWords(fields, path);
  return `${show(now)} now, ${show(now.minus(delta))} ${showAgo(ms)}.`;
}

/** `ACME reputation is scam`: the sentence of a condition that reads one word, or one yes-or-no field. */
function stateSentence(occasion: ConditionOccasion, { reads, windows, joins }: Clause): Sentence | null {
  const [path, ...others] = reads;
  const isOne = path !== undefined && others.length === 0 && windows.length === 0 && joins !== 'all' && joins !== 'any';
  const type = isOne ? typeAt(recordTypeOf(occasion.view), path) : undefined;
  if (path === undefined || (type?.type !== 'word' && type?.type !== 'bool')) return null;
  const measured = ownValue(occasion, path);
  if (measured === undefined) return null;
  const { kind, names, before, isOver } = occasion;
  const own = kind.wording.state?.({ ...occasion, path }) ?? null;
  if (own !== null) return own;
  const then = before === null ? undefined : ownValue({ names, view: before }, path);
  const isNews = then !== undefined && then !== measured && !isOver;
  return {
    title: `${kind.wording.value(occasion, path)} is ${measured}`,
    detail: measured,
    measured,
    lines: isNews ? lineOf(`Last poll: ${then}.`) : [],
  };
}

const MOST_VALUES = 6;

/**
 * The first comparison that must hold, else the thing and the alert's name; the values that were read follow below, each
 * with its label.
 */
function compoundSentence(occasion: ConditionOccasion, { reads, windows, joins, parts }: Clause): Sentence {
  const { kind, names, alert, context, isOver } = occasion;
  const values = reads.slice(0, MOST_VALUES).flatMap((path) => {
    const value = ownValue(occasion, path);
    return value === undefined ? [] : [`${showPath(path)} ${value}`];
  });
  const looks = windows.slice(0, MOST_VALUES).flatMap((window) => {
    const value = context.history?.(window);
    return value === undefined ? [] : [`${windowName(window, kind)} ${showMeasure(window, kind)(value)}`];
  });
  const listed = [...values, ...looks].join(', ');
  const first = isOver || joins !== 'all' ? null : firstOf(occasion, parts);
  if (first !== null) return { ...first, lines: [...lineOf(`${listed}.`, whereWords(occasion))] };
  return {
    title: `${isOver ? 'no longer: ' : ''}${kind.wording.thing(names)} ${alert.id}`,
    detail: null,
    measured: null,
    lines: lineOf(listed === '' ? null : `${listed}.`, isOver ? null : whereWords(occasion)),
  };
}

/** The first comparison of a field, if it holds; null: there is none, or it does not. */
function firstOf(occasion: ConditionOccasion, parts: readonly Clause[]): Sentence | null {
  const { context } = occasion;
  const compares = parts.flatMap((part) => part.compares ?? relatedIn(part, false, context) ?? [])[0] ?? null;
  const value = compares === null ? undefined : subjectValue(compares.subject, occasion.context);
  if (compares === null || value === undefined || !holds(compares, value)) return null;
  return comparisonSentence(occasion, { comparison: compares, isEnd: false }, value);
}

function windowName({ measure, path, ms }: Window, kind: AnyKind): string {
  return `${measure}${path === kind.while?.measured ? '' : ` of ${showPath(path)}`} in ${showDuration(ms)}`;
}
