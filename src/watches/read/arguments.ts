// The key `with` of a read: the arguments of its call, in their order or by their names.
import { z } from 'zod';
import { Address } from '../../core/values/address.ts';
import type { AbiValue } from '../../lib/abi/decode.ts';
import { encodeCall } from '../../lib/abi/encode.ts';
import type { ViewSignature } from '../../lib/abi/signature.ts';
import { canonicalType, type AbiType, type Argument } from '../../lib/abi/types.ts';
import { wordOfText } from '../logs/topic-words.ts';
import type { Mistake } from '../signatures/signature-option.ts';

/** The value of one argument: a text, or a list of them where the argument is a list. */
export type GivenValue = string | readonly string[];

/** Stands for the address of the watch, where an argument is an address. */
export const OWN = 'of';

const CONFIG_NAME = /^[A-Za-z_]\w{0,39}$/;
const MOST_ITEMS = 64;
const LONGEST_TEXT = 1000;

const given = z.union([z.string(), z.array(z.string())]);

export const withOption = z
  .union([z.array(given), z.record(z.string(), given), z.string()])
  .optional()
  .describe('The arguments, in their order or by their names: names, addresses, numbers, true or false, and lists.');

type Written = z.output<typeof withOption>;

type Arguments = { readonly values: readonly GivenValue[] } | { readonly mistake: Mistake };

/** The values in the order of the signature. */
export function argumentsOf(signature: ViewSignature, written: Written): Arguments {
  const { name, args } = signature;
  if (typeof written === 'object' && !Array.isArray(written)) return namedArguments(signature, written);
  const values = written === undefined ? [] : [written].flat();
  if (args.length === values.length) return checked(args, values, (i) => i);
  const takes = args.length === 0 ? 'no arguments' : args.map((argument) => argument.name).join(', ');
  const path = values.length === 0 ? [] : ['with'];
  return wrong(path, `${name} takes ${takes}, and with has ${values.length}`, { hint: formHint(args) });
}

function namedArguments({ name, args }: ViewSignature, written: Readonly<Record<string, GivenValue>>): Arguments {
  const legal = args.map((argument) => argument.name);
  const foreign = Object.keys(written).find((key) => !legal.includes(key));
  if (foreign !== undefined)
    return wrong(['with', foreign], `${name} has no argument ${foreign}`, { written: foreign, legal });
  const lacking = legal.filter((one) => !Object.hasOwn(written, one));
  if (lacking.length > 0) return wrong(['with'], `with lacks ${lacking.join(' and ')}`, { hint: formHint(args) });
  const values = args.map((argument) => written[argument.name] ?? '');
  return checked(args, values, (i) => legal[i] ?? i);
}

/** `Write with: { account: …, ids: [ … ] }.` */
function formHint(args: readonly Argument[]): string {
  if (args.length === 0) return 'Leave with out.';
  const pairs = args.map(({ name, type }) => `${name}: ${type.type === 'array' ? '[ … ]' : '…'}`);
  return `Write with: { ${pairs.join(', ')} }.`;
}

function checked(
  args: readonly Argument[],
  values: readonly GivenValue[],
  keyOf: (place: number) => string | number,
): Arguments {
  for (const [i, { name, type }] of args.entries()) {
    const value = values[i] ?? '';
    const found = wrongValue(name, type, value);
    if (found !== null) return wrong(['with', keyOf(i), ...found.below], found.message, found.hint);
  }
  return { values: values.map((value, i) => plainValue(args[i], value)) };
}

interface WrongValue {
  /** The path below the argument. */
  readonly below: readonly number[];
  readonly message: string;
  readonly hint: NonNullable<Mistake['params']>;
}

function wrongValue(name: string, type: AbiType, value: GivenValue): WrongValue | null {
  const item = type.type === 'array' ? type.of : type;
  if (item.type === 'array' || item.type === 'tuple')
    return { below: [], message: `${name} is a tuple or a list of lists, which cannot be given here`, hint: {} };
  if (typeof value !== 'string' && type.type !== 'array')
    return { below: [], message: `${name} is one value, and a list is given`, hint: { hint: severalHint(item) } };
  const items = [value].flat();
  if (items.length > MOST_ITEMS)
    return { below: [], message: `${name} has at most ${MOST_ITEMS} values here`, hint: {} };
  const at = items.findIndex((one) => !isValue(item, one));
  if (at === -1) return null;
  const message = `${JSON.stringify(items[at])} is no value of ${name}`;
  return { below: typeof value === 'string' ? [] : [at], message, hint: { hint: valueHint(item) } };
}

