// Messages of the YAML parser in the words of people who write rules. Values are not repeated, since one may be a
// secret.
import { lowerFirst } from '../../lib/lower-first.ts';

export interface SyntaxWords {
  readonly message: string;
  readonly hint?: string;
}

/** The line where the parser stopped, split at the column of the mistake. */
interface Place {
  readonly before: string;
  /** The rest of the line. */
  readonly rest: string;
}

/** For a key that occurs twice in its map. */
export const TWIN: SyntaxWords = {
  message: 'this key is there already',
  hint: 'Remove one of them; a further item of a list begins with "- ".',
};

/** For a text with a YAML tag in front, such as !critical. */
export const TAG: SyntaxWords = {
  message: 'YAML tags are not used here',
  hint: 'Put a text that begins with "!" in quotes.',
};

/** For a text that YAML takes for an alias. */
export const ALIAS: SyntaxWords = {
  message: 'no anchor of this name stands above this alias',
  hint: 'Put a text that begins with "*" in quotes.',
};

/** `said`: the parser's message about a place in `line`; `column` is counted from 1. */
export function syntaxWords(said: string, line: string, column: number): SyntaxWords {
  const place = { before: line.slice(0, column - 1), rest: line.slice(column - 1) };
  const words = WORDS.find(([pattern]) => pattern.test(said))?.[1];
  if (words === undefined) return { message: lowerFirst(said) };
  return typeof words === 'function' ? words(place) : words;
}

const UNEVEN: SyntaxWords = {
  message: 'this is not indented like its neighbours',
  hint: 'Keys of one map begin at the same column.',
};
const NO_COMMA: SyntaxWords = { message: 'a comma is missing between two parts of { } or [ ]' };
export const NO_COLON: SyntaxWords = { message: 'a key needs a colon and a blank behind it' };

const WORDS: readonly (readonly [RegExp, SyntaxWords | ((place: Place) => SyntaxWords)])[] = [
  [/^All (?:mapping|sequence) items|^Sequence item without/, UNEVEN],
  [
    /^Source contains multiple documents/,
    { message: 'a second document starts here', hint: 'One file holds one document.' },
  ],
  [/^Tabs are not allowed/, { message: 'a tab cannot indent in YAML', hint: 'Use spaces.' }],
  [/^With stringKeys/, { message: 'a key must be text' }],
  [/^Unresolved tag/, TAG],
  [/^Nested mappings/, nested],
  [/^Implicit (?:map )?keys/, noColon],
  [/^Plain value cannot start|^Not a YAML token|^Block scalar header/, unquoted],
  [/^Unexpected (?:double-quoted-|single-quoted-)?scalar at node end/, behindQuote],
  [
    /^Unexpected flow-(?:map|seq)-end/,
    ({ rest }) => ({ message: `this ${rest.charAt(0)} closes nothing`, hint: 'Remove it.' }),
  ],
  [
    /^Unexpected block-seq-ind/,
    { message: 'a list must begin on a line of its own', hint: 'Write "- " on the next line.' },
  ],
  [/^Unexpected , in/, { message: 'a comma is too much here', hint: 'Remove it.' }],
  [/^Missing , (?:or : )?between|^Block collections are not allowed/, NO_COMMA],
  [/^Missing space after :/, NO_COLON],
  [/^Missing closing/, { message: 'this quote is never closed', hint: 'Write the second one.' }],
  [/end with a \]$/, { message: 'this [ is never closed', hint: 'Write the ] behind its last part.' }],
  [/end with a \}$/, { message: 'this { is never closed', hint: 'Write the } behind its last part.' }],
  [
    /^Comments must be separated/,
    { message: 'a blank is missing in front of the # of a comment', hint: 'Put a text with # in it in quotes.' },
  ],
  [
    /^Invalid escape sequence/,
    { message: 'there is no such escape in double quotes', hint: 'Write \\\\ for a backslash, or use single quotes.' },
  ],
];

/** For `of: treasury` with a deeper key below it, and for a second colon in a text. */
function nested({ rest }: Place): SyntaxWords {
  if (/:(?:\s|$)/.test(rest)) return { message: 'a second ": " on this line', hint: 'Put the text in quotes.' };
  return { message: 'the next line is indented deeper, and this key has a value already', hint: UNEVEN.hint ?? '' };
}

/** For `every 1m`, `every:1m`, and a key alone on its line. */
function noColon({ before, rest }: Place): SyntaxWords {
  const item = /^["']?([\w-]{1,64})\s*$/.exec(rest)?.[1];
  if (item !== undefined && /^\s*- $/.test(before))
    return { message: 'an item of this list must begin with a key', hint: `Write "- id: ${item}".` };
  const key = /^["']?([\w-]{1,64})/.exec(rest)?.[1];
  if (key === undefined) return NO_COLON;
  return { ...NO_COLON, hint: `Write "${key}: ".` };
}

/** For a text that begins with a character that has a meaning in YAML. */
function unquoted({ before, rest }: Place): SyntaxWords {
  const first = /[>|]\s{0,9}$/.exec(before)?.[0].charAt(0) ?? rest.charAt(0);
  const key = /([\w-]{1,64}):\s{0,9}[>|]?\s{0,9}$/.exec(before)?.[1];
  return {
    message: `text that begins with ${first} needs quotes`,
    hint: key === undefined ? "Write '…' around it." : `Write ${key}: '…'.`,
  };
}

/** For `'it's low'`, and for words behind a quoted text. */
function behindQuote({ before, rest }: Place): SyntaxWords {
  if (before.endsWith("'") && /^\w/.test(rest))
    return { message: 'the text ends at this quote', hint: "Within '…' a quote is written twice: ''." };
  if (/["']\s*$/.test(before))
    return { message: 'there is text behind the closing quote', hint: 'Put all of it in one pair of quotes.' };
  return { message: 'nothing more can stand on this line' };
}
