// Finds rule files. The only part of loading that reads directories.
import { globSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config, ReadFile } from '../config/model.ts';
import { fileProblem, reasonOf, sortProblems, type Problem } from '../config/problem.ts';
import { isInside } from '../lib/inside.ts';
import type { RuleFile } from './load.ts';

export interface RuleFiles {
  readonly files: readonly RuleFile[];
  readonly problems: readonly Problem[];
}

interface FoundRuleFiles extends RuleFiles {
  readonly warnings: readonly Problem[];
}

const MOST_FILES = 1000;
const UNREADABLE = 'Put a file there that the daemon may read, or take it out of the rules.';

/** Test files lie beside the rules that they test; they are no rules. */
function isTestFile(path: string): boolean {
  return /\.test\.ya?ml$/.test(path);
}

/** The files that `rules:` names, in the order of their paths. A pattern without a match is a problem. */
export function readRuleFiles(config: Config, readFile: ReadFile, list: ListFiles = listFiles): FoundRuleFiles {
  const problems: Problem[] = [];
  const paths = new Set<string>();
  for (const [i, pattern] of config.rules.entries()) {
    const complain = (message: string, hint?: string): void => {
      problems.push(config.source.problem(['rules', i], { message, hint }));
    };
    const found = expandPattern(config.directory, pattern, list);
    if (found.length === 0) complain(`no rule file matches "${pattern}"`, emptyHint(config, pattern, list));
    if (found.length > MOST_FILES) complain(`more than ${MOST_FILES} files match "${pattern}"`);
    for (const path of found.slice(0, MOST_FILES))
      if (isInside(config.directory, path)) paths.add(path);
      else complain(`${relative(config.directory, path)} is outside of the config's directory`, 'Keep rules below it.');
  }
  const named = [...paths].toSorted().map((path) => ({ file: shownPath(config, path), path }));
  const read = readEach(named, readFile);
  const all = sortProblems([...problems, ...read.problems]);
  return { files: read.files, problems: all, warnings: leftOut(config, paths, list) };
}

function emptyHint(config: Config, pattern: string, list: ListFiles): string {
  const [misnamed] = withOtherEnding(config.directory, pattern, list);
  return misnamed === undefined ? `Looked in ${config.directory}.` : renameHint(config, misnamed);
}

function leftOut(config: Config, paths: ReadonlySet<string>, list: ListFiles): Problem[] {
  return config.rules.flatMap((pattern, i) => {
    const path = withOtherEnding(config.directory, pattern, list).find((one) => !paths.has(one));
    if (path === undefined) return [];
    const message = `"${pattern}" leaves out a file that is there`;
    return [config.source.problem(['rules', i], { message, hint: renameHint(config, path) })];
  });
}

/** Files that were named one by one, as on a command line, instead of those of the config. */
export function readNamedFiles(paths: readonly string[], readFile: ReadFile): RuleFiles {
  return readEach(
    paths.map((file) => ({ file, path: resolve(file) })),
    readFile,
  );
}

/** `file` is how a path is shown. */
function readEach(named: readonly { readonly file: string; readonly path: string }[], readFile: ReadFile): RuleFiles {
  const files: RuleFile[] = [];
  const problems: Problem[] = [];
  for (const { file, path } of named)
    try {
      files.push({ file, text: readFile(path) });
    } catch (error) {
      problems.push(fileProblem(file, `cannot be read: ${reasonOf(error)}`, UNREADABLE));
    }
  return { files, problems: sortProblems(problems) };
}

/** Paths that a pattern matches, as the pattern has them: absolute, or starting at the directory. */
export type ListFiles = (pattern: string, directory: string) => readonly string[];

export const listFiles: ListFiles = (pattern, directory) => globSync(pattern, { cwd: directory });

function expandPattern(directory: string, pattern: string, list: ListFiles): readonly string[] {
  return list(pattern, directory)
    .map((path) => (isAbsolute(path) ? path : join(directory, path)))
    .filter((path) => !isTestFile(path))
    .toSorted();
}

function renameHint(config: Config, path: string): string {
  return `Rename ${shownPath(config, path)} to .yaml.`;
}

/** `rules/b.yml` beside `rules/*.yaml`: both endings are of YAML. */
function withOtherEnding(directory: string, pattern: string, list: ListFiles): readonly string[] {
  const other = pattern.replace(/\*\.yaml$/, '*.yml');
  return other === pattern ? [] : expandPattern(directory, other, list);
}

function shownPath({ directory }: Config, path: string): string {
  return relative(directory, path).split(sep).join('/');
}
