// What replicas share out, and whether two of them run the same config.
import { expect, test } from '@jest/globals';
import { declaredIn } from '../../src/app/runtime/shards.ts';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { formatProblems } from '../../src/config/problem.ts';

const CONFIG = `
explorers:
  mainnet: { form: multichain, base_url: 'https://api.example', chain_id: '1', api_key: { env: KEY } }
  gnosis: { form: multichain, base_url: 'https://api.example', chain_id: '100', api_key: { env: KEY } }
  own: { form: instance, instance_url: 'https://explorer.example' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels: { screen: { type: log }, hook: { type: webhook, url: { env: HOOK } } }
self: none
routes: [{ notify: [screen] }]
rules: [rules.yaml]
`;
const RULES = `
watches:
  - { id: coins, kind: balance, explorer: own, of: treasury, every: 1m, notify: screen, alerts: [{ id: low, while: balance < 1 }] }
`;
const ENV = { KEY: 'a-long-key-of-the-explorer', HOOK: 'https://hook.example/a-long-token' };

const ABI = '[{ "type": "event", "name": "Far", "inputs": [{ "type": "bool", "name": "isFar" }] }]';
const WITH_ABI = `${RULES}  - { id: far, kind: logs, explorer: own, of: treasury, abi: a.json, events: Far, notify: screen, alerts: [{ id: far, on: new }] }\n`;

function declared({ config = CONFIG, rules = RULES, abi = ABI, env = ENV } = {}) {
  const readFile = (path: string): string =>
    path.endsWith('.json') ? abi : path.endsWith('rules.yaml') ? rules : config;
  const { setup, problems } = loadSetup('config.yaml', { env, readFile, listFiles: () => ['rules.yaml'] });
  if (setup === null) throw new Error(formatProblems(problems));
  return declaredIn(setup);
}

test('explorers of one key are one shard, so that its requests are counted together', () => {
  expect(declared().shards.map(({ shard }) => shard)).toEqual([
    'explorer:mainnet',
    'explorer:own',
    'channel:screen',
    'channel:hook',
    'service:dispatch',
    'service:journal',
  ]);
});

test.each([
  ['another port', { config: `${CONFIG}http: { listen: '127.0.0.1:9999' }\n` }],
  ['another order of keys, and a comment', { config: `# of the second replica\n${CONFIG}` }],
])('%s is the same config', (_name, change) => {
  expect(declared(change).checksum).toBe(declared().checksum);
});

test.each([
  ['another limit', { rules: RULES.replace('< 1', '< 2') }],
  ['another key', { env: { ...ENV, KEY: 'another-long-key-of-the-explorer' } }],
  ['another token of a channel', { env: { ...ENV, HOOK: 'https://hook.example/another-token' } }],
  ['another route', { config: CONFIG.replace('{ notify: [screen] }', '{ notify: [hook] }') }],
  ['another receiver of self-alerts', { config: CONFIG.replace('self: none', 'self: [screen]') }],
])('%s is another config', (_name, change) => {
  expect(declared(change).checksum).not.toBe(declared().checksum);
});

test('another event of the same name in an ABI file is another config', () => {
  const { checksum } = declared({ rules: WITH_ABI });
  expect(declared({ rules: WITH_ABI, abi: `${ABI}\n` }).checksum).toBe(checksum);
  expect(declared({ rules: WITH_ABI, abi: ABI.replace('bool', 'address') }).checksum).not.toBe(checksum);
});

test('of a secret nothing can be read in what is declared', () => {
  const text = JSON.stringify(declared());
  for (const secret of Object.values(ENV)) expect(text).not.toContain(secret);
});
