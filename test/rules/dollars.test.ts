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

function loadedFrom(alert: string, kind: string, configured = CONFIG) {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => configured, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const text = `watches:\n  - { id: w, kind: ${kind}, of: treasury, explorer: chain, notify: [screen], alerts: [{ id: a, ${alert} }] }\n`;
  return loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
}

function warningsOf(alert: string, kind = 'balance', configured = CONFIG): string[] {
  const loaded = loadedFrom(alert, kind, configured);
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

const MOVES = 'balance_usd changes with each new price, so on: changed sends it again at nearly every poll';

test('hints where each new price is told', () => {
  expect(warningsOf('on: changed, if: balance_usd > 5')).toEqual([
    `watches[0].alerts[0].if: ${MOVES}. Write while: balance_usd > 5, or add before.balance != balance.`,
  ]);
  expect(warningsOf('on: changed, if: balance_usd > 5 && before.balance != balance')).toEqual([]);
  expect(warningsOf('on: added, if: balance_usd > 5', 'holdings')).toEqual([]);
});

test('warns of a sum of named tokens where the config names none', () => {
  const warning =
    'watches[0].alerts[0].while: total_usd is always 0: the config names no token on chain. Name the tokens under tokens, or write tokens: all.';
  expect(warningsOf('while: total_usd < 5', 'holdings')).toEqual([warning]);
  expect(warningsOf('while: total_usd < 5', 'holdings, tokens: all')).toEqual([]);
  expect(warningsOf('while: unpriced > 5', 'holdings')).toEqual([]);
  const named = `${CONFIG}tokens: { USDC: { chain: 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 } }\n`;
  expect(warningsOf('while: total_usd < 5', 'holdings', named)).toEqual([]);
});

test('a limit in dollars is no amount in the smallest unit', () => {
  expect(warningsOf('while: balance_usd < 5_000_000_000_000')).toEqual([]);
});

test.each([
  [
    'while: balance < 5',
    'while',
    'balance is a value of one holding',
    'Possible: total_usd, unpriced. Items are judged by on: changed.',
  ],
  [
    'while: total_usd < before.total_usd',
    'while',
    'the total_usd of the last poll is not kept',
    'Write delta(total_usd, "1h").',
  ],
  [
    'while: \'change(balance_usd, "1h") < percent("-5")\'',
    'while',
    'balance_usd is a value of one holding',
    'Possible: total_usd, unpriced. Items are judged by on: changed.',
  ],
  ['on: added, if: total_usd > 5', 'if', 'total_usd is no value of one holding', 'Write while.'],
  ["on: added, text: '{{ unpriced }}'", 'text', 'unpriced is no value of one holding', 'Write while.'],
  [
    "while: total_usd < 5, text: '{{ token.symbol }}'",
    'text',
    'token.symbol is a value of one holding',
    'Possible: total_usd, unpriced. Items are judged by on: changed.',
  ],
  [
    "on: schedule, cron: '0 8 * * *', values: [total_usd, balance]",
    'values[1]',
    'balance is a value of one holding',
    'Possible: total_usd, unpriced. Items are judged by on: changed.',
  ],
])('refuses a field of another place: %s', (alert, key, message, hint) => {
  const problems = loadedFrom(alert, 'holdings').problems.map(
    (one) => `${one.path}: ${one.message}. ${one.hint ?? ''}`,
  );
  expect(problems).toEqual([`watches[0].alerts[0].${key}: ${message}. ${hint}`]);
});
