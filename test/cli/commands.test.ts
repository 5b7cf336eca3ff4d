import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { SignalName } from '../../src/cli/terminal.ts';
import { run } from '../support/cli.ts';
import { createFolder, start } from '../support/daemon.ts';
import { createWebhookSink, status } from '../support/sinks.ts';

const CONFIG = `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
rules: [rules.yaml]
`;
const RULES = `watches: [{ id: head, kind: blocks, every: 15s, alerts: [{ id: block, on: new }] }]\n`;

test('check prints a line per watch, what it all costs, and who is told of each alert', async () => {
  using folder = createFolder({ 'config.yaml': CONFIG, 'rules.yaml': RULES });
  const { code, out } = await run(['check', '-c', join(folder.path, 'config.yaml')]);
  expect(code).toBe(0);
  expect(out).toMatch(/^head +blocks on chain +every 15s +asks blocks +5,760 requests, 115,200 credits a day/);
  expect(out).toMatch(/^head\/block {2}warning {2}notifies screen$/m);
});

test('rules that load and are hardly meant so are warned of; check --strict takes that for a problem', async () => {
  const rules = `watches:
  - { id: raw, kind: balance, of: '0x${'11'.repeat(20)}', every: 10m, alerts: [{ id: low, while: balance < 1000000000000, for: 5m }] }
`;
  using folder = createFolder({
    'config.yaml': 'explorers: { s: { form: sandbox } }\nchannels: { o: { type: log } }\nrules: [r.yaml]\n',
    'r.yaml': rules,
  });
  const check = (...options: readonly string[]): ReturnType<typeof run> =>
    run(['check', '-c', join(folder.path, 'config.yaml'), ...options]);
  const { code, err } = await check();
  expect(code).toBe(0);
  expect(err).toContain('amounts are in whole tokens, not in their smallest unit. With 6 decimals this is 1000000,');
  expect(err).toContain('it fires after 10m at the earliest, since the watch is polled every 10m. Write for: 10m,');
  expect(await check('--strict')).toMatchObject({ code: 1, err });
  folder.write('r.yaml', rules.replace('1000000000000, for: 5m', '1_000, for: 10m'));
  expect(await check('--strict')).toMatchObject({ code: 0, err: '' });
});

test('schema into a folder that is not there says so', async () => {
  const { code, err } = await run(['schema', '--out', '/nowhere/at/all']);
  expect([code, err]).toEqual([
    1,
    'chainwarden: /nowhere/at/all/rules.schema.json cannot be written: no such file. Name a folder with --out.\n',
  ]);
});

test('check shows every problem with its place and exits with 1; run exits with 78', async () => {
  using folder = createFolder({ 'config.yaml': CONFIG, 'rules.yaml': RULES.replace('blocks', 'bloks') });
  const checked = await run(['check', '-c', join(folder.path, 'config.yaml')]);
  expect(checked.code).toBe(1);
  expect(checked.err).toMatch(/rules\.yaml:1:\d+.*bloks/);
  expect(checked.err).toContain('blocks');
  expect((await run(['run', '-c', join(folder.path, 'config.yaml')])).code).toBe(78);
  expect(existsSync(join(folder.path, 'data'))).toBe(false);
});

test('a config that is not there is said, with what to do', async () => {
  const { code, err } = await run(['run', '-c', '/nowhere/config.yaml']);
  expect([code, err.includes('--config')]).toEqual([78, true]);
});

test('a FIFO or a device as config, rule or secret is said at once; nobody waits for a writer', async () => {
  const secret = CONFIG.replace('sandbox', "instance, instance_url: 'http://127.0.0.1:1', api_key: { file: odd }");
  for (const [files, name, code, said] of [
    [{}, 'config.yaml', 78, /config\.yaml:1:1: cannot be read: it is a FIFO.* Name a config with --config/],
    [{ 'config.yaml': CONFIG }, 'rules.yaml', 78, /rules\.yaml:1:1: cannot be read: it is a FIFO/],
    [
      { 'config.yaml': secret, 'rules.yaml': RULES },
      'odd',
      78,
      /api_key\.file: the file "odd" cannot be read: it is a FIFO/,
    ],
  ] as const) {
    using folder = createFolder(files);
    execFileSync('mkfifo', [join(folder.path, name)]);
    const ran = await run(['run', '-c', join(folder.path, 'config.yaml')]);
    expect([ran.code, ran.err]).toEqual([code, expect.stringMatching(said)]);
  }
  const ran = await run(['run', '-c', '/dev/zero']);
  expect([ran.code, ran.err]).toEqual([78, expect.stringContaining('it is a device, and only regular files are read')]);
});

