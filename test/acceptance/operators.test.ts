// What operators do to a daemon that runs: over its real API, with its real state file.
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openStore } from '../../src/store/open.ts';
import { StorageError } from '../../src/store/contract/store.ts';
import { runApp, serveBalances, type AppChange, type BalanceExplorer, type RunningApp } from '../support/app.ts';
import { callApi as call, OPERATOR_TOKEN as TOKEN, readApi, type Call } from '../support/web/api-calls.ts';
import { run } from '../support/cli.ts';
import { createFolder, start, type Folder } from '../support/daemon.ts';
import { createStoryClock } from '../support/fake-clock.ts';
import { createWebhookSink, status } from '../support/sinks.ts';
import { onFileAlone } from '../support/store/on-file-alone.ts';
import { onState } from '../support/store/peek.ts';
import { stateOf } from '../support/store/story-state.ts';

const dayTest = onFileAlone('days of looks every second take minutes on a database');
const ALICE = 'operators: { alice: { token: { env: ALICE } } }';
const config = ({ url }: BalanceExplorer, http = ALICE): string => `
explorers: { chain: { form: instance, instance_url: '${url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}', vault: '0x${'22'.repeat(20)}', both: [treasury, vault] }
channels: { screen: { type: log } }
http: { listen: 127.0.0.1:0, ${http} }
state: { file: state.db }
rules: [rules.yaml]
`;
const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1, for: 5m }] }
  - { id: all, kind: balance, of: both, every: 1h, alerts: [{ id: low, while: balance < 1 }] }
