// Critical rules about what any contract can claim.
import { expect, test } from '@jest/globals';
import { dispatchRulesOf } from '../../src/app/in-force.ts';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { loadRules } from '../../src/rules/load.ts';
import { kinds } from '../../src/watches/index.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
addresses: { treasury: 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503 }
tokens: { USDC: 0x51BEEe539Ee496D28B2Bf8BED91D0b7F3A5599D8 }
channels: { screen: { type: log }, pager: { type: log } }
rules: [rules/*.yaml]
`;
const ROUTES = 'routes: [{ match: { severity: critical }, notify: [pager] }, { notify: [screen] }]';

function load(alert: string, watch = 'of: treasury', routes = '', written = `${CONFIG}${routes}`) {
  const { config, problems } = loadConfig('config.yaml', { env: {}, readFile: () => written, notifiers });
  if (config === null) throw new Error(formatProblems(problems));
  const text = `watches:\n  - { id: w, kind: transfers, ${routes === '' ? 'notify: [screen], ' : ''}${watch}, alerts: [{ id: a, on: new, ${alert} }] }\n`;
  const loaded = loadRules(config, [{ file: 'rules.yaml', text }], { kinds });
  if (loaded.problems.length > 0) throw new Error(formatProblems(loaded.problems));
  return { ...loaded, config };
}

const warningsOf = (alert: string, watch?: string): string[] =>
  load(alert, watch).warnings.map(({ path, message, hint = '' }) => `${path}: ${message}. ${hint}`);

test('a critical rule that claims can match is warned of, with what to add', () => {
  const said =
    'any contract can emit this; a token that the config does not name is sent as a warning. Add token.address_hash in tokens.';
  expect(warningsOf('if: raw > 0, severity: critical')).toEqual([`watches[0].alerts[0].if: ${said}`]);
  expect(warningsOf('severity: critical')).toEqual([`watches[0].alerts[0]: ${said}`]);
});

test.each([
  ['if: raw > 0 && token.address_hash in tokens, severity: critical', 'of: treasury'],
  ['if: value_usd > 100, severity: critical', 'of: treasury'],
  ['if: raw > 0', 'of: treasury'],
  ['if: raw > 0, severity: critical, none_for: 1h', 'of: treasury'],
  ['if: raw > 0, severity: critical', 'of: treasury, token: USDC'],
])('no warning: %s, %s', (alert, watch) => {
  expect(warningsOf(alert, watch)).toEqual([]);
});

test('a claim goes to the channels of a warning', () => {
  const [alert] = load('if: value_usd > 100, severity: critical', 'of: treasury', ROUTES).watches[0]?.alerts ?? [];
  expect(alert).toMatchObject({ severity: 'critical', notify: ['pager'] });
  expect(alert).toMatchObject({ asClaim: { severity: 'warning', notify: ['screen'], isClaim: true } });
});

test('a channel that only a later step of a claim has counts as used, so its missing secret is a problem', () => {
  const later = ROUTES.replace('[{', '[{ match: { claim: "true" }, escalate: [{ after: 1h, notify: [chat] }] }, {');
  const channel = 'pager: { type: log }, chat: { type: slack, url: { env: CHAT_URL } }';
  const text = `${CONFIG.replace('pager: { type: log }', channel)}${later}`;
  expect(() => load('if: value_usd > 100, severity: critical', 'of: treasury', '', text)).toThrow('CHAT_URL');
});

test('a claim stays one when it is routed again, as at each start', () => {
  const { config, watches } = load('if: raw > 0, severity: critical', 'of: treasury', ROUTES);
  const rules = dispatchRulesOf(
    config,
    { watches, reports: [] },
    {
      startedAt: 0,
      lookedAt: () => null,
      coveredUntil: () => null,
      presentOf: () => null,
    },
  );
  const { id = '', alerts = [] } = watches[0] ?? {};
  const alert = alerts[0]?.id ?? '';
  expect(rules.ruleOf(id, alert, {})).toMatchObject({ severity: 'critical', channels: ['pager'] });
  const ofClaim = rules.ruleOf(id, alert, { claim: 'true' });
  expect(ofClaim).toMatchObject({
    severity: 'warning',
    channels: ['screen'],
    labels: { severity: 'warning', claim: 'true' },
  });
});
