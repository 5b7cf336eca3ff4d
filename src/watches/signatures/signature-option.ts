// The keys that name functions or events by their signatures, and the units of their arguments.
import { z } from 'zod';
import { typeConflict } from '../../core/calls/argument-fields.ts';
import type { AbiEntry } from '../../lib/abi/abi.ts';
import type { OptionDoubt } from '../../core/model/watch/kind.ts';
import { canonicalSignature, type Signature, type SignatureMistake } from '../../lib/abi/signature.ts';

/** A function or an event, and the name that the rule gives it. Plain JSON. */
export interface SignatureOption {
  readonly name: string;
  /** `transfer(address to, uint256 value)` */
  readonly signature: string;
}

/** The way in which a key reads the functions or events that it names. */
export interface SignatureWords {
  readonly key: string;
  readonly noun: 'function' | 'event';
  /** The message if the key names nothing. */
  readonly none: string;
  /** The names of the catalogue. */
  readonly names: readonly string[];
  /** The signatures of a name of the catalogue; empty if there are none. */
  signaturesOf(name: string): readonly string[];
  /** The functions or events of the ABI files. */
  readonly abi: readonly AbiEntry[];
  /** Called with a signature that differs from the one in the ABI. */
  readonly warn?: (doubt: OptionDoubt) => void;
  /** An example of a signature: `(address to, uint256 amount)` stands behind its name. */
  readonly example: { readonly name: string; readonly args: string };
  /**
   * Reads a text that may be written in place of a signature; null if it is no such text. Left out by keys that accept
   * only signatures.
   */
  rawOf?(text: string): { readonly raw: string } | { readonly mistake: string } | null;
  parse(text: string): { readonly signature: Signature } | { readonly mistake: SignatureMistake };
  /** The signature of a text without a mistake, with the types of the values. */
  signatureOf(text: string): Signature;
  /** Equal for two signatures of which a rule may name only one. */
  idOf(option: SignatureOption): string;
  /** The message if two signatures have the same id. */
  sayTwice(first: SignatureOption, other: SignatureOption): string;
}

const MOST_NAMED = 200;
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const LONGEST_SHOWN = 60;
const MOST_DECIMALS = 77;

/** A mistake in a part of a key. Its path begins below the key. */
export interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly params?: {
    readonly hint?: string;
    readonly written?: string;
    readonly legal?: readonly string[];
    readonly within?: { readonly start: number; readonly end: number };
  };
}

type Complain = (mistake: Mistake) => void;

/** The schema of a key that takes a signature, a list of them, or a map of own names. */
export function signaturesOption(words: SignatureWords) {
  return z
    .union([z.string(), z.array(z.string()).min(1, words.none), z.record(z.string(), z.string())])
    .transform((written, context): readonly SignatureOption[] => {
      const complain: Complain = (mistake) => {
        context.addIssue({ code: 'custom', ...mistake, path: [...mistake.path] });
      };
      const named = readNamed(words, written, complain);
      complainOfPairs(words, named, complain);
      return named.map(({ name, signature }) => ({ name, signature }));
    });
}

/** The files that name functions or events. They are read with the rules, so the schema checks only the paths. */
export const abiOption = z
  .union([z.string(), z.array(z.string()).min(1, 'names no file: leave abi out, or name one')])
  .transform((written): readonly string[] => (typeof written === 'string' ? [written] : written))
  .optional()
  .describe('ABI files, or outputs of builds, whose functions or events rules can name without their arguments.');

export const unitsOption = z
  .record(
    z.string(),
    z
      .string()
      .regex(/^\d{1,2}$/, `must be the number of decimals, from 0 to ${MOST_DECIMALS}`)
      .transform(Number)
      .refine((decimals) => decimals <= MOST_DECIMALS, `must be at most ${MOST_DECIMALS}`),
  )
  .optional()
  .describe('The decimals of arguments that are amounts: rules then compare whole tokens.');

interface WithUnits {
  readonly named: readonly SignatureOption[];
  readonly units: Readonly<Record<string, number>> | undefined;
}

/** For `superRefine` of the options that contain `unitsOption`. */
export function checkUnitsOf(words: SignatureWords, { named, units = {} }: WithUnits, context: z.RefinementCtx): void {
  const args = named.flatMap(({ signature }) => words.signatureOf(signature).args);
  const whole = [...new Set(args.filter(({ type }) => type.type === 'integer').map(({ name }) => name))];
  for (const name of Object.keys(units)) {
    if (args.some((one) => one.name === name && one.type.type === 'integer')) continue;
    const known = args.some((one) => one.name === name);
    const message = known
      ? `${name} is no whole number, so it has no units`
      : `no ${words.noun} in ${words.key} has an argument ${name}`;
    context.addIssue({ code: 'custom', path: ['units', name], message, params: { written: name, legal: whole } });
  }
}

interface Placed extends SignatureOption {
  readonly path: readonly (string | number)[];
}

/** The place of a text in the file, and the name that the rule gives it; null if the text itself contains the name. */
interface Place {
  readonly path: Placed['path'];
  readonly name: string | null;
}

