// The example rules are tested as their readers are told to test their own.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { findTestFiles } from '../../src/rule-tests/reading/find.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { resultOf } from '../../src/rule-tests/reporting/report.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import { subjectOf } from '../../src/rule-tests/subject.ts';
import { testsJsonSchema } from '../../src/rule-tests/schema.ts';
import { kinds } from '../../src/watches/index.ts';
import { run } from '../support/cli.ts';

const readFile = (file: string): string => readFileSync(file, 'utf8');

test('`chainwarden test rules/` goes well', async () => {
  const { code, out, err } = await run(['test', 'rules/'], { env: {} });
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^(ok .*\n)+\d+ tests: \d+ ok, 0 failed\n$/);
});

describe('every example alert', () => {
  const found = findTestFiles(['rules']);
  const files = 'files' in found ? found.files : [];
  const tests = files.flatMap(
    (file) => loadRuleTests(file, { env: {}, readFile, notifiers, kinds, mayShow: () => true }).tests,
  );
  const { setup } = loadSetup('config.example.yaml', { env: {}, readFile });
  const alerts = new Set(setup?.watches.flatMap(({ rule, alerts }) => alerts.map(({ id }) => `${rule}/${id}`)));

  test('has a test in which it speaks, and one in which it is silent', async () => {
    const spoken = new Set<string>();
    const silent = new Set<string>();
    for (const trial of tests) {
      const { output } = resultOf(trial, await runRuleTest(trial));
      const { rule, alerts: ids } = subjectOf(trial);
      for (const id of ids) (output.includes(id) ? spoken : silent).add(`${rule}/${id}`);
    }
    expect(alerts.size).toBeGreaterThan(10);
    expect({ neverSpeaks: [...alerts.difference(spoken)], neverSilent: [...alerts.difference(silent)] }).toEqual({
      neverSpeaks: [],
      neverSilent: [],
    });
  });

  test('that is a condition has a test in which it resolves', () => {
    const resolved = new Set(
      tests.flatMap((trial) =>
        trial.expected
          .filter(({ state }) => state === 'resolved')
          .map(({ alert }) => `${subjectOf(trial).rule}/${alert}`),
      ),
    );
    const conditions = setup?.watches.flatMap(({ rule, alerts }) =>
      alerts.filter(({ type }) => type === 'condition').map(({ id }) => `${rule}/${id}`),
    );
    expect(new Set(conditions).difference(resolved)).toEqual(new Set());
  });
});

describe.each(['README.md', 'docs/rules.md'])('%s', (page) => {
  const blocks = [...readFile(page).matchAll(/```yaml (\w+)\n(.*?)```/gs)];
  const textOf = (type: string): string => blocks.find(([, tag]) => tag === type)?.[2] ?? '';

  test('shows tests that go well with the rules that it shows', async () => {
    const { tests, problems } = loadRuleTests(page, {
      env: {},
      readFile: (file) => textOf(file === page ? 'test' : 'rules'),
      notifiers,
      kinds,
      mayShow: () => true,
    });
    expect(problems).toEqual([]);
    expect(tests.length).toBeGreaterThan(0);
    for (const trial of tests) expect(resultOf(trial, await runRuleTest(trial)).details).toEqual([]);
  });
});

test('the schema of tests for editors is fresh: run `npx chainwarden schema`', () => {
  expect(JSON.parse(readFile('rules-test.schema.json'))).toEqual(JSON.parse(JSON.stringify(testsJsonSchema(kinds))));
});
