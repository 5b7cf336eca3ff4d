// Problems of files that people write: the mistake, its place, and what to do.
import { FileRefused } from '../lib/files/regular-file.ts';

export interface Problem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
  /** The place in the document, such as `watches[0].alerts[1].if`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
  /** The line of the place and the one before it, with carets below; empty if there is no line to show. */
  readonly frame: string;
  /** The environment variable or file of a secret that is absent here. Another machine or another user may have it. */
  readonly absent?: string;
  /** The number of problems beyond the first 100 of the file; set only on the entry that replaces them. */
  readonly more?: number;
}

/** The place of a mistake in a text, as offsets; `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** A problem of a file as a whole: it is missing or cannot be read, so there is no line to show. */
export function fileProblem(file: string, message: string, hint?: string): Problem {
  return { file, line: 1, column: 1, path: '', message, frame: '', ...(hint === undefined ? {} : { hint }) };
}

/** The short reason of a failed read: `no such file`, never a stack. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileRefused) return error.message;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return READ_ERRORS[code] ?? (code === '' ? 'unknown reason' : code);
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  ENOTDIR: 'no such file',
  ENAMETOOLONG: 'no such file',
  ELOOP: 'it is a link to itself',
  ENXIO: 'it is a socket or a device, and only regular files are read',
  ENODEV: 'it is a device, and only regular files are read',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk does not answer',
};

/** All problems, in the order of file and place, as `check` and the log print them. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(formatProblem).join('\n\n');
}

/** Formats warnings about possible mistakes like problems. */
export function formatWarnings(warnings: readonly Problem[]): string {
  return warnings.map((warning) => `warning: ${formatProblem(warning)}`).join('\n\n');
}

function formatProblem(problem: Problem): string {
  const { frame } = problem;
  return frame === '' ? summarize(problem) : `${summarize(problem)}\n${frame}`;
}

/** One line: `rules/treasury.yaml:10:9 watches[0].of: no address "tresury". Did you mean treasury?` */
export function summarize({ file, line, column, path, message, hint, more }: Problem): string {
  if (more !== undefined) return `${file}: ${message}. ${hint ?? ''}`;
  const where = `${file}:${line}:${column}${path === '' ? '' : ` ${path}`}`;
  return `${where}: ${message}${hint === undefined ? '' : `. ${hint}`}`;
}

/**
 * Sorts by file and place and removes duplicates. For each file it keeps the first 100 and the number of the others.
 */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const sorted = problems.toSorted(
    (a, b) =>
      compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.message, b.message),
  );
  // An alias or a shared text can cause the same problem at the same place twice.
  return capped(sorted.filter((problem, i) => i === 0 || !isSame(problem, sorted[i - 1])));
}

function isSame(a: Problem, b: Problem | undefined): boolean {
  return a.message === b?.message && summarize(a) === summarize(b);
}

const MOST_OF_FILE = 100;

/** `sorted` is ordered by file. Entries with `more` from an earlier call are added up. */
function capped(sorted: readonly Problem[]): Problem[] {
  const files = Map.groupBy(sorted, ({ file }) => file);
  return [...files].flatMap(([file, all]) => {
    const own = all.filter(({ more }) => more === undefined);
    const beyond = Math.max(0, own.length - MOST_OF_FILE);
    const more = all.reduce((sum, problem) => sum + (problem.more ?? 0), beyond);
    return more === 0 ? own : [...own.slice(0, MOST_OF_FILE), restOf(file, more)];
  });
}

/** One entry for the problems of a file that are counted but not shown. */
export function restOf(file: string, more: number): Problem {
  const what = more === 1 ? 'problem' : 'problems';
  return { ...fileProblem(file, `${more} more ${what} in this file`, 'Mend the first ones, then check again.'), more };
}

/** Compares by code unit, so that the order is the same on every machine. */
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// A frame is printed and logged, so it must not move the cursor of a terminal, or show a secret that is in the file.
// Each replacement keeps the length, so that the caret stays at its place. The expressions take time in proportion to
// the line, since a file may be one line of 1 MiB.
/** Makes a line of a file safe for printing. Its length stays the same. */
export function visible(line: string): string {
  const hidden = seen(line.replace(/\t/g, ' ')).replace(
    SECRET,
    (_all, key: string, value: string) => key + stars(value),
  );
  return withoutKeys(hidden).replace(ANYWHERE, stars);
}

// Matches secrets at any place of a line: the path of a URL, secrets for signing webhooks, tokens of chats, long texts
// after `token:`, and values after `secret=`, `password=`, `key=` and `token=`.
const ANYWHERE =
  /(?<=https?:\/\/[^\s/"']+\/)[^\s"'?},\]]{8,}|whsec_[^\s"'},\]]+|\bxox[a-z]-[\w-]+|\b\d{6,20}:[\w-]{20,}|\btk_\w{8,}|(?<=\btoken["']?\s{0,9}:\s{0,9}["']?)(?!0x)[^\s"'{}[\],]{20,}|(?<=(?:secret|password|key|token)=)[^\s"'},\]=]+/gi;

/** Masks the credentials and the parameter values of a URL. */
export function withoutKeys(text: string): string {
  return text
    .replace(/([?&][\w.-]+=)([^\s&"'},]+)/g, (_all, name: string, value: string) => name + stars(value))
    .replace(/(?<=:\/\/)[^\s/@"']+(?=@)/g, stars);
}

function stars(value: string): string {
  return '*'.repeat(value.length);
}

/** Text of a file for printing: invisible and control characters are shown as a box. */
export function seen(text: string): string {
  return text.replace(UNSEEN, '\u{fffd}');
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;
const SECRET =
  /((?<![\w-])["']?(?:[\w-]*(?:secret|pass|passwo?r?d|key|credentials?|authorization|cookie)|x-(?=[\w-]*(?:key|token|auth))[\w-]*|smtp|url)["']?\s*:\s*)(?![{[])([^\s,}][^\s,}]*)/gi;
