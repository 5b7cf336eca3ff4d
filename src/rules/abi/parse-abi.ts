// Reads an ABI file: a list of entries, or the output of a build with the list as `abi` at its top.
import { z } from 'zod';
import type { Abi, AbiEntry } from '../../lib/abi/abi.ts';
import { AbiParameter, deepestTuple, eventEntry, functionEntry } from './abi-entry.ts';

export type ParsedAbi =
  { readonly abi: Abi } | { readonly mistake: { readonly message: string; readonly hint: string } };

const DEEPEST = 128;
const MOST_ENTRIES = 2000;
const DEEPEST_TUPLE = 8;

const NO_ABI = {
  message: 'is no ABI',
  hint: 'Name a JSON list of functions and events, or the output of a build that has it as "abi" at its top.',
};
const SMALLER = 'Name a file that has only the functions and events that rules read.';

const Entries = z.array(z.looseObject({ type: z.string().default('function') }));
const File = z.union([Entries, z.object({ abi: Entries }).transform(({ abi }) => abi)]);
const Named = z.object({
  type: z.enum(['function', 'event']),
  name: z.string().regex(/^[A-Za-z_$][\w$]{0,255}$/),
  inputs: z.array(AbiParameter).default([]),
  // If an output has a type that no signature can name, the outputs are dropped. The function can then not be read by a
  // watch, but calls of the function can still be decoded.
  outputs: z.array(AbiParameter).catch([]).default([]),
  stateMutability: z.string().default(''),
  anonymous: z.boolean().default(false),
});

export function parseAbi(text: string): ParsedAbi {
  if (isTooDeep(text)) return { mistake: { message: `is nested more than ${DEEPEST} deep`, hint: SMALLER } };
  const written = readJson(text);
  if (written === undefined)
    return { mistake: { message: 'is no JSON', hint: 'Name a file that the compiler wrote.' } };
  const entries = File.safeParse(written.value);
  if (!entries.success) return { mistake: NO_ABI };
  if (entries.data.length > MOST_ENTRIES)
    return { mistake: { message: `has more than ${MOST_ENTRIES} entries`, hint: SMALLER } };
  // Constructors and errors are left out. Functions and events of libraries may have inputs of a type that no signature
  // can name, and are then left out too.
  const named = entries.data.flatMap((entry) => Named.safeParse(entry).data ?? []);
  if (named.some(({ inputs, outputs }) => deepestTuple([...inputs, ...outputs]) > DEEPEST_TUPLE))
    return { mistake: { message: `has tuples that are nested more than ${DEEPEST_TUPLE} deep`, hint: SMALLER } };
  const functions = named.filter(({ type }) => type === 'function').map(functionOf);
  const events = named.filter(({ type, anonymous }) => type === 'event' && !anonymous);
  return { abi: { functions, events: events.map(({ name, inputs }) => eventEntry(name, inputs)) } };
}

function functionOf({ name, inputs, outputs, stateMutability }: z.output<typeof Named>): AbiEntry {
  const changesNothing = ['view', 'pure'].includes(stateMutability) && outputs.length > 0;
  return functionEntry(name, { inputs, outputs, changesNothing });
}

function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Counts brackets outside of texts. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (isInText && char === '\\') i += 1;
    else if (char === '"') isInText = !isInText;
    else if (!isInText && (char === '[' || char === '{')) depth += 1;
    else if (!isInText && (char === ']' || char === '}')) depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
