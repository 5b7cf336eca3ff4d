// The values that a field may have if a condition is true: ranges of exact numbers, or a list of names. The set is
// empty if the condition can never be true.
import { Amount } from '../../../core/values/amount.ts';
import type { ComparisonOperator } from '../comparison-operators.ts';

/** A range of numbers. If a bound is null, the range has no limit on that side. */
export interface Interval {
  readonly low: Amount | null;
  readonly isLowIn: boolean;
  readonly high: Amount | null;
  readonly isHighIn: boolean;
}

/** `isWithout`: every name except these. Ranges are sorted and disjoint. */
export type ValueSet =
  | { readonly type: 'numbers'; readonly ranges: readonly Interval[] }
  | { readonly type: 'names'; readonly names: ReadonlySet<string>; readonly isWithout: boolean };

/** The numbers for which `x sign bound` is true. */
export function numbersThat(sign: ComparisonOperator, bound: Amount): ValueSet {
  const below = (isHighIn: boolean): Interval => ({ low: null, isLowIn: false, high: bound, isHighIn });
  const above = (isLowIn: boolean): Interval => ({ low: bound, isLowIn, high: null, isHighIn: false });
  const ranges: Record<ComparisonOperator, readonly Interval[]> = {
    '<': [below(false)],
    '<=': [below(true)],
    '>': [above(false)],
    '>=': [above(true)],
    '==': [{ low: bound, isLowIn: true, high: bound, isHighIn: true }],
    '!=': [below(false), above(false)],
  };
  return { type: 'numbers', ranges: ranges[sign] };
}

/** These names, or with `isWithout` every name but these. */
export function setOfNames(names: Iterable<string>, isWithout = false): ValueSet {
  return { type: 'names', names: new Set(names), isWithout };
}

/** Whether no value is left. */
export function isEmpty(set: ValueSet): boolean {
  return set.type === 'numbers' ? set.ranges.length === 0 : !set.isWithout && set.names.size === 0;
}

/** The intersection. Sets of different types cannot be compared, so `a` stays as it is. */
export function intersect(a: ValueSet, b: ValueSet): ValueSet {
  if (a.type === 'numbers' && b.type === 'numbers')
    return { type: 'numbers', ranges: a.ranges.flatMap((one) => b.ranges.flatMap((other) => overlap(one, other))) };
  if (a.type !== 'names' || b.type !== 'names') return a;
  if (a.isWithout && b.isWithout) return setOfNames(a.names.union(b.names), true);
  if (a.isWithout) return setOfNames(b.names.difference(a.names));
  return setOfNames(b.isWithout ? a.names.difference(b.names) : a.names.intersection(b.names));
}

/** The union; undefined when it constrains nothing. */
export function unite(a: ValueSet, b: ValueSet): ValueSet | undefined {
  if (a.type === 'numbers' && b.type === 'numbers')
    return { type: 'numbers', ranges: merged([...a.ranges, ...b.ranges]) };
  if (a.type !== 'names' || b.type !== 'names') return undefined;
  if (a.isWithout && b.isWithout) return setOfNames(a.names.intersection(b.names), true);
  if (a.isWithout) return setOfNames(a.names.difference(b.names), true);
  return b.isWithout ? setOfNames(b.names.difference(a.names), true) : setOfNames(a.names.union(b.names));
}

/** Only the whole numbers of a set of ranges. */
export function wholeOnly(set: ValueSet): ValueSet {
  if (set.type !== 'numbers') return set;
  const ranges = set.ranges.map(({ low, isLowIn, high, isHighIn }): Interval => ({
    low: low === null ? null : whole(low, isLowIn ? 'up' : 'above'),
    isLowIn: true,
    high: high === null ? null : whole(high, isHighIn ? 'down' : 'below'),
    isHighIn: true,
  }));
  return { type: 'numbers', ranges: ranges.filter((range) => !isVoid(range)) };
}

function overlap(a: Interval, b: Interval): Interval[] {
  const [low, isLowIn] = higherLow(a, b) ? [a.low, a.isLowIn] : [b.low, b.isLowIn];
  const [high, isHighIn] = lowerHigh(a, b) ? [a.high, a.isHighIn] : [b.high, b.isHighIn];
  const range = { low, isLowIn, high, isHighIn };
  return isVoid(range) ? [] : [range];
}

function isVoid({ low, isLowIn, high, isHighIn }: Interval): boolean {
  if (low === null || high === null) return false;
  const order = low.compare(high);
  return order > 0 || (order === 0 && !(isLowIn && isHighIn));
}

/** Whether `a` begins at a higher number than `b`. */
function higherLow(a: Interval, b: Interval): boolean {
  if (a.low === null || b.low === null) return b.low === null;
  const order = a.low.compare(b.low);
  return order > 0 || (order === 0 && !a.isLowIn);
}

/** Whether `a` ends at a lower number than `b`. */
function lowerHigh(a: Interval, b: Interval): boolean {
  if (a.high === null || b.high === null) return b.high === null;
  const order = a.high.compare(b.high);
  return order < 0 || (order === 0 && !a.isHighIn);
}

/**
 * Merges ranges that overlap or touch. Otherwise a chain of `(a || b) && (c || d)` would double their number at each
 * step.
 */
function merged(ranges: readonly Interval[]): readonly Interval[] {
  const sorted = ranges.toSorted((a, b) => (higherLow(a, b) ? (higherLow(b, a) ? 0 : 1) : -1));
  const apart: Interval[] = [];
  for (const range of sorted) {
    const last = apart.at(-1);
    if (last === undefined || isApart(last, range)) apart.push(range);
    else if (!lowerHigh(range, last)) apart[apart.length - 1] = { ...last, high: range.high, isHighIn: range.isHighIn };
  }
  return apart;
}

function isApart(before: Interval, after: Interval): boolean {
  if (before.high === null || after.low === null) return false;
  const order = before.high.compare(after.low);
  return order < 0 || (order === 0 && !before.isHighIn && !after.isLowIn);
}

type Towards = 'up' | 'above' | 'down' | 'below';

function whole({ digits, scale }: Amount, towards: Towards): Amount {
  const unit = 10n ** BigInt(scale);
  const rest = ((digits % unit) + unit) % unit;
  const floor = (digits - rest) / unit;
  const isWhole = rest === 0n;
  const steps = { down: 0n, below: isWhole ? -1n : 0n, up: isWhole ? 0n : 1n, above: 1n };
  return new Amount(floor + steps[towards], 0);
}
