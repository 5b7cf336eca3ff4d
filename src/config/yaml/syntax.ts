// What the parser complains of, said so that people can mend it.
import { isScalar, visit, type Document, type YAMLError } from 'yaml';
import type { Problem } from '../problem.ts';
import type { Lines } from './lines.ts';
import type { Places } from './places.ts';

interface Read {
  readonly document: Document.Parsed;
  readonly lines: Lines;
  readonly places: Places;
}

/** What is wrong with the syntax, in words that say what to write instead. */
export function syntaxProblem({ code, message, pos }: YAMLError, { document, lines, places }: Read): Problem {
  const [start, end] = /^Missing closing \W?quote/.test(message) ? lastQuote(document, pos) : pos;
  const isUneven = /^All (?:mapping|sequence) items|^Sequence item without/.test(message);
  const { message: words, hint } = isUneven
    ? UNEVEN
    : (unquotedTemplate(lines.texts[places.positionAt(start).line - 1] ?? '') ??
      SYNTAX[code] ?? { message: sentence(message) });
  return places.problemAt({ start, end }, [], words, hint);
}

/** `title: {{ balance }} left` without quotes: YAML takes the braces for maps. */
function unquotedTemplate(written: string): SyntaxWords | undefined {
  const key = /(?:^[\s-]{0,99}|[{,]\s{0,99})([\w-]{1,99}):\s{1,99}(?=\{\{)/.exec(written);
  if (key === null) return undefined;
  const rest = written.slice(key.index + key[0].length, key.index + key[0].length + MOST_QUOTED);
  const value = /^[\s-]/.test(key[0]) || key.index === 0 ? rest : withinMap(rest);
  return { message: 'text that begins with {{ needs quotes', hint: `Write ${key[1] ?? ''}: '${value.trimEnd()}'.` };
}

/** Up to where the next key begins, or the map ends. */
function withinMap(text: string): string {
  const braces = text.lastIndexOf('}}', text.search(/,|$/)) + 2;
  return text.slice(0, braces) + (/^[^,}]*/.exec(text.slice(braces))?.[0] ?? '');
}

/** Where a quote that is never closed was opened. */
function lastQuote(document: Document.Parsed, end: readonly [number, number]): readonly [number, number] {
  let at = end;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type?.startsWith('QUOTE') === true && range !== undefined && range !== null) at = [range[0], range[0] + 1];
    },
  });
  return at;
}

/** A key and its value, as the parser has them. */
export interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/**
 * `{ while: balance < 1,000,000 }`: YAML ends the value at the comma, and takes the digits behind it for keys. What to
 * write instead, and the first pair that is none.
 */
export function splitNumber(
  pairs: readonly Pair[],
): { readonly pair: number; readonly words: SyntaxWords } | undefined {
  const first = pairs.findIndex((pair, i) => i > 0 && isThousands(pair));
  const begin = /(?<![\w.])\d{1,3}$/.exec(textOf(pairs[first - 1]?.value))?.[0];
  if (begin === undefined) return undefined;
  const behind = pairs.slice(first);
  const end = behind.findIndex((pair) => !isThousands(pair));
  const groups = behind.slice(0, end < 0 ? behind.length : end).map((pair) => textOf(pair.key));
  return { pair: first, words: { message: 'a number has no commas', hint: `Write ${[begin, ...groups].join('_')}.` } };
}

function isThousands({ key, value }: Pair): boolean {
  return /^\d{3}$/.test(textOf(key)) && textOf(value) === '';
}

function textOf(node: unknown): string {
  return isScalar(node) && typeof node.value === 'string' ? node.value : '';
}

const UNEVEN = { message: 'this is not indented like its neighbours', hint: undefined };
const MOST_QUOTED = 80;

export interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
}

/** For a key that stands twice in its map. */
export const TWIN: SyntaxWords = {
  message: 'this key is there already',
  hint: 'Remove one of them; a further item of a list begins with "- ".',
};

/** For a text in front of which YAML reads a tag, such as !critical. */
export const TAG: SyntaxWords = {
  message: 'YAML tags are not used here',
  hint: 'Put a text that begins with "!" in quotes.',
};

const SYNTAX: Readonly<Record<string, SyntaxWords>> = {
  MULTIPLE_DOCS: { message: 'a second document starts here', hint: 'One file holds one document.' },
  TAB_AS_INDENT: { message: 'a tab cannot indent in YAML', hint: 'Use spaces.' },
  NON_STRING_KEY: { message: 'a key is text here' },
  TAG_RESOLVE_FAILED: TAG,
  BLOCK_AS_IMPLICIT_KEY: { message: 'a second ": " on this line', hint: 'Put the text in quotes.' },
};

function sentence(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
