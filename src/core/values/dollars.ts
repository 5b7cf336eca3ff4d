// Values in US dollars: exact products of an amount and its price.
import { Amount, formatAmount, roundAmount } from './amount.ts';
import { typeAt, type AnyRecord, type PricePaths } from './fields.ts';

const ZERO = new Amount(0n, 0);
const CENT = new Amount(1n, 2);
const THOUSAND = new Amount(1000n, 0);
const CENTS = 2;

/**
 * Undefined: the amount or its price is unknown. A price of 0 is none. Nothing is worth 0 dollars at any price, so that
 * an emptied balance is known although the explorer shows no price with it.
 */
export function dollarsOf(amount: Amount | undefined, price: Amount | undefined): Amount | undefined {
  if (amount === undefined || amount.digits === 0n) return amount && ZERO;
  return isPrice(price) ? amount.times(price) : undefined;
}

/** `dollarsOf` for `fromRow` of a field. */
export function worthInRow(amount: unknown, price: unknown): string | undefined {
  const [held, rate] = [amount, price].map((one) => (one instanceof Amount ? one : undefined));
  return dollarsOf(held, rate)?.toString();
}

export function isPrice(price: Amount | undefined): price is Amount {
  return price !== undefined && price.digits > 0n;
}

/** `$12,340,120`, `$999.50`, `$0.0042`: without cents from 1,000 on, and below a cent with two digits. */
export function showDollars(amount: Amount): string {
  if (amount.digits < 0n) return `-${showDollars(amount.negated())}`;
  const cents = roundAmount(amount, CENTS);
  if (cents.compare(THOUSAND) >= 0) return `$${formatAmount(roundAmount(amount, 0))}`;
  if (amount.compare(CENT) < 0 && amount.digits !== 0n)
    return `$${formatAmount(roundAmount(amount, firstDigit(amount) + 1))}`;
  const [whole = '', fraction] = cents.toString().split('.');
  return fraction === undefined ? `$${whole}` : `$${whole}.${fraction.padEnd(CENTS, '0')}`;
}

/** The place of the first decimal that is not zero. */
function firstDigit(amount: Amount): number {
  const [, fraction = ''] = amount.toString().split('.');
  return fraction.search(/[1-9]/) + 1;
}

/** The paths of the price of a dollar value; undefined for any other field. */
export function priceOf(record: AnyRecord, path: string): PricePaths | undefined {
  const type = typeAt(record, path);
  return type?.type === 'amount' ? type.price : undefined;
}

export function isDollars(record: AnyRecord, path: string): boolean {
  const type = typeAt(record, path);
  return type?.type === 'amount' && type.unit === 'usd';
}
