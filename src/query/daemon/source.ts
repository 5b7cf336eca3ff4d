// The place of a rule in its file, and its text.
import type { SourcePlace } from '../shapes/common.ts';
import type { RuleFileText } from '../shapes/daemon.ts';
import type { RuntimeView } from '../view.ts';

type Sources = Pick<RuntimeView, 'config' | 'ruleFile'>;

/** `placeIn(runtime, 'rules/treasury.yaml:17') // { file: 'rules/treasury.yaml', line: 17, url: null }` */
export function placeIn({ config }: Pick<Sources, 'config'>, source: string): SourcePlace {
  const colon = source.lastIndexOf(':');
  const [file, line] = [source.slice(0, colon), Number(source.slice(colon + 1))];
  return { file, line, url: urlOf(config().http.page.sourceUrl, file, line) };
}

function urlOf(template: string | null, file: string, line: number): string | null {
  if (template === null) return null;
  const path = file.split('/').map(encodeURIComponent).join('/');
  return template.replaceAll('{file}', () => path).replaceAll('{line}', String(line));
}

/** Null: the file has no rules in force. */
export function ruleFile({ ruleFile }: Pick<Sources, 'ruleFile'>, file: string): RuleFileText | null {
  const text = ruleFile(file);
  return text === null ? null : { file, text };
}

/** The lines of the watch that begins at this place; null: this process does not have the text of the file. */
export function ruleText({ ruleFile }: Pick<Sources, 'ruleFile'>, { file, line }: SourcePlace): string | null {
  const text = ruleFile(file);
  return text === null ? null : blockAt(text.split('\n'), line);
}

const MOST_LINES = 100;

/** The line, and the lines below it that are indented more; at most 100 of these. */
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
