// Signatures of functions and events, written as in Solidity: `transfer(address to, uint256 amount)`.
import { keccak_256 } from '@noble/hashes/sha3.js';
import { DEEPEST } from './decode.ts';
import { canonicalType, type AbiType, type Argument, type EventArgument } from './types.ts';

export interface Signature {
  readonly name: string;
  readonly args: readonly Argument[];
}

/** A function that changes nothing, with the values that it returns. */
export interface ViewSignature extends Signature {
  readonly outputs: readonly Argument[];
}

export interface EventSignature {
  readonly name: string;
  readonly args: readonly EventArgument[];
  /** Set for an event of which nothing but its first topic is known. It has no arguments. */
  readonly topic?: string;
}

/** A mistake in the text of a signature. `legal`: the allowed words, if `written` is not one of them. */
export interface SignatureMistake {
  readonly message: string;
  readonly hint?: string;
  readonly written?: string;
  readonly legal?: readonly string[];
  readonly start: number;
  readonly end: number;
}

export type ParsedSignature = { readonly signature: Signature } | { readonly mistake: SignatureMistake };
export type ParsedView = { readonly signature: ViewSignature } | { readonly mistake: SignatureMistake };
export type ParsedEvent = { readonly signature: EventSignature } | { readonly mistake: SignatureMistake };

const LONGEST = 4096;
const MOST_ARGUMENTS = 64;
const LONGEST_ARRAY = 4096;

/** `parseSignature('pause()') // { signature: { name: 'pause', args: [] } }` */
export function parseSignature(text: string): ParsedSignature {
  return parse(text, () => new Parser(text).signature());
}

/** `parseView('totalAssets() view returns (uint256)')`: a single output without a name is named `value`. */
export function parseView(text: string): ParsedView {
  return parse(text, () => new Parser(text).view());
}

/** `parseEvent('Paused(address account)') // { signature: { name: 'Paused', args: [{ name: 'account', … }] } }` */
export function parseEvent(text: string): ParsedEvent {
  return parse(text, () => new Parser(text).event());
}

function parse<S>(text: string, read: () => S): { readonly signature: S } | { readonly mistake: SignatureMistake } {
  if (text.length > LONGEST)
    return { mistake: { message: `a signature has at most ${LONGEST} characters`, start: 0, end: 1 } };
  try {
    return { signature: read() };
  } catch (error) {
    if (error instanceof Wrong) return { mistake: error.mistake };
    throw error;
  }
}

/** The name in the text of a signature: `nameIn('pause()') // 'pause'`. */
export function nameIn(text: string): string {
  return text.slice(0, text.indexOf('('));
}

/** `transfer(address,uint256)` */
export function canonicalSignature({ name, args }: Signature): string {
  return `${name}${canonicalType({ type: 'tuple', fields: args })}`;
}

/** The first four bytes of a call: `selectorOf(pause) // '0x8456cb59'`. */
export function selectorOf(signature: Signature): string {
  return topicOf(signature).slice(0, 10);
}

/** The first topic of an event. `indexed` does not change it. */
export function topicOf(signature: Signature): string {
  const digest = keccak_256(Buffer.from(canonicalSignature(signature), 'ascii'));
  return `0x${Buffer.from(digest).toString('hex')}`;
}

/** The first topic of an event. */
export function eventTopicOf(signature: EventSignature): string {
  return signature.topic ?? topicOf(signature);
}

/** `Paused(address)`, or the topic of an event without signature. */
export function eventWords(signature: EventSignature): string {
  return signature.topic ?? canonicalSignature(signature);
}

class Wrong extends Error {
  readonly mistake: SignatureMistake;

