// Numbers in conditions: all types are compared and computed exactly.
import type { Environment } from '@marcbachmann/cel-js';
import { Amount } from '../../../core/values/amount.ts';

export type Numeric = Amount | bigint | number;

/**
 * Registers the operators of each pair with an Amount. The other side may be CEL's own int, as `size()` and the getters
 * of times return it.
 */
export function registerNumbers(env: Environment): void {
  const pairs = [
    ['Amount', 'Amount'],
    ...['int', 'double'].flatMap((type) => [
      ['Amount', type],
      [type, 'Amount'],
    ]),
  ];
  const both =
    <R>(operation: (a: Amount, b: Amount) => R) =>
    (a: Numeric, b: Numeric): R =>
      operation(exact(a), exact(b));
  for (const [left = '', right = ''] of pairs) {
    for (const [sign, holds] of COMPARISONS)
      env.registerOperator(
        `${left} ${sign} ${right}: bool`,
        both((a, b) => holds(a.compare(b))),
      );
    for (const [sign, operation] of ARITHMETIC)
      env.registerOperator(`${left} ${sign} ${right}: Amount`, both(operation));
    // Registering `==` also registers `!=`, and both with the sides swapped.
    if (left === 'Amount')
      env.registerOperator(
        `Amount == ${right}: bool`,
        both((a, b) => a.equals(b)),
      );
  }
  env.registerOperator('-Amount: Amount', (a: Amount) => a.negated());
  const among = (value: Numeric, list: readonly Numeric[]): boolean =>
    list.some((item) => exact(item).equals(exact(value)));
  env.registerOperator('int in list<Amount>: bool', among);
  env.registerOperator('Amount in list<int>: bool', among);
  env.registerOperator('Amount in list<Amount>: bool', among);
}

/** Throws a RangeError unless the value is a finite number. */
export function exact(value: Numeric): Amount {
  if (value instanceof Amount) return value;
  if (typeof value === 'bigint') return new Amount(value, 0);
  return amountOf(String(value));
}

const COMPARISONS: readonly [string, (order: -1 | 0 | 1) => boolean][] = [
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
];

const ARITHMETIC: readonly [string, (a: Amount, b: Amount) => Amount][] = [
  ['+', (a, b) => a.plus(b)],
  ['-', (a, b) => a.minus(b)],
  ['*', (a, b) => a.times(b)],
  ['/', (a, b) => a.dividedBy(b)],
  ['%', remainder],
];

/** The sign is the dividend's, as in CEL. */
function remainder(a: Amount, b: Amount): Amount {
  const scale = Math.max(a.scale, b.scale);
  const [x, y] = [a, b].map(({ digits, scale: own }) => digits * 10n ** BigInt(scale - own));
  return new Amount((x ?? 0n) % (y ?? 0n), scale);
}

/** Throws a RangeError when the text is no number. */
export function amountOf(text: string): Amount {
  const amount = Amount.parse(text);
  if (amount === undefined) throw new RangeError('no amount');
  return amount;
}

/** `percentOf('12.5') // 0.125`; with or without its sign. Undefined when it is no number. */
export function percentOf(text: string): Amount | undefined {
  return Amount.parse(text.replace(/\s*%$/, ''))?.times(new Amount(1n, 2));
}
