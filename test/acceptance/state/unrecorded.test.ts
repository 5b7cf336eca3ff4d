// The state cannot be written, and something critical happens: people are told all the same, and once the state can be
// written again what they were told is on record, and is not told again.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { callApi, OPERATOR_TOKEN, readApi } from '../../support/web/api-calls.ts';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import {
  createInbox,
  createSmtpSink,
  createWebhookSink,
  status,
  type Arrivals,
  type SmtpSink,
  type WebhookSink,
} from '../../support/sinks.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { onFileAlone } from '../../support/store/on-file-alone.ts';
import { fillState, holdState, onState } from '../../support/store/peek.ts';
import { stateOf } from '../../support/store/story-state.ts';

const MINUTE = 60_000;
const FIVE_COINS = '5000000000000000000';

interface Scene extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
  readonly hook: WebhookSink;
  readonly post: SmtpSink;
  /** Decisions of polls that the state did not take. */
  readonly refused: Arrivals<unknown>;
  /** So many polls, a minute apart, at that balance; `isKept`: what they decide is taken. */
  poll(balance: string, how?: { readonly count?: number; readonly isKept?: boolean }): Promise<void>;
  /** The daemon ends, and another one begins. */
  restart(): Promise<void>;
  /** It is killed, with its state as it is now; `mend` ends what ails the state, and another daemon begins. */
  kill(mend: () => PromiseLike<void>): Promise<void>;
}

const RULES = `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    notify: [hook, post]
    alerts:
      - { id: empty, while: balance < 1, severity: critical }
      - { id: low, while: balance < 2 }
`;

interface Change {
  readonly self?: string;
  readonly routes?: string;
  readonly rules?: string;
  /** Watches that are polled in each minute. */
  readonly watches?: number;
}

