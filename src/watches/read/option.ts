// The key `read` of a watch: the questions to contracts, by the names that rules give to the answers.
import { z } from 'zod';
import { Address } from '../../core/values/address.ts';
import type { ResolvedOptions } from '../../core/model/watch/kind.ts';
import type { Abi, AbiEntry } from '../../lib/abi/abi.ts';
import { parseView, type ViewSignature } from '../../lib/abi/signature.ts';
import type { AbiType, Argument } from '../../lib/abi/types.ts';
import { remembered } from '../../lib/remembered.ts';
import { abiOption, type Mistake } from '../signatures/signature-option.ts';
import {
  argumentsOf,
  hasAddresses,
  OWN,
  resolvedValue,
  tooLong,
  withOption,
  wrongLength,
  type GivenValue,
} from './arguments.ts';

/** One question to a contract. `of` null: the watched address. Names of the config until they are resolved. */
export type ReadSpec =
  | {
      readonly type: 'call';
      /** `totalAssets() view returns (uint256)` */
      readonly call: string;
      /** In the order of the signature. */
      readonly with: readonly GivenValue[];
      readonly of: string | null;
      /** A number of decimals, or a token, or `of` for the address of the watch; null: the value is no amount. */
      readonly units: string | null;
    }
  | { readonly type: 'slot'; readonly slot: string; readonly as: string; readonly of: string | null }
  | { readonly type: 'balance'; readonly of: string | null };

export interface ReadOptions {
  readonly abi?: readonly string[] | undefined;
  /** The values are read this many blocks below the newest one; if left out, at the newest one. */
  readonly confirmations?: number | undefined;
  readonly read: Readonly<Record<string, ReadSpec>>;
}

const MOST_READS = 20;
const MOST_DECIMALS = 77;
const NAME = /^[A-Za-z_]\w{0,39}$/;
/** Names that have another meaning in conditions, and the fields that every watch has. */
const TAKEN = ['reverted', 'block_number', 'reading', 'before', 'in', 'true', 'false', 'null', 'has'];
const SLOT_TYPES = /^(?:address|bool|bytes32|uint(?:8|16|32|64|96|128|160|192|256)|int256)$/;

const one = z.strictObject({
  call: z.string().optional().describe('A view function, as its signature or by its name in an ABI file.'),
  with: withOption,
  of: z.string().optional().describe('The contract, where it is not the one of the watch.'),
  units: z.string().optional().describe('The decimals of an amount, or the token that has them.'),
  slot: z.string().optional().describe('A place in the storage of the contract: 0x and 64 digits, or a number.'),
  as: z.string().optional().describe('The type of what is in the slot: address, bool, uint256, bytes32.'),
  balance: z
    .string()
    .regex(/^true$/, 'must be true')
    .optional()
    .describe('The coins of the address.'),
});
type WrittenRead = z.output<typeof one>;

type Read = { readonly spec: ReadSpec } | { readonly mistake: Mistake };

export function readOptions({ functions }: Abi) {
  return {
    read: z
      .record(z.string(), one)
      .transform((written, context): Readonly<Record<string, ReadSpec>> => {
        const complain = ({ path, ...issue }: Mistake): void => {
          context.addIssue({ code: 'custom', ...issue, path: [...path] });
        };
        const entries = Object.entries(written);
        if (entries.length === 0) complain({ path: [], message: 'names nothing to read' });
        if (entries.length > MOST_READS) complain({ path: [], message: `has at most ${MOST_READS} names` });
        const read = entries.flatMap(([name, from]) => {
          if (!isFree(name)) complain({ path: [name], message: `"${name}" cannot be a name here`, params: FREE_NAME });
          const result = specOf(from, functions);
          if ('spec' in result) return [[name, result.spec] as const];
          complain({ ...result.mistake, path: [name, ...result.mistake.path] });
          return [];
        });
        return Object.fromEntries(read);
      })
      .describe('The values to read, by the names that rules give them: calls, slots, and balances of coins.'),
    confirmations: z
      .string()
      .regex(/^(?:[1-9]|[1-5]\d|6[0-4])$/, 'must be a whole number from 1 to 64')
      .transform(Number)
      .optional()
      .describe('The number of blocks below the newest one at which the values are read.'),
    abi: abiOption,
  };
}

