// The largest values of the types that contracts use for allowances.

/** True for 2^96−1, 2^128−1, 2^160−1 and 2^256−1: contracts use these numbers for "without limit". */
export function isLargest(digits: bigint): boolean {
  return LARGEST.includes(digits);
}

const LARGEST = [96n, 128n, 160n, 256n].map((bits) => (1n << bits) - 1n);

/** The form in which people read such a value. */
export const UNLIMITED = 'unlimited';
