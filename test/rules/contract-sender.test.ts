// Conditions that never hold, since a contract signs no transaction.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses:
  treasury: { address: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503, is: safe }
  vault: { address: 0xBA12222222228d8Ba445958a75a0704d566BF2C8, is: contract }
  admin: { address: 0x1111111111111111111111111111111111111111, is: wallet }
  delegated: { address: 0x3333333333333333333333333333333333333333, is: contract }
  signer: { address: 0x3333333333333333333333333333333333333333, is: wallet }
  unknown: 0x2222222222222222222222222222222222222222
  contracts: [treasury, vault]
  mixed: [treasury, unknown]
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;

/** The warnings about an alert of this kind of watch, with the text that they point at. */
function warningsOf(kind: string, condition: string): string[] {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const text = `watches:\n  - { id: w, kind: ${kind}, of: vault, explorer: chain, notify: [screen], alerts: [{ id: a, on: new, if: '${condition}' }] }\n`;
  const loaded = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.warnings.map(({ path, message, hint = '' }) => `${path}: ${message}. ${hint}`);
}

const HINT = 'Its calls are found by kind: internal-transactions, direction: from.';

test.each([
  ['from == treasury', 'treasury is a contract: it signs no transaction, so "from == treasury" is never true'],
  [
    'value > 5 && from.hash == vault',
    'vault is a contract: it signs no transaction, so "from.hash == vault" is never true',
  ],
  [
    'from == admin || from == treasury',
    'treasury is a contract: it signs no transaction, so "from == treasury" is never true',
  ],
  [
    'from.hash in contracts',
    'contracts are contracts: they sign no transactions, so "from.hash in contracts" is never true',
  ],
  [
    'from.hash == "0xBA12222222228d8Ba445958a75a0704d566BF2C8"',
    '0xBA12222222228d8Ba445958a75a0704d566BF2C8 is a contract: it signs no transaction, so "from.hash == "0xBA12222222228d8Ba445958a75a0704d566BF2C8"" is never true',
  ],
])('warns: %s', (condition, message) => {
  expect(warningsOf('transactions', condition)).toEqual([`watches[0].alerts[0].if: ${message}. ${HINT}`]);
});

test.each([
  'from == admin',
  'from == unknown',
  'from.hash in mixed',
  'from != treasury',
  '!(from == treasury)',
  'to == treasury',
  'from.name == "treasury"',
  'from.ens_domain_name == "0xBA12222222228d8Ba445958a75a0704d566BF2C8"',
  'from == delegated',
])('says nothing: %s', (condition) => {
  expect(warningsOf('transactions', condition)).toEqual([]);
});

test('a contract calls, so as the caller of an internal transaction it says nothing', () => {
  expect(warningsOf('internal-transactions', 'from == treasury')).toEqual([]);
});

/** The comparisons of an alert that answers may show to be in vain. */
function wantedOf(condition: string): [string, string, number][] {
  const { config } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error('the config does not load');
  const text = `watches:\n  - { id: w, kind: transactions, of: vault, explorer: chain, notify: [screen], alerts: [{ id: a, on: new, if: '${condition}' }] }\n`;
  const { watches } = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  return (watches[0]?.senders ?? []).map((one) => [one.written, one.text, one.members.length]);
}

test.each([
  ['from == treasury && value > 5', [['treasury', 'from == treasury', 1]]],
  ['from == treasury || to == treasury', []],
  ['from == treasury || value > 5', []],
  ['from == treasury || from == unknown', [['treasury, unknown', 'from == treasury || from == unknown', 2]]],
  ['from == treasury || from == admin', []],
  [
    '(from == treasury && value > 5) || from.hash in contracts',
    [['treasury, contracts', '(from == treasury && value > 5) || from.hash in contracts', 2]],
  ],
  ['!(from == treasury)', []],
])('an alternative keeps the condition from being in vain: %s', (condition, wanted) => {
  expect(wantedOf(condition)).toEqual(wanted);
});