async function aDaemon({ self = 'none', routes = '', rules = RULES, watches = 1 }: Change = {}): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const hook = opened.use(await createWebhookSink());
  const post = opened.use(await createSmtpSink());
  const allow = 'allow: [127.0.0.0/8]';
  const folder = opened.use(
    createFolder({
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  hook: { type: webhook, url: '${hook.origin}', ${allow} }
  post: { type: email, from: a@example.org, to: [ada@example.org], smtp: '${post.url}', ${allow} }
  pager: { type: webhook, url: '${hook.origin}/pager', ${allow} }
self: ${self}
state: { file: state.db }
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
${routes}
`,
      'rules.yaml': rules,
    }),
  );
  const refused = createInbox<unknown>();
  const clock = createStoryClock();
  const run = (): Promise<RunningApp> =>
    runApp(folder, {
      clock,
      env: { ALICE: OPERATOR_TOKEN },
      openStore: async (...args) =>
        counting(await openStore(...args), (error) => {
          refused.push(error);
        }),
    });
  let running = await run();
  if (watches > 1) await clock.advance(MINUTE);
  await running.polls.reached(watches);
  const all = opened.move();
  return {
    explorer,
    folder,
    hook,
    post,
    refused,
    get running() {
      return running;
    },
    async poll(balance, { count = 1, isKept = false } = {}) {
      explorer.balance = balance;
      for (; count > 0; count -= 1) {
        const seen: Arrivals<unknown> = isKept ? running.polls : refused;
        const { length } = seen.all;
        await clock.advance(MINUTE);
        await seen.reached(length + 1);
      }
    },
    async restart() {
      await running[Symbol.asyncDispose]();
      running = await run();
    },
    async kill(mend) {
      const kept = join(folder.path, 'kept');
      // By another process: closing a file here would drop the locks of the daemon.
      const copy = (script: string): unknown => execFileSync('sh', ['-c', script], { cwd: folder.path });
      copy(`mkdir -p ${kept} && cp -p state.db* ${kept}`);
      await running[Symbol.asyncDispose]();
      copy(`rm state.db* && cp -p ${kept}/state.db* .`);
      await mend();
      running = await run();
    },
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
}

function counting(store: Store, onRefused: (error: unknown) => void): Store {
  return {
    ...store,
    async commit(...args) {
      const ending = store.commit(...args);
      const isOfPoll = args[0].some(({ watchId }) => !watchId.startsWith('chainwarden/'));
      if (isOfPoll) void ending.catch(onRefused);
      return ending;
    },
  };
}

const full = ({ folder }: Scene): Promise<AsyncDisposable> => fillState(stateOf(folder, 'state.db'));

const Called = z.object({
  type: z.string(),
  data: z.object({ alert: z.string(), key: z.string(), episode: z.number(), seq: z.number() }),
});

/** `empty firing 1; unrecorded` */
const calls = ({ hook }: Scene, path = '/'): string[] =>
  hook.calls.all.flatMap((call) => {
    const { type, data } = Called.parse(JSON.parse(call.body));
    const told = `${data.alert} ${type.replace('alert.', '')} ${String(call.headers['chainwarden-attempt'])}`;
    return call.path === path ? [told] : [];
  });

const mails = ({ post }: Scene): string[] =>
  post.mails.all.map(({ raw }) => {
    const [subject = '', attempt = ''] = [/^Subject: (.*)$/m, /^X-Chainwarden-Attempt: (.*)$/m].map(
      (header) => header.exec(raw)?.[1] ?? '',
    );
    return `${subject.replace(/^Re: /, '')} (${attempt})`;
  });

test('while another program holds the file, an alert is told once, from memory, and is on record afterwards', async () => {
  await using scene = await aDaemon();
  const { hook, post, folder } = scene;
  {
    await using _fault = await holdState(stateOf(folder, 'state.db'));
    await scene.poll('0', { count: 2 });
    await hook.calls.reached(1);
    await post.mails.reached(1);
    expect(calls(scene)).toEqual(['empty firing 1; unrecorded']);
  }
  await scene.poll('0', { isKept: true });
  await hook.calls.reached(2);
  await post.mails.reached(2);
  await scene.poll('0', { count: 2, isKept: true });
  // What can wait has waited.
  expect(calls(scene)).toEqual(['empty firing 1; unrecorded', 'low firing 1']);
  expect(mails(scene)).toEqual([
    expect.stringMatching(/^\[CRITICAL\] treasury .* \(1; unrecorded\)$/),
    expect.stringMatching(/^\[WARNING\] treasury .* \(1\)$/),
  ]);
  const { body } = await readApi(scene.running, '/deliveries?limit=50');
  expect(JSON.stringify(body).match(/"state":"sent"/g)).toHaveLength(4);
});

test('an alert that ends before there is room again ends for those who were told, under its key', async () => {
  await using scene = await aDaemon();
  const { hook, post } = scene;
  {
    await using _fault = await full(scene);
    await scene.poll('0');
    await hook.calls.reached(1);
    await scene.poll(FIVE_COINS, { count: 2 });
    await hook.calls.reached(2);
    await post.mails.reached(2);
    await scene.poll('0', { count: 2 });
    await hook.calls.reached(3);
    await post.mails.reached(3);
  }
  const [begin, end] = hook.calls.all.map(({ body }) => Called.parse(JSON.parse(body)).data);
  expect(end).toMatchObject({ key: begin?.key, episode: 1, seq: 2 });
  await scene.poll('0', { count: 2, isKept: true });
  const { length } = hook.calls.all;
  await scene.poll(FIVE_COINS, { isKept: true });
  await hook.calls.reached(length + 2);
  expect(calls(scene).filter((call) => call.startsWith('empty'))).toEqual([
    'empty firing 1; unrecorded',
    'empty resolved 1; unrecorded',
    'empty firing 1; unrecorded',
    'empty resolved 1',
  ]);
  const critical = mails(scene).filter((mail) => mail.includes('CRITICAL') || mail.includes('unrecorded'));
  expect(critical).toHaveLength(3);
  // The alert's history holds all of it.
  const rows = await onState(
    stateOf(scene.folder, 'state.db'),
    "SELECT transition FROM notifications WHERE alert = 'empty' ORDER BY number",
  );
  expect(rows).toMatchObject(['firing', 'resolved', 'firing', 'resolved'].map((transition) => ({ transition })));
});

test('an outage of half an hour is one alert with one end, also over a reload', async () => {
  await using scene = await aDaemon({ self: 'pager' });
  const { hook } = scene;
  {
    await using _fault = await full(scene);
    await scene.poll('0', { count: 1 });
    await scene.poll(FIVE_COINS, { count: 1 });
    await scene.poll('0', { count: 30 });
    expect(calls(scene, '/pager')).toEqual(['storage firing 1; unrecorded']);
    expect(await scene.running.reload()).toBe('config:reloaded');
    await scene.poll('0', { count: 3 });
  }
  await scene.poll('0', { count: 5, isKept: true });
  await hook.calls.reached(hook.calls.all.length);
  expect(calls(scene, '/pager')).toEqual(['storage firing 1; unrecorded', 'storage resolved 1']);
  await scene.poll(FIVE_COINS, { count: 3, isKept: true });
  expect(calls(scene, '/pager')).toHaveLength(2);
});

test('a silence holds while nothing can be stored, and a message that was not taken is tried with a later poll', async () => {
  await using scene = await aDaemon();
  const { hook, running } = scene;
  const silence = {
    matchers: { alert: 'empty' },
    until: new Date(running.clock.now() + 150_000).toISOString(),
    comment: 'maintenance',
    confirm: true,
  };
  expect(await callApi(running, { path: '/silences', body: silence })).toMatchObject({ status: 201 });
  {
    await using _fault = await full(scene);
    hook.answerNext(status(503));
    await scene.poll('0', { count: 2 });
    expect(hook.calls.all).toEqual([]);
    await scene.poll('0');
    await hook.calls.reached(1);
    await scene.poll('0');
    await hook.calls.reached(2);
    expect(calls(scene)).toEqual(['empty firing 1; unrecorded', 'empty firing 1; unrecorded']);
  }
  await scene.poll(FIVE_COINS, { isKept: true });
  // The silence is over, and the end follows what was told.
  await hook.calls.reached(4);
  expect(calls(scene).slice(2).toSorted()).toEqual(['empty resolved 1', 'low resolved 1']);
});

test('a silence that outlasts the outage keeps the begin and the end', async () => {
  await using scene = await aDaemon();
  const { hook, running } = scene;
  const until = new Date(running.clock.now() + 60 * MINUTE).toISOString();
  const silence = { matchers: { alert: ['empty', 'low'] }, until, comment: 'maintenance', confirm: true };
  expect(await callApi(running, { path: '/silences', body: silence })).toMatchObject({ status: 201 });
  {
    await using _fault = await full(scene);
    await scene.poll('0', { count: 2 });
    await scene.poll(FIVE_COINS, { count: 2 });
  }
  await scene.poll(FIVE_COINS, { count: 5, isKept: true });
  expect(hook.calls.all).toEqual([]);
  expect(mails(scene)).toEqual([]);
});

const Open = z.object({
  items: z.array(z.object({ key: z.string(), episode: z.number(), seq: z.number() })),
});

const ESCALATING = `
routes:
  - { repeat: 30m, escalate: [{ after: 15m, notify: pager }] }
`;

test('an alert that was told from memory is escalated, acknowledged and ended as if it had been on record', async () => {
  await using scene = await aDaemon({ routes: ESCALATING });
  const { hook, post, running } = scene;
  {
    await using _fault = await full(scene);
    await scene.poll('0', { count: 2 });
    await hook.calls.reached(1);
  }
  // Told in the first minute: the step is due fifteen minutes later, not fifteen after the outage.
  await scene.poll('0', { count: 13, isKept: true });
  expect(calls(scene, '/pager')).toEqual([]);
  await scene.poll('0', { isKept: true });
  await hook.calls.reached(3);
  expect(calls(scene, '/pager')).toEqual(['empty firing 1']);
  await scene.poll('0', { count: 2, isKept: true });
  await hook.calls.reached(4);
  expect(calls(scene, '/pager')).toEqual(['empty firing 1', 'low firing 1']);
  const { items } = Open.parse((await readApi(running, '/alerts')).body);
  const until = new Date(running.clock.now() + 60 * MINUTE).toISOString();
  for (const { key, episode, seq } of items) {
    const path = `/alerts/${key}/${episode}/acks`;
    expect(await callApi(running, { path, key, body: { seq, until } })).toMatchObject({ status: 201 });
  }
  await scene.poll('0', { count: 30, isKept: true });
  expect(calls(scene)).toEqual(['empty firing 1; unrecorded', 'low firing 1']);
  expect(post.mails.all).toHaveLength(2);
  await scene.poll(FIVE_COINS, { isKept: true });
  await hook.calls.reached(8);
  await post.mails.reached(3);
  expect(calls(scene).slice(2).toSorted()).toEqual(['empty resolved 1', 'low resolved 1']);
});

onFileAlone('no write works while another program holds the file')(
  'an alert that was told from memory is on record, and escalated, although its next poll is due much later',
  async () => {
    const routes = ESCALATING.replace('15m', '2m');
    await using scene = await aDaemon({ routes, rules: RULES.replace('every: 1m', 'every: 1h') });
    const { hook, explorer, refused, running } = scene;
    explorer.balance = '0';
    {
      await using _fault = await holdState(stateOf(scene.folder, 'state.db'));
      await running.clock.advance(60 * MINUTE);
      await hook.calls.reached(1);
      await refused.reached(1);
    }
    const { length } = running.polls.all;
    await running.clock.advance(MINUTE);
    await running.polls.reached(length + 1);
    await running.clock.advance(MINUTE);
    await hook.calls.reached(3);
    expect(calls(scene)).toEqual(['empty firing 1; unrecorded', 'low firing 1']);
    expect(calls(scene, '/pager')).toEqual(['empty firing 1']);
    await running.clock.advance(20 * MINUTE);
    expect([refused.all.length, running.polls.all.length]).toEqual([1, length + 1]);
  },
);

test('while other writes work, the polls for what could not be stored become rarer', async () => {
  await using scene = await aDaemon({ rules: RULES.replace('every: 1m', 'every: 6h') });
  const { explorer, refused, running } = scene;
  explorer.balance = '0';
  await using _fault = await full(scene);
  await running.clock.advance(7 * 60 * MINUTE);
  await refused.reached(8);
  // The first one, then after at most a minute, and after 1, 2, 4, 8 and each 10 minutes.
  expect(refused.all.length).toBeLessThan(14);
  expect(calls(scene)).toEqual(['empty firing 1; unrecorded']);
});

test('a rule that is taken out in the outage ends its alert for those who were told', async () => {
  await using scene = await aDaemon();
  const { hook, folder, running } = scene;
  {
    await using _fault = await full(scene);
    await scene.poll('0');
    await hook.calls.reached(1);
    folder.write('rules.yaml', RULES.replace('id: coins', 'id: money').replace('balance < 1', 'balance < 0.5'));
    await running.reload();
    await scene.running.clock.advance(MINUTE);
  }
  await running.clock.advance(2 * MINUTE);
  await hook.calls.reached(3);
  const ended = calls(scene).filter((call) => call.startsWith('empty resolved'));
  expect(ended).toEqual(['empty resolved 1']);
});

const MANY = `
watches:
${Array.from(
  { length: 110 },
  (_, n) => `  - { id: w${n}, kind: balance, of: '0x${String(n).padStart(40, '0')}', every: 1m, notify: hook,
      alerts: [{ id: empty, while: balance < 1, severity: critical }] }`,
).join('\n')}
`;

test('a hundred alerts are told from memory, and the others when there is room again', async () => {
  await using scene = await aDaemon({ rules: MANY, watches: 110, self: 'pager' });
  const { hook, running, explorer } = scene;
  {
    await using _fault = await full(scene);
    explorer.balance = '0';
    await running.clock.advance(MINUTE);
    await hook.calls.reached(101);
    await running.clock.advance(3 * MINUTE);
    expect(calls(scene)).toHaveLength(100);
    // The daemon itself has messages of its own.
    expect(calls(scene, '/pager')).toEqual(['storage firing 1; unrecorded']);
  }
  const { length } = running.polls.all;
  await running.clock.advance(MINUTE);
  await running.polls.reached(length + 110);
  await running.clock.advance(MINUTE);
  await hook.calls.reached(111);
  expect(calls(scene)).toHaveLength(110);
  expect(new Set(hook.calls.all.map(({ headers }) => headers['webhook-id'])).size).toBe(hook.calls.all.length);
});

const fileTest = onFileAlone('the state of a killed process is put back as a copy of its file');

fileTest.each([
  ['there is no room', full],
  ['another program holds the file', ({ folder }: Scene) => holdState(stateOf(folder, 'state.db'))],
])('killed while %s, the daemon tells what still holds once more, and ends that once', async (_why, begin) => {
  await using scene = await aDaemon();
  const { hook, post } = scene;
  const fault = await begin(scene);
  await scene.poll('0', { count: 2 });
  await hook.calls.reached(1);
  await post.mails.reached(1);
  await scene.kill(() => fault[Symbol.asyncDispose]());
  await scene.poll('0', { isKept: true });
  await hook.calls.reached(3);
  await post.mails.reached(2);
  await scene.poll('0', { count: 3, isKept: true });
  // The first says that it is not on record, and that it may come again after a crash.
  expect(calls(scene).toSorted()).toEqual(['empty firing 1', 'empty firing 1; unrecorded', 'low firing 1']);
  await scene.poll(FIVE_COINS, { isKept: true });
  await hook.calls.reached(5);
  await post.mails.reached(3);
  await scene.poll(FIVE_COINS, { count: 3, isKept: true });
  expect(calls(scene).slice(3).toSorted()).toEqual(['empty resolved 1', 'low resolved 1']);
  expect(mails(scene)).toEqual([
    expect.stringMatching(/^\[CRITICAL\] .* \(1; unrecorded\)$/),
    expect.stringMatching(/^\[CRITICAL\] .* \(and 1 more\) \(1\)$/),
    expect.stringMatching(/^\[RESOLVED after .*\] .* \(and 1 more\) \(1\)$/),
  ]);
});
