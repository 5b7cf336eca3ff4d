// The state cannot be written, and something critical happens: people are told all the same, and know that it may come
// again. Another program holds the file here, as a backup does; the same errors come of a disk that is full.
import { expect, jest, test } from '@jest/globals';
import { callApi, OPERATOR_TOKEN } from '../../support/web/api-calls.ts';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
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
import { holdState } from '../../support/store/peek.ts';
import { stateOf } from '../../support/store/story-state.ts';

jest.setTimeout(120_000);

interface Scene extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
  readonly hook: WebhookSink;
  readonly post: SmtpSink;
  /** Decisions that the state file did not take. */
  readonly refused: Arrivals<unknown>;
}

async function aDaemon(): Promise<Scene> {
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
self: none
state: { file: state.db }
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
`,
      'rules.yaml': `
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    notify: [hook, post]
    alerts:
      - { id: empty, while: balance < 1, severity: critical }
      - { id: low, while: balance < 2 }
`,
    }),
  );
  const refused = createInbox<unknown>();
  const running = opened.use(
    await runApp(folder, {
      env: { ALICE: OPERATOR_TOKEN },
      openStore: async (...args) =>
        counting(await openStore(...args), (error) => {
          refused.push(error);
        }),
    }),
  );
  await running.polls.reached(1);
  const all = opened.move();
  return { explorer, folder, running, hook, post, refused, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function counting(store: Store, onRefused: (error: unknown) => void): Store {
  return {
    ...store,
    async commit(...args) {
      const ending = store.commit(...args);
      void ending.catch(onRefused);
      return ending;
    },
  };
}

const held = ({ folder }: Scene): Promise<AsyncDisposable> => holdState(stateOf(folder, 'state.db'));

const tries = ({ hook }: Scene): unknown[] =>
  hook.calls.all.map(({ headers, body }) => {
    const { data } = JSON.parse(body) as { data: { alert: string } };
    return [data.alert, headers['chainwarden-attempt']];
  });

test('what is critical was not told, because the state could not be written', async () => {
  await using scene = await aDaemon();
  const { explorer, running, hook, post, refused } = scene;
  {
    await using _fault = await held(scene);
    explorer.balance = '0';
    await running.clock.advance(60_000);
    await hook.calls.reached(1);
    await post.mails.reached(1);
    expect(tries(scene)).toEqual([['empty', '1; unrecorded']]);
    expect(post.mails.all[0]?.raw).toContain('X-Chainwarden-Attempt: 1; unrecorded');
    // The next polls decide the same.
    await refused.reached(1);
    for (const polls of [2, 3]) {
      await running.clock.advance(60_000);
      await refused.reached(polls);
    }
    expect([hook.calls.all.length, post.mails.all.length]).toEqual([1, 1]);
  }
  await running.clock.advance(60_000);
  await hook.calls.reached(3);
  await post.mails.reached(2);
  // On record now: the same message, which says that it may be a copy. What can wait has waited.
  expect(tries(scene)).toEqual([
    ['empty', '1; unrecorded'],
    ['empty', '1; may be a copy'],
    ['low', '1'],
  ]);
  expect(hook.calls.all[1]?.headers['webhook-id']).toBe(hook.calls.all[0]?.headers['webhook-id']);
  expect(post.mails.all[1]?.raw).toContain('X-Chainwarden-Attempt: 1; may be a copy');
});

test('an alert that was silenced, or not taken at first, was told like any other while nothing could be stored', async () => {
  await using scene = await aDaemon();
  const { explorer, running, hook, refused } = scene;
  const silence = {
    matchers: { alert: 'empty' },
    until: new Date(running.clock.now() + 150_000).toISOString(),
    comment: 'maintenance',
    confirm: true,
  };
  expect(await callApi(running, { path: '/silences', body: silence })).toMatchObject({ status: 201 });
  await using _fault = await held(scene);
  explorer.balance = '0';
  hook.answerNext(status(503));
  for (const polls of [1, 2]) {
    await running.clock.advance(60_000);
    await refused.reached(polls);
  }
  expect(hook.calls.all).toEqual([]);
  await running.clock.advance(60_000);
  await hook.calls.reached(1);
  await refused.reached(3);
  await running.clock.advance(60_000);
  await hook.calls.reached(2);
  expect(tries(scene)).toEqual([
    ['empty', '1; unrecorded'],
    ['empty', '1; unrecorded'],
  ]);
});