const FREE_NAME = { hint: 'Names have letters, digits and underscores, and are no words of conditions.' };

function isFree(name: string): boolean {
  return NAME.test(name) && !TAKEN.includes(name) && !(name in Object.prototype);
}

function specOf(written: WrittenRead, functions: readonly AbiEntry[]): Read {
  const kinds = (['call', 'slot', 'balance'] as const).filter((key) => written[key] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1)
    return mistake([], `has ${kind === undefined ? 'none' : 'several'} of call, slot and balance`, {
      hint: "For example { call: 'totalAssets() view returns (uint256)' }.",
    });
  const foreign = Object.keys(written).find((key) => !KEYS[kind].includes(key));
  if (foreign !== undefined) return mistake([foreign], `${foreign} has no meaning beside ${kind}`);
  const of = written.of ?? null;
  if (kind === 'balance') return { spec: { type: 'balance', of } };
  return kind === 'slot' ? slotOf(written, of) : callOf(written, of, functions);
}

const KEYS: Readonly<Record<'call' | 'slot' | 'balance', readonly string[]>> = {
  call: ['call', 'with', 'of', 'units'],
  slot: ['slot', 'as', 'of'],
  balance: ['balance', 'of'],
};

function mistake(
  path: Mistake['path'],
  message: string,
  params: Mistake['params'] = {},
): { readonly mistake: Mistake } {
  return { mistake: { path, message, params } };
}

function slotOf({ slot = '', as }: WrittenRead, of: string | null): Read {
  const isHex = /^0x[0-9a-f]{1,64}$/i.test(slot);
  if (!isHex && !/^\d{1,18}$/.test(slot)) return mistake(['slot'], 'must be 0x and at most 64 digits, or a number');
  if (as === undefined) return mistake([], 'as is missing', { hint: 'Write as: address, as: uint256 or as: bool.' });
  if (!SLOT_TYPES.test(as))
    return mistake(['as'], `${JSON.stringify(as)} is no type of a slot here`, {
      hint: 'Possible: address, bool, bytes32, int256, uint8 to uint256.',
    });
  const digits = BigInt(slot).toString(16).padStart(64, '0');
  return { spec: { type: 'slot', slot: `0x${digits}`, as, of } };
}

function callOf(
  { call = '', with: values, units }: WrittenRead,
  of: string | null,
  functions: readonly AbiEntry[],
): Read {
  const text = call.includes('(') ? { text: call.trim() } : namedIn(functions, call.trim());
  if ('mistake' in text) return text;
  const parsed = parseView(text.text);
  if ('mistake' in parsed) {
    const { message, start, end, ...params } = parsed.mistake;
    return mistake(['call'], message, { ...params, ...(text.text === call ? { within: { start, end } } : {}) });
  }
  const given = argumentsOf(parsed.signature, values);
  if ('mistake' in given) return given;
  const wrong = wrongUnits(parsed.signature, units);
  return wrong ?? { spec: { type: 'call', call: text.text, with: given.values, of, units: units ?? null } };
}

/** A function of the ABI files by its name alone. */
function namedIn(
  functions: readonly AbiEntry[],
  name: string,
): { readonly text: string } | { readonly mistake: Mistake } {
  const views = functions.flatMap((entry) => (entry.view === null ? [] : [{ ...entry, text: entry.view }]));
  const [found, ...others] = views.filter((entry) => entry.name === name);
  const hint = `Write the whole signature: ${NAME.test(name) ? name : 'totalAssets'}() view returns (uint256).`;
  if (found === undefined)
    return mistake(['call'], `no view function ${JSON.stringify(name)} is known here`, {
      hint,
      written: name,
      legal: views.map((entry) => entry.name),
    });
  if (others.length > 0) return mistake(['call'], `the ABI has several functions ${name}`, { hint });
  return found;
}

function wrongUnits({ outputs }: ViewSignature, units: string | undefined): { readonly mistake: Mistake } | null {
  if (units === undefined) return null;
  if (outputs.length > 1 || outputs[0]?.type.type !== 'integer')
    return mistake(['units'], 'only one whole number has units');
  const isDecimals = /^\d{1,2}$/.test(units) && Number(units) <= MOST_DECIMALS;
  if (isDecimals || NAME.test(units) || Address.parse(units) !== undefined) return null;
  return mistake(['units'], `must be a token, or a number of decimals up to ${MOST_DECIMALS}`);
}

