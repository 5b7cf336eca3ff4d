/**
 * A contract or account. Compared without regard to case, shown in its written spelling (servers differ in checksums).
 */
export class Address {
  readonly text: string;
  /** Lower case: the form of keys, of comparisons and of requests. */
  readonly key: string;

  private constructor(text: string) {
    this.text = text;
    this.key = text.toLowerCase();
  }

  /** Undefined unless it is 0x and 40 hexadecimal digits (specification 2.1). */
  static parse(text: string): Address | undefined {
    return ADDRESS.test(text) ? new Address(text) : undefined;
  }

  equals(other: Address): boolean {
    return this.key === other.key;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }
}

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** True if both show the same digits in their short form, and are not the same. */
export function isLookAlike(one: Address, other: Address): boolean {
  return !one.equals(other) && shortHex(one.key) === shortHex(other.key);
}

/** Whether a stored value is an address. */
export function isAddressText(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value);
}

/** An address or a hash in running text: `0x3c54…b3AB`. */
export function shortHex(text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
