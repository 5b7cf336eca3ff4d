/** How deep a document may be nested. */
export const DEEPEST = 50;

/** Counts brackets and indentation line by line, so that the parser never sees what would overflow its stack. */
export function tooDeep(lines: readonly string[]): { line: number; column: number } | undefined {
  const indents: number[] = [];
  let open = 0;
  for (const [index, text] of lines.entries()) {
    const isPlain = !MARKED.test(text);
    const line = isPlain ? text : text.replace(ASIDE, (aside) => ' '.repeat(aside.length));
    const indent = line.length - line.trimStart().length;
    if (indent === line.length) continue;
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent) indents.pop();
    indents.push(indent);
    const marks = /^[ \t]*(?:[-?:][ \t]+)*/.exec(line)?.[0].replace(/[ \t]/g, '').length ?? 0;
    if (indents.length + marks > DEEPEST) return { line: index + 1, column: indent + 1 };
    if (isPlain) continue;
    for (const { index: at, 0: bracket } of line.matchAll(BRACKET)) {
      open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
      if (open > DEEPEST) return { line: index + 1, column: at + 1 };
    }
  }
  return undefined;
}

/** Most lines hold nothing that could nest, or hide what nests. */
const MARKED = /["'#&![\]{}]/;
/** Texts in quotes, comments, anchors and tags: no bracket in or before them means anything else. */
const ASIDE = /"(?:[^"\\]|\\.)*"|'[^']*'|(?<=^|\s)#.*$|(?<=^|[\s[{,])[&!][^\s[\]{},]*/g;
/** Brackets that open a list or map, and all that close: one in the middle of a plain text opens nothing. */
const BRACKET = /(?<=(?:^|[[{,]|[-?:]\s)\s*)[[{]|[\]}]/g;
