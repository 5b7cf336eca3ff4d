// The keys `calls` and `units` of a watch: the functions whose arguments its rules read.
import type { z } from 'zod';
import { CATALOGUE_NAMES, signatureOf, signaturesOf, type NamedFunction } from '../../core/calls/catalogue.ts';
import type { ReadCalls } from '../../core/calls/call-fields.ts';
import type { CalledFunctions } from '../../core/model/watch/kind.ts';
import type { Abi } from '../../lib/abi/abi.ts';
import { canonicalSignature, parseSignature, selectorOf } from '../../lib/abi/signature.ts';
import {
  abiOption,
  checkUnitsOf,
  signaturesOption,
  unitsOption,
  type SignatureOption,
  type SignatureWords,
} from '../signatures/signature-option.ts';

export interface CallOptions {
  readonly abi?: readonly string[] | undefined;
  readonly calls?: readonly SignatureOption[] | undefined;
  readonly units?: Readonly<Record<string, number>> | undefined;
}

const WORDS: SignatureWords = {
  key: 'calls',
  noun: 'function',
  none: 'names no function: leave calls out, or name one',
  names: CATALOGUE_NAMES,
  signaturesOf,
  abi: [],
  example: { name: 'sweep', args: '(address to, uint256 amount)' },
  parse: parseSignature,
  signatureOf,
  idOf: ({ signature }) => selectorOf(signatureOf(signature)),
  sayTwice({ name }, { signature: text }) {
    const signature = signatureOf(text);
    return `${canonicalSignature(signature)} has the selector ${selectorOf(signature)}, as ${name} has`;
  },
};

export function callOptions({ functions }: Abi) {
  return {
    calls: signaturesOption({ ...WORDS, abi: functions })
      .optional()
      .describe('Functions whose arguments rules read: names that are known, or signatures; it filters nothing.'),
    abi: abiOption,
    units: unitsOption,
  };
}

/** For `superRefine` of the options that contain `callOptions`. */
export function checkCalls({ abi, calls = [], units }: CallOptions, context: z.RefinementCtx): void {
  if (abi !== undefined && calls.length === 0) {
    const params = { hint: 'Name functions in calls, or leave abi out.' };
    context.addIssue({ code: 'custom', path: ['abi'], message: 'abi is for a watch with calls', params });
  }
  checkUnitsOf(WORDS, { named: calls, units }, context);
}

/** Null if the watch reads no arguments. */
export function readCallsOf({ calls, units = {} }: CallOptions): ReadCalls | null {
  if (calls === undefined) return null;
  const functions = calls.map(({ name, signature }): NamedFunction => ({ name, signature: signatureOf(signature) }));
  return { functions, decimals: units };
}

const PATHS = ['called', 'selector', 'args', 'raw'];

/**
 * Null if no alert reads a function, or only of calls that the address itself makes. Without `calls:`, all functions that
 * are known are read.
 */
export function calledFunctionsOf(
  { calls }: CallOptions,
  reads: readonly (readonly string[])[],
  others: Pick<CalledFunctions, 'by' | 'hint'>,
): CalledFunctions | null {
  const isOfFunction = (paths: readonly string[]): boolean =>
    paths.some((path) => PATHS.includes(path.split('.')[0] ?? '')) && !paths.includes('from.hash');
  if (!reads.some(isOfFunction)) return null;
  const names = calls?.map(({ name, signature }) => [selectorOf(signatureOf(signature)), name] as const);
  return { ...others, names: names === undefined ? null : new Map(names) };
}

/** `reads transfer(address,uint256) 0xa9059cbb`; null if the watch reads no arguments. */
export function describeCalls({ calls }: CallOptions): string | null {
  if (calls === undefined) return null;
  const functions = calls.map(({ name, signature: text }) => {
    const signature = signatureOf(text);
    const own = name === signature.name ? '' : `${name}: `;
    return `${own}${canonicalSignature(signature)} ${selectorOf(signature)}`;
  });
  return `reads ${functions.join(', ')}`;
}
