// Where a rule is written, and its text.
import type { RuntimeView } from '../view.ts';

interface Source {
  file: string;
  line: number;
  text: string | null;
}

/** `rules/treasury.yaml:17`, with the lines of the watch that begins there. */
export function sourceOf(runtime: RuntimeView, source: string): Source {
  const colon = source.lastIndexOf(':');
  const [file, line] = [source.slice(0, colon), Number(source.slice(colon + 1))];
  const text = runtime.ruleFile(file);
  return { file, line, text: text === null ? null : blockAt(text.split('\n'), line) };
}

const MOST_LINES = 100;

/** Up to the next line that is indented no more than the first one. */
function blockAt(lines: readonly string[], line: number): string | null {
  const first = lines[line - 1];
  if (first === undefined) return null;
  const indent = indentOf(first);
  const rest = lines.slice(line, line + MOST_LINES);
  const end = rest.findIndex((one) => one.trim() !== '' && indentOf(one) <= indent);
  return [first, ...(end === -1 ? rest : rest.slice(0, end))].join('\n').trimEnd();
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
