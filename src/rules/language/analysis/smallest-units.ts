// Finds numbers in the smallest unit, as chains count. Amounts are in whole coins and tokens, so such a number is
// larger than any balance.
import { Amount } from '../../../core/values/amount.ts';
import type { ConditionMistake } from '../mistake.ts';
import type { Node } from '../syntax.ts';
import { sidesOf } from './order-sides.ts';
import type { Scope } from './scope.ts';
import type { Terms } from './terms.ts';

/**
 * The amount of 0.001 coins in wei, and of a million tokens with six decimals in their smallest unit. Few holders have
 * as many whole coins or tokens.
 */
const SUSPECT = { coin: new Amount(10n ** 15n, 0), own: new Amount(10n ** 12n, 0) };
/**
 * A thousand tokens with 18 decimals, in their smallest unit. The largest supplies in use are near 10^18 whole tokens.
 */
const SUSPECT_TOTAL = new Amount(10n ** 21n, 0);
const TOKEN_DECIMALS = 6;
const WEI_DECIMALS = 18;

export function unitDoubts(node: Node, terms: Terms, scope: Scope): readonly ConditionMistake[] {
  return sidesOf(node).flatMap(([field, limit]) => {
    const type = terms.fieldOf(field, scope);
    const constant = terms.constantOf(limit, scope);
    if (type?.type !== 'amount' || constant === undefined || !('number' in constant)) return [];
    // An amount of the unit `plain` was converted to whole units when it was read.
    const unit = type.unit === 'plain' ? 'own' : type.unit;
    if (unit === 'gwei' || unit === 'usd' || constant.number.compare(type.isTotal ? SUSPECT_TOTAL : SUSPECT[unit]) < 0)
      return [];
    return [{ ...wordsOf(unit, constant.number), start: limit.start, end: limit.end }];
  });
}

function wordsOf(unit: 'coin' | 'own', limit: Amount): Pick<ConditionMistake, 'message' | 'hint'> {
  const whole = (decimals: number): string => new Amount(limit.digits, limit.scale + decimals).toString();
  if (unit === 'coin')
    return { message: 'amounts are in whole coins, not in wei', hint: `Is ${whole(WEI_DECIMALS)} meant?` };
  const hint = `With ${TOKEN_DECIMALS} decimals this is ${whole(TOKEN_DECIMALS)}, with ${WEI_DECIMALS} ${whole(WEI_DECIMALS)}.`;
  return { message: 'amounts are in whole tokens, not in their smallest unit', hint };
}