function severalHint({ type }: AbiType): string {
  return type === 'address'
    ? 'For several addresses, name them in of of the watch, and write of here: each is a watch of its own.'
    : 'Write one read for each value.';
}

function isValue(type: AbiType, text: string): boolean {
  if (type.type === 'string') return text.length <= LONGEST_TEXT;
  if (type.type === 'bytes') return text.length <= LONGEST_TEXT && /^0x(?:[0-9a-f]{2})*$/i.test(text);
  return (type.type === 'address' && CONFIG_NAME.test(text)) || wordOfText(type, text) !== null;
}

function valueHint(type: AbiType): string {
  const name = canonicalType(type);
  switch (type.type) {
    case 'integer':
      return `Write the digits of a whole number that fits ${name}, as 1_000_000.`;
    case 'fixed-bytes':
      return `Write ${name} as 0x and ${type.size * 2} digits.`;
    case 'bytes':
      return `Write 0x and digits, two for each byte.`;
    case 'bool':
      return 'Write true or false.';
    default:
      return type.type === 'address' ? 'Write a name of the config, or an address.' : 'Write a shorter text.';
  }
}

/** The value in one form for all of its spellings, so that another spelling makes no other question. */
function plainValue(argument: Argument | undefined, value: GivenValue): GivenValue {
  const type = argument?.type;
  if (type?.type === 'array') return [value].flat().map((one) => plainText(type.of, one));
  return type === undefined || typeof value !== 'string' ? value : plainText(type, value);
}

function plainText(type: AbiType, text: string): string {
  return type.type === 'integer' ? text.replaceAll('_', '') : text;
}

function wrong(path: Mistake['path'], message: string, params: NonNullable<Mistake['params']>): Arguments {
  return { mistake: { path, message, params } };
}

/** True if names of the config may be written for the argument. */
export function hasAddresses({ type }: Argument): boolean {
  return type.type === 'address' || (type.type === 'array' && type.of.type === 'address');
}

/** The data of the call. `own`: the address of the watch. */
export function callInput(signature: ViewSignature, values: readonly GivenValue[], own: string): string {
  return encodeCall(
    signature,
    signature.args.map(({ type }, i) => valueOf(type, values[i] ?? '', own)),
  );
}

function valueOf(type: AbiType, value: GivenValue, own: string): AbiValue {
  if (typeof value !== 'string') return value.map((one) => valueOf(type.type === 'array' ? type.of : type, one, own));
  if (type.type === 'integer') return BigInt(value);
  if (type.type === 'bool') return value === 'true';
  return type.type === 'address' && value === OWN ? own : value;
}

/** Replaces names by addresses if the argument has addresses. `addressesOf` returns all addresses of a group. */
export function resolvedValue(
  argument: Argument,
  value: GivenValue,
  addressesOf: (text: string, place: readonly number[]) => readonly string[],
): GivenValue {
  if (!hasAddresses(argument)) return value;
  const resolved = [value].flat().flatMap((text, i) => {
    const isLiteral = text === OWN || Address.parse(text) !== undefined;
    return isLiteral ? [text.toLowerCase()] : addressesOf(text, typeof value === 'string' ? [] : [i]);
  });
  return argument.type.type === 'array' ? resolved : (resolved[0] ?? '');
}

/**
 * The mistake in the number of values of a list; null if the number is right. It is known only after groups were
 * replaced by their addresses.
 */
export function wrongLength({ name, type }: Argument, value: GivenValue): string | null {
  if (type.type !== 'array') return null;
  if (type.length !== null && value.length !== type.length)
    return `${name} has ${type.length} values, and ${value.length} are given`;
  return value.length > MOST_ITEMS ? `${name} has at most ${MOST_ITEMS} values here` : null;
}

/** Explorers refuse a request of 64 KiB, and each byte is two digits. */
const MOST_BYTES = 24_000;

/** The mistake if the call is too long for a request; null if it fits. The values must be resolved. */
export function tooLong(signature: ViewSignature, values: readonly GivenValue[]): string | null {
  const bytes = callInput(signature, values, '').length / 2 - 1;
  const [written, most] = [bytes, MOST_BYTES].map((count) => count.toLocaleString('en'));
  return bytes > MOST_BYTES ? `the arguments have ${written} bytes, and at most ${most} fit into a request` : null;
}
