// Messages of the YAML parser, rewritten so that people can correct the file.
import { isCollection, isMap, isScalar, isSeq, visit, type Document, type YAMLError } from 'yaml';
import type { Problem } from '../problem.ts';
import type { SourceLines } from './lines.ts';
import type { YamlNode, Places } from './places.ts';
import { syntaxWords, type SyntaxWords } from './syntax-words.ts';

interface Read {
  readonly document: Document.Parsed;
  readonly lines: SourceLines;
  readonly places: Places;
}

/** The problem of a syntax mistake, with a hint at the correction. */
export function syntaxProblem({ message, pos }: YAMLError, { document, lines, places }: Read): Problem {
  const [start, end] = openingOf(document, message, pos);
  const { line, column } = places.positionAt(start);
  const text = lines.texts[line - 1] ?? '';
  const { message: words, hint } = unquotedTemplate(text) ?? syntaxWords(message, text, column);
  return places.problemAt({ start, end }, [], words, hint);
}

/** For a missing end, the place of the opening quote or bracket; otherwise the place where the parser stopped. */
function openingOf(document: Document.Parsed, message: string, pos: [number, number]): readonly [number, number] {
  if (/^Missing closing \W?quote/.test(message)) return lastQuote(document, pos);
  return /end with a [\]}]$/.test(message) ? lastFlow(document, pos) : pos;
}

/** `title: {{ balance }} left` without quotes: YAML takes the braces for maps. */
function unquotedTemplate(written: string): SyntaxWords | undefined {
  const key = /(?:^[\s-]{0,99}|[{,]\s{0,99})([\w-]{1,99}):\s{1,99}(?=\{\{)/.exec(written);
  if (key === null) return undefined;
  const rest = written.slice(key.index + key[0].length, key.index + key[0].length + MOST_QUOTED);
  const value = /^[\s-]/.test(key[0]) || key.index === 0 ? rest : withinMap(rest);
  return { message: 'text that begins with {{ needs quotes', hint: `Write ${key[1] ?? ''}: '${value.trimEnd()}'.` };
}

/** The text up to the next key, or to the end of the map. */
function withinMap(text: string): string {
  const braces = text.lastIndexOf('}}', text.search(/,|$/)) + 2;
  return text.slice(0, braces) + (/^[^,}]*/.exec(text.slice(braces))?.[0] ?? '');
}

/** The place of an opening quote that is never closed. */
function lastQuote(document: Document.Parsed, end: readonly [number, number]): readonly [number, number] {
  let at = end;
  visit(document, {
    Scalar: (_key, { type, range }) => {
      if (type?.startsWith('QUOTE') === true && range !== undefined && range !== null) at = [range[0], range[0] + 1];
    },
  });
  return at;
}

/** The opening bracket of the innermost { } or [ ] that ends at the error. */
function lastFlow(document: Document.Parsed, pos: readonly [number, number]): readonly [number, number] {
  let at = pos;
  for (let node = document.contents as YamlNode; node !== undefined; node = lastBefore(node, pos[0]))
    if (isCollection(node) && node.flow === true && node.range[1] === pos[0]) at = [node.range[0], node.range[0] + 1];
  return at;
}

/** The last part of a map or a list that begins before the offset. */
function lastBefore(node: YamlNode, offset: number): YamlNode {
  const parts = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : isSeq(node) ? node.items : [];
  return (parts as readonly YamlNode[]).findLast((part) => part?.range !== undefined && part.range[0] < offset);
}

/** A key and its value, as the parser has them. */
export interface Pair {
  readonly key: unknown;
  readonly value: unknown;
}

/**
 * `{ while: balance < 1,000,000 }`: YAML ends the value at the comma and reads the digits behind it as keys. Returns
 * the text to write instead, and the index of the first pair that is no real pair.
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

const MOST_QUOTED = 80;
