// The changes that make a condition true, or false. If one number is compared with a constant, the change is their
// difference. Otherwise it is a list of the parts with the wrong value.
import { OPPOSITE, type Clause, type Comparison } from '../core/model/watch/condition.ts';
import { subjectValue } from '../core/wording/values.ts';
import { singleLine } from '../lib/untrusted.ts';
import type { ExplainContext } from './condition.ts';
import { numberText, subjectName } from './values.ts';

/** Sentences that must all come true; empty if the condition already has the wanted value. */
export function needsOf(clause: Clause, wanted: boolean, context: ExplainContext): string[] {
  if (clause.evaluate(context.evaluation) === wanted) return [];
  const [first] = clause.parts;
  if (clause.joins === 'not' && first !== undefined) return needsOf(first, !wanted, context);
  if (clause.joins !== null && first !== undefined) {
    const needs = clause.parts.map((part) => needsOf(part, wanted, context));
    return (clause.joins === 'all') === wanted ? needs.flat() : [anyOf(needs)];
  }
  return [clause.compares === null ? become(clause, wanted) : distanceOf(clause.compares, wanted, context)];
}

export interface Need {
  readonly clause: Clause;
  readonly wanted: boolean;
}

/**
 * Like `needsOf`, for several conditions that must all come true. If one number has to pass two bounds, only the
 * farther bound is named.
 */
export function needsOfAll(all: readonly Need[], context: ExplainContext): string[] {
  const open = all.filter(({ clause, wanted }) => clause.evaluate(context.evaluation) !== wanted);
  const said = open.filter((need) => !open.some((other) => other !== need && isPassedWith(need, other, context)));
  return [...new Set(said.flatMap(({ clause, wanted }) => needsOf(clause, wanted, context)))];
}

/** Whether the number of `need` passes its bound on the way to the bound of `other`. */
function isPassedWith(need: Need, other: Need, { watch, evaluation }: ExplainContext): boolean {
  const [one, two] = [need.clause.compares, other.clause.compares];
  if (one === null || two === null || isUnordered(one) || isUnordered(two)) return false;
  if (subjectName(watch, one.subject) !== subjectName(watch, two.subject)) return false;
  const value = subjectValue(one.subject, evaluation);
  if (value === undefined) return false;
  const way = value.compare(two.bound);
  const farther = one.bound.compare(two.bound);
  if (farther === 0) return isStrict(other) && !isStrict(need);
  return way !== 0 && farther === way && value.compare(one.bound) !== -way;
}

function isUnordered({ operator }: Comparison): boolean {
  return operator === '==' || operator === '!=';
}

/** Whether the number must pass the bound, and not only reach it. */
function isStrict({ clause: { compares }, wanted }: Need): boolean {
  if (compares === null) return false;
  const goal = wanted ? compares.operator : OPPOSITE[compares.operator];
  return goal === '<' || goal === '>';
}

/**
 * Joins the needs of alternatives. Every alternative has needs: if one had the wanted value, so would the whole
 * condition.
 */
function anyOf(alternatives: readonly (readonly string[])[]): string {
  return alternatives.map((needs) => needs.join(' and ')).join('; or ');
}

const MOST_TEXT = 200;

function become({ text }: Clause, wanted: boolean): string {
  return `\`${singleLine(text, MOST_TEXT)}\` would have to become ${wanted}`;
}

function distanceOf({ subject, operator, bound }: Comparison, wanted: boolean, context: ExplainContext): string {
  const { watch, evaluation } = context;
  const name = subjectName(watch, subject);
  const value = subjectValue(subject, evaluation);
  if (value === undefined) return `${name} would have to be known`;
  const goal = wanted ? operator : OPPOSITE[operator];
  const way = value.compare(bound);
  const apart = way < 0 ? bound.minus(value) : value.minus(bound);
  const by = numberText(watch, subject, apart);
  const to = numberText(watch, subject, bound);
  return `${name} would have to ${motion(goal, way, { by, to })}`;
}

/** `way`: the value is below (-1), at (0) or above (1) the bound. */
function motion(goal: Comparison['operator'], way: -1 | 0 | 1, { by, to }: { by: string; to: string }): string {
  if (goal === '!=') return `be other than ${to}`;
  const verb = way < 0 ? 'rise' : 'fall';
  if (way === 0) return goal === '<' ? `fall below ${to}, where it stands` : `rise above ${to}, where it stands`;
  if (goal === '<' || goal === '>') return `${verb} by more than ${by}, ${goal === '<' ? 'below' : 'above'} ${to}`;
  return `${verb} by ${by}, to ${to}`;
}
