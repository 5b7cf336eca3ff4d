// The state file cannot grow while the daemon runs. The limit of the process on the size of its files stands for the disk:
// every write beyond it fails, as on a disk without room.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { openSqliteReader } from '../../../src/store/sqlite/open.ts';
import { serveBalances } from '../../support/app.ts';
import { createFolder, start } from '../../support/daemon.ts';
import { createWebhookSink, type WebhookSink } from '../../support/sinks.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';
import { onState } from '../../support/store/peek.ts';
import { stateOf } from '../../support/store/story-state.ts';

const fileTest = onFileAlone('the disk of the state file is full');

const RULES = `watches: [{ id: head, kind: blocks, every: 1s, alerts: [{ id: block, on: new }] }]\n`;

function limitFiles(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:`]);
}

fileTest('no block was left out, and no copy had an id of its own, because the disk was full for a while', async () => {
  await using hook = await createWebhookSink();
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: sandbox, block_time: 500ms } }
channels: { hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] } }
http: { listen: '127.0.0.1:0' }
rules: [rules.yaml]
`,
    'rules.yaml': RULES,
  });
  await using daemon = start(['run'], folder.path);
  await daemon.says('daemon:started');
  await hook.calls.reached(2);
  limitFiles(daemon.pid, 4096);
  await daemon.says('no decision is committed until the storage works again');
  const metrics = /"metrics":"(\S+)\/metrics"/.exec(daemon.err())?.[1] ?? '';
  const blind = await fetch(`${metrics}/readyz`);
  expect([blind.status, await blind.text()]).toEqual([503, expect.stringContaining('the state cannot be written')]);
  limitFiles(daemon.pid, 'unlimited');
  await daemon.says('storage:works-again');
  await hook.calls.reached(hook.calls.all.length + 4);
  daemon.kill('SIGTERM');
  expect(await daemon.ended).toMatchObject({ code: 0 });

  const heightById = new Map(hook.calls.all.map(({ headers, body }) => [headers['webhook-id'], heightOf(body)]));
  const told = [...heightById.values()].toSorted((a, b) => a - b);
  expect(told.length).toBeGreaterThan(5);
  expect(told).toEqual(Array.from({ length: told.length }, (_, n) => (told[0] ?? 0) + n));
  await using reader = await openSqliteReader({ file: join(folder.path, 'data/state.db') });
  expect(await reader.survey()).toMatchObject({ dead: 0 });
});

function heightOf(body: unknown): number {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Number(/"height":"?(\d+)/.exec(text)?.[1]);
}

interface Told {
  /** `/ firing empty 1; unrecorded` */
  readonly what: string;
  readonly key: string;
  readonly id: string;
}

const Called = z.object({ type: z.string(), data: z.object({ alert: z.string(), key: z.string() }) });

const toldBy = ({ calls }: WebhookSink): Told[] =>
  calls.all.map(({ path, headers, body }) => {
    const { type, data } = Called.parse(JSON.parse(body));
    const what = `${path} ${type.replace('alert.', '')} ${data.alert} ${String(headers['chainwarden-attempt'])}`;
    return { what, key: data.key, id: String(headers['webhook-id']) };
  });

const FIVE_COINS = '5000000000000000000';

fileTest(
  'a daemon that is killed while the disk is full leaves what it told without a record, and the next one closes it',
  async () => {
    await using hook = await createWebhookSink();
    await using explorer = await serveBalances();
    using folder = createFolder({
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
channels:
  hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] }
  pager: { type: webhook, url: '${hook.origin}/pager', allow: [127.0.0.0/8] }
self: pager
http: { listen: '127.0.0.1:0' }
rules: [rules.yaml]
`,
      'rules.yaml': `
watches:
  - id: coins
    kind: balance
    of: '0x${'11'.repeat(20)}'
    every: 1s
    notify: hook
    severity: critical
    alerts: [{ id: low, while: balance < 2 }, { id: empty, while: balance < 1 }]
`,
    });
    {
      await using daemon = start(['run'], folder.path);
      explorer.balance = '1500000000000000000';
      await hook.calls.reached(1);
      explorer.balance = FIVE_COINS;
      await hook.calls.reached(2);
      // What it told is on record when it has ended.
      daemon.kill('SIGTERM');
      await daemon.ended;
    }
    {
      await using daemon = start(['run'], folder.path);
      await daemon.says('daemon:started');
      limitFiles(daemon.pid, 4096);
      explorer.balance = '0';
      await hook.calls.reached(5);
      daemon.kill('SIGKILL');
      await daemon.ended;
    }
    {
      await using early = start(['run'], folder.path);
      limitFiles(early.pid, 4096);
      expect(await early.ended).toMatchObject({ code: 74 });
      expect(early.err()).toMatch(/state\.db: .*Check its disk: free space, quota and health/);
    }
    await using next = start(['run'], folder.path);
    await hook.calls.reached(7);
    explorer.balance = FIVE_COINS;
    await hook.calls.reached(9);
    next.kill('SIGTERM');
    expect(await next.ended).toMatchObject({ code: 0 });

    const told = toldBy(hook);
    expect(
      [told.slice(0, 2), told.slice(2, 5), told.slice(5)].map((some) => some.map(({ what }) => what).toSorted()),
    ).toEqual([
      ['/ firing low 1', '/ resolved low 1'],
      ['/ firing empty 1; unrecorded', '/ firing low 1; unrecorded', '/pager firing storage 1; unrecorded'],
      ['/ firing empty 1', '/ firing low 1', '/ resolved empty 1', '/ resolved low 1'],
    ]);
    const keysOf = (alert: string): number =>
      new Set(told.filter(({ what }) => what.includes(alert)).map(({ key }) => key)).size;
    const copiesOf = (alert: string): number => {
      const begins = told.slice(2).filter(({ what }) => what.startsWith(`/ firing ${alert}`));
      return begins.length - new Set(begins.map(({ id }) => id)).size;
    };
    // A condition has its key from the first poll on, whether it ever fired or not: the second message is a copy of the first,
    // and its end is that of both. The alert about the state itself has no end.
    expect([keysOf('low'), copiesOf('low')]).toEqual([1, 1]);
    expect([keysOf('empty'), copiesOf('empty')]).toEqual([1, 1]);
    const stored = "SELECT DISTINCT alert FROM notifications WHERE alert IN ('low', 'empty', 'storage') ORDER BY alert";
    expect(await onState(stateOf(folder, 'data/state.db'), stored)).toMatchObject([
      { alert: 'empty' },
      { alert: 'low' },
    ]);
  },
);
