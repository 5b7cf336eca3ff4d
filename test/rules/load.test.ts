import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { formatProblems, summarize } from '../../src/config/problem.ts';
import type { AlertRule, Watch } from '../../src/core/model/watch/watch.ts';
import { CONFIG, configOf, load, loadConfigText } from './support/load.ts';
import { loadRules } from '../../src/rules/load.ts';
import { testKinds } from './support/kinds.ts';

const BAD = join(import.meta.dirname, 'fixtures/bad');

describe('A file with a mistake says where and what to do', () => {
  const names = readdirSync(BAD).filter((name) => name.endsWith('.yaml'));

  test.each(names)('%s', (name) => {
    const { problems, watches } = load({ [`rules/${name}`]: readFileSync(join(BAD, name), 'utf8') });
    expect(`${formatProblems(problems)}\n`).toBe(
      readFileSync(join(BAD, name.replace(/\.yaml$/, '.problems.txt')), 'utf8'),
    );
    expect(watches).toEqual([]);
  });
});

const ONE = `
watches:
  - id: large
    kind: items
    explorer: ethereum
    of: vault
    notify: ops
    alerts:
      - { id: a, on: new, if: value > 100 }
`;

function watchesOf(text: string): readonly Watch[] {
  const { watches, problems } = load({ 'rules/a.yaml': text });
  expect(problems.map(summarize)).toEqual([]);
  return watches;
}

function onlyWatch(text: string): Watch {
  const [watch, ...others] = watchesOf(text);
  expect(others).toEqual([]);
  if (watch === undefined) throw new Error('no watch');
  return watch;
}

function onlyAlert(alert: string): AlertRule {
  const text = `watches:\n  - { id: w, kind: items, explorer: ethereum, of: vault, notify: ops, alerts: [${alert}] }\n`;
  const [rule] = onlyWatch(text).alerts;
  if (rule === undefined) throw new Error('no alert');
  return rule;
}

