// Finds whether two conditions can both be true for the same values. This is certain only if both have an alternative
// that compares the same single subject with constants. Different subjects may depend on each other, so nothing is
// concluded from them.
import { OPPOSITE, type Clause, type Comparison } from '../core/model/watch/condition.ts';
import { intersect, isEmpty, numbersThat, wholeOnly, type ValueSet } from './language/analysis/value-sets.ts';

export interface Overlap {
  readonly one: Clause;
  readonly other: Clause;
}

/** Whether the values of a subject are whole numbers. */
export type IsWhole = (subject: Comparison['subject']) => boolean;

/** Two alternatives that can certainly be true together; null: there are none. */
export function overlapOf(one: Clause, other: Clause, isWhole: IsWhole): Overlap | null {
  for (const a of alternativesOf(one))
    for (const b of alternativesOf(other)) if (canBoth(a, b, isWhole)) return { one: a.clause, other: b.clause };
  return null;
}

/** A condition is true if one of its alternatives is. An alternative is true if its subject is among `values`. */
interface Alternative {
  readonly clause: Clause;
  readonly subject: Comparison['subject'];
  readonly values: ValueSet;
}

function alternativesOf(clause: Clause): readonly Alternative[] {
  if (clause.compares !== null) return [comparing(clause, clause.compares)];
  const [part] = clause.parts;
  switch (clause.joins) {
    case 'any':
      return clause.parts.flatMap((each) => alternativesOf(each));
    case 'not': {
      const compares = part?.compares ?? null;
      return compares === null ? [] : [comparing(clause, { ...compares, operator: OPPOSITE[compares.operator] })];
    }
    case 'all':
      return together(clause);
    case null:
      return [];
  }
}

function comparing(clause: Clause, { subject, operator, bound }: Comparison): Alternative {
  return { clause, subject, values: numbersThat(operator, bound) };
}

/** Parts that must all hold. They are an alternative only if each is a single comparison of the same subject. */
function together(clause: Clause): readonly Alternative[] {
  const parts = clause.parts.map((part) => alternativesOf(part));
  const [first, ...others] = parts.flatMap((alternatives) => (alternatives.length === 1 ? alternatives : []));
  if (first === undefined || others.length + 1 < parts.length) return [];
  if (!others.every(({ subject }) => isSame(subject, first.subject))) return [];
  return [{ ...first, clause, values: others.reduce((values, part) => intersect(values, part.values), first.values) }];
}

function canBoth(a: Alternative, b: Alternative, isWhole: IsWhole): boolean {
  if (!isSame(a.subject, b.subject)) return false;
  const values = intersect(a.values, b.values);
  return !isEmpty(isWhole(a.subject) ? wholeOnly(values) : values);
}

function isSame(a: Comparison['subject'], b: Comparison['subject']): boolean {
  if (a.type === 'field') return b.type === 'field' && a.path === b.path && a.isBefore === b.isBefore;
  if (b.type === 'field') return false;
  const [one, other] = [a.window, b.window];
  return one.measure === other.measure && one.path === other.path && one.ms === other.ms;
}
