import { formatProblems, reasonOf, sortProblems, type Problem } from '../config/problem.ts';
import { notifiers } from '../notifiers/index.ts';
import { findTestFiles } from '../trial/find.ts';
import { toJUnit } from '../trial/junit.ts';
import { loadTrials } from '../trial/load.ts';
import type { Trial } from '../trial/model.ts';
import { headline, judge, type Verdict } from '../trial/report.ts';
import { runTrial } from '../trial/run.ts';
import { kinds } from '../watches/index.ts';
import { CommandError, EXIT } from './exit.ts';
import type { Terminal } from './terminal.ts';

export interface TestOptions {
  readonly junit?: string;
  readonly only?: string;
}

/** Runs the tests beside the rules: no network, no state file, and nothing is sent. */
export async function test(terminal: Terminal, paths: readonly string[], options: TestOptions): Promise<number> {
  const { trials, problems } = load(terminal, filesOf(paths.length === 0 ? ['rules'] : paths));
  const chosen = trials.filter(({ name }) => isMeant(name, options.only));
  if (chosen.length === 0 && problems.length === 0)
    throw new CommandError(EXIT.problems, `no test has "${options.only ?? ''}" in its name`);
  const verdicts: Verdict[] = [];
  for (const trial of chosen) {
    const verdict = judge(trial, await runTrial(trial));
    print(terminal, verdict);
    verdicts.push(verdict);
  }
  if (problems.length > 0) terminal.err(`${formatProblems(problems)}\n`);
  terminal.out(summaryOf(verdicts, problems));
  if (options.junit !== undefined) write(terminal, options.junit, toJUnit(verdicts, problems));
  return problems.length === 0 && verdicts.every(({ isOk }) => isOk) ? EXIT.ok : EXIT.problems;
}

function filesOf(paths: readonly string[]): readonly string[] {
  const found = findTestFiles(paths);
  if ('complaint' in found) throw new CommandError(EXIT.usage, found.complaint);
  if (found.files.length === 0)
    throw new CommandError(EXIT.problems, `no file in ${paths.join(', ')} ends in .test.yaml`);
  return found.files;
}

/** All problems of all files; what loads is run all the same. */
function load(terminal: Terminal, files: readonly string[]): { trials: Trial[]; problems: Problem[] } {
  const loaded = files.map((file) =>
    loadTrials(file, { env: terminal.env, readFile: terminal.readFile, notifiers, kinds }),
  );
  return {
    trials: loaded.flatMap(({ trials }) => trials),
    problems: sortProblems(loaded.flatMap(({ problems }) => problems)),
  };
}

function isMeant(name: string, only: string | undefined): boolean {
  return only === undefined || name.toLowerCase().includes(only.toLowerCase());
}

function print(terminal: Terminal, verdict: Verdict): void {
  terminal.out(headline(verdict));
  for (const line of verdict.details) terminal.out(`        ${line}`);
}

function write(terminal: Terminal, file: string, text: string): void {
  try {
    terminal.writeFile(file, text);
  } catch (error) {
    throw new CommandError(EXIT.usage, `--junit: "${file}" cannot be written: ${reasonOf(error)}`);
  }
}

function summaryOf(verdicts: readonly Verdict[], problems: readonly Problem[]): string {
  const failed = verdicts.filter(({ isOk }) => !isOk).length;
  const broken = problems.length === 0 ? '' : `, ${counted(problems.length, 'problem')} in files that were not run`;
  return `${counted(verdicts.length, 'test')}: ${verdicts.length - failed} ok, ${failed} failed${broken}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