describe('A watch', () => {
  test('has everything resolved', () => {
    const watch = onlyWatch(`
defaults: { every: 30s, max_pages: 5 }
watches:
  - id: large
    kind: items
    explorer: ethereum
    of: treasury
    token: USDC
    direction: to
    notify: [ops, oncall]
    severity: critical
    alerts:
      - { id: a, while: value > 100, until: value < 50, for: 2m, keep_firing_for: 1h30m, severity: info, notify: ops, title: "Large: {{ value }}" }
      - { id: b, on: new }
`);
    expect(watch).toMatchObject({
      id: 'large/ethereum/0x47ac0fb4f2d84898e4d9e7b4dab3c24507a6d503/0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
      name: 'large',
      rule: 'large',
      source: 'rules/a.yaml:4',
      of: { name: 'treasury', address: '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503' },
      token: { name: 'USDC', address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
      chainId: '1',
      pageUrl: null,
      schedule: { type: 'every', intervalMs: 30_000 },
      exported: true,
      tracked: ['status', 'value'],
    });
    expect(watch.target).toMatchObject({
      explorer: 'ethereum',
      coin: { symbol: 'ETH', decimals: 18 },
      maxPages: 5,
      options: { direction: 'to' },
    });
    const [a, b] = watch.alerts;
    expect(a).toMatchObject({
      type: 'condition',
      id: 'a',
      severity: 'info',
      forMs: 120_000,
      keepFiringForMs: 5_400_000,
      source: 'rules/a.yaml:13',
    });
    expect(a?.notify).toEqual(['ops']);
    expect(b).toMatchObject({ type: 'event', on: 'new', if: null, severity: 'critical' });
    expect(b?.notify).toEqual(['ops', 'oncall']);
  });

  test('counts events, waits for confirmations, and looks back', () => {
    const watch = onlyWatch(`
watches:
  - id: w
    kind: items
    explorer: ethereum
    of: vault
    notify: ops
    alerts:
      - { id: many, on: new, if: value > 1, at_least: { count: 3, within: 10m }, per: [to, status], cooldown: 1h }
      - { id: none, on: new, none_for: 6h, keep_firing_for: 5m }
      - { id: deep, on: new, confirmations: 12, provisional: true }
      - { id: falls, while: 'change("1h") < -0.1 || delta(value, "2d") < -5 || value < min("1d")', text: "{{ change_3h | percent }}" }
`);
    expect(watch.alerts).toMatchObject([
      {
        type: 'count',
        fires: { type: 'at-least', count: 3, withinMs: 600_000 },
        per: ['to.hash', 'status'],
        cooldownMs: 3_600_000,
      },
      { type: 'count', fires: { type: 'none-for', ms: 21_600_000 }, per: [], keepFiringForMs: 300_000 },
      { type: 'event', confirmations: 12, provisional: true },
      { type: 'condition', forMs: 0 },
    ]);
    const hours = watch.windows.map(({ path, ms }) => [path, ms / 3_600_000]);
    expect(hours.toSorted()).toEqual([
      ['value', 1],
      ['value', 24],
      ['value', 3],
      ['value', 48],
    ]);
  });

  test('has good defaults', () => {
    const text = 'watches: [{ id: w, kind: items, explorer: gnosis }]\n';
    expect(onlyWatch(text)).toMatchObject({
      id: 'w/gnosis/-/coin',
      name: 'w',
      of: null,
      token: null,
      chainId: null,
      pageUrl: 'https://gnosis.example.com',
      schedule: { intervalMs: 60_000 },
      target: { maxPages: 20, coin: { symbol: 'coin', decimals: 18 } },
      alerts: [],
    });
  });

  test('may opt out of its metric, and run by cron', () => {
    const text = 'watches: [{ id: w, kind: items, explorer: gnosis, metrics: false, cron: "*/15  * * * * *" }]\n';
    expect(onlyWatch(text)).toMatchObject({
      exported: false,
      schedule: { type: 'cron', expression: '*/15 * * * * *', intervalMs: 15_000 },
    });
  });

  test('takes the only explorer and the only channel without a word', () => {
    const config = configOf(
      'explorers: { here: { form: sandbox } }\nchannels: { ops: { type: post, url: "http://127.0.0.1:1" } }\n',
    );
    const { watches, problems } = load(
      { 'a.yaml': 'watches: [{ id: w, kind: items, alerts: [{ id: a, on: new }] }]\n' },
      config,
    );
    expect(problems).toEqual([]);
    expect(watches[0]).toMatchObject({
      id: 'w/here/-/coin',
      chainId: '31337',
      alerts: [{ severity: 'warning', notify: ['ops'] }],
    });
  });

  test('says whom it tells: alert before watch before file', () => {
    const text = `
defaults: { explorer: ethereum, notify: oncall }
watches:
  - { id: w, kind: items, notify: ops, alerts: [{ id: a, on: new, notify: [oncall] }, { id: b, on: new }] }
  - { id: v, kind: items, alerts: [{ id: c, on: new }] }
`;
    const told = watchesOf(text).flatMap(({ alerts }) =>
      alerts.map(({ id, notify }) => `${id}: ${[...new Set(notify)].join()}`),
    );
    expect(told).toEqual(['a: oncall', 'b: ops', 'c: oncall']);
  });

  test('keeps its text exact: unquoted addresses, underscores, 2^256-1', () => {
    const watch = onlyWatch(`
watches:
  - id: 0123
    kind: items
    explorer: ethereum
    of: 0x00000000000000000000000000000000000000ff
    notify: ops
    max_pages: 1_000
    alerts: [{ id: 1e3, on: new, if: raw == 115792089237316195423570985008687907853269984665640564039457584007913129639935 }]
`);
    expect(watch.id).toBe('0123/ethereum/0x00000000000000000000000000000000000000ff/coin');
    expect(watch.target.maxPages).toBe(1000);
    expect(watch.alerts[0]?.id).toBe('1e3');
  });
});

describe('Fan-out', () => {
  const wide = `
watches:
  - { id: w, kind: items, explorer: [ethereum, gnosis], of: [treasury, hot_wallets], token: [USDC, ACME] }
`;

  test('makes one watch for each explorer, address and token', () => {
    const watches = watchesOf(wide);
    expect(watches).toHaveLength(2 * 4 * 2);
    expect(new Set(watches.map(({ id }) => id)).size).toBe(16);
    expect(watches[0]?.name).toBe('w[ethereum, treasury, USDC]');
    expect(watches.at(-1)?.name).toBe('w[gnosis, vault, ACME]');
    const [usdcOnGnosis] = watches.filter(({ name }) => name === 'w[gnosis, treasury, USDC]');
    expect(usdcOnGnosis?.token?.address).toBe('0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83');
  });

  test('names addresses that look alike in whole, and the others by their short form', () => {
    const [one, alike, other] = ['a1', 'b2', 'c3'].map((middle) => `0xdead${middle.repeat(16)}beef`);
    const third = String(other).replace('beef', 'cafe');
    const named = watchesOf(
      `watches: [{ id: w, kind: items, explorer: ethereum, of: ['${one}', '${alike}', '${third}'] }]\n`,
    );
    expect(named.map(({ name }) => name)).toEqual([`w[${one}]`, `w[${alike}]`, 'w[0xdead…cafe]']);
  });

  test('gives the same ids in any order, by any name', () => {
    const other = `
watches:
  - id: w
    kind: items
    explorer: [gnosis, ethereum]
    of: ["0x2222222222222222222222222222222222222222", vault, 0x1111111111111111111111111111111111111111, vault, 0x47AC0FB4F2D84898E4D9E7B4DAB3C24507A6D503]
    token: [ACME, USDC, USDC]
`;
    const idsOf = (text: string): string[] =>
      watchesOf(text)
        .map(({ id, checksum }) => `${id} ${checksum}`)
        .toSorted();
    expect(idsOf(other)).toEqual(idsOf(wide));
  });

  test('adds and removes one address without touching the others', () => {
    const withOne = watchesOf('watches: [{ id: w, kind: items, explorer: ethereum, of: treasury }]\n');
    const withTwo = watchesOf('watches: [{ id: w, kind: items, explorer: ethereum, of: [vault, treasury] }]\n');
    expect(withTwo.map(({ id, checksum }) => [id, checksum])).toContainEqual([withOne[0]?.id, withOne[0]?.checksum]);
  });

  test('changes the checksum only with what is observed', () => {
    const checksum = (keys: string): string | undefined =>
      watchesOf(`watches: [{ id: w, kind: items, explorer: ethereum, of: vault, ${keys} }]\n`)[0]?.checksum;
    expect(checksum('every: 5s, notify: ops, severity: info')).toBe(checksum('every: 1h'));
    expect(checksum('direction: to')).not.toBe(checksum('direction: from'));
    expect(checksum('token: ACME')).not.toBe(checksum('every: 5s'));
  });
});

describe('What is remembered', () => {
  test.each([
    ['{ id: a, on: new, if: height > 1 }', ['status', 'value']],
    ['{ id: a, on: changed }', ['status', 'value']],
    ['{ id: a, on: changed, if: token.reputation == "scam" }', ['status', 'token.reputation', 'value']],
    ['{ id: a, on: changed, if: height > before.raw }', ['height', 'raw', 'status', 'value']],
    ['{ id: a, on: changed, text: "{{ before.share }} {{ height }}" }', ['share', 'status', 'value']],
    ['{ id: a, while: height > before.raw }', ['raw', 'status', 'value']],
  ])('%s tracks %j', (alert, tracked) => {
    const text = `watches:\n  - { id: w, kind: items, explorer: ethereum, notify: ops, alerts: [${alert}] }\n`;
    expect(onlyWatch(text).tracked).toEqual(tracked);
  });
});

describe('Alerts', () => {
  test('compile once for many watches', () => {
    const [one, two] = watchesOf(
      'watches: [{ id: w, kind: items, explorer: ethereum, of: hot_wallets, notify: ops, alerts: [{ id: a, on: new, if: value > 7 }] }]\n',
    );
    expect(one?.alerts[0]).toBe(two?.alerts[0]);
  });

  test('see a name as it is on their explorer', () => {
    const text =
      'watches: [{ id: w, kind: items, explorer: [ethereum, gnosis], notify: ops, alerts: [{ id: a, on: new, if: token == USDC }] }]\n';
    const [one, two] = watchesOf(text);
    expect(one?.alerts[0]).not.toBe(two?.alerts[0]);
    expect(load({ 'a.yaml': text.replace('USDC', 'LOCAL') }).problems.map(summarize)).toEqual([
      'a.yaml:1:116 watches[0].alerts[0].if: "LOCAL" has no address on gnosis. Add one in the config: tokens: LOCAL: gnosis.',
    ]);
  });

  test('carry conditions that decide', () => {
    const rule = onlyAlert('{ id: a, on: new, if: value > 100 }');
    expect(rule).toMatchObject({ type: 'event', if: { text: 'value > 100', reads: ['value'], headOnly: false } });
  });
});

describe('All files together', () => {
  test('every problem of every file is said at once, in order', () => {
    const { problems, watches } = load({
      'rules/b.yaml': ONE.replace('value > 100', 'valu > 100').replace('large', 'other'),
      'rules/a.yaml': ONE.replace('of: vault', 'of: valt'),
      'rules/c.yaml': 'watches: [',
    });
    expect(problems.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual([
      'rules/a.yaml:6:9',
      'rules/b.yaml:9:31',
      'rules/c.yaml:1:10',
    ]);
    expect(watches).toEqual([]);
  });

  test('an id is unique over all files', () => {
    const { problems } = load({ 'rules/a.yaml': ONE, 'rules/b.yaml': ONE });
    expect(problems.map(summarize)).toEqual([
      'rules/b.yaml:3:9 watches[0].id: the id "large" is used already at rules/a.yaml:3. Ids are unique over all files.',
    ]);
  });

  test('a good file beside a bad one is not applied', () => {
    expect(load({ 'rules/a.yaml': ONE, 'rules/b.yaml': 'watches: 1' }).watches).toEqual([]);
  });

  test('nothing to watch is a problem, never an empty success', () => {
    expect(load({ 'rules/a.yaml': 'watches: []\n' }).problems.map(summarize)).toEqual([
      'rules/a.yaml:1:1: nothing would be watched. Write at least one watch.',
    ]);
    expect(load({}).problems).toHaveLength(1);
  });

  test('a slip in a word is a warning with its place', () => {
    const { problems, warnings } = load({ 'rules/a.yaml': ONE.replace('value > 100', 'status == "eror"') });
    expect(problems).toEqual([]);
    expect(warnings.map(summarize)).toEqual([
      '/etc/chainwarden/config.yaml:21:3 channels.ops: unsigned: no secret',
      'rules/a.yaml:9:41 watches[0].alerts[0].if: "eror" is a value that was never seen here. Did you mean error?',
    ]);
  });
});

describe('Secrets', () => {
  const secret = CONFIG.replace(
    '{ type: post, url: https://hooks.example.com/x }',
    '{ type: post, url: { env: HOOK } }',
  );
  const config = loadConfigText(secret).config;

  test('a missing one is a problem for a channel that is used', () => {
    if (config === null) throw new Error('no config');
    const { problems } = loadRules(config, [{ file: 'a.yaml', text: ONE }], { kinds: testKinds });
    expect(problems.map(summarize)).toEqual([
      '/etc/chainwarden/config.yaml:21:34 channels.ops.url.env: the environment variable "HOOK" is not set. Set it for the daemon.',
    ]);
  });

  test.each(['$HOOK', '"${HOOK}"'])('a variable as a shell writes it is not taken for the secret itself: %s', (url) => {
    const { config: shell } = loadConfigText(secret.replace('{ env: HOOK }', url));
    if (shell === null) throw new Error('no config');
    const { problems } = loadRules(shell, [{ file: 'a.yaml', text: ONE }], { kinds: testKinds });
    expect(problems.map(summarize)).toEqual([
      '/etc/chainwarden/config.yaml:21:27 channels.ops.url: an environment variable is written in braces. Write { env: HOOK }.',
    ]);
  });

  test('and a warning for one that is not', () => {
    if (config === null) throw new Error('no config');
    const { problems, warnings } = loadRules(config, [{ file: 'a.yaml', text: ONE.replace('ops', 'oncall') }], {
      kinds: testKinds,
    });
    expect(problems).toEqual([]);
    expect(warnings).toHaveLength(1);
  });
});

test('a thousand watches of two files load', () => {
  const watch = (i: number): string =>
    `  - { id: w${i}, kind: items, explorer: ethereum, of: 0x${i.toString(16).padStart(40, '0')}, notify: ops, alerts: [{ id: a, on: new, if: value > 100 && to == vault }] }\n`;
  const files: Record<string, string> = {};
  for (let file = 0; file < 2; file++)
    files[`rules/${file}.yaml`] = `watches:\n${Array.from({ length: 500 }, (_, i) => watch(file * 500 + i)).join('')}`;
  const { watches, problems } = load(files);
  expect(problems).toEqual([]);
  expect(watches).toHaveLength(1000);
});

describe('A file that is none of rules, such as one that a link leads to', () => {
  const TOKEN = '_KHra6kMZ0pSlZx6cM9Wb2hZl8a4o5VQmKX2v9c1ytE';
  test.each([
    ['a token', TOKEN],
    ['a token behind a colon', `token: ${TOKEN}`],
    ['variables', `A=1\nexport PASSWORD="${TOKEN}\n`],
    ['JSON', `{ "auth": "${TOKEN}", "more": [ }`],
    ['passwords', `root:$6$${TOKEN}:19000:0:99999:7:::\n`],
    ['a list', `- ${TOKEN}\n- second\n`],
    ['a key', `-----BEGIN PRIVATE KEY-----\n${TOKEN}\n-----END PRIVATE KEY-----\n`],
    ['a config', `http: { operators: { alice: { token: '${TOKEN}' } } }\nself: none\n`],
    ['a template', `password: {{ ${TOKEN} }}\n`],
    ['tags', `!${TOKEN} [\n`],
  ])('shows no value of it: %s', (_name, text) => {
    const { problems, warnings } = load({ 'rules/zz.yaml': text });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.map(({ frame }) => frame).join('')).toBe('');
    expect(JSON.stringify([problems, warnings])).not.toContain(TOKEN.slice(0, 12));
  });
});