`;
const WATCHES = 3;
const HOUR = 3_600_000;

interface Daemon extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
  readonly lines: readonly string[];
}

/** One that has polled all of its watches. */
async function aDaemon(
  change: AppChange & { readonly in?: Pick<Daemon, 'explorer' | 'folder'> } = {},
): Promise<Daemon> {
  const { in: place, ...more } = change;
  await using opened = new AsyncDisposableStack();
  const explorer = place?.explorer ?? opened.use(await serveBalances());
  const folder = place?.folder ?? opened.use(createFolder({ 'config.yaml': config(explorer), 'rules.yaml': RULES }));
  const lines: string[] = [];
  const print = async (line: string): Promise<void> => void lines.push(line);
  const running = opened.use(await runApp(folder, { env: { ALICE: TOKEN }, print, ...more }));
  const all = opened.move();
  return { explorer, folder, running, lines, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** `hours` from the start of the fake clock. */
const after = (hours: number): string => new Date(Date.UTC(2026, 0, 1) + hours * HOUR).toISOString();
const pause = (watch: string, hours: number, more: Partial<Call> = {}): Call => ({
  path: `/watches/${encodeURIComponent(watch)}/pauses`,
  body: { until: after(hours), comment: 'the vault is moved' },
  ...more,
});
const resume = (watch: string, more: Partial<Call> = {}): Call => ({
  path: `/watches/${encodeURIComponent(watch)}/pauses/end`,
  key: 'end',
  ...more,
});

function pollsOfCoins({ running: { polls } }: Daemon): number {
  return polls.all.filter((poll) => poll.startsWith('coins')).length;
}

/** So many minutes, and those polls of `coins` in them. */
async function minutes(daemon: Daemon, count: number): Promise<number> {
  const before = pollsOfCoins(daemon);
  for (; count > 0; count -= 1) await daemon.running.clock.advance(60_000);
  return pollsOfCoins(daemon) - before;
}

/** A minute, and the poll of `coins` in it. */
async function polledMinute(daemon: Daemon): Promise<void> {
  const { clock, polls } = daemon.running;
  const before = pollsOfCoins(daemon);
  await clock.advance(60_000);
  while (pollsOfCoins(daemon) === before) await polls.reached(polls.all.length + 1);
}

test('does not poll a paused watch, and keeps the state of its alert', async () => {
  await using daemon = await aDaemon();
  const { explorer, running, lines } = daemon;
  await running.polls.reached(WATCHES);
  expect(await call(running, pause('coins', 2))).toMatchObject({
    status: 201,
    body: { id: 'k', watch: 'coins', until: '2026-01-01T02:00:00Z', actor: 'alice', comment: 'the vault is moved' },
  });
  explorer.balance = '0';
  expect(await minutes(daemon, 59)).toBe(0);
  const { body } = await running.readyz();
  expect(body).toBe('ready\npaused: 1 of 3 watches\nuntil 2026-01-01T02:00:00Z by alice: coins');
  expect(lines.filter((line) => line.includes('coins/'))).toEqual([]);
  // It is polled at once, and is not blind for the time in which nobody wanted to see.
  const { length } = running.polls.all;
  expect(await call(running, resume('coins'))).toMatchObject({ status: 200, body: { watch: 'coins', id: 'k' } });
  await running.polls.reached(length + 1);
  expect((await running.readyz()).body).toBe('ready');
  expect(lines.filter((line) => line.includes('coins/'))).toEqual([]);
});

test('a pause ends by itself: the watch is polled at its next time, and until then it is not blind', async () => {
  await using daemon = await aDaemon();
  const { running } = daemon;
  await running.polls.reached(WATCHES);
  await call(running, pause('coins', 0.5));
  expect(await minutes(daemon, 30)).toBe(0);
  expect((await running.readyz()).body).toBe('ready');
  for (let minute = 0; minute < 3; minute += 1) await polledMinute(daemon);
  expect(await running.says('watch:pause-over')).toMatchObject({ watch: 'coins' });
});

test('a pause of a rule is one of all of its watches, and one of a watch leaves the others alone', async () => {
  await using daemon = await aDaemon();
  const { running } = daemon;
  await running.polls.reached(WATCHES);
  await call(running, pause('all', 2, { key: 'a' }));
  const paused = async (): Promise<string | undefined> => (await running.readyz()).body.split(': ').at(-1);
  expect(await paused()).toBe('all[treasury], all[vault]');
  expect(await call(running, resume('all[vault]', { key: 'b' }))).toMatchObject({ status: 404 });
  await call(running, resume('all', { key: 'c' }));
  await call(running, pause('all[vault]', 2, { key: 'd' }));
  expect(await paused()).toBe('all[vault]');
});

dayTest('a pause was forgotten for weeks: the log says so every day, and at each start', async () => {
  await using place = await aDaemon();
  await call(place.running, pause('coins', 72));
  await place.running.clock.advance(24 * HOUR);
  const reminder = { watch: 'coins', by: 'alice', comment: 'the vault is moved', names: 'coins' };
  expect(await place.running.says('watch:still-paused')).toMatchObject({ ...reminder, until: '2026-01-04T00:00:00Z' });
  await place.running[Symbol.asyncDispose]();
  await using next = await aDaemon({ in: place, clock: place.running.clock });
  expect(await next.running.says('watch:still-paused')).toMatchObject(reminder);
});

test('a daemon that is started over a pause waits for no poll of that watch before it is ready', async () => {
  await using place = await aDaemon();
  await place.running.polls.reached(WATCHES);
  await call(place.running, pause('coins', 1));
  await place.running[Symbol.asyncDispose]();
  const clock = createStoryClock(Date.UTC(2026, 0, 1) + HOUR / 2);
  await using next = await aDaemon({ in: place, clock });
  const unpolled = async (): Promise<string> => (await next.running.readyz()).body;
  expect(await unpolled()).not.toMatch(/not polled yet.*coins/);
  expect(await minutes(next, 30)).toBe(0);
  expect(await unpolled()).not.toMatch(/not polled yet.*coins/);
});

test('what cannot be paused, or not for so long, is refused with what to do', async () => {
  await using daemon = await aDaemon();
  const { running } = daemon;
  await running.polls.reached(WATCHES);
  expect(await call(running, pause('coinz', 1))).toMatchObject({
    status: 404,
    body: { detail: 'There is no rule and no watch "coinz". Did you mean coins?' },
  });
  expect(await call(running, pause('coins', 30 * 24 + 1))).toMatchObject({
    status: 400,
    body: { problems: [{ pointer: '/until', detail: 'is more than 30 days away' }] },
  });
  expect(await call(running, pause('coins', 0))).toMatchObject({
    status: 400,
    body: { problems: [{ pointer: '/until', detail: 'has passed: it is 2026-01-01T00:00:00Z now' }] },
  });
  expect(await call(running, resume('coins'))).toMatchObject({ status: 404 });
  expect((await running.readyz()).body).toBe('ready');
});

test('an operator who lost the answer repeats the call, and gets the same one, whatever was done since', async () => {
  await using daemon = await aDaemon();
  const { running } = daemon;
  await running.polls.reached(WATCHES);
  const first = await call(running, pause('coins', 1));
  await call(running, resume('coins'));
  await running.clock.advance(2 * HOUR);
  // By now the time is over, and the pause was ended: the call is still the one that was answered.
  expect(await call(running, pause('coins', 1))).toEqual(first);
  expect((await running.readyz()).body).not.toContain('paused');
  expect(await call(running, pause('coins', 3))).toMatchObject({ status: 409, body: { type: '/about#key-taken' } });
});

test('after a death between commit and answer, the next daemon gives the answer of the first', async () => {
  await using place = await aDaemon({
    async openStore(state, tools) {
      const store = await openStore(state, tools);
      return {
        ...store,
        async operate(work) {
          await store.operate(work);
          throw new Error('the process ends here');
        },
      };
    },
  });
  expect((await call(place.running, pause('coins', 1))).status).toBe(500);
  await place.running[Symbol.asyncDispose]();
  await using next = await aDaemon({ in: place, clock: place.running.clock });
  expect(await call(next.running, pause('coins', 1))).toMatchObject({ status: 201, body: { id: 'k', watch: 'coins' } });
  expect((await next.running.readyz()).body).toContain('paused: 1 of 3 watches');
});

test('a state that cannot be written changes nothing, and says when to come again', async () => {
  await using daemon = await aDaemon({
    async openStore(state, tools) {
      const store = await openStore(state, tools);
      return { ...store, operate: () => Promise.reject(new StorageError('disk full')) };
    },
  });
  expect(await call(daemon.running, pause('coins', 1))).toMatchObject({
    status: 503,
    body: { type: '/about#not-storable', title: 'Nothing can be stored now' },
  });
  expect((await daemon.running.readyz()).body).not.toContain('paused');
});

test('the token file is there, for its owner alone; it outlives a restart, and is made anew where others could read it', async () => {
  await using place = await aDaemon();
  const file = join(place.folder.path, 'state.db.token');
  const token = readFileSync(file, 'utf8').trim();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await call(place.running, pause('coins', 1, { token }))).toMatchObject({ body: { actor: 'local' } });
  const again = async (): Promise<string> => {
    await place.running[Symbol.asyncDispose]();
    await using next = await aDaemon({ in: place });
    const now = readFileSync(file, 'utf8').trim();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await call(next.running, resume('coins', { token: now }))).not.toMatchObject({ status: 401 });
    return now;
  };
  expect(await again()).toBe(token);
  chmodSync(file, 0o644);
  const second = await again();
  expect(second).not.toBe(token);
  writeFileSync(file, '\n');
  const third = await again();
  expect([token, second]).not.toContain(third);
});

test('a link in the place of the token file is replaced, and what it leads to is left alone', async () => {
  await using explorer = await serveBalances();
  using folder = createFolder({ 'config.yaml': config(explorer), 'rules.yaml': RULES, precious: 'as it was\n' });
  symlinkSync(join(folder.path, 'precious'), join(folder.path, 'state.db.token'));
  await using daemon = await aDaemon({ in: { explorer, folder } });
  expect(await daemon.running.says('api:token-replaced')).toMatchObject({ why: 'it cannot be read (ELOOP)' });
  expect(readFileSync(join(folder.path, 'precious'), 'utf8')).toBe('as it was\n');
  const token = readFileSync(join(folder.path, 'state.db.token'), 'utf8').trim();
  expect(await call(daemon.running, pause('coins', 1, { token }))).toMatchObject({ status: 201 });
});

test('a dry run leaves no token file behind', async () => {
  await using explorer = await serveBalances();
  using folder = createFolder({ 'config.yaml': config(explorer, ''), 'rules.yaml': RULES });
  await using daemon = start(['run', '--dry', '-c', 'config.yaml'], folder.path);
  await daemon.says('daemon:started');
  expect(existsSync(join(folder.path, 'state.db.token'))).toBe(false);
});

test.each([
  ['/watches/coins/pauses', {}],
  ['/silences', { matchers: { watch: 'coins' } }],
])(
  'killed at any moment of a call to %s: repeated, it is done and told once, and no token is kept',
  async (path, more) => {
    await using explorer = await serveBalances();
    using folder = createFolder({ 'rules.yaml': RULES });
    const env = { ALICE: TOKEN };
    const file = join(folder.path, 'state.db');
    const boot = async () => {
      const daemon = start(['run', '-c', 'config.yaml'], folder.path, env);
      const line = await daemon.says('daemon:started');
      return { daemon, app: { app: { url: /http:[^"]+(?=\/metrics)/.exec(line)?.[0] ?? '' } } as RunningApp };
    };
    folder.write('config.yaml', config(explorer));
    const until = new Date(Date.now() + HOUR).toISOString();
    const made = { path, body: { until, comment: 'moved', ...more } };
    const logs: string[] = [];
    const answers: unknown[] = [];
    const local: string[] = [];
    for (const kill of [true, false]) {
      const { daemon, app } = await boot();
      await using _ended = daemon;
      local.push(readFileSync(`${file}.token`, 'utf8').trim());
      const asked = call(app, made).catch(() => null);
      if (kill) {
        await rowOf(folder);
        daemon.kill('SIGKILL');
      }
      answers.push(await asked);
      if (!kill) daemon.kill('SIGTERM');
      await daemon.ended;
      logs.push(daemon.out(), daemon.err());
    }
    expect(answers[1]).toMatchObject({ status: 201, body: { id: 'k', comment: 'moved' } });
    if (answers[0] !== null) expect(answers[0]).toEqual(answers[1]);
    const state = stateOf(folder, 'state.db');
    expect(await onState(state, 'SELECT id FROM silences')).toHaveLength(1);
    const news = "SELECT id FROM notifications WHERE watch = 'chainwarden/operators'";
    expect(await onState(state, news)).toHaveLength(1);
    expect(new Set(local).size).toBe(1);
    for (const token of [TOKEN, ...local]) {
      expect(logs.join('')).not.toContain(token);
      for (const part of ['', '-wal']) {
        const bytes = existsSync(`${file}${part}`) ? readFileSync(`${file}${part}`, 'latin1') : '';
        expect(bytes).not.toContain(token);
      }
    }
  },
);

/** Resolves once the pause is committed. */
async function rowOf(folder: Folder): Promise<void> {
  while ((await onState(stateOf(folder, 'state.db'), 'SELECT id FROM silences')).length === 0)
    await new Promise((resolve) => setImmediate(resolve));
}

test('a message that a receiver refused for a day is sent when it is mended: under its id, once, after a word of an operator', async () => {
  await using sink = await createWebhookSink(status(400, {}, 'no such field'));
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': config(explorer).replace(
      'channels: { screen: { type: log } }',
      `self: none\nchannels: { ops: { type: webhook, url: '${sink.origin}', allow: [127.0.0.0/8] } }`,
    ),
    'rules.yaml': `watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]`,
  });
  await using daemon = await aDaemon({ in: { explorer, folder } });
  const { running } = daemon;
  await running.polls.reached(1);
  explorer.balance = '0';
  for (let tries = 1; tries <= 3; tries += 1) {
    for (let n = 0; n < 40 && sink.calls.all.length < tries; n += 1) await running.clock.advance(60_000);
    await sink.calls.reached(tries);
  }
  const { delivery } = await running.says('delivery:dead');
  const id = String(delivery);
  const file = join(folder.path, 'config.yaml');
  const chainwarden = (...argv: string[]) =>
    run([...argv, '-c', file], { env: { ALICE: TOKEN }, clock: running.clock });
  const onDaemon = (...argv: string[]) => chainwarden(...argv, '--url', running.app.url);
  expect((await chainwarden('deliveries', 'list', '--state', 'given-up')).out).toContain(`given up to ops: `);
  expect((await chainwarden('status')).out).toContain('deliveries: 0 sent, 1 given up\n');
  expect((await onDaemon('deliveries', 'dismiss', id)).code).toBe(0);
  expect((await chainwarden('status')).out).toContain('deliveries: 0 sent, 0 given up\n');

  sink.answerNext(status(204));
  const retried = await onDaemon('deliveries', 'retry', id);
  expect(retried.out).toBe(
    `${id}: due again, to ops, under the same id. How it goes says:\nchainwarden deliveries show ${id}\n`,
  );
  await sink.calls.reached(4);
  await running.says('delivery:sent');
  expect(new Set(sink.calls.all.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]));
  expect((await chainwarden('deliveries', 'show', id)).out).toContain(`${id}  sent\n`);
  expect(await onDaemon('deliveries', 'retry', id)).toMatchObject({
    code: 1,
    err: 'chainwarden: It was not given up: it is sent, or still owed and will be tried again by itself.\n',
  });
  expect(await onDaemon('deliveries', 'retry', '--channel', 'opz')).toMatchObject({
    code: 1,
    err: 'chainwarden: There is no channel "opz". Did you mean ops?\n',
  });
});

test('a receiver that had said it is gone is tried again at a word of an operator, not only after a reload', async () => {
  await using sink = await createWebhookSink(status(204));
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': config(explorer).replace(
      'channels: { screen: { type: log } }',
      `self: none\nchannels: { ops: { type: webhook, url: '${sink.origin}', allow: [127.0.0.0/8] } }`,
    ),
    'rules.yaml': `watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]`,
  });
  await using daemon = await aDaemon({ in: { explorer, folder } });
  const { running } = daemon;
  await running.polls.reached(1);
  sink.answerNext(status(410));
  explorer.balance = '0';
  await running.clock.advance(60_000);
  await running.says('channel:refused');
  await running.clock.advance(30_000);
  expect(sink.calls.all).toHaveLength(1);
  const answer = await call(running, { path: '/channels/ops/retry' });
  expect(answer).toMatchObject({ status: 200, body: { channel: 'ops' } });
  await sink.calls.reached(2);
  await running.says('delivery:sent');
});

test('a channel that nobody was told on for months is tried with a sample, which says who sent it and how it was received', async () => {
  await using sink = await createWebhookSink(status(204));
  await using explorer = await serveBalances();
  using folder = createFolder({
    'config.yaml': config(explorer).replace(
      'channels: { screen: { type: log } }',
      `self: none\nchannels: { ops: { type: webhook, url: '${sink.origin}', allow: [127.0.0.0/8] } }`,
    ),
    'rules.yaml': `watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }]`,
  });
  await using daemon = await aDaemon({ in: { explorer, folder } });
  const { running } = daemon;
  const tried = (outcome: string, answer: unknown) => [{ recipient: 'ops', outcome, answer }];
  const first = await call(running, { path: '/channels/ops/sample', key: 's1' });
  expect(first).toMatchObject({ status: 200, body: { channel: 'ops', tries: tried('sent', expect.any(String)) } });
  expect(JSON.parse(sink.calls.all[0]?.body ?? '')).toMatchObject({ data: { watch: 'sample', severity: 'info' } });
  expect(await call(running, { path: '/channels/ops/sample', key: 's1' })).toEqual(first);
  expect(sink.calls.all).toHaveLength(1);
  sink.answerNext(status(503, {}, 'down for repairs'));
  expect(await call(running, { path: '/channels/ops/sample', key: 's2' })).toMatchObject({
    body: { tries: tried('again', expect.stringContaining('down for repairs')) },
  });
  const unknown = await call(running, { path: '/channels/opz/sample', key: 's3' });
  expect(unknown).toMatchObject({ status: 404, body: { detail: 'There is no channel "opz". Did you mean ops?' } });
  expect(sink.calls.all).toHaveLength(2);
  const { items } = (await readApi(running, '/history?q=channel:ops')).body as { items: { subject: string }[] };
  // A replica has claimed the channel before.
  expect(items.filter(({ subject }) => subject !== 'cluster')).toMatchObject([
    { what: 'sample sent', actor: 'alice', how: [{ text: expect.stringContaining('ops: again: ') }] },
    { what: 'sample sent', actor: 'alice', how: [{ text: expect.stringContaining('ops: sent: ') }] },
  ]);
});

test('from the command line: who reads it at 3 a.m. knows what it did, until when, and how to end it', async () => {
  await using daemon = await aDaemon();
  const { folder, running } = daemon;
  await running.polls.reached(WATCHES);
  const file = join(folder.path, 'config.yaml');
  const chainwarden = (...argv: string[]) =>
    run([...argv, '-c', file, '--url', running.app.url], { env: {}, clock: running.clock, login: 'bob' });
  expect(await chainwarden('pause', 'coins', '--until', '18:00', '-m', 'the vault is moved')).toEqual({
    code: 0,
    out:
      'coins: paused until 18:00 UTC, in 18h.\n' +
      'The watch is not polled: its alerts neither fire nor resolve, and events during the pause are not reported.\n' +
      "End it sooner with: chainwarden resume 'coins'\n",
    err: '',
  });
  const { out } = await run(['status', '-c', file], { env: { ALICE: TOKEN }, clock: running.clock });
  expect(out).toMatch(/^coins: paused until 2026-01-01T18:00:00Z by local:bob: the vault is moved$/m);
  const explained = await run(['explain', 'coins', '-c', file], { env: { ALICE: TOKEN }, clock: running.clock });
  expect(explained.out).toContain('\n  paused until 2026-01-01T18:00:00Z by local:bob: the vault is moved\n');
  expect(await chainwarden('resume', 'coins')).toEqual({
    code: 0,
    out: 'coins: polled again, after a pause since 00:00 UTC.\n',
    err: '',
  });
  expect(await chainwarden('pause', 'coin', '--for', '1h')).toEqual({
    code: 1,
    out: '',
    err: 'chainwarden: There is no rule and no watch "coin". Did you mean coins?\n',
  });
});
