// What people copy works: the examples, the README, and the schemas their editors read.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { loadSetup } from '../../src/app/setup/setup.ts';
import { loadConfig } from '../../src/config/config.ts';
import { formatProblems } from '../../src/config/problem.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { describeWatches } from '../../src/rules/describe.ts';
import { loadRules } from '../../src/rules/load.ts';
import { configJsonSchema, rulesJsonSchema } from '../../src/rules/schema/schema.ts';
import { AlertShape, FileShape, WatchShape } from '../../src/rules/schema/shape.ts';
import { ADDRESSES, TOKENS } from '../../src/sandbox/names.ts';
import { kinds } from '../../src/watches/index.ts';

const env = {
  HEARTBEAT_URL: 'https://beats.example.com/0f3a9c41',
  EXPLORER_API_KEY: 'a-key',
  OPS_WEBHOOK_URL: 'https://ops.example.com/hook',
  OPS_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  SMTP_URL: 'smtp://mail.example.com:587',
  ALICE_TOKEN: 'alice-token-of-more-than-thirty-two',
  PROMETHEUS_TOKEN: 'prometheus-token-of-more-than-32-letters',
  PROXY_SECRET: 'proxy-secret-of-more-than-thirty-two',
};
const read = (file: string): string => readFileSync(file, 'utf8');

describe('the example config', () => {
  const text = read('config.example.yaml');

  test('loads with the example rules as it stands, and knows every kind', () => {
    const { setup, problems } = loadSetup('config.example.yaml', { env: {}, readFile: read });
    expect(formatProblems(problems)).toBe('');
    expect(new Set(setup?.watches.map(({ kind }) => kind.name))).toEqual(new Set(kinds.map(({ name }) => name)));
  });

  test('loads with everything in it uncommented', () => {
    const uncommented = text.replace(/^( *)# ( *[a-z_]+:.*)$/gm, '$1$2');
    const readFile = (file: string): string => (file.endsWith('.yaml') ? uncommented : `${env.ALICE_TOKEN}-of-a-file`);
    const { config, problems } = loadConfig('config.example.yaml', { env, readFile, notifiers });
    expect(formatProblems(problems)).toBe('');
    expect([...(config?.explorers.keys() ?? [])]).toEqual(['sandbox', 'ethereum', 'gnosis']);
    expect([...(config?.channels.keys() ?? [])]).toEqual(['screen', 'ops', 'oncall']);
  });

  test('names the inhabitants of the sandbox by their addresses', () => {
    for (const [name, address] of Object.entries(ADDRESSES)) expect(text).toContain(`${name}: ${address}`);
    for (const name of ['USDC', 'ACME'] as const) expect(text).toContain(`${name}: ${TOKENS[name]}`);
  });

  test('the example rules cover every event and every condition that a kind has', () => {
    const { setup } = loadSetup('config.example.yaml', { env: {}, readFile: read });
    const said = new Set(
      setup?.watches.flatMap(({ kind, alerts }) =>
        alerts.map((alert) => `${kind.name} ${alert.type === 'event' ? alert.on : 'while'}`),
      ),
    );
    const possible = kinds.flatMap(({ name, events, ...kind }) => [
      ...Object.keys(events).map((on) => `${name} ${on}`),
      ...(kind.while === null ? [] : [`${name} while`]),
    ]);
    expect(possible.filter((one) => !said.has(one))).toEqual([]);
  });
});

const blocksOf = (file: string) =>
  [...read(file).matchAll(/```yaml (\w+)\n(.*?)```/gs)].map(([, type, text]) => ({ type, text }));

describe.each(['README.md', 'docs/rules.md'])('%s', (page) => {
  const blocks = blocksOf(page);

  test('its rules load together with the config of the README, and fit the plan', () => {
    const config = blocksOf('README.md').find(({ type }) => type === 'config')?.text ?? '';
    const loaded = loadConfig('config.yaml', { env, readFile: () => config, notifiers });
    if (loaded.config === null) throw new Error(formatProblems(loaded.problems));
    const rules = blocks.filter(({ type }) => type === 'rules');
    expect(rules.length).toBeGreaterThan(0);
    const files = rules.map(({ text = '' }, i) => ({ file: `${i}.yaml`, text }));
    const { problems, watches } = loadRules(loaded.config, files, { kinds });
    expect(formatProblems(problems)).toBe('');
    expect(new Set(watches.map(({ source }) => source.split(':')[0])).size).toBe(files.length);
    expect(describeWatches(watches, loaded.config).warnings).toEqual([]);
  });

  test('every YAML block says what it is: config, rules or a test of rules', () => {
    expect(read(page).match(/```yaml$/gm)).toBeNull();
    expect(blocks.every(({ type = '' }) => ['config', 'rules', 'test'].includes(type))).toBe(true);
  });
});

test('docs/rules.md explains every key of a rule', () => {
  const text = read('docs/rules.md');
  const options = kinds.flatMap((kind) => Object.keys(kind.options.shape));
  const keys = [FileShape, WatchShape, AlertShape].flatMap(({ shape }) => Object.keys(shape));
  const explained = [...text.matchAll(/^\| (`[^|]*`)\s+\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
  expect([...keys, ...options].filter((key) => !explained.includes(key))).toEqual([]);
});

test('the README is one that is read: fewer than 200 lines, and its links lead somewhere', () => {
  const readme = read('README.md');
  expect(readme.split('\n').length).toBeLessThan(200);
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(9);
  expect(links.filter((link) => !existsSync(link))).toEqual([]);
});

test('the schemas for editors are fresh: run `npx chainwarden schema`', () => {
  expect(JSON.parse(read('rules.schema.json'))).toEqual(JSON.parse(JSON.stringify(rulesJsonSchema(kinds))));
  expect(JSON.parse(read('config.schema.json'))).toEqual(JSON.parse(JSON.stringify(configJsonSchema(notifiers))));
});

test('every file of rules/ is a rule file or a test of one, or a pack with its config', () => {
  const files = readdirSync('rules', { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => !file.endsWith('.yaml'))).toEqual(['packs']);
});
