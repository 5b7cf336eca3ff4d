// Exact numbers, with another decimal library as the second opinion.
import { describe, expect, test } from '@jest/globals';
import { BigNumber } from 'bignumber.js';
import fc from 'fast-check';
import { Amount, formatAmount } from '../../../src/core/values/amount.ts';
import { percentOf } from '../../../src/rules/language/cel/numbers.ts';
import { isLargest } from '../../../src/lib/abi/largest.ts';
import { FILTERS } from '../../../src/rules/templates/show.ts';

const UINT256_MAX = 2n ** 256n - 1n;
const QUOTIENT_DECIMALS = 36;

const Exact = BigNumber.clone({
  DECIMAL_PLACES: QUOTIENT_DECIMALS,
  ROUNDING_MODE: BigNumber.ROUND_DOWN,
  EXPONENTIAL_AT: 1e9,
  FORMAT: { decimalSeparator: '.', groupSeparator: ',', groupSize: 3 },
});

/** The same number twice. */
interface Twin {
  readonly ours: Amount;
  readonly theirs: BigNumber;
}

function twinOf(digits: bigint, decimals: number): Twin {
  return { ours: Amount.ofRaw(digits, decimals), theirs: new Exact(digits.toString()).shiftedBy(-decimals) };
}

const raw = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, UINT256_MAX, -UINT256_MAX, UINT256_MAX - 1n, 2n ** 255n, 10n ** 77n),
  fc.bigInt({ min: -UINT256_MAX, max: UINT256_MAX }),
  fc.bigInt({ min: -1000n, max: 1000n }),
);
const decimals = fc.oneof(fc.constantFrom(0, 6, 18, 77), fc.integer({ min: 0, max: 77 }));
const twin = fc.tuple(raw, decimals).map(([digits, scale]) => twinOf(digits, scale));

describe('Amounts agree with another decimal library on any two numbers of the chain', () => {
  test('sum, difference and product', () => {
    fc.assert(
      fc.property(twin, twin, (a, b) => {
        expect(a.ours.plus(b.ours).toString()).toBe(a.theirs.plus(b.theirs).toFixed());
        expect(a.ours.minus(b.ours).toString()).toBe(a.theirs.minus(b.theirs).toFixed());
        expect(a.ours.times(b.ours).toString()).toBe(a.theirs.times(b.theirs).toFixed());
      }),
      { numRuns: 1000 },
    );
  });

  test('quotient, cut after 36 decimals', () => {
    fc.assert(
      fc.property(twin, twin, (a, b) => {
        fc.pre(!b.theirs.isZero());
        expect(a.ours.dividedBy(b.ours).toString()).toBe(a.theirs.dividedBy(b.theirs).toFixed().replace(/^-0$/, '0'));
      }),
      { numRuns: 1000 },
    );
  });

  test('order and equality, whatever the two scales', () => {
    fc.assert(
      fc.property(twin, twin, raw, decimals, decimals, (a, b, digits, few, many) => {
        expect(a.ours.compare(b.ours)).toBe(a.theirs.comparedTo(b.theirs));
        const long = Amount.ofRaw(digits * 10n ** BigInt(many), few + many);
        expect(long.equals(Amount.ofRaw(digits, few))).toBe(true);
        expect(long.toString()).toBe(Amount.ofRaw(digits, few).toString());
      }),
      { numRuns: 1000 },
    );
  });

  test('text, there and back, with and without thousands', () => {
    fc.assert(
      fc.property(twin, ({ ours, theirs }) => {
        expect(ours.toString()).toBe(theirs.toFixed().replace(/^-0$/, '0'));
        expect(Amount.parse(ours.toString())?.equals(ours)).toBe(true);
        expect(Amount.parse(theirs.toExponential())?.equals(ours)).toBe(true);
        expect(formatAmount(ours)).toBe(theirs.toFormat().replace(/^-0$/, '0'));
      }),
      { numRuns: 1000 },
    );
  });

  test('percentages, as written and as shown', () => {
    const unsigned = (text: string): string => text.replace(/^-0$/, '0');
    fc.assert(
      fc.property(twin, ({ ours, theirs }) => {
        expect(percentOf(ours.toString())?.toString()).toBe(unsigned(theirs.shiftedBy(-2).toFixed()));
        expect(percentOf(`${ours.toString()} %`)?.equals(percentOf(ours.toString()) ?? Amount.ofRaw(-1n, 99))).toBe(
          true,
        );
        const shown = theirs.shiftedBy(2).decimalPlaces(2, BigNumber.ROUND_HALF_UP).toFormat();
        expect(FILTERS['percent']?.(ours)).toBe(`${unsigned(shown)}%`);
        const rounded = unsigned(theirs.decimalPlaces(2, BigNumber.ROUND_HALF_UP).toFormat());
        expect(FILTERS['rounded']?.(ours)).toBe(isLargest(ours.digits) ? 'unlimited' : rounded);
      }),
      { numRuns: 1000 },
    );
  });

  test('the change from one balance to the next, down as well as up', () => {
    const held = fc.tuple(fc.bigInt({ min: 1n, max: UINT256_MAX }), fc.bigInt({ min: 0n, max: UINT256_MAX }), decimals);
    fc.assert(
      fc.property(held, ([before, now, scale]) => {
        const [old, next] = [twinOf(before, scale), twinOf(now, scale)];
        const delta = next.ours.minus(old.ours);
        expect(delta.toString()).toBe(next.theirs.minus(old.theirs).toFixed());
        const relative = next.theirs.minus(old.theirs).dividedBy(old.theirs);
        expect(delta.dividedBy(old.ours).toString()).toBe(relative.toFixed().replace(/^-0$/, '0'));
      }),
      { numRuns: 1000 },
    );
  });
});

test.each([
  ['5', '0.05'],
  ['5%', '0.05'],
  ['12.5 %', '0.125'],
  ['-10', '-0.1'],
  ['0', '0'],
  ['1e2', '1'],
])('percent("%s") is %s', (written, value) => {
  expect(percentOf(written)?.toString()).toBe(value);
});

test.each(['', '%', 'five', '5 percent', '5%%', '1,5'])('"%s" is no percentage', (written) => {
  expect(percentOf(written)).toBeUndefined();
});
