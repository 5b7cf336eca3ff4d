// The keys `calls` and `units` of a watch: the functions whose arguments its rules read.
import { z } from 'zod';
import { CATALOGUE_NAMES, signatureOf, signaturesOf, type NamedFunction } from '../../core/calls/catalogue.ts';
import { typeConflict, type ReadCalls } from '../../core/calls/call-fields.ts';
import { canonicalSignature, parseSignature, selectorOf } from '../../lib/abi/signature.ts';

/** A function, and the name that the rule gives it. Plain JSON. */
export interface CallOption {
  readonly name: string;
  /** `transfer(address to, uint256 value)` */
  readonly signature: string;
}

export interface CallOptions {
  readonly calls?: readonly CallOption[] | undefined;
  readonly units?: Readonly<Record<string, number>> | undefined;
}

const MOST_CALLS = 200;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const NO_FUNCTION = 'names no function: leave calls out, or name one';
const LONGEST_SHOWN = 60;
const MOST_DECIMALS = 77;

/** A mistake in a part of a key. Its path begins below the key. */
interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly params?: {
    readonly hint?: string;
    readonly written?: string;
    readonly legal?: readonly string[];
    readonly within?: { readonly start: number; readonly end: number };
  };
}

export const callOptions = {
  calls: z
    .union([z.string(), z.array(z.string()).min(1, NO_FUNCTION), z.record(z.string(), z.string())])
    .transform((written, context): readonly CallOption[] => {
      const complain = (mistake: Mistake): void => {
        context.addIssue({ code: 'custom', ...mistake, path: [...mistake.path] });
      };
      const named = readCalls(written, complain);
      complainOfPairs(named, complain);
      return named.map(({ name, signature }) => ({ name, signature }));
    })
    .optional()
    .describe('Functions whose arguments rules read: names of the catalogue, or signatures; it filters nothing.'),
  units: z
    .record(
      z.string(),
      z
        .string()
        .regex(/^\d{1,2}$/, `must be the number of decimals, from 0 to ${MOST_DECIMALS}`)
        .transform(Number)
        .refine((decimals) => decimals <= MOST_DECIMALS, `must be at most ${MOST_DECIMALS}`),
    )
    .optional()
    .describe('The decimals of arguments that are amounts: rules then compare whole tokens.'),
};

/** For `superRefine` of the options that contain `callOptions`. */
export function checkUnits({ calls, units = {} }: CallOptions, context: z.RefinementCtx): void {
  const args = (calls ?? []).flatMap(({ signature }) => signatureOf(signature).args);
  const whole = [...new Set(args.filter(({ type }) => type.type === 'integer').map(({ name }) => name))];
  for (const name of Object.keys(units)) {
    if (args.some((one) => one.name === name && one.type.type === 'integer')) continue;
    const known = args.some((one) => one.name === name);
    const message = known
      ? `${name} is no whole number, so it has no units`
      : `no function in calls has an argument ${name}`;
    context.addIssue({ code: 'custom', path: ['units', name], message, params: { written: name, legal: whole } });
  }
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

type Complain = (mistake: Mistake) => void;

interface PlacedCall extends CallOption {
  readonly path: readonly (string | number)[];
}

function readCalls(
  written: string | readonly string[] | Readonly<Record<string, string>>,
  complain: Complain,
): readonly PlacedCall[] {
  if (typeof written === 'string') return readCall(written, { path: [], name: null }, complain);
  const isList = Array.isArray(written);
  const entries: readonly (readonly [string, string])[] = Object.entries(written);
  if (entries.length === 0) complain({ path: [], message: NO_FUNCTION });
  if (entries.length > MOST_CALLS) {
    complain({ path: [], message: `has at most ${MOST_CALLS} functions` });
    return [];
  }
  return entries.flatMap(([key, text]) => {
    if (isList) return readCall(text, { path: [Number(key)], name: null }, complain);
    if (!NAME.test(key)) {
      const message = `"${key}" cannot be a name: it has letters, digits and underscores`;
      complain({ path: [key], message });
      return [];
    }
    return readCall(text, { path: [key], name: key }, complain);
  });
}

/** A signature, or a bare name of the catalogue with all its signatures. */
function readCall(
  text: string,
  { path, name }: { readonly path: PlacedCall['path']; readonly name: string | null },
  complain: Complain,
): readonly PlacedCall[] {
  if (!text.includes('(')) return knownCalls(text.trim(), { path, name }, complain);
  const parsed = parseSignature(text);
  if ('mistake' in parsed) {
    const { message, start, end, ...params } = parsed.mistake;
    complain({ path, message, params: { ...params, within: { start, end } } });
    return [];
  }
  const own = name ?? parsed.signature.name;
  if (!NAME.test(own)) {
    const hint = `Write calls: { mine: '${text}' }.`;
    complain({ path, message: `${own} cannot be the name of a call`, params: { hint } });
    return [];
  }
  return [{ path, name: own, signature: text.trim() }];
}

function knownCalls(
  bare: string,
  { path, name }: { readonly path: PlacedCall['path']; readonly name: string | null },
  complain: Complain,
): readonly PlacedCall[] {
  const known = signaturesOf(bare);
  const shown = JSON.stringify(bare.length > LONGEST_SHOWN ? `${bare.slice(0, LONGEST_SHOWN)}…` : bare);
  if (known.length === 0)
    complain({
      path,
      message: `no function ${shown} is known here`,
      params: { written: bare, legal: CATALOGUE_NAMES, hint: `Write the whole signature: ${exampleOf(bare)}.` },
    });
  return known.map((signature) => ({ path, name: name ?? bare, signature }));
}

function exampleOf(bare: string): string {
  return `${NAME.test(bare) ? bare : 'sweep'}(address to, uint256 amount)`;
}

/** Reports a function that is there twice, and arguments with one name and different types. */
function complainOfPairs(calls: readonly PlacedCall[], complain: Complain): void {
  const bySelector = new Map<string, PlacedCall>();
  for (const call of calls) {
    const signature = signatureOf(call.signature);
    const selector = selectorOf(signature);
    const first = bySelector.get(selector);
    if (first === undefined) bySelector.set(selector, call);
    else
      complain({
        path: call.path,
        message: `${canonicalSignature(signature)} has the selector ${selector}, as ${first.name} has`,
        params: { hint: 'Keep one of them.' },
      });
  }
  const named = calls.map(({ name, signature }) => ({ name, signature: signatureOf(signature) }));
  const conflict = typeConflict(named);
  if (conflict === null) return;
  const [argument, one, other] = conflict;
  complain({
    path: calls[named.indexOf(other)]?.path ?? [],
    message: `args.${argument} has one type in ${canonicalSignature(one.signature)} and another in ${canonicalSignature(other.signature)}`,
    params: { hint: 'Write the signatures with other names, or make two watches.' },
  });
}
