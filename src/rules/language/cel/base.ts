// Types, operators and functions of conditions of every kind.
import { isUnlimited } from '../../../core/values/unlimited.ts';
import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { Address, isLookAlike } from '../../../core/values/address.ts';
import { Amount } from '../../../core/values/amount.ts';
import { Hash } from './view.ts';
import { spendOnPattern } from './limits.ts';
import { amountOf, percentOf, registerNumbers } from './numbers.ts';

const LIMITS = { maxAstNodes: 500, maxDepth: 32, maxListElements: 500, maxMapEntries: 0, maxCallArguments: 4 };

// Without this option cel-js would look for promises in every result.
const SYNC = { async: false };

/** The environment that is cloned for every kind and explorer. */
export function createBase(): Environment {
  const env = new Environment({ unlistedVariablesAreDyn: false, enableOptionalTypes: false, limits: LIMITS });
  env.registerType('Amount', { ctor: Amount, fields: {} });
  // Addresses are made by `Address.parse` alone; CEL only asks which class a value is of.
  env.registerType('Address', { ctor: Address, fields: {} });
  env.registerType('Hash', { ctor: Hash, fields: {} });
  env.registerType('Pattern', { ctor: RE2JS, fields: {} });
  registerNumbers(env);
  registerAddresses(env);
  env.registerFunction('amount(string): Amount', amountOf, SYNC);
  env.registerFunction('percent(string): Amount', (text: string) => percentOf(text) ?? amountOf(''), SYNC);
  env.registerFunction('unlimited(Amount): bool', isUnlimited, SYNC);
  env.registerFunction('resembles(Address, Address): bool', isLookAlike, SYNC);
  env.registerFunction('resembles(Address, list<Address>): bool', resemblesOne, SYNC);
  env.registerFunction('re(string, Pattern): bool', matches, SYNC);
  env.registerFunction('glob(string, Pattern): bool', matches, SYNC);
  env.registerFunction('re(Hash, Pattern): bool', (hash: Hash, pattern: RE2JS) => matches(hash.text, pattern), SYNC);
  env.registerFunction('glob(Hash, Pattern): bool', (hash: Hash, pattern: RE2JS) => matches(hash.text, pattern), SYNC);
  return env;
}

/** An address that is in the list itself resembles no member of the list. */
function resemblesOne(address: Address, list: readonly Address[]): boolean {
  return !list.some((one) => one.equals(address)) && list.some((one) => isLookAlike(one, address));
}

function matches(text: string, pattern: RE2JS): boolean {
  spendOnPattern(text, pattern.programSize());
  return pattern.matcher(text).find();
}

function registerAddresses(env: Environment): void {
  const addressKey = (address: Address): string => address.key;
  const hashKey = (hash: Hash): string => hash.text;
  env.registerOperator('Address == Address: bool', (a: Address, b: Address) => a.equals(b));
  env.registerOperator('Hash == Hash: bool', (a: Hash, b: Hash) => a.text === b.text);
  env.registerOperator('Address == string: bool', equalsText(addressKey));
  env.registerOperator('Address in list<string>: bool', isInTexts(addressKey));
  env.registerOperator('Hash == string: bool', equalsText(hashKey));
  env.registerOperator('Hash in list<string>: bool', isInTexts(hashKey));
  env.registerOperator('Address in list<Address>: bool', (a: Address, list: readonly Address[]) =>
    list.some((b) => a.equals(b)),
  );
  env.registerOperator('Hash in list<Hash>: bool', (a: Hash, list: readonly Hash[]) =>
    list.some((b) => a.text === b.text),
  );
}

/** A text on the other side is compared in lower case; whether it can be an address or a hash is checked at load. */
export function equalsText<T>(keyOf: (value: T) => string): (value: T, text: string) => boolean {
  return (value, text) => keyOf(value) === text.toLowerCase();
}

/** Like `equalsText`, for each text in a list. */
export function isInTexts<T>(keyOf: (value: T) => string): (value: T, list: readonly string[]) => boolean {
  return (value, list) => list.some((text) => text.toLowerCase() === keyOf(value));
}
