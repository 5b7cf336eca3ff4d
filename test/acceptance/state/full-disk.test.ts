// The state file cannot grow while the daemon runs. The limit of the process on the size of its files stands for the disk:
// every write beyond it fails, as on a disk without room.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, jest } from '@jest/globals';
import { openSqliteReader } from '../../../src/store/sqlite/open.ts';
import { createFolder, start } from '../../support/daemon.ts';
import { createWebhookSink } from '../../support/sinks.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';

const fileTest = onFileAlone('the disk of the state file is full');

jest.setTimeout(60_000);

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
  await daemon.says('nothing is acknowledged until it works again');
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
