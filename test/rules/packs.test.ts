// The packs of rules load as they are, their tests go well, and every alert speaks in one.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { formatProblems, formatWarnings } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRuleTests } from '../../src/rule-tests/reading/load.ts';
import { resultOf } from '../../src/rule-tests/reporting/report.ts';
import { runRuleTest } from '../../src/rule-tests/run.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { kinds } from '../../src/watches/index.ts';

const FOLDER = 'rules/packs';
const env = { EXPLORER_API_KEY: 'key' };
const readFile = (file: string): string => readFileSync(file, 'utf8');
const packs = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.config.yaml'))
  .map((file) => file.replace('.config.yaml', ''));

test('each pack has a config, rules and tests', () => {
  expect(packs).toEqual(['needs', 'protocol-get', 'protocol']);
});

describe.each(packs)('%s', (pack) => {
  test('loads without a problem and without a warning', () => {
    const { setup, problems } = loadSetup(`${FOLDER}/${pack}.config.yaml`, { env, readFile });
    expect(formatProblems(problems)).toBe('');
    expect(formatWarnings(setup?.warnings ?? [])).toBe('');
  });

  test('has tests that go well, and in which every alert speaks', async () => {
    const { setup } = loadSetup(`${FOLDER}/${pack}.config.yaml`, { env, readFile });
    const tools = { env, readFile, notifiers, kinds, mayShow: () => true };
    const loaded = loadRuleTests(`${FOLDER}/${pack}.test.yaml`, tools);
    expect(formatProblems(loaded.problems)).toBe('');
    const spoken = new Set<string>();
    for (const trial of loaded.tests) {
      const { details, output } = resultOf(trial, await runRuleTest(trial));
      expect(details).toEqual([]);
      const rule = 'watch' in trial ? trial.watch.rule : '';
      for (const alert of output) spoken.add(`${rule}/${alert}`);
    }
    const written = setup?.watches.flatMap(({ rule, alerts }) => alerts.map(({ id }) => `${rule}/${id}`)) ?? [];
    expect(written.filter((alert) => !spoken.has(alert))).toEqual([]);
  });
});

test.each([
  ['protocol-get', 'ethereum: 3,744 requests a day, 77,760 credits a day of 100,000 a day'],
  ['protocol', 'ethereum: 3,840 requests a day, 79,680 credits a day of 100,000 a day'],
])('%s fits the free plan with its intervals, with a tenth to spare for pages and retries', (pack, sum) => {
  const { setup } = loadSetup(`${FOLDER}/${pack}.config.yaml`, { env, readFile });
  if (setup === null) throw new Error('the pack does not load');
  const { lines, warnings } = describeWatches(setup.watches, setup.config);
  expect(warnings).toEqual([]);
  const table = lines.slice(0, setup.watches.length);
  expect(Math.max(...table.map((line) => line.length))).toBeLessThan(190);
  // Longer intervals stand in lines of their own.
  expect(lines.filter((line) => line.startsWith('ethereum: '))).toEqual([sum]);
});
