// Results as JUnit XML, for CI systems.
import type { Problem } from '../../config/problem.ts';
import { summarize } from '../../config/problem.ts';
import type { TestResult } from './report.ts';
import { subjectOf } from '../subject.ts';
import { show } from './show.ts';

/** One suite per file. A file that cannot be loaded is a suite with one error per problem. */
export function toJUnit(results: readonly TestResult[], problems: readonly Problem[]): string {
  const byFile = Map.groupBy(results, ({ test }) => test.file);
  const broken = Map.groupBy(problems, ({ file }) => file);
  const suites = [
    ...[...byFile].map(([file, of]) =>
      suite(file, of.map(testCase), { failures: of.filter(({ isOk }) => !isOk).length }),
    ),
    ...[...broken].map(([file, of]) => suite(file, of.map(errorCase), { errors: of.length })),
  ];
  const failures = results.filter(({ isOk }) => !isOk).length;
  const totals = attributes({ tests: results.length + problems.length, failures, errors: problems.length });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="chainwarden test"${totals}>\n${suites.join('')}</testsuites>\n`;
}

function suite(file: string, cases: readonly string[], counts: { failures?: number; errors?: number }): string {
  const { failures = 0, errors = 0 } = counts;
  const head = attributes({ name: file, tests: cases.length, failures, errors });
  return `  <testsuite${head}>\n${cases.join('')}  </testsuite>\n`;
}

function testCase({ test, isOk, details }: TestResult): string {
  const head = attributes({ name: show(test.name), classname: subjectOf(test).name, file: test.file, line: test.line });
  if (isOk) return `    <testcase${head}/>\n`;
  return `    <testcase${head}>\n      <failure message="not as expected">${escape(details.join('\n'))}</failure>\n    </testcase>\n`;
}

function errorCase(problem: Problem): string {
  const head = attributes({ name: 'the file loads', classname: problem.file, file: problem.file, line: problem.line });
  const text = escape(`${summarize(problem)}\n${problem.frame}`);
  return `    <testcase${head}>\n      <error message="a problem in the file">${text}</error>\n    </testcase>\n`;
}

/** Characters that XML 1.0 cannot hold become a replacement character. */
function escape(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"'\r]/g, numbered);
}

/** XML parsers turn white space in attributes into blanks, so it is written as numbers. */
function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value)).replace(/[\t\n]/g, numbered)}"`)
    .join('');
}

function numbered(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

// eslint-disable-next-line no-control-regex -- these are the characters that are meant
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
