// `record`, then `replay`: what people type, and what must not happen meanwhile.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../src/sandbox/server.ts';
import { run, type Ran } from '../support/cli.ts';
import { createFolder, start, type Folder } from '../support/daemon.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createWebhookSink, type WebhookCall } from '../support/sinks.ts';
import { createWorld } from '../support/world.ts';

const ADDRESSES = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: createFakeClock() }).addresses;

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Tells everything to a webhook, and keeps its state in a file. */
function configWith({ explorer, hook }: { explorer: string; hook: string }): string {
  return `
explorers: { chain: ${explorer} }
addresses: { treasury: ${ADDRESSES.treasury}, vault: ${ADDRESSES.vault} }
channels: { hook: { type: webhook, url: '${hook}', secret: '${SECRET}', allow: [127.0.0.0/8] } }
state: { file: ./state/state.db }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
}

const CALLS =
  '{ id: calls, kind: internal-transactions, of: vault, every: 1m, alerts: [{ id: failed, on: new, if: success == false }] }';
const COINS =
  '{ id: coins, kind: balance, of: vault, every: 1m, alerts: [{ id: low, severity: critical, while: balance < 5 }] }';
const rules = (...watches: string[]): string => `watches: [${watches.join(', ')}]\n`;

/** Twelve minutes: a call fails in the third, the vault is empty from the fifth to the ninth. */
async function recordTo(file: string): Promise<void> {
  await using world = await createWorld(rules(CALLS, COINS), { recordTo: file });
  const { sandbox } = world;
  sandbox.setBalance({ address: 'vault', value: `${10n ** 19n}` });
  for (let minute = 1; minute <= 12; minute += 1) {
    if (minute === 3) sandbox.mine();
    if (minute === 3) sandbox.failCall({ to: 'vault', reason: 'read https://evil.example\u202e now' });
    if (minute === 5) sandbox.setBalance({ address: 'vault', value: 0 });
    if (minute === 9) sandbox.setBalance({ address: 'vault', value: `${10n ** 19n}` });
    await world.poll();
  }
}

async function withRecording(test: (folder: Folder, replay: (...args: string[]) => Promise<Ran>) => Promise<void>) {
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'config.yaml': configWith({ explorer: '{ form: sandbox }', hook: hook.origin }),
    'rules.yaml': rules(CALLS, COINS),
  });
  await recordTo(join(folder.path, 'recording.db'));
  folder.write('state/state.db', 'a state that is not even looked at');
  const before = readdirSync(folder.path);
  const config = join(folder.path, 'config.yaml');
  await test(folder, (...args) => run(['replay', '-c', config, '-r', join(folder.path, 'recording.db'), ...args]));
  // It can never send, and leaves nothing behind.
  expect(hook.calls.all).toEqual([]);
  const written = ['more.yaml', 'asks.yaml'];
  expect(readdirSync(folder.path).filter((name) => !written.includes(name))).toEqual(before);
  expect(readdirSync(join(folder.path, 'state'))).toEqual(['state.db']);
  expect(readFileSync(join(folder.path, 'state/state.db'), 'utf8')).toBe('a state that is not even looked at');
}

test('a timeline, and how noisy each alert was; nothing is sent, no state is written', async () => {
  await withRecording(async (_folder, replay) => {
    const { code, out, err } = await replay();
    expect([code, err]).toEqual([0, '2026-01-01T00:01:00Z to 2026-01-01T00:12:00Z: 24 polls of 2 watches\n']);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^2026-01-01T00:03:00Z {2}WARNING {3}calls\/failed {2}EVENT {5}Call to vault failed - Reason given: /,
    );
    expect(lines[1]).toMatch(
      /^2026-01-01T00:05:00Z {2}CRITICAL {2}coins\/low {5}FIRING {4}vault coin 0, below 5 - Fell 10 /,
    );
    expect(lines[2]).toMatch(
      /^2026-01-01T00:09:00Z {2}CRITICAL {2}coins\/low {5}RESOLVED {2}vault coin \d+, at or above 5 - When it fired: 0\. chain, 00:09 UTC\. \(after 4m\)$/,
    );
    expect(lines.slice(3)).toEqual([
      '',
      'alert         times  a day  longest',
      'calls/failed  1      131',
      'coins/low     1      131    4m',
      '',
      '2026-01-01T00:01:00Z to 2026-01-01T00:12:00Z: 3 messages, 393 a day',
    ]);
  });
});

test('text of the chain comes out defanged, in either format', async () => {
  await withRecording(async (_folder, replay) => {
    for (const format of ['text', 'json']) {
      const { out } = await replay('--format', format);
      expect(out).toContain('hxxps[:]//evil[.]example');
      expect(out).not.toMatch(/https:\/\/evil|\u202e/);
    }
  });
});

test('json, since and until, other rule files', async () => {
  await withRecording(async (folder, replay) => {
    folder.write(
      'more.yaml',
      rules(COINS.replace('balance < 5', 'balance < 100'), CALLS.replace('id: calls', 'id: new')),
    );
    const files = [
      join(folder.path, 'more.yaml'),
      '--format',
      'json',
      '--since',
      '8m',
      '--until',
      '2026-01-01T00:10:00Z',
    ];
    const story = JSON.parse((await replay(...files)).out) as Record<string, unknown>;
    expect(story).toEqual({
      from: '2026-01-01T00:04:00Z',
      until: '2026-01-01T00:10:00Z',
      timeline: [],
      alerts: [
        expect.objectContaining({ watch: 'coins', alert: 'low', count: 0, firing: true, longest_seconds: 540 }),
        expect.objectContaining({ watch: 'new', alert: 'failed', count: 0, firing: false, longest_seconds: null }),
      ],
      messages_per_day: 0,
    });
    expect((await replay('--since', 'yesterday')).code).toBe(64);
    expect((await replay('--since', '2027-01-01')).err).toContain('nothing between');
    expect((await replay(join(folder.path, 'none.yaml'))).err).toContain('cannot be read');
    folder.write('asks.yaml', rules('{ id: all, kind: transactions, every: 1m, alerts: [{ id: any, on: new }] }'));
    expect((await replay(join(folder.path, 'asks.yaml'))).err).toContain('all: not in the recording: transactions\n');
  });
});

test('record polls beside a daemon, sends nothing, and what it wrote can be replayed', async () => {
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'config.yaml': configWith({ explorer: '{ form: sandbox, block_time: 1s }', hook: hook.origin }),
    'rules.yaml': rules('{ id: head, kind: blocks, every: 1s, alerts: [{ id: any, on: new }] }'),
  });
  await using recorder = start(['record', '--out', 'recording.db', '--log-level', 'debug'], folder.path);
  await recorder.says('delivery:dry');
  recorder.kill('SIGTERM');
  expect((await recorder.ended).code).toBe(0);
  expect(readdirSync(folder.path).toSorted()).toEqual(['config.yaml', 'recording.db', 'rules.yaml']);
  const paths = ['-c', join(folder.path, 'config.yaml')];
  const replayed = await run(['replay', ...paths, '-r', join(folder.path, 'recording.db')]);
  expect([replayed.code, replayed.out.includes('head/any')]).toEqual([0, true]);
  const again = await run(['record', ...paths, '--out', join(folder.path, 'recording.db')]);
  expect([again.code, again.err.includes('exists')]).toEqual([64, true]);
  expect(hook.calls.all).toEqual([]);
});

test('the daemon records when its config says so, over a hard end too, and goes on when it cannot', async () => {
  await using hook = await createWebhookSink();
  const config = configWith({ explorer: '{ form: sandbox, block_time: 1s }', hook: hook.origin });
  using folder = createFolder({
    'config.yaml': `${config}recording: { file: ./data/recording.db, keep: 1d, max_size: 1MiB }\n`,
    'rules.yaml': rules('{ id: head, kind: blocks, every: 1s, alerts: [{ id: any, on: new }] }'),
  });
  const ids: unknown[] = [];
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await using daemon = start(['run'], folder.path);
    const before = hook.calls.all.length;
    const calls = () => hook.calls.all.slice(before);
    // A hard end may cost the recording its last second.
    for (let more = 2; recordedOf(calls()).length === 0; more += 1) await hook.calls.reached(before + more);
    daemon.kill(signal);
    await daemon.ended;
    ids.push(...(signal === 'SIGKILL' ? recordedOf(calls()) : calls()).map(({ headers }) => headers['webhook-id']));
  }
  const file = join(folder.path, 'data/recording.db');
  const args = ['-c', join(folder.path, 'config.yaml'), '-r', file, '--format', 'json'];
  const { out } = await run(['replay', ...args]);
  for (const id of ids) expect(out).toContain(String(id));

  folder.write('config.yaml', `${config}recording: { file: ./rules.yaml }\n`);
  await using daemon = start(['run', '--log-level', 'debug'], folder.path);
  expect(await daemon.says('recording:failed')).toContain('rules.yaml');
  await daemon.says('alert:told');
});

/** Those that were told more than two seconds before the last one. */
function recordedOf(calls: readonly WebhookCall[]): readonly WebhookCall[] {
  const toldAt = ({ body }: WebhookCall): number => Date.parse((JSON.parse(body) as { timestamp: string }).timestamp);
  return calls.filter((call) => toldAt(call) < Math.max(...calls.map(toldAt)) - 2000);
}

interface Explored extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly replay: (...args: string[]) => Promise<Ran>;
  readonly asked: () => number;
  readonly folder: string;
}

/** A chain of a block a second behind a multichain form, five minutes before its present. */
async function explored(watches: string, hook: string): Promise<Explored> {
  const clock = createFakeClock(Date.UTC(2026, 0, 2));
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 1000, clock });
  let asked = 0;
  const counting: Sandbox = {
    ...sandbox,
    ask(request) {
      asked += 1;
      return sandbox.ask(request);
    },
  };
  const served = await serveSandbox(counting);
  const explorer = `{ form: instance, instance_url: '${served.url}', concurrency: 4 }`;
  const folder = createFolder({ 'config.yaml': configWith({ explorer, hook }), 'rules.yaml': watches });
  return {
    sandbox,
    asked: () => asked,
    folder: folder.path,
    replay: (...args) => run(['replay', '-c', join(folder.path, 'config.yaml'), ...args], { clock }),
    async [Symbol.asyncDispose]() {
      await served.close();
      folder[Symbol.dispose]();
    },
  };
}

test('without a recording, the explorer is asked back to a time, at a price that is said first', async () => {
  await using hook = await createWebhookSink();
  await using world = await explored(rules(CALLS, COINS), hook.origin);
  const { code, out, err } = await world.replay('--since', '10m');
  expect(code).toBe(0);
  const [refused, first, question, sum] = err.split('\n');
  expect(refused).toBe('coins: balance has no history on an explorer; record first');
  expect(first).toBe('the estimate asks for one page each: 1 request, 40 credits');
  expect(question).toMatch(/^chain addresses\/0x\w+\/internal-transactions {2}about \d+ requests, \d+0 credits$/);
  expect(sum).toMatch(/^in sum +about \d+ requests, \d+0 credits$/);
  const estimated = Number(/about (\d+)/.exec(sum ?? '')?.[1]) + 1;
  expect(Math.abs(world.asked() - estimated)).toBeLessThanOrEqual(Math.max(3, estimated / 4));
  expect(out).toMatch(/^2026-01-01T23:5\d:\d\d\.\d+Z {2}WARNING {2}calls\/failed {2}EVENT/);
  expect(out).toMatch(/\n2026-01-01T23:50:00Z to 2026-01-02T00:00:00Z: \d+ messages/);
  expect(hook.calls.all).toEqual([]);
  expect(readdirSync(world.folder).toSorted()).toEqual(['config.yaml', 'rules.yaml']);
});

test('a row of the past is said once, by the first poll of the schedule after it', async () => {
  await using hook = await createWebhookSink();
  const block = "{ id: block, on: new, text: '{{ height }} {{ timestamp }}' }";
  await using world = await explored(rules(`{ id: head, kind: blocks, every: 30s, alerts: [${block}] }`), hook.origin);
  const { out } = await world.replay('--since', '10m', '--format', 'json');
  const { timeline } = JSON.parse(out) as { timeline: { at: string; text: string }[] };
  const told = timeline.map(({ at, text }) => {
    const [, height = '', timestamp = ''] = /^(\d+) (.*)$/.exec(text) ?? [];
    return { height: Number(height), waited: Date.parse(at) - Date.parse(timestamp) };
  });
  const heights = told.map(({ height }) => height);
  // All but those before the first poll, which were there already, and those after the last.
  expect(heights.length).toBeGreaterThanOrEqual(570 - 30);
  expect(heights.toSorted((a, b) => a - b)).toEqual(heights.map((_, i) => Math.min(...heights) + i));
  expect(Math.min(...told.map(({ waited }) => waited))).toBeGreaterThanOrEqual(0);
  expect(Math.max(...told.map(({ waited }) => waited))).toBeLessThanOrEqual(30_000);
});

test('above a small price it stops and says how to go on; nothing more was asked', async () => {
  await using hook = await createWebhookSink();
  await using world = await explored(
    rules(CALLS, '{ id: head, kind: blocks, every: 5m, alerts: [{ id: any, on: new }] }'),
    hook.origin,
  );
  const { code, out, err } = await world.replay('--since', '20h');
  expect([code, out, world.asked()]).toEqual([1, '', 2]);
  expect(err).toContain('nothing more was asked');
  expect(err).toContain('--yes');
  const limited = await world.replay('--since', '20h', '--max-pages', '3');
  expect([limited.code, limited.err]).toEqual([0, expect.stringMatching(/head: only back to .*: 3 pages read/)]);
});

test('what has no history is refused in one line; without a source it says which there are', async () => {
  await using hook = await createWebhookSink();
  await using world = await explored(rules(COINS), hook.origin);
  const { code, err } = await world.replay('--since', '1h');
  expect([code, err.split('\n')[0], world.asked()]).toEqual([
    1,
    'coins: balance has no history on an explorer; record first',
    0,
  ]);
  const bare = await world.replay();
  expect([bare.code, bare.err]).toEqual([64, expect.stringMatching(/--recording FILE.*--since 24h/)]);
});

test('an explorer that does not answer is said, with its reason', async () => {
  await using hook = await createWebhookSink();
  await using world = await explored(rules(CALLS), hook.origin);
  world.sandbox.fail({ fault: 'not-found', times: 9 });
  const { code, err } = await world.replay('--since', '1h');
  expect([code, err]).toEqual([1, expect.stringMatching(/calls: left out, for the explorer did not answer \(.*404/)]);
});
