/**
 * An exact decimal: `digits` x 10^-`scale`. Money, supplies and prices have this type, and are never a JavaScript
 * number.
 *
 * Amount.ofRaw(1_500_000n, 6).toString() // '1.5'
 */
export class Amount {
  readonly digits: bigint;
  readonly scale: number;

  constructor(digits: bigint, scale: number) {
    this.digits = digits;
    this.scale = scale;
  }

  /** From the smallest unit: wei and 18, or a token's raw value and its decimals. */
  static ofRaw(raw: bigint, decimals: number): Amount {
    return new Amount(raw, decimals);
  }

  /** Plain or exponent notation; undefined for anything else, and for more than 1,000 digits. */
  static parse(text: string): Amount | undefined {
    const match = DECIMAL.exec(text);
    if (match === null || text.length > MOST_DIGITS) return undefined;
    const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
    const scale = fraction.length - Number(exponent);
    if (Math.abs(scale) > MOST_DIGITS) return undefined;
    const digits = BigInt(`${sign}${whole}${fraction}`);
    return scale >= 0 ? new Amount(digits, scale) : new Amount(digits * powerOfTen(-scale), 0);
  }

  /** -1, 0 or 1. Exact, also for two different scales. */
  compare(other: Amount): -1 | 0 | 1 {
    const [a, b] = aligned(this, other);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Amount): boolean {
    return this.compare(other) === 0;
  }

  plus(other: Amount): Amount {
    const [a, b, scale] = aligned(this, other);
    return new Amount(a + b, scale);
  }

  minus(other: Amount): Amount {
    return this.plus(other.negated());
  }

  times(other: Amount): Amount {
    return new Amount(this.digits * other.digits, this.scale + other.scale);
  }

  /** Truncated after 36 decimals. Throws a RangeError for a divisor of zero. */
  dividedBy(other: Amount): Amount {
    if (other.digits === 0n) throw new RangeError('division by zero');
    const numerator = this.digits * powerOfTen(QUOTIENT_SCALE + other.scale);
    return new Amount(numerator / (other.digits * powerOfTen(this.scale)), QUOTIENT_SCALE);
  }

  negated(): Amount {
    return new Amount(-this.digits, this.scale);
  }

  /** Plain decimal text without trailing zeros: the one canonical form, used in storage and in webhooks. */
  toString(): string {
    const sign = this.digits < 0n ? '-' : '';
    const text = (this.digits < 0n ? -this.digits : this.digits).toString().padStart(this.scale + 1, '0');
    const whole = text.slice(0, text.length - this.scale);
    const fraction = text.slice(text.length - this.scale).replace(/0+$/, '');
    return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
  }

  toJSON(): string {
    return this.toString();
  }

  /** The nearest double. For gauges only; decisions never use it. */
  toNumber(): number {
    return Number(this.toString());
  }
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;
const MOST_DIGITS = 1000;
const QUOTIENT_SCALE = 36;

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

function aligned(a: Amount, b: Amount): [bigint, bigint, number] {
  if (a.scale === b.scale) return [a.digits, b.digits, a.scale];
  return a.scale < b.scale
    ? [a.digits * powerOfTen(b.scale - a.scale), b.digits, b.scale]
    : [a.digits, b.digits * powerOfTen(a.scale - b.scale), a.scale];
}

/** For people: `formatAmount(Amount.parse('1234567.5')) // '1,234,567.5'`. Nothing is rounded. */
export function formatAmount(amount: Amount): string {
  const [whole = '', fraction] = amount.toString().split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Rounds to this many decimals, half away from zero. */
export function roundAmount(amount: Amount, decimals: number): Amount {
  if (amount.scale <= decimals) return amount;
  const unit = powerOfTen(amount.scale - decimals);
  const half = amount.digits < 0n ? -unit / 2n : unit / 2n;
  return new Amount((amount.digits + half) / unit, decimals);
}

// Values in US dollars: exact products of an amount and its price.

const ZERO = new Amount(0n, 0);
const CENT = new Amount(1n, 2);
const THOUSAND = new Amount(1000n, 0);
const CENTS = 2;

/**
 * Undefined if the amount or its price is unknown. A price of 0 counts as unknown. An amount of 0 is worth 0 dollars at
 * any price, so the worth of an emptied balance is known although the explorer shows no price with it.
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
