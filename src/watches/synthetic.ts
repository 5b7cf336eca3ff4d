// Synthesizes values that a test leaves out: the same names give the same values in every run.
import { createHash } from 'node:crypto';
import { Address } from '../core/values/address.ts';
import { Amount } from '../core/values/amount.ts';
import type { SyntheticRow } from '../core/model/watch/script.ts';

export function syntheticHash(name: string): string {
  return `0x${createHash('sha256').update(name).digest('hex')}`;
}

export function syntheticAddress(name: string): Address {
  const address = Address.parse(syntheticHash(name).slice(0, ADDRESS_LENGTH));
  if (address === undefined) throw new TypeError('a hash always begins with an address');
  return address;
}

const ADDRESS_LENGTH = 42;

/** A row without a name is a separate item. */
export function nameOf({ id, place }: SyntheticRow): string {
  return id ?? `#${place}`;
}

interface Holding {
  readonly balance: Amount | undefined;
  readonly raw: bigint | undefined;
}

/** Adds the whole units or the smallest unit if a test writes only one of them. */
export function bothForms(written: Holding, says: ReadonlySet<string>, decimals: bigint): Holding {
  const { balance, raw } = written;
  return {
    balance: says.has('balance') || raw === undefined ? balance : Amount.ofRaw(raw, Number(decimals)),
    raw: says.has('raw') || balance === undefined ? raw : rawOf(balance, Number(decimals)),
  };
}

function rawOf({ digits, scale }: Amount, decimals: number): bigint {
  return scale > decimals ? digits / 10n ** BigInt(scale - decimals) : digits * 10n ** BigInt(decimals - scale);
}

/** Decimals of a token if a test leaves them out. */
export const SYNTHETIC_DECIMALS = 18n;
