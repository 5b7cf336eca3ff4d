import type { Amount } from './amount.ts';

/** Numbers that mean "without limit" in approvals. From 2^255 on there is no such amount of any token. */
export function isUnlimited({ digits }: Pick<Amount, 'digits'>): boolean {
  return digits >= 1n << 255n || LARGEST.some((largest) => digits === largest);
}

const LARGEST = [96n, 128n, 160n].map((bits) => (1n << bits) - 1n);
