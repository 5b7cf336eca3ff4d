// What a supervisor and a person read at /readyz.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/open.ts';
import { StorageError } from '../../../src/store/contract/store.ts';
import { runApp, serveBalances, type AppChange, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';

const fileTest = onFileAlone('another program holds the state file, or it is full');

const config = ({ url }: BalanceExplorer): string => `
explorers:
  chain: { form: instance, instance_url: '${url}' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
const RULES = `
watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]
`;

interface Watched extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
}

/** An app that was polled once. */
async function aDaemon(change: AppChange = {}): Promise<Watched> {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const folder = opened.use(createFolder({ 'config.yaml': config(explorer), 'rules.yaml': RULES }));
  const running = opened.use(await runApp(folder, change));
  await running.polls.reached(1);
  const all = opened.move();
  return { explorer, folder, running, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** So many polls, a minute apart. */
async function poll({ running: { clock, polls } }: Watched, count: number): Promise<void> {
  for (; count > 0; count -= 1) {
    const { length } = polls.all;
    await clock.advance(60_000);
    await polls.reached(length + 1);
  }
}

test('a blind watch is listed with its reason, in the metrics too; the daemon stays ready, for a restart sees no more', async () => {
  await using daemon = await aDaemon();
  const { explorer, running } = daemon;
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
  explorer.isDown = true;
  await poll(daemon, 3);
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
  await poll(daemon, 4);
  expect(await running.readyz()).toEqual({
    status: 200,
    body: 'ready\nblind: 1 of 1 watches\nchain: server-error since 2026-01-01T00:00:54.850Z: coins',
  });
  expect(await running.metrics()).toContain(
    'chainwarden_watch_blind{watch="coins",of="treasury",explorer="chain",reason="server-error"} 1\n',
  );
  expect((await running.page('/healthz')).status).toBe(200);
  explorer.isDown = false;
  await poll(daemon, 1);
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
  expect(await running.metrics()).not.toContain('chainwarden_watch_blind{');
});

test('a state that cannot be written is not ready, and the watch that learns nothing more is blind', async () => {
  const disk = { isFull: false };
  await using daemon = await aDaemon({
    async openStore(state, tools) {
      const store = await openStore(state, tools);
      const check = (): void => {
        if (disk.isFull) throw new StorageError('disk full');
      };
      return {
        ...store,
        async commit(...args) {
          check();
          return store.commit(...args);
        },
        async cover(...args) {
          check();
          return store.cover(...args);
        },
      };
    },
  });
  const { explorer, running } = daemon;
  await poll(daemon, 1);
  disk.isFull = true;
  explorer.balance = '0';
  await running.clock.advance(60_000);
  await running.says('storage:failed');
  expect(await running.readyz()).toEqual({
    status: 503,
    body: 'waiting\nstorage: the state cannot be written; the log says why',
  });
  await running.clock.advance(360_000);
  expect((await running.readyz()).body).toContain('blind: 1 of 1 watches\nchain: storage-fails since ');
  expect((await running.page('/healthz')).status).toBe(200);
  disk.isFull = false;
  await poll(daemon, 1);
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
});

test('a watch that was never polled is not ready; a rejected edit is said, and stays ready', async () => {
  await using daemon = await aDaemon();
  const { explorer, folder, running } = daemon;
  folder.write('rules.yaml', RULES.replace('balance', 'balanse'));
  expect(await running.reload()).toBe('config:rejected');
  const current = 'config: the last reload failed, and the former config and rules are in force';
  expect(await running.readyz()).toEqual({ status: 200, body: `ready\n${current}` });

  const answer = explorer.hold();
  folder.write('rules.yaml', RULES.replace('coins', 'other'));
  expect(await running.reload()).toBe('config:reloaded');
  await answer.asked;
  expect(await running.readyz()).toEqual({
    status: 503,
    body: 'waiting\nnot polled yet: 1 of 1 watches: other',
  });
  answer.release();
  await running.polls.reached(2);
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
});

fileTest(
  'a program that holds the state file delays what is written, and neither health checks nor alerts are lost',
  async () => {
    const lines: string[] = [];
    await using daemon = await aDaemon({
      print: (line) => {
        lines.push(line);
        return Promise.resolve();
      },
    });
    const { explorer, folder, running } = daemon;
    using other = new DatabaseSync(join(folder.path, 'data', 'state.db'));
    other.exec('BEGIN IMMEDIATE');
    explorer.balance = '0';
    await running.clock.advance(60_000);
    for (let checks = 0; checks < 20; checks += 1) expect((await running.page('/healthz')).status).toBe(200);
    expect(lines).toEqual([]);
    other.exec('COMMIT');
    await poll(daemon, 2);
    await running.says('delivery:sent');
    expect(lines).toHaveLength(1);
    expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
  },
);

test('an explorer that refuses says whether that is doubted, and when it is asked next', async () => {
  await using daemon = await aDaemon();
  const { explorer, running } = daemon;
  Object.assign(explorer, { isDown: true, failure: 402 });
  const polled = running.polls.reached(2);
  await running.clock.advance(60_000);
  const refused = await running.says('plan:refused');
  expect(refused).toMatchObject({ reason: 'no-key', doubted: 'the key has worked since the start' });
  await running.clock.advance(5_000);
  await polled;
  const { body } = await running.readyz();
  expect(body).toMatch(
    /^ready\nexplorer chain: the explorer requires an API key, doubted \(the key has worked since the start\), asked next at 2026-01-01T/,
  );
  expect(await running.metrics()).toMatch(
    /chainwarden_explorer_refused_until_timestamp_seconds\{explorer="chain",reason="no-key",doubted="yes"\} [\d.]+\n/,
  );
});

test('a field that an upgrade of the explorer renamed is named, with the watches that are blind by it', async () => {
  await using daemon = await aDaemon();
  const { explorer, running } = daemon;
  explorer.isUpgraded = true;
  await poll(daemon, 8);
  expect((await running.readyz()).body).toMatch(
    /^ready\nblind: 1 of 1 watches\nchain: blind-field \(balance\) since 2026-01-01T00:02:[\d.]+Z: coins$/,
  );
  const metrics = await running.metrics();
  expect(metrics).toContain('chainwarden_watch_data_state{watch="coins",of="treasury",state="blind-field"} 1\n');
  expect(metrics).toContain('reason="blind-field"} 1\n');
});

fileTest('at state.max_size the watches are blind and it is not ready, until what was settled has left', async () => {
  await using daemon = await aDaemon();
  const { explorer, folder, running } = daemon;
  fill(folder, 'sent', running.clock.now());
  folder.write('config.yaml', config(explorer).concat('state: { max_size: 2MiB }\n'));
  expect(await running.reload()).toBe('config:reloaded');
  explorer.balance = '0';
  await running.clock.advance(60_000);
  await running.says('storage:pruned-early');
  await poll(daemon, 1);
  expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
});

fileTest(
  'at state.max_size nothing that is owed is dropped: it says why it is blind, until the size is raised',
  async () => {
    await using daemon = await aDaemon();
    const { explorer, folder, running } = daemon;
    fill(folder, 'due', running.clock.now());
    folder.write('config.yaml', config(explorer).concat('state: { max_size: 2MiB }\n'));
    expect(await running.reload()).toBe('config:reloaded');
    explorer.balance = '0';
    await running.clock.advance(60_000);
    await running.says('storage:pruned-early');
    await running.clock.advance(360_000);
    const { status, body } = await running.readyz();
    expect(status).toBe(503);
    expect(body).toMatch(
      /^waiting\nstorage: the state file has reached state.max_size; wait until owed messages are sent, or raise the limit\n/,
    );
    expect(body).toMatch(/\nblind: 1 of 1 watches\nchain: storage-full since .*: coins$/);
    folder.write('config.yaml', config(explorer).concat('state: { max_size: 1GiB }\n'));
    expect(await running.reload()).toBe('config:reloaded');
    await poll(daemon, 1);
    expect(await running.readyz()).toEqual({ status: 200, body: 'ready' });
    using db = new DatabaseSync(join(folder.path, 'data', 'state.db'));
    expect(db.prepare("SELECT count(*) AS rows FROM deliveries WHERE channel = 'gone'").get()).toEqual({ rows: 400 });
  },
);

/** Four mebibytes of deliveries for a channel that nobody has any more. */
function fill(folder: Folder, state: 'due' | 'sent', createdAt: number): void {
  using db = new DatabaseSync(join(folder.path, 'data', 'state.db'));
  const notification = db.prepare(`
    INSERT INTO notifications (id, key, episode, seq, watch, alert, transition, labels, notify, message, at, routed)
    VALUES (?1, ?1, 0, 1, 'w', 'a', 'event', '{}', '[]', ?2, 0, 1)`);
  const delivery = db.prepare(`
    INSERT INTO deliveries (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at, settled_at)
    VALUES (?1, 'gone', 'gone', 'news', 1, ?2, 0, ?3, 0, 0)`);
  const member = db.prepare('INSERT INTO group_member (delivery, key, seq, notification) VALUES (?, ?, 1, ?)');
  db.exec('BEGIN');
  for (let n = 0; n < 400; n += 1) {
    const { lastInsertRowid: number } = notification.run(`d${n}`, JSON.stringify('x'.repeat(10_000)));
    member.run(delivery.run(`d${n}`, state, createdAt).lastInsertRowid, `d${n}`, number);
  }
  db.exec('COMMIT');
}
