// Finds rule files. The only part of loading that reads directories.
import { globSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Config, ReadFile } from '../config/model.ts';
import { fileProblem, reasonOf, sortProblems, type Problem } from '../config/problem.ts';
import { isBelow, isInside } from '../lib/files/inside.ts';
import type { ReadBounds } from '../lib/files/regular-file.ts';
import type { RuleFile } from './load.ts';

export interface RuleFiles {
  readonly files: readonly RuleFile[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

const MOST_FILES = 1000;
/** The limit for all files together. */
const MOST_BYTES = 32 * 1024 * 1024;
const UNREADABLE = 'Put a file that the daemon may read at this path, or remove the path from the rules.';

/** Test files lie beside the rules that they test; they are no rules. */
function isTestFile(path: string): boolean {
  return /\.test\.ya?ml$/.test(path);
}

/** The files that `rules:` names, in the order of their paths. A pattern without a match is a problem. */
export function readRuleFiles(config: Config, readFile: ReadFile, list: ListFiles = listFiles): RuleFiles {
  const problems: Problem[] = [];
  const paths = new Set<string>();
  const expanded = config.rules.map((pattern) => ({ pattern, ...expandPattern(config.directory, pattern, list) }));
  for (const [i, { pattern, found, misnamed }] of expanded.entries()) {
    const complain = (message: string, hint?: string): void => {
      problems.push(config.source.problem(['rules', i], { message, hint }));
    };
    if (found.length === 0) complain(`no rule file matches "${pattern}"`, emptyHint(config, misnamed));
    if (found.length > MOST_FILES) complain(`more than ${MOST_FILES} files match "${pattern}"`);
    const outside: string[] = [];
    for (const path of found.slice(0, MOST_FILES))
      if (isInside(config.directory, path)) paths.add(path);
      else outside.push(relative(config.directory, path));
    if (outside.length > 0)
      complain(`${countedFrom(outside)} outside of the config's directory`, 'Keep rules below it.');
  }
  const named = [...paths].toSorted().map((path) => ({ file: shownPath(config, path), path }));
  const read = readEach(named, (path) => readFile(path, { refusal: refusalOf(config) }));
  const warnings = expanded.flatMap(({ pattern, misnamed }, i) => {
    const path = misnamed.find((one) => !paths.has(one));
    const message = `"${pattern}" does not match a file that ends in .yml`;
    return path === undefined ? [] : [config.source.problem(['rules', i], { message, hint: renameHint(config, path) })];
  });
  return { ...read, problems: sortProblems([...problems, ...read.problems]), warnings };
}

/** `a.yaml is`, `a.yaml and 2 more are` */
function countedFrom([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;
}

/**
 * A link among the rules may lead to any file. So the real path must lie below the config's directory and end like a
 * rule file. This is checked at reading time, because a path may be replaced after the files were listed.
 */
function refusalOf({ directory }: Config): ReadBounds['refusal'] {
  return (realPath) => {
    if (!isBelow(directory, realPath)) return "it is outside of the config's directory";
    return /\.ya?ml$/.test(realPath) ? null : 'its name ends neither in .yaml nor in .yml';
  };
}

function emptyHint(config: Config, [misnamed]: readonly string[]): string {
  return misnamed === undefined ? `Looked in ${config.directory}.` : renameHint(config, misnamed);
}

/** Reads files that are named one by one, as on a command line, in place of the files of the config. */
export function readNamedFiles(paths: readonly string[], readFile: ReadFile): RuleFiles {
  return readEach(
    paths.map((file) => ({ file, path: resolve(file) })),
    readFile,
  );
}

const TOO_LARGE = `the rule files up to this one are larger than ${MOST_BYTES / 1024 / 1024} MiB`;

/** `file` is how a path is shown. */
function readEach(
  named: readonly { readonly file: string; readonly path: string }[],
  readFile: (path: string) => string,
): RuleFiles {
  const files: RuleFile[] = [];
  const problems: Problem[] = [];
  let left = MOST_BYTES;
  for (const { file, path } of named) {
    try {
      const text = readFile(path);
      left -= Buffer.byteLength(text);
      if (left >= 0) files.push({ file, text });
    } catch (error) {
      problems.push(fileProblem(file, `cannot be read: ${reasonOf(error)}`, UNREADABLE));
    }
    if (left < 0) {
      problems.push(fileProblem(file, TOO_LARGE, 'Replace similar rules by one rule for a group of addresses.'));
      break;
    }
  }
  return { files, problems: sortProblems(problems), warnings: [] };
}

/** The paths that a pattern matches: absolute if the pattern is absolute, else relative to the directory. */
export type ListFiles = (pattern: string, directory: string) => readonly string[];

export const listFiles: ListFiles = (pattern, directory) => globSync(pattern, { cwd: directory });

interface Expanded {
  readonly found: readonly string[];
  /** Files such as `rules/b.yml` for `rules/*.yaml`. They are YAML too, but the pattern leaves them out. */
  readonly misnamed: readonly string[];
}

/** Lists both endings with one search, since the daemon does this often. */
function expandPattern(directory: string, pattern: string, list: ListFiles): Expanded {
  const paths = list(pattern.replace(/\*\.yaml$/, '*.{yaml,yml}'), directory)
    .map((path) => (isAbsolute(path) ? path : join(directory, path)))
    .filter((path) => !isTestFile(path))
    .toSorted();
  const isMisnamed = (path: string): boolean => pattern.endsWith('*.yaml') && path.endsWith('.yml');
  return { found: paths.filter((path) => !isMisnamed(path)), misnamed: paths.filter(isMisnamed) };
}

function renameHint(config: Config, path: string): string {
  return `Rename ${shownPath(config, path)} to .yaml.`;
}

function shownPath({ directory }: Config, path: string): string {
  return relative(directory, path).split(sep).join('/');
}
