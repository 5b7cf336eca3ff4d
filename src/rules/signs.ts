// The signs of comparisons.
import type { Comparison } from '../core/model.ts';

export type Sign = Comparison['operator'];

export function isSign(op: string): op is Sign {
  return Object.hasOwn(OPPOSITE, op);
}

/** Holds where the other does not: `!(x < 5)` is `x >= 5`. */
export const OPPOSITE: Readonly<Record<Sign, Sign>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '==': '!=',
  '!=': '==',
};

/** The sides change places: `5 < x` is `x > 5`. */
export const MIRRORED: Readonly<Record<Sign, Sign>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};
