// The group of all tokens of the config.
import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { syntheticAddress } from '../../src/watches/synthetic.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';
import { failuresOf, testOf } from '../rule-tests/support/trials.ts';

const [USDC, ACME, OTHER] = ['USDC', 'ACME', 'other'].map((name) => syntheticAddress(name).text);

const configOf = (names: string): string => `
explorers: { chain: { form: sandbox }, base: { form: instance, instance_url: https://base.explorer.example.com } }
addresses: { treasury: ${syntheticAddress('treasury').text} }
${names}
channels: { screen: { type: log } }
rules: [rules/*.yaml]
`;
const TOKENS = `tokens: { USDC: ${USDC}, ACME: { base: ${ACME} }, DOLLAR: ${USDC} }`;
const ruleOn = (explorer: string): string =>
  `watches: [{ id: w, explorer: ${explorer}, kind: transfers, of: treasury, every: 1m, alerts: [{ id: ours, on: new, if: token.address_hash in tokens }] }]\n`;

test.each([
  ['chain', TOKENS, [USDC]],
  ['base', TOKENS, [USDC, ACME]],
  ['chain', `addresses: { treasury: ${syntheticAddress('treasury').text}, tokens: [${OTHER}] }\n${TOKENS}`, [OTHER]],
])('on %s it has the tokens with an address there, and an own name wins: %s', async (explorer, names, members) => {
  const own = names.startsWith('addresses')
    ? configOf(names).replace(/^addresses: .*\n(?=addresses)/m, '')
    : configOf(names);
  const items = [USDC, ACME, OTHER].map((token) => `{ id: '${token}', token: { address_hash: '${token}' } }`);
  const saw = ['{ at: 0m, items: [] }', ...items.map((item, i) => `{ at: ${i + 1}m, items: [${item}] }`)];
  const told = [USDC, ACME, OTHER].flatMap((token, i) =>
    members.includes(token) ? [`{ at: ${i + 1}m, alert: ours, state: event }`] : [],
  );
  const text = `config: ../config.yaml\n${testOf(saw, told)}`;
  expect(await failuresOf(text, { 'rules.yaml': ruleOn(explorer), 'config.yaml': own })).toBe('');
});

test.each([
  ['chain', 'tokens: {}', 'no token is named on chain: this never holds'],
  ['chain', `tokens: { ACME: { base: ${ACME} } }`, 'no token is named on chain: this never holds'],
])('on %s with %s it is a mistake', (explorer, names, message) => {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => configOf(names), notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const loaded = loadRules(config, [{ file: 'rules.yaml', text: ruleOn(explorer) }], { kinds });
  expect(loaded.problems.map((problem) => [problem.message, problem.hint])).toContainEqual([
    message,
    'Name the tokens in the config under tokens:.',
  ]);
});
