// Finds percentages that are written as whole numbers beside `change`, which is a fraction.
import { Amount } from '../../../core/values/amount.ts';
import type { ConditionMistake } from '../mistake.ts';
import { childrenOf, isCall, type Node } from '../syntax.ts';
import { absolute, sidesOf } from './order-sides.ts';
import type { Scope } from './scope.ts';
import type { Terms } from './terms.ts';

const ONE = new Amount(1n, 0);
const HUNDRED = new Amount(100n, 0);

/** A limit of 100 % or more is possible, but seldom. It is not doubted where the rule writes it with `percent`. */
export function changeDoubts(node: Node, terms: Terms, scope: Scope): readonly ConditionMistake[] {
  return sidesOf(node).flatMap(([measured, limit]) => {
    const constant = terms.constantOf(limit, scope);
    if (!isCallOf('change', measured) || constant === undefined || !('number' in constant)) return [];
    const { number } = constant;
    if (absolute(number).compare(ONE) < 0 || hasPercent(limit)) return [];
    const message = `change is a fraction: ${number.toString()} is ${number.times(HUNDRED).toString()} %`;
    return [{ message, hint: `Is percent("${number.toString()}") meant?`, start: limit.start, end: limit.end }];
  });
}

function hasPercent(node: Node): boolean {
  return isCallOf('percent', node) || childrenOf(node).some(hasPercent);
}

function isCallOf(name: string, node: Node): boolean {
  return isCall(node) && node.args[0] === name;
}