test('a wrong command line exits with 64, help and version with 0', async () => {
  expect((await run(['wach'])).code).toBe(64);
  expect((await run(['run', '--log-level', 'loud'])).code).toBe(64);
  expect((await run(['explorer', '--port', 'x'])).code).toBe(64);
  expect((await run(['explorer', '--as', '7'])).err).toContain('6, 8, 9, 11, 12');
  const help = await run(['--help']);
  expect([help.code, help.out.includes('notify')]).toEqual([0, true]);
  expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('explorer serves the sandbox, and prints what the example rules name', async () => {
  const reacts: (() => void)[] = [];
  const onSignal = (_name: SignalName, react: () => void): number => reacts.push(react);
  const printed: string[] = [];
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const out = (line: string): void => {
    printed.push(line);
    if (line.startsWith('ITEMS')) resolve(undefined);
  };
  const ran = run(['explorer', '--port', '0', '--as', '6'], { onSignal, out });
  await promise;
  const url = /http:\/\/\S+/.exec(printed[0] ?? '')?.[0] ?? '';
  const { items } = (await (await fetch(url)).json()) as { items: object[] };
  expect([items.length, items[0]]).toEqual([50, expect.objectContaining({ tx_count: expect.any(Number) })]);
  expect(printed.join('\n')).toContain('treasury           0x');
  await nextOf(reacts);
  expect((await ran).code).toBe(0);
});

/** Signals are listened to right after the last line is printed. */
async function nextOf(reacts: readonly (() => void)[]): Promise<void> {
  while (reacts.length === 0) await new Promise(setImmediate);
  for (const react of reacts) react();
}

test('notify test sends a sample and prints the answer', async () => {
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'config.yaml': CONFIG.replace(
      '{ type: log }',
      `{ type: log }, hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] }`,
    ),
    'rules.yaml': RULES.replace('every', 'notify: screen, every'),
  });
  const file = join(folder.path, 'config.yaml');
  const sent = await run(['notify', 'test', 'hook', '-c', file]);
  expect([sent.code, sent.out]).toEqual([0, expect.stringContaining('hook: sent')]);
  hook.answerNext(status(500, {}, 'broken'));
  const refused = await run(['notify', 'test', 'hook', '-c', file]);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining('500')]);
  expect(hook.calls.all).toHaveLength(2);
  expect((await run(['notify', 'test', 'nobody', '-c', file])).err).toContain('hook');
});

test('status answers while there is no daemon, and says when there is no state yet', async () => {
  using folder = createFolder({ 'config.yaml': CONFIG, 'rules.yaml': RULES });
  const { code, err } = await run(['status', '-c', join(folder.path, 'config.yaml')]);
  expect([code, err.length > 0]).toEqual([74, true]);
});

test('a dry run sends nothing and leaves no state behind', async () => {
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: sandbox, block_time: 1s } }
channels: { hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml': RULES.replace('15s', '1s'),
  });
  await using daemon = start(['run', '--dry'], folder.path);
  await daemon.says('delivery:dry');
  daemon.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect(hook.calls.all).toEqual([]);
  expect(readdirSync(folder.path).toSorted()).toEqual(['config.yaml', 'rules.yaml']);
});

test('an older Node is refused in one line', async () => {
  using folder = createFolder();
  const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.1.0'})";
  await using refused = start(['check'], folder.path, { NODE_OPTIONS: `--import=${older}` });
  expect((await refused.ended).code).toBe(78);
  expect(refused.err()).toMatch(/^chainwarden needs Node\.js 24 or newer[^\n]*\n$/);
});

test('fields prints the kinds, and all that the rules of one may say', async () => {
  expect((await run(['fields'])).out).toMatch(/^ {2}balance +How much/m);
  const { code, out } = await run(['fields', 'blocks']);
  expect([code, out.startsWith('blocks: ')]).toEqual([0, true]);
  expect(out).toMatch(/^ {2}block\.type +word: block, uncle, reorg/m);
  expect((await run(['fields', 'blocks', '--format', 'markdown'])).out).toContain('### Fields');
  const wrong = await run(['fields', 'block']);
  expect([wrong.code, wrong.err]).toEqual([64, 'chainwarden: no watch kind "block". Did you mean blocks?\n']);
});
