import { dirname } from 'node:path';
import { formatProblems, reasonOf, sortProblems, type Problem } from '../../config/problem.ts';
import { notifiers } from '../../notifiers/index.ts';
import { findTestFiles } from '../../rule-tests/reading/find.ts';
import { toJUnit } from '../../rule-tests/reporting/junit.ts';
import { loadRuleTests } from '../../rule-tests/reading/load.ts';
import type { RuleTest } from '../../rule-tests/model.ts';
import { headline, resultOf, type TestResult } from '../../rule-tests/reporting/report.ts';
import { runRuleTest } from '../../rule-tests/run.ts';
import { isInside } from '../../lib/files/inside.ts';
import { kinds } from '../../watches/index.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export interface TestOptions {
  readonly junit?: string;
  readonly only?: string;
}

/** Runs the tests beside the rules: no network, no state file, and nothing is sent. */
export async function test(terminal: Terminal, paths: readonly string[], options: TestOptions): Promise<number> {
  const { tests, problems } = load(terminal, filesOf(paths.length === 0 ? ['rules'] : paths));
  const chosen = tests.filter(({ name }) => isMeant(name, options.only));
  if (chosen.length === 0 && problems.length === 0)
    throw new CommandError(EXIT.problems, `no test has "${options.only ?? ''}" in its name`);
  const results: TestResult[] = [];
  for (const test of chosen) {
    const result = resultOf(test, await runRuleTest(test));
    print(terminal, result);
    results.push(result);
  }
  if (problems.length > 0) terminal.err(`${formatProblems(problems)}\n`);
  terminal.out(summaryOf(results, problems));
  if (options.junit !== undefined) write(terminal, options.junit, toJUnit(results, problems));
  return problems.length === 0 && results.every(({ isOk }) => isOk) ? EXIT.ok : EXIT.problems;
}

function filesOf(paths: readonly string[]): readonly string[] {
  const found = findTestFiles(paths);
  if ('complaint' in found) throw new CommandError(EXIT.usage, found.complaint);
  if (found.files.length === 0)
    throw new CommandError(EXIT.problems, `no file in ${paths.join(', ')} ends in .test.yaml`);
  return found.files;
}

/** Returns all problems of all files. Tests that load are run anyway. */
function load(terminal: Terminal, files: readonly string[]): { tests: RuleTest[]; problems: Problem[] } {
  const loaded = files.map((file) =>
    loadRuleTests(file, {
      env: terminal.env,
      readFile: terminal.readFile,
      notifiers,
      kinds,
      mayShow: (path) => isInside('.', path) || isInside(dirname(file), path),
    }),
  );
  return {
    tests: loaded.flatMap(({ tests }) => tests),
    problems: sortProblems(loaded.flatMap(({ problems }) => problems)),
  };
}

function isMeant(name: string, only: string | undefined): boolean {
  return only === undefined || name.toLowerCase().includes(only.toLowerCase());
}

function print(terminal: Terminal, result: TestResult): void {
  terminal.out(headline(result));
  for (const line of result.details) terminal.out(`        ${line}`);
}

function write(terminal: Terminal, file: string, text: string): void {
  try {
    terminal.writeFile(file, text);
  } catch (error) {
    throw new CommandError(EXIT.usage, `--junit: "${file}" cannot be written: ${reasonOf(error)}`);
  }
}

function summaryOf(results: readonly TestResult[], problems: readonly Problem[]): string {
  const failed = results.filter(({ isOk }) => !isOk).length;
  const broken = problems.length === 0 ? '' : `, ${counted(problems.length, 'problem')} in files that were not run`;
  return `${counted(results.length, 'test')}: ${results.length - failed} ok, ${failed} failed${broken}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