  constructor(mistake: SignatureMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const TOKEN = /\s*([A-Za-z_$][\w$]*|\[\s*\d*\s*\]|[(),]|\S)/gy;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const LOCATIONS = ['calldata', 'memory', 'storage', 'payable'];
const MOST_INDEXED = 3;
const CHANGES_NOTHING = ['view', 'pure'];
const AFTER = ['external', 'public', 'payable', 'nonpayable', 'view', 'pure', 'virtual', 'override'];

/** Conditions read an argument by its name, so the name must be a CEL identifier. */
const NAME = /^(?!(?:in|true|false|null)$)[A-Za-z_]\w*$/;

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  /** The indexed arguments; null: the text is the signature of a function, which has none. */
  #indexed: Set<Argument> | null = null;
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.trimEnd().matchAll(TOKEN)].map(({ 0: all, 1: token = '', index }) => {
      const end = index + all.length;
      return { text: token, start: end - token.length, end };
    });
    this.#end = { text: '', start: Math.max(0, text.length - 1), end: Math.max(1, text.length) };
  }

  signature(): Signature {
    const signature = this.#function();
    while (AFTER.includes(this.#peek.text)) this.#take();
    if (this.#peek.text === 'returns') {
      this.#take();
      this.#expect('(');
      this.#skipReturns();
    }
    this.#close();
    return signature;
  }

  view(): ViewSignature {
    const start = this.#peek;
    const signature = this.#function();
    let changesNothing = false;
    while (AFTER.includes(this.#peek.text))
      changesNothing = CHANGES_NOTHING.includes(this.#take().text) || changesNothing;
    if (!changesNothing)
      this.#fail(start, {
        message: 'only a view or pure function can be called',
        hint: `Write ${signature.name}(${signature.args.length === 0 ? '' : '…'}) view returns (…).`,
      });
    if (this.#peek.text !== 'returns')
      this.#fail(this.#peek, {
        message: '"returns" is missing',
        hint: 'Write what it returns: view returns (uint256).',
      });
    this.#take();
    this.#expect('(');
    const outputs = this.#outputs();
    this.#close();
    return { ...signature, outputs };
  }

  #function(): Signature {
    if (this.#peek.text === 'function') this.#take();
    const name = this.#identifier('a signature begins with the name of the function');
    this.#expect('(');
    return { name, args: this.#arguments(0) };
  }

  #outputs(): readonly Argument[] {
    const first = this.#peek;
    const place = this.#next;
    if (first.text === ')') this.#fail(first, { message: 'the function returns nothing' });
    const type = this.#type(0);
    while (LOCATIONS.includes(this.#peek.text)) this.#take();
    if (this.#peek.text === ')') {
      this.#take();
      return [{ name: 'value', type }];
    }
    if (this.#peek === this.#end)
      this.#fail(this.#end, { message: 'the signature is not complete', hint: 'Write ) at its end.' });
    this.#next = place;
    return this.#arguments(0);
  }

  #close(): void {
    if (this.#peek.text === ';') this.#take();
    if (this.#peek !== this.#end)
      this.#fail(this.#peek, { message: 'the signature ends before this', hint: 'Leave the rest out.' });
  }

  event(): EventSignature {
    const indexed = new Set<Argument>();
    this.#indexed = indexed;
    if (this.#peek.text === 'event') this.#take();
    const name = this.#identifier('a signature begins with the name of the event');
    this.#expect('(', 'Write Paused(), or Paused(address account).');
    const args = this.#arguments(0);
    if (this.#peek.text === 'anonymous')
      this.#fail(this.#peek, { message: 'an anonymous event has no topic, so it cannot be recognised' });
    this.#close();
    return { name, args: args.map((one) => ({ ...one, isIndexed: indexed.has(one) })) };
  }

  /** The arguments up to the closing bracket. */
  #arguments(depth: number): readonly Argument[] {
    const args: Argument[] = [];
    if (this.#peek.text === ')') {
      this.#take();
      return args;
    }
    for (;;) {
      const argument = this.#argument(depth, args);
      args.push(argument);
      if (args.length > MOST_ARGUMENTS)
        this.#fail(this.#peek, { message: `at most ${MOST_ARGUMENTS} arguments are supported` });
      const token = this.#take();
      if (token.text === ')') return args;
      if (token.text !== ',') this.#fail(token, { message: 'arguments are divided by commas', hint: 'Write , or ).' });
    }
  }

  #argument(depth: number, before: readonly Argument[]): Argument {
    const start = this.#peek;
    const type = this.#type(depth);
    while (LOCATIONS.includes(this.#peek.text)) this.#take();
    const isIndexed = this.#peek.text === 'indexed';
    if (isIndexed) this.#indexedAt(this.#take(), depth);
    const token = this.#peek;
    if (!IDENTIFIER.test(token.text))
      this.#fail(
        { ...start, end: Math.max(start.end, token.start) },
        {
          message: 'an argument needs a name',
          hint: `Write ${this.#text.slice(start.start, Math.max(start.end, token.start)).trim()} value.`,
        },
      );
    this.#take();
    if (before.some(({ name }) => name === token.text))
      this.#fail(token, { message: `two arguments have the name ${token.text}`, hint: 'Give one another name.' });
    if (token.text in Object.prototype || !NAME.test(token.text))
      this.#fail(token, {
        message: `${token.text} cannot be the name of an argument here`,
        hint: 'Give it another name: the selector stays the same.',
      });
    const argument = { name: token.text, type };
    if (isIndexed) this.#indexed?.add(argument);
    return argument;
  }

  #indexedAt(token: Token, depth: number): void {
    if (this.#indexed === null)
      this.#fail(token, { message: 'only events have indexed arguments', hint: 'Leave "indexed" out.' });
    if (depth > 0) this.#fail(token, { message: 'a part of a tuple cannot be indexed', hint: 'Leave "indexed" out.' });
    if (this.#indexed.size >= MOST_INDEXED)
      this.#fail(token, { message: `an event has at most ${MOST_INDEXED} indexed arguments` });
  }

  #type(depth: number): AbiType {
    if (depth > DEEPEST) this.#fail(this.#peek, { message: `types are nested at most ${DEEPEST} deep` });
    const token = this.#take();
    let type = token.text === '(' || token.text === 'tuple' ? this.#tuple(token, depth) : this.#elementary(token);
    let nesting = depth;
    while (this.#peek.text.startsWith('[')) {
      const array = this.#take();
      const digits = array.text.slice(1, -1).trim();
      const length = digits === '' ? null : Number(digits);
      if (length === 0 || (length ?? 0) > LONGEST_ARRAY)
        this.#fail(array, { message: `an array has from 1 to ${LONGEST_ARRAY} items` });
      nesting += 1;
      if (nesting > DEEPEST) this.#fail(array, { message: `types are nested at most ${DEEPEST} deep` });
      type = { type: 'array', of: type, length };
    }
    return type;
  }

  #tuple(token: Token, depth: number): AbiType {
    if (token.text === 'tuple') this.#expect('(', 'Write its parts: "tuple(address to, uint256 amount) order".');
    const fields = this.#arguments(depth + 1);
    if (fields.length === 0) this.#fail(token, { message: 'a tuple has at least one part' });
    return { type: 'tuple', fields };
  }

  #elementary(token: Token): AbiType {
    const type = elementaryOf(token.text);
    if (type !== undefined) return type;
    if (token === this.#end)
      this.#fail(token, { message: 'the signature is not complete', hint: 'Write ) at its end.' });
    if (!IDENTIFIER.test(token.text)) this.#fail(token, { message: `a type is missing before ${token.text}` });
    const message = `no type "${token.text}"`;
    return this.#fail(token, { message, written: token.text, legal: ELEMENTARY, hint: OWN_TYPES });
  }

  #skipReturns(): void {
    let open = 1;
    while (open > 0) {
      const token = this.#take();
      if (token === this.#end) this.#fail(token, { message: 'a bracket is not closed', hint: 'Write ) at its end.' });
      open += token.text === '(' ? 1 : token.text === ')' ? -1 : 0;
    }
  }

  #identifier(message: string): string {
    const token = this.#take();
    return IDENTIFIER.test(token.text) ? token.text : this.#fail(token, { message });
  }

  #expect(text: string, hint = 'Write pause(), or pause(uint256 id).'): void {
    const token = this.#take();
    if (token.text !== text) this.#fail(token, { message: `${text} is missing`, hint });
  }

  get #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  #take(): Token {
    const token = this.#peek;
    this.#next += 1;
    return token;
  }

  #fail({ start, end }: Token, mistake: Omit<SignatureMistake, 'start' | 'end'>): never {
    throw new Wrong({ ...mistake, start, end });
  }
}

const OWN_TYPES =
  'Write address for a contract, uint8 for an enum, and the parts of a struct in brackets: ' +
  '"(address to, uint256 amount) order".';

const SIZES = Array.from({ length: 32 }, (_, i) => i + 1);
const PLAIN = ['address', 'bool', 'string', 'bytes'] as const;
const ELEMENTARY: readonly string[] = [
  ...PLAIN,
  ...SIZES.flatMap((size) => [`uint${size * 8}`, `int${size * 8}`, `bytes${size}`]),
];

function elementaryOf(text: string): AbiType | undefined {
  if (text === 'uint' || text === 'int') return { type: 'integer', bits: 256, isSigned: text === 'int' };
  if (!ELEMENTARY.includes(text)) return undefined;
  const plain = PLAIN.find((type) => type === text);
  if (plain !== undefined) return { type: plain };
  const [, name = '', digits = ''] = /^([a-z]+)(\d+)$/.exec(text) ?? [];
  if (name === 'bytes') return { type: 'fixed-bytes', size: Number(digits) };
  return { type: 'integer', bits: Number(digits), isSigned: name === 'int' };
}
