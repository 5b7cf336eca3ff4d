// Test files as texts, run as the command runs them.
import { notifiers } from '../../../src/notifiers/index.ts';
import { loadRuleTests, type LoadedRuleTests } from '../../../src/rule-tests/reading/load.ts';
import { resultOf, type TestResult } from '../../../src/rule-tests/reporting/report.ts';
import { runRuleTest } from '../../../src/rule-tests/run.ts';
import type { RuleTestRun } from '../../../src/rule-tests/run-watch.ts';
import { kinds } from '../../../src/watches/index.ts';

export type Files = Readonly<Record<string, string>>;

/** Loads `rules/x.test.yaml` with what lies beside it. */
export function load(text: string, files: Files = {}, kindsKnown = kinds): LoadedRuleTests {
  const all: Files = { 'rules/x.test.yaml': text, ...files };
  const readFile = (path: string): string => {
    const found = Object.entries(all).find(([name]) => path === name || path.endsWith(`/${name}`))?.[1];
    if (found !== undefined) return found;
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
  };
  return loadRuleTests('rules/x.test.yaml', { env: {}, readFile, notifiers, kinds: kindsKnown, mayShow: () => true });
}

/** Runs every test of the file; throws when it has problems. */
export async function run(text: string, files: Files = {}): Promise<{ results: TestResult[]; runs: RuleTestRun[] }> {
  const { tests, problems } = load(text, files);
  if (problems.length > 0) throw new Error(problems.map(({ message, path }) => `${path}: ${message}`).join('\n'));
  const runs = await Promise.all(tests.map(runRuleTest));
  return { runs, results: tests.map((trial, i) => resultOf(trial, runs[i] ?? { polls: [], sent: [], broken: null })) };
}

/** The details of all tests of the file that failed, as they are printed; empty when all went well. */
export async function failuresOf(text: string, files: Files = {}): Promise<string> {
  return (await run(text, files)).results.flatMap(({ details }) => details).join('\n');
}

/** A rule file with one watch; `alerts` in YAML's flow form. */
export function ruleOf(watch: string, alerts: string): string {
  return `watches: [{ id: w, ${watch}, alerts: [${alerts}] }]\n`;
}

/** A test file with one test of the watch `w`. */
export function testOf(saw: readonly string[], expect: readonly string[] = [], more = ''): string {
  const list = (rows: readonly string[]) =>
    rows.length === 0 ? ' []' : rows.map((row) => `\n      - ${row}`).join('');
  return `rules: rules.yaml\ntests:\n  - name: a story\n    watch: w${more}\n    saw:${list(saw)}\n    expect:${list(expect)}\n`;
}
