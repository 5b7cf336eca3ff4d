// What happens to a running daemon whose state file is taken away.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@jest/globals';
import { runApp, serveBalances, type RunningApp } from '../../support/app.ts';
import { run } from '../../support/cli.ts';
import { createFolder, start, type Folder } from '../../support/daemon.ts';
import { createWebhookSink } from '../../support/sinks.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';

const fileTest = onFileAlone('the state file is taken away');

const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;

function folderFor(url: string, hook: string): Folder {
  const config = `
explorers: { chain: { form: instance, instance_url: '${url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
self: none
channels: { hook: { type: webhook, url: '${hook}', allow: [127.0.0.0/8] } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
  return createFolder({ 'config.yaml': config, 'rules.yaml': RULES });
}

async function poll({ clock, polls }: RunningApp): Promise<void> {
  const { length } = polls.all;
  await clock.advance(60_000);
  await polls.reached(length + 1);
}

const FILES = ['state.db', 'state.db-wal', 'state.db-shm', 'state.db.lock'];

fileTest.each<[name: string, takeAway: (directory: string) => void]>([
  [
    'the file',
    (directory) => {
      rmSync(join(directory, 'state.db'));
    },
  ],
  [
    'the file and its log',
    (directory) => {
      for (const name of FILES.slice(0, 3)) rmSync(join(directory, name));
    },
  ],
  [
    'everything in the directory',
    (directory) => {
      for (const name of FILES) rmSync(join(directory, name));
    },
  ],
  [
    'the directory',
    (directory) => {
      rmSync(directory, { recursive: true });
    },
  ],
  [
    'the file (by moving it)',
    (directory) => {
      renameSync(join(directory, 'state.db'), join(directory, 'old.db'));
    },
  ],
  [
    'only the lock',
    (directory) => {
      rmSync(join(directory, 'state.db.lock'));
    },
  ],
])(
  'an alert was told anew after %s was taken away under the daemon: it is put back within a poll',
  async (_name, takeAway) => {
    await using explorer = await serveBalances();
    await using hook = await createWebhookSink();
    using folder = folderFor(explorer.url, hook.origin);
    const directory = join(folder.path, 'data');
    explorer.balance = '5';
    {
      await using daemon = await runApp(folder);
      await hook.calls.reached(1);
      takeAway(directory);
      await daemon.clock.advance(1000);
      await daemon.says('storage:restored');
      expect(await daemon.readyz()).toMatchObject({
        status: 200,
        body: expect.stringContaining('was put back ('),
      });
      await poll(daemon);
      // A second daemon is kept away, as before.
      const second = await run(['run', '-c', join(folder.path, 'config.yaml')]);
      expect([second.code, second.err]).toEqual([75, expect.stringContaining('is in use by another daemon')]);
    }
    expect(existsSync(join(directory, 'state.db.restoring'))).toBe(false);
    await using next = await runApp(folder);
    await poll(next);
    expect(hook.calls.all).toHaveLength(1);
    expect((await run(['status', '--watches', '-c', join(folder.path, 'config.yaml')])).out).toMatch(
      /low firing\s+since/,
    );
  },
);

fileTest("what somebody put in the place of the state file is kept aside, and takes nobody's alerts", async () => {
  await using explorer = await serveBalances();
  await using hook = await createWebhookSink();
  using folder = folderFor(explorer.url, hook.origin);
  const file = join(folder.path, 'data/state.db');
  explorer.balance = '5';
  await using daemon = await runApp(folder);
  await hook.calls.reached(1);
  renameSync(file, `${file}.backup`);
  writeFileSync(file, 'something else');
  await daemon.clock.advance(1000);
  await daemon.says('storage:restored');
  expect(readFileSync(`${file}.found`, 'utf8')).toBe('something else');
  await poll(daemon);
  using db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare('SELECT count(*) AS n FROM memory').get()).toEqual({ n: 1 });
});

fileTest(
  'a state that cannot be put back ended in silence: the daemon stops with 74, and the next start says what was lost',
  async () => {
    const config = `
explorers: { chain: { form: sandbox } }
channels: { screen: { type: log } }
http: { listen: '127.0.0.1:0' }
rules: [rules.yaml]
`;
    const rules = `watches: [{ id: head, kind: blocks, every: 15s, alerts: [{ id: block, on: reorg }] }]\n`;
    using folder = createFolder({ 'config.yaml': config, 'rules.yaml': rules });
    const directory = join(folder.path, 'data');
    {
      await using daemon = start(['run'], folder.path);
      await daemon.says('daemon:started');
      rmSync(directory, { recursive: true });
      writeFileSync(directory, 'no directory');
      expect(await daemon.ended).toMatchObject({ code: 74 });
      expect(daemon.err()).toMatch(
        /state\.db was deleted or replaced while the daemon ran, and could not be written back: /,
      );
    }
    expect(readFileSync(`${directory}.lost`, 'utf8')).toContain('was deleted or replaced while the daemon ran');
    rmSync(directory);
    for (const isSaid of [true, false]) {
      await using daemon = start(['run'], folder.path);
      await daemon.says('daemon:started');
      expect(daemon.err().includes('storage:state-lost')).toBe(isSaid);
      daemon.kill('SIGTERM');
      expect(await daemon.ended).toMatchObject({ code: 0 });
    }
  },
);
