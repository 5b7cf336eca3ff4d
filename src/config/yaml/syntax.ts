// What the parser complains of, said so that people can mend it.
import { visit, type Document, type YAMLError } from 'yaml';
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
  const key = /^[\s-]{0,99}([\w-]{1,99}):\s{1,99}(?=\{\{)/.exec(written);
  if (key === null) return undefined;
  const value = written.slice(key[0].length, key[0].length + MOST_QUOTED).trimEnd();
  return { message: 'text that begins with {{ needs quotes', hint: `Write ${key[1] ?? ''}: '${value}'.` };
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

const UNEVEN = { message: 'this is not indented like its neighbours', hint: undefined };
const MOST_QUOTED = 80;

interface SyntaxWords {
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
