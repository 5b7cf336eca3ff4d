// The keys `calls` and `units` of a watch: the functions whose arguments its rules read.
import type { z } from 'zod';
import { CATALOGUE_NAMES, signatureOf, signaturesOf, type NamedFunction } from '../../core/calls/catalogue.ts';
import type { ReadCalls } from '../../core/calls/call-fields.ts';
import { canonicalSignature, parseSignature, selectorOf } from '../../lib/abi/signature.ts';
import {
  checkUnitsOf,
  signaturesOption,
  unitsOption,
  type SignatureOption,
  type SignatureWords,
} from '../signatures/signature-option.ts';

export interface CallOptions {
  readonly calls?: readonly SignatureOption[] | undefined;
  readonly units?: Readonly<Record<string, number>> | undefined;
}

const WORDS: SignatureWords = {
  key: 'calls',
  noun: 'function',
  none: 'names no function: leave calls out, or name one',
  names: CATALOGUE_NAMES,
  signaturesOf,
  example: { name: 'sweep', args: '(address to, uint256 amount)' },
  parse: parseSignature,
  signatureOf,
  idOf: ({ signature }) => selectorOf(signatureOf(signature)),
  sayTwice({ name }, { signature: text }) {
    const signature = signatureOf(text);
    return `${canonicalSignature(signature)} has the selector ${selectorOf(signature)}, as ${name} has`;
  },
};

export const callOptions = {
  calls: signaturesOption(WORDS)
    .optional()
    .describe('Functions whose arguments rules read: names of the catalogue, or signatures; it filters nothing.'),
  units: unitsOption,
};

/** For `superRefine` of the options that contain `callOptions`. */
export function checkUnits({ calls = [], units }: CallOptions, context: z.RefinementCtx): void {
  checkUnitsOf(WORDS, { named: calls, units }, context);
}

/** Null if the watch reads no arguments. */
export function readCallsOf({ calls, units = {} }: CallOptions): ReadCalls | null {
  if (calls === undefined) return null;
  const functions = calls.map(({ name, signature }): NamedFunction => ({ name, signature: signatureOf(signature) }));
  return { functions, decimals: units };
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
