// Limits on a file's text, checked before it is parsed. Deep nesting would overflow the parser's stack, and parsing
// time grows with the number of marks. Each check takes time in proportion to the text.

/** The greatest depth of a document. */
export const DEEPEST = 50;
/**
 * The limit of line ends and YAML marks in one file. A file with about 4,000 rules reaches it, and the parser takes
 * half a second for such a file.
 */
export const MOST_MARKS = 80_000;

export interface Excess {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

/** The place where a text exceeds the limits of the parser; undefined if the text is within them. */
export function excessIn(lines: readonly string[]): Excess | undefined {
  return tooManyMarks(lines) ?? tooDeep(lines);
}

/** The number of lines and marks of a text. */
export function countMarks(text: string): number {
  return 1 + (text.match(MARK_OR_END)?.length ?? 0);
}

function tooManyMarks(lines: readonly string[]): Excess | undefined {
  let marks = 0;
  for (const [index, line] of lines.entries()) {
    marks += 1 + marksIn(line);
    if (marks > MOST_MARKS) return { line: index + 1, column: 1, ...TOO_MANY };
  }
  return undefined;
}

/**
 * Counts quotes, backslashes, brackets and commas at any place, `- ? :` before white space, and `& * ! #` after white
 * space, `[`, `{` or `,`.
 */
function marksIn(line: string): number {
  return line.match(MARK)?.length ?? 0;
}

const MARK = /["'\\[\]{},]|[-?:](?!\S)|(?<![^\s[{,])[&*!#]/g;
const MARK_OR_END = new RegExp(`${MARK.source}|\\n`, 'g');
const TOO_MANY = {
  message: `more than ${MOST_MARKS} line ends and marks such as ":", "-" and ","`,
  hint: 'Split it into several files.',
};

function tooDeep(lines: readonly string[]): Excess | undefined {
  const indents: number[] = [];
  let open = 0;
  for (const [index, line] of lines.entries()) {
    const code = codeOf(line);
    const indent = code.length - code.trimStart().length;
    if (indent === code.length) continue;
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
    indents.push(indent);
    if (indents.length + leadingMarks(code) > DEEPEST)
      return { line: index + 1, column: indent + 1, message: TOO_DEEP };
    for (const { at, opens } of bracketsIn(code)) {
      open = opens ? open + 1 : Math.max(0, open - 1);
      if (open > DEEPEST) return { line: index + 1, column: at + 1, message: TOO_DEEP };
    }
  }
  return undefined;
}

const TOO_DEEP = `nested more than ${DEEPEST} levels deep`;

/** The number of marks at the start of a line that each open a list or a map: `- - ? a` has three. */
function leadingMarks(code: string): number {
  return /^[ \t]*(?:[-?:][ \t]+)*/.exec(code)?.[0].replace(/[ \t]/g, '').length ?? 0;
}

/** The line with blanks in place of parts that cannot nest: texts in quotes, comments, anchors and tags. */
function codeOf(line: string): string {
  if (!/["'#&!]/.test(line)) return line;
  const unclosed = new Set<string>();
  let code = '';
  let from = 0;
  for (let at = 0; at < line.length; at++) {
    const end = asideEnd(line, at, unclosed);
    if (end === at) continue;
    code += line.slice(from, at) + ' '.repeat(end - at);
    from = end;
    at = end - 1;
  }
  return code + line.slice(from);
}

/**
 * The end of the quoted text, comment, anchor or tag that begins at `at`; `at` if none begins there, or if it has no
 * end.
 */
function asideEnd(line: string, at: number, unclosed: Set<string>): number {
  const mark = line[at] ?? '';
  const before = at === 0 ? ' ' : (line[at - 1] ?? '');
  if (mark === '"' || mark === "'") return unclosed.has(mark) ? at : quotedEnd(line, at, unclosed);
  if (mark === '#' && /\s/.test(before)) return line.length;
  if ((mark === '&' || mark === '!') && /[\s[{,]/.test(before)) return wordEnd(line, at + 1);
  return at;
}

/**
 * A quote without an end is added to `unclosed`. So the rest of the line is searched for its end only once, however
 * many further quotes of this kind follow.
 */
function quotedEnd(line: string, start: number, unclosed: Set<string>): number {
  const quote = line[start] ?? '';
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === quote) return at + 1;
    if (line[at] === '\\' && quote === '"') at++;
  }
  unclosed.add(quote);
  return start;
}

function wordEnd(line: string, start: number): number {
  let at = start;
  while (at < line.length && !/[\s[\]{},]/.test(line[at] ?? '')) at++;
  return at;
}

interface Bracket {
  readonly at: number;
  readonly opens: boolean;
}

/**
 * Opening brackets where a value may begin, and all closing brackets. A bracket in the middle of a plain text opens
 * nothing.
 */
function bracketsIn(code: string): Bracket[] {
  if (!/[[\]{}]/.test(code)) return [];
  const found: Bracket[] = [];
  // True if a value may begin here: at the start of the line, behind `[`, `{` and `,`, and behind `- `, `? ` and `: `.
  let mayOpen = true;
  for (let at = 0; at < code.length; at++) {
    const mark = code[at] ?? '';
    const isOpening = mark === '[' || mark === '{';
    if ((isOpening && mayOpen) || mark === ']' || mark === '}') found.push({ at, opens: isOpening });
    mayOpen = /\s/.test(mark) ? mayOpen || /[-?:]/.test(code[at - 1] ?? '') : /[[{,]/.test(mark);
  }
  return found;
}
