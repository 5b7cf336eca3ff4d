// The language of comments and strings, found in texts of files.

export interface Comment {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Without its signs, on one line. */
  readonly text: string;
}

/** Lines of `//` below each other are one comment, and so is a docstring. */
const COMMENT = /(?:^[ \t]*\/\/.*\n?)+|\/\*\*[\s\S]*?\*\//gm;

/** Comments, and strings on one line or between backticks. */
const WORDS =
  /(?:^[ \t]*\/\/.*\n?)+|\/\*\*[\s\S]*?\*\/|\/\/ .*$|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gm;

const RELATIVE = /^(?:What|Who|Whom|Whose|Whoever|Whatever|Which|Of|Those|That|For who)\b/;

const FIXED_PHRASES = [
  /anew/,
  /all the same/,
  /whoever/,
  /for who/,
  /in life/,
  /who looks at/,
  /nobody has to/,
  /only explains/,
  /stands alone/,
  /tells? nobody/,
  /takes? nothing/,
  /closed by who/,
  /fits no value/,
  /no value looks/,
  /cannot tell groups/,
  /asked again in/,
];
const PHRASE = new RegExp(`\\b(?:${FIXED_PHRASES.map(({ source }) => source).join('|')})\\b`, 'gi');

/** The number of a section: after that word, after a word for a document, or at the start of a comment. */
const REFERENCE = /§ ?\d|\bsections? \d|\b(?:specification|facts|design) \d|^[1-9]\.\d+(?=$|[:;,]| `)/gi;

/** A document that anybody can open. */
const DOCUMENT = /\b(?:RFC|ECMA|EIP|ERC|ISO|IEEE)[- ]?\d+|\bdocs\/[\w-]+\.md\b|https?:\/\/|\bFIPS\b/;

export function commentsIn(file: string, text: string): Comment[] {
  return [...text.matchAll(COMMENT)].flatMap(({ 0: written, index }) => {
    const plain = withoutSigns(written);
    const isForReaders = plain !== '' && !/^(?:eslint|@|#)/.test(plain);
    return isForReaders ? [{ file, line: lineAt(text, index), text: plain }] : [];
  });
}

function withoutSigns(comment: string): string {
  const text = comment.replace(/^[ \t]*\/\/ ?/gm, '').replace(/^\s*\/\*\*|\*\/$|^\s*\* ?/gm, '');
  return text.replace(/\s+/g, ' ').trim();
}

/** Comments that open with a relative clause in place of the fact. */
export function relativeOpenings(comments: readonly Comment[]): string[] {
  return comments.filter(({ text }) => RELATIVE.test(text)).map(place);
}

/** Numbers of sections without the name of a document that is public or in `docs/`. */
export function bareReferences(comments: readonly Comment[]): string[] {
  return comments
    .filter(({ text }) => !DOCUMENT.test(text))
    .flatMap((comment) => [...comment.text.matchAll(REFERENCE)].map(() => place(comment)));
}

function place({ file, line, text }: Comment): string {
  return `${file}:${line}: ${text.slice(0, 100)}`;
}

/** Phrases of `FIXED_PHRASES`, in comments and strings. */
export function fixedPhrases(file: string, text: string): string[] {
  return [...text.matchAll(WORDS)].flatMap(({ 0: words, index }) =>
    [...words.matchAll(PHRASE)].map((found) => `${file}:${lineAt(text, index + found.index)}: ${found[0]}`),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
