// Conditions that compare US dollars of two polls.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses: { treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503 }
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;

function warningsOf(alert: string, kind = 'balance'): string[] {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const text = `watches:\n  - { id: w, kind: ${kind}, of: treasury, explorer: chain, notify: [screen], alerts: [{ id: a, ${alert} }] }\n`;
  const loaded = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.warnings.map(({ path, message, hint = '' }) => `${path}: ${message}. ${hint}`);
}

const FALLS = 'before.balance_usd has the price of the last poll, so a price that falls looks like an outflow';

test.each([
  ['on: changed, if: before.balance_usd - balance_usd > 100_000', 'if'],
  ['while: balance_usd < before.balance_usd', 'while'],
])('hints at one price: %s', (alert, key) => {
  const hint = '(before.balance - balance) * exchange_rate compares at one price.';
  expect(warningsOf(alert)).toEqual([`watches[0].alerts[0].${key}: ${FALLS}. ${hint}`]);
});

test.each(['on: changed, if: (before.balance - balance) * exchange_rate > 100_000', 'while: balance_usd < 1_000'])(
  'has no hint for %s',
  (alert) => {
    expect(warningsOf(alert)).toEqual([]);
  },
);

test('names the price of a token in a list', () => {
  expect(warningsOf('on: changed, if: before.balance_usd - balance_usd > 5', 'holdings')).toEqual([
    `watches[0].alerts[0].if: ${FALLS}. (before.balance - balance) * token.exchange_rate compares at one price.`,
  ]);
});

test('a limit in dollars is no amount in the smallest unit', () => {
  expect(warningsOf('while: balance_usd < 5_000_000_000_000')).toEqual([]);
});
