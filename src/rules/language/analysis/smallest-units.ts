// Amounts are in whole coins and tokens. Compared with a number in the smallest unit, as chains count, a balance is always
// below it.
import { Amount } from '../../../core/values/amount.ts';
import type { AmountUnit } from '../../../core/values/fields.ts';
import type { ConditionMistake } from '../mistake.ts';
import { childrenOf, type Node } from '../syntax.ts';
import type { Scope } from './scope.ts';
import type { Terms } from './terms.ts';

/** 0.001 coins in wei. Few tokens have so many whole ones. */
const SUSPECT = new Amount(10n ** 15n, 0);
const WEI_DECIMALS = 18;
const ORDERS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

export function unitDoubts(node: Node, terms: Terms, scope: Scope): readonly ConditionMistake[] {
  const [left, right] = childrenOf(node);
  if (!ORDERS.has(node.op) || left === undefined || right === undefined) return [];
  const sides = [
    [left, right],
    [right, left],
  ] as const;
  return sides.flatMap(([field, limit]) => {
    const type = terms.fieldOf(field, scope);
    const constant = terms.constantOf(limit, scope);
    if (type?.type !== 'amount' || constant === undefined || !('number' in constant)) return [];
    const words = wordsOf(type.unit, constant.number);
    return words === undefined ? [] : [{ ...words, start: limit.start, end: limit.end }];
  });
}

function wordsOf(unit: AmountUnit, limit: Amount): Pick<ConditionMistake, 'message' | 'hint'> | undefined {
  if (limit.compare(SUSPECT) < 0) return undefined;
  const whole = new Amount(limit.digits, limit.scale + WEI_DECIMALS).toString();
  if (unit === 'coin') return { message: 'amounts are in whole coins, not in wei', hint: `Is ${whole} meant?` };
  if (unit === 'own') return { message: 'amounts are in whole tokens', hint: `With 18 decimals this is ${whole}.` };
  return undefined;
}