function readNamed(
  words: SignatureWords,
  written: string | readonly string[] | Readonly<Record<string, string>>,
  complain: Complain,
): readonly Placed[] {
  if (typeof written === 'string') return readOne(words, written, { path: [], name: null }, complain);
  const isList = Array.isArray(written);
  const entries: readonly (readonly [string, string])[] = Object.entries(written);
  if (entries.length === 0) complain({ path: [], message: words.none });
  if (entries.length > MOST_NAMED) {
    complain({ path: [], message: `has at most ${MOST_NAMED} ${words.noun}s` });
    return [];
  }
  return entries.flatMap(([key, text]) => {
    if (isList) return readOne(words, text, { path: [Number(key)], name: null }, complain);
    if (!NAME.test(key)) {
      const message = `"${key}" cannot be a name: it has letters, digits and underscores`;
      complain({ path: [key], message });
      return [];
    }
    return readOne(words, text, { path: [key], name: key }, complain);
  });
}

/** A signature, or a bare name of the catalogue with all its signatures. */
function readOne(words: SignatureWords, text: string, { path, name }: Place, complain: Complain): readonly Placed[] {
  const raw = words.rawOf?.(text) ?? null;
  if (raw !== null) return readRaw(raw, { path, name }, complain);
  if (!text.includes('(')) return readKnown(words, text.trim(), { path, name }, complain);
  const overloads = words.abi.filter(({ canonical }) => canonical === text.replaceAll(/\s/g, ''));
  if (overloads.length > 0) return overloads.flatMap((entry) => readEntry(words, entry, { path, name }, complain));
  const parsed = words.parse(text);
  if ('mistake' in parsed) {
    const { message, start, end, ...params } = parsed.mistake;
    complain({ path, message, params: { ...params, within: { start, end } } });
    return [];
  }
  const own = name ?? parsed.signature.name;
  if (!NAME.test(own)) {
    const hint = `Write ${words.key}: { mine: '${text}' }.`;
    complain({
      path,
      message: `${own} cannot be the name of ${words.noun === 'event' ? 'an event' : 'a call'}`,
      params: { hint },
    });
    return [];
  }
  warnOfLayout(words, parsed.signature, path);
  return [{ path, name: own, signature: text.trim() }];
}

function readRaw(
  read: { readonly raw: string } | { readonly mistake: string },
  { path, name }: Place,
  complain: Complain,
): readonly Placed[] {
  if ('raw' in read) return [{ path, name: name ?? read.raw, signature: read.raw }];
  complain({ path, message: read.mistake });
  return [];
}

/** Reads a function or event of an ABI file. Its text is not in the rules, so a mistake in it has no place in them. */
function readEntry(
  words: SignatureWords,
  { name, text }: AbiEntry,
  place: Place,
  complain: Complain,
): readonly Placed[] {
  const own = place.name ?? name;
  const parsed = words.parse(text);
  if (!('mistake' in parsed) && NAME.test(own)) return [{ path: place.path, name: own, signature: text }];
  const why = 'mistake' in parsed ? parsed.mistake.message : `${own} cannot be a name here`;
  const hint = `Write its whole signature in ${words.key}, with other names.`;
  complain({ path: place.path, message: `${name} of the ABI cannot be read: ${why}`, params: { hint } });
  return [];
}

/** The first topic does not show which arguments are indexed, so one of the two is probably wrong. */
function warnOfLayout({ key, abi, warn }: SignatureWords, signature: Signature, path: Placed['path']): void {
  const canonical = canonicalSignature(signature);
  const same = abi.filter((entry) => entry.canonical === canonical);
  const layout = signature.args.map((one) => 'isIndexed' in one && one.isIndexed === true).join();
  const [first] = same;
  if (first === undefined || same.some((entry) => entry.layout.join() === layout)) return;
  warn?.({
    path: [key, ...path],
    message: `${canonical} has other indexed arguments than in the ABI, which has ${first.text}`,
    hint: `The signature here counts. Write ${canonical} for the one of the ABI.`,
  });
}

function readKnown(words: SignatureWords, bare: string, { path, name }: Place, complain: Complain): readonly Placed[] {
  const entries = words.abi.filter((entry) => entry.name === bare);
  if (entries.length > 0) return entries.flatMap((entry) => readEntry(words, entry, { path, name }, complain));
  const known = words.signaturesOf(bare);
  const shown = JSON.stringify(bare.length > LONGEST_SHOWN ? `${bare.slice(0, LONGEST_SHOWN)}…` : bare);
  const { example } = words;
  if (known.length === 0)
    complain({
      path,
      message: `no ${words.noun} ${shown} is known here`,
      params: {
        written: bare,
        legal: [...words.abi.map((entry) => entry.name), ...words.names],
        hint: `Write the whole signature: ${NAME.test(bare) ? bare : example.name}${example.args}.`,
      },
    });
  return known.map((signature) => ({ path, name: name ?? bare, signature }));
}

/** Reports functions or events that are named twice, and arguments with the same name and different types. */
function complainOfPairs(words: SignatureWords, named: readonly Placed[], complain: Complain): void {
  const firstById = new Map<string, Placed>();
  for (const one of named) {
    const id = words.idOf(one);
    const first = firstById.get(id);
    if (first === undefined) firstById.set(id, one);
    else complain({ path: one.path, message: words.sayTwice(first, one), params: { hint: 'Keep one of them.' } });
  }
  const parsed = named.map(({ name, signature }) => ({ name, signature: words.signatureOf(signature) }));
  const conflict = typeConflict(parsed);
  if (conflict === null) return;
  const [argument, one, other] = conflict;
  complain({
    path: named[parsed.indexOf(other)]?.path ?? [],
    message: `args.${argument} has one type in ${canonicalSignature(one.signature)} and another in ${canonicalSignature(other.signature)}`,
    params: { hint: 'Write the signatures with other names, or make two watches.' },
  });
}
