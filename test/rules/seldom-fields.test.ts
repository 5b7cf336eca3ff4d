// Rules that read what explorers in use leave out: they would never say anything.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { CONFIG } from '../support/world.ts';

function warningsOf(kind: string, alert: string): { at: string; message: string; hint: string }[] {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => CONFIG, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const of = kind === 'internal-transactions' ? ', of: vault' : '';
  const text = `watches:\n  - { id: w, kind: ${kind}${of}, alerts: [{ id: a, on: new, ${alert} }] }\n`;
  const loaded = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return loaded.warnings.map(({ path, column, message, hint = '' }) => ({
    at: `${path} ${text.split('\n')[1]?.slice(column - 1, column + 4)}`,
    message,
    hint,
  }));
}

test.each([
  ['transactions', `if: 'token_transfers.exists(t, t.token.symbol == "USDC")'`, 'token_transfers'],
  ['transactions', 'if: token_transfers_overflow', 'token_transfers_overflow'],
  ['transactions', `if: 'actions.exists(a, a.type == "swap")'`, 'actions'],
  ['blocks', `if: 'extra_data.contains("geth")'`, 'extra_data'],
  ['internal-transactions', `if: to.implementation_name == "Vault"`, 'implementation_name'],
])('on %s: %s', (kind, alert, field) => {
  const [warning, ...others] = warningsOf(kind, alert);
  expect(others).toEqual([]);
  expect(warning?.at).toBe(`watches[0].alerts[0].if ${field.slice(0, 5)}`);
  expect(warning?.message).toContain(`explorers leave ${field} out`);
  expect(warning?.hint).not.toBe('');
});

test('a text that shows one is warned of too', () => {
  expect(warningsOf('blocks', `text: 'by {{ extra_data }}'`).map(({ at }) => at)).toEqual([
    'watches[0].alerts[0].text extra',
  ]);
});

test('what is to be written instead loads without a warning', () => {
  expect(warningsOf('transactions', `if: 'transaction_types.exists(t, t == "token_transfer")'`)).toEqual([]);
  expect(warningsOf('internal-transactions', `if: 'to.implementations.exists(i, i.name == "Vault")'`)).toEqual([]);
  expect(warningsOf('transactions', 'if: method == "swap"')).toEqual([]);
});
