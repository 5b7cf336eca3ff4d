// The two sides of a comparison by order.
import type { Amount } from '../../../core/values/amount.ts';
import { childrenOf, type Node } from '../syntax.ts';

const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** Both sides, each with the side that it is compared with; empty if the part is no comparison by order. */
export function sidesOf(node: Node): readonly (readonly [side: Node, other: Node])[] {
  const [left, right] = childrenOf(node);
  if (!ORDERS.has(node.op) || left === undefined || right === undefined) return [];
  return [
    [left, right],
    [right, left],
  ];
}

export function absolute(number: Amount): Amount {
  return number.digits < 0n ? number.negated() : number;
}
