// Shows values to people: the value at a path of a view, and the value of a window.
import { formatDuration } from '../lib/durations.ts';
import { Amount, formatAmount, showDollars } from '../core/values/amount.ts';
import { showExact } from '../core/values/unlimited.ts';
import { type AnyView, isDollars, recordTypeOf, typeAt, valueAt } from '../core/values/fields.ts';
import { showDuration, showInstant } from '../lib/clock.ts';
import type { Run } from '../core/model/memory.ts';
import type { Comparison, Segment, Window } from '../core/model/watch/condition.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { plainJoined, untrusted, type Untrusted } from '../lib/untrusted.ts';
import { FILTERS, showValue } from '../rules/templates/show.ts';

/** Undefined if the value is unknown. Untrusted text is quoted and sanitised. */
export function fieldText(view: AnyView, path: string): string | undefined {
  const segments = fieldSegments(view, path);
  return segments === null ? undefined : plainJoined(segments);
}

/** Whether the item has no such value, such as an argument of another function. Conditions with it are decided. */
export function isLacking(view: AnyView, path: string): boolean {
  const { lacking } = recordTypeOf(view);
  return lacking !== null && lacking.covers(path) && lacking.lacks(view, path);
}

/** Null if the value is unknown. Text from the chain is in quotes. */
export function fieldSegments(view: AnyView, path: string): readonly Segment[] | null {
  const type = typeAt(recordTypeOf(view), path);
  const value = valueAt(view, path);
  if (type === undefined || value === undefined) return null;
  if (type.type === 'text') return quoted(value as Untrusted);
  if (type.type === 'json') return quoted(untrusted(JSON.stringify(value)));
  if (type.type === 'duration') return [{ text: showDuration(Number(value)) }];
  if (value instanceof Date) return [{ text: showInstant(value.getTime()) }];
  return [showValue(type, value, 'UTC')];
}

function quoted(text: Untrusted): Segment[] {
  return [{ text: '"' }, { untrusted: text }, { text: '"' }];
}

/** `change("1h")`; with its path if that is not the kind's default. */
export function windowName({ kind }: Watch, { measure, path, ms }: Window): string {
  return `${measure}(${path === kind.while?.measured ? '' : `${path}, `}"${formatDuration(ms)}")`;
}

/** The name of the left side of a comparison. */
export function subjectName(watch: Watch, subject: Comparison['subject']): string {
  if (subject.type === 'window') return windowName(watch, subject.window);
  return subject.isBefore ? `before.${subject.path}` : subject.path;
}

/** A number on the scale of the subject: percent for `change`, a duration for durations. */
export function numberText(watch: Watch, subject: Comparison['subject'], number: Amount): string {
  if (subject.type === 'window') return measureText(subject.window, number);
  const type = typeAt(watch.kind.fields, subject.path);
  if (type?.type === 'duration') return showDuration(number.toNumber());
  return isDollars(watch.kind.fields, subject.path) ? showDollars(number) : showExact(number);
}

/** The value of a window: percent for `change`, else a number with at most eight decimals. */
export function measureText({ measure }: Window, number: Amount): string {
  const percent = measure === 'change' ? FILTERS['percent']?.(number) : undefined;
  return percent ?? formatAmount(shortened(number));
}

const MOST_DECIMALS = 8;

/** People read few decimals of a quotient, so the rest is cut. */
function shortened(number: Amount): Amount {
  const [text] = new RegExp(`^-?\\d+(?:\\.\\d{1,${MOST_DECIMALS}})?`).exec(number.toString()) ?? [''];
  return Amount.parse(text) ?? number;
}

/** The reason why a window has no value yet. */
export function whyNoHistory({ ms, measure }: Window, runs: readonly Run[], at: number): string {
  const [oldest] = runs;
  if (oldest === undefined) return 'nothing was seen of it yet';
  if (oldest[0] > at - ms) return `nobody looked that far back: oldest sample ${showDuration(at - oldest[0])} ago`;
  if (runs.at(-1)?.[1] !== null) return 'it is not known now';
  const reference = runs.findLast(([from]) => from <= at - ms);
  const isZero = measure === 'change' && reference !== undefined && Amount.parse(reference[2])?.digits === 0n;
  return isZero ? 'it was 0 then' : `nobody looked ${showDuration(ms)} ago`;
}
