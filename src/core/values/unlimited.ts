import { isLargest, UNLIMITED } from '../../lib/abi/largest.ts';
import { formatAmount, type Amount } from './amount.ts';

/** Numbers that mean "without limit" in approvals. From 2^255 on there is no such amount of any token. */
export function isUnlimited({ digits }: Pick<Amount, 'digits'>): boolean {
  return digits >= 1n << 255n || isLargest(digits);
}

/** For people: `1,234,567.5`, or `unlimited`. Ids of tokens may be any other number from 2^255 on. */
export function showExact(amount: Amount): string {
  return isLargest(amount.digits) ? UNLIMITED : formatAmount(amount);
}
