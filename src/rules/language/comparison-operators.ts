// The operators of comparisons.
import { OPPOSITE, type Comparison } from '../../core/model/watch/condition.ts';

export type ComparisonOperator = Comparison['operator'];

export function isComparisonOperator(op: string): op is ComparisonOperator {
  return Object.hasOwn(OPPOSITE, op);
}

/** The operator with the sides swapped: `5 < x` is `x > 5`. */
export const MIRRORED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};
