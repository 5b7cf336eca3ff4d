// Finds numbers in the smallest unit, as chains count. Amounts are in whole coins and tokens, so such a number is
// larger than any balance.
import { Amount } from '../../../core/values/amount.ts';
import type { FieldType } from '../../../core/values/fields.ts';
import type { ConditionMistake } from '../mistake.ts';
import { childrenOf, isCall, type Call, type Node } from '../syntax.ts';
import { WINDOWS } from '../words.ts';
import { absolute, sidesOf } from './order-sides.ts';
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
  return sidesOf(node).flatMap(([measured, limit]) => {
    const type = amountOf(measured, terms, scope);
    const constant = terms.constantOf(limit, scope);
    if (type === undefined || constant === undefined || !('number' in constant)) return [];
    const doubt = unitDoubt(type, constant.number);
    return doubt === null ? [] : [{ ...doubt, start: limit.start, end: limit.end }];
  });
}

/** The doubt about a limit of an amount; null if it can be in whole coins or tokens, or if the field is no amount. */
export function unitDoubt(type: FieldType, limit: Amount): UnitDoubt | null {
  if (type.type !== 'amount') return null;
  // An amount of the unit `plain` was converted to whole units when it was read.
  const unit = type.unit === 'plain' ? 'own' : type.unit;
  if (unit === 'gwei' || unit === 'usd') return null;
  const suspect = type.isTotal === true ? SUSPECT_TOTAL : SUSPECT[unit];
  return absolute(limit).compare(suspect) < 0 ? null : wordsOf(unit, limit);
}

type AmountType = Extract<FieldType, { readonly type: 'amount' }>;
type UnitDoubt = Pick<ConditionMistake, 'message' | 'hint'>;

/** The type of an amount, of a window over amounts, or of a sum or a difference with them. */
function amountOf(node: Node, terms: Terms, scope: Scope): AmountType | undefined {
  if (isWindow(node)) return node.args[0] === 'change' ? undefined : asAmount(terms.measuredBy(node.args[1]));
  const [left, right] = childrenOf(node);
  if (left === undefined || right === undefined || (node.op !== '+' && node.op !== '-'))
    return asAmount(terms.fieldOf(node, scope));
  if (terms.constantOf(right, scope) !== undefined) return amountOf(left, terms, scope);
  if (terms.constantOf(left, scope) !== undefined) return amountOf(right, terms, scope);
  const [one, other] = [amountOf(left, terms, scope), amountOf(right, terms, scope)];
  if (one?.unit !== other?.unit) return undefined;
  return one?.isTotal === true ? one : other;
}

function isWindow(node: Node): node is Call {
  return isCall(node) && WINDOWS.includes(node.args[0]);
}

function asAmount(type: FieldType | undefined): AmountType | undefined {
  return type?.type === 'amount' ? type : undefined;
}

function wordsOf(unit: 'coin' | 'own', limit: Amount): UnitDoubt {
  const whole = (decimals: number): string => new Amount(limit.digits, limit.scale + decimals).toString();
  if (unit === 'coin')
    return { message: 'amounts are in whole coins, not in wei', hint: `Is ${whole(WEI_DECIMALS)} meant?` };
  const hint = `With ${TOKEN_DECIMALS} decimals this is ${whole(TOKEN_DECIMALS)}, with ${WEI_DECIMALS} ${whole(WEI_DECIMALS)}.`;
  return { message: 'amounts are in whole tokens, not in their smallest unit', hint };
}