/** The signature of a call without a mistake. */
export function viewOf(call: string): ViewSignature {
  const parsed = parseView(call);
  if ('mistake' in parsed) throw new TypeError(`${call}: ${parsed.mistake.message}`);
  return parsed.signature;
}

/** The values that a read returns, one after the other. */
export const outputsOf = remembered(
  (spec: Exclude<ReadSpec, { type: 'balance' }>): readonly Argument[] =>
    viewOf(spec.type === 'call' ? spec.call : `slot() view returns (${spec.as})`).outputs,
);

/** The type of the value: that of the only output, or a tuple of all. */
export function valueType(outputs: readonly Argument[]): AbiType {
  const [only, ...others] = outputs;
  return only !== undefined && others.length === 0 ? only.type : { type: 'tuple', fields: outputs };
}

/** The names of addresses and of tokens in the options. */
export function namesIn({ read }: ReadOptions): {
  readonly addresses: readonly string[];
  readonly tokens: readonly string[];
} {
  const specs = Object.values(read);
  const isName = (text: string | null): text is string => text !== null && text !== OWN && NAME.test(text);
  const given = specs.flatMap((spec) =>
    spec.type === 'call'
      ? viewOf(spec.call).args.flatMap((one, i) => (hasAddresses(one) ? (spec.with[i] ?? []) : []))
      : [],
  );
  const tokens = specs.flatMap((spec) => (spec.type === 'call' ? [spec.units] : []));
  return { addresses: [...specs.map(({ of }) => of), ...given].filter(isName), tokens: tokens.filter(isName) };
}

type Mistakes = ResolvedOptions<ReadOptions>['mistakes'][number][];
type Place = readonly (string | number)[];

/** Puts addresses in place of names. */
export function resolveRead(
  options: ReadOptions,
  addressesOf: (name: string) => readonly Address[] | undefined,
): ResolvedOptions<ReadOptions> {
  const mistakes: Mistakes = [];
  const allOf = (text: string, path: Place, noun = 'address'): readonly string[] => {
    const literal = Address.parse(text);
    const found = literal === undefined ? (addressesOf(text) ?? []) : [literal];
    if (found.length === 0)
      mistakes.push({ path: ['read', ...path], message: `no ${noun} ${JSON.stringify(text)}`, written: text });
    return found.map(({ key }) => key);
  };
  const oneOf = (text: string, path: Place, noun?: string): string => {
    const [only = text, ...others] = allOf(text, path, noun);
    if (others.length > 0)
      mistakes.push({ path: ['read', ...path], message: `${JSON.stringify(text)} has several addresses` });
    return only;
  };
  const read = Object.entries(options.read).map(([name, spec]): [string, ReadSpec] => {
    const of = spec.of === null ? null : oneOf(spec.of, [name, 'of']);
    if (addressesOf(name) !== undefined)
      mistakes.push({
        path: ['read', name],
        message: `${name} is a name of the config`,
        hint: 'Give it another name.',
      });
    if (spec.type !== 'call') return [name, { ...spec, of }];
    const values = viewOf(spec.call).args.map((argument, i) => {
      const isList = argument.type.type === 'array';
      const value = resolvedValue(argument, spec.with[i] ?? '', (text, place) =>
        isList ? allOf(text, [name, 'with', i, ...place]) : [oneOf(text, [name, 'with', i])],
      );
      const message = wrongLength(argument, value);
      if (message !== null) mistakes.push({ path: ['read', name, 'with'], message });
      return value;
    });
    const message = tooLong(viewOf(spec.call), values);
    if (message !== null) mistakes.push({ path: ['read', name, 'with'], message });
    const isToken = spec.units !== null && spec.units !== OWN && !/^\d+$/.test(spec.units);
    const units = isToken ? oneOf(spec.units, [name, 'units'], 'token') : spec.units;
    return [name, { ...spec, of, with: values, units }];
  });
  return { options: { ...options, read: Object.fromEntries(read) }, mistakes };
}

/** `12 blocks` */
export function blocksText(count: number): string {
  return count === 1 ? '1 block' : `${count} blocks`;
}
