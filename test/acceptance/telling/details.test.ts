// Details of events: what the explorer says of a transaction is in the message, and no message waits for it for long.
import { expect, test } from '@jest/globals';
import { openStore } from '../../../src/store/open.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { createSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { runApp, type AppChange, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { createStoryClock, type FakeClock } from '../../support/fake-clock.ts';
import { createWebhookSink, status, type WebhookSink } from '../../support/sinks.ts';
import { callApi, OPERATOR_TOKEN } from '../../support/web/api-calls.ts';

const MINUTE = 60_000;
/** When the question of the watch is due in each minute. */
const PHASE_MS = 12_100;
const DETAILS = ['transaction', 'state-changes', 'tx-list-internal'] as const;

interface Scene extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly hook: WebhookSink;
  readonly folder: Folder;
  readonly running: RunningApp;
  /** Operations that the explorer was asked for, for details. */
  readonly asked: string[];
  /** A call of `pause`, and the poll that finds it. */
  pauses(count?: number): Promise<void>;
  poll(): Promise<void>;
  restart(change?: AppChange): Promise<void>;
  /** The first lines of each message, below its title. */
  told(): readonly (readonly string[])[];
}

interface Written {
  readonly enrich?: string;
  readonly severity?: string;
  readonly kind?: string;
  readonly routes?: string;
  /** Of the channel. */
  readonly type?: string;
  readonly change?: AppChange;
}

const rulesOf = ({
  enrich = 'enrich: [transaction, balances],',
  severity = 'critical',
  kind = 'transactions',
}: Written): string => `
watches:
  - id: calls
    kind: ${kind}
    of: vault
    every: 1m
    notify: hook
    alerts: [{ id: paused, on: new, severity: ${severity}, ${enrich} }]
`;

async function aScene(written: Written = {}): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const clock = createStoryClock();
  const sandbox = createSandbox({ seed: 1, blockTimeMs: 'manual', clock, quiet: true });
  const asked: string[] = [];
  const served = opened.use(
    await serveSandbox({
      ...sandbox,
      ask(request) {
        const { operation, params } = request.route;
        const isDetail = DETAILS.some((one) => one === operation) && !params.has('address');
        if (isDetail && operation !== null) asked.push(operation);
        return sandbox.ask(request);
      },
    }),
  );
  const hook = opened.use(await createWebhookSink(status(200, {}, 'ok')));
  const folder = opened.use(
    createFolder({
      'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { vault: ${sandbox.addresses.vault}, admin: ${sandbox.addresses.hot_wallet} }
channels: { hook: { type: ${written.type ?? 'webhook'}, url: '${hook.origin}', allow: [127.0.0.0/8] } }
self: none
${written.routes ?? 'routes: [{ group_interval: 0s, repeat: off }]'}
state: { file: state.db }
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
rules: [rules.yaml]
`,
      'rules.yaml': rulesOf(written),
    }),
  );
  const env = { ALICE: OPERATOR_TOKEN };
  let running = await runApp(folder, { clock, env, ...written.change });
  const all = opened.move();
  const scene: Scene = {
    sandbox,
    clock,
    hook,
    folder,
    get running() {
      return running;
    },
    asked,
    async pauses(count = 1) {
      sandbox.mine();
      for (let n = 0; n < count; n += 1)
        sandbox.addTransaction({ from: 'hot_wallet', to: 'vault', function: 'pause()', value: '0' });
      await scene.poll();
    },
    async poll() {
      const { length } = running.polls.all;
      await clock.advance(MINUTE - ((clock.now() - PHASE_MS) % MINUTE));
      await running.polls.reached(length + 1);
    },
    async restart(change = {}) {
      await running[Symbol.asyncDispose]();
      running = await runApp(folder, { clock, env, ...change });
    },
    told: () =>
      hook.calls.all.map(({ body }) =>
        (JSON.parse(body) as { data: { lines: readonly string[] } }).data.lines.slice(1),
      ),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await all.disposeAsync();
    },
  };
  await scene.poll();
  return scene;
}

const LATE = ['No details: none came in time.'];

const PAUSED = 'Transaction: admin called pause on vault.';
const LOST = 'Balances: admin lost 0.0005424 coin ($1.27).';

test('the sender, the function and the balances are in the first message about a call', async () => {
  await using scene = await aScene();
  await scene.pauses();
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([[PAUSED, LOST]]);
  expect(scene.asked).toEqual(['transaction', 'state-changes']);
  await scene.poll();
  await scene.clock.advance(10 * MINUTE);
  expect([scene.hook.calls.all.length, scene.asked.length]).toEqual([1, 2]);
});

test('a reason that the list lacks, and text of strangers, stand in quotes, and in no subject', async () => {
  await using scene = await aScene({ enrich: 'enrich: transaction,' });
  const { sandbox, hook } = scene;
  sandbox.mine();
  sandbox.addTransaction({
    to: 'vault',
    method: 'sweep" all',
    input: '0x12ab34cd',
    status: 'error',
    reason: 'see evil.example',
  });
  await scene.poll();
  const [call] = await hook.calls.reached(1);
  const { data } = JSON.parse(call?.body ?? '') as { data: { subject: string } };
  expect(data.subject).toBe('[CRITICAL] 0x12ab34cd call of admin to vault failed');
  expect(scene.told()).toEqual([
    [
      'Transaction: 0x12ab34cd call of admin to vault failed. Name given: "sweep\' all". Reason given: "see evil[.]example".',
    ],
  ]);
});

test('an explorer that is slow delays a message by a second, and a second try has the same bytes', async () => {
  await using scene = await aScene();
  scene.hook.answerNext(status(500));
  for (const operation of ['transaction', 'state-changes'] as const)
    scene.sandbox.fail({ fault: 'slow-headers', operation, ms: 10_000 });
  await scene.pauses();
  await scene.clock.advance(700);
  expect(scene.hook.calls.all).toEqual([]);
  await scene.clock.advance(300);
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([LATE]);
  // Now the answers come.
  await scene.clock.advance(10_000);
  await scene.clock.advance(10 * MINUTE);
  const [first, second, ...more] = await scene.hook.calls.reached(2);
  expect([second?.body, more]).toEqual([first?.body, []]);
});

test('an answer that is in time is told although another one is late', async () => {
  await using scene = await aScene();
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'state-changes', ms: 10_000 });
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'transaction', ms: 500 });
  await scene.pauses();
  await scene.clock.advance(500);
  await scene.clock.advance(500);
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([[PAUSED, 'No details of balances: none came in time.']]);
});

test.each([
  ['not-found', 'the explorer has none'],
  ['html', 'the explorer refuses the question'],
  ['server-error', 'the explorer does not answer'],
] as const)('an explorer that answers %s is asked three times', async (fault, why) => {
  await using scene = await aScene({ enrich: 'enrich: balances,' });
  scene.sandbox.fail({ fault, operation: 'state-changes', times: 1000 });
  for (let n = 1; n <= 5; n += 1) {
    await scene.pauses();
    await scene.clock.advance(2000);
    await scene.hook.calls.reached(n);
  }
  expect(scene.told()).toEqual(Array.from({ length: 5 }, () => [`No details: ${why}.`]));
  expect(scene.asked).toHaveLength(3);
});

test('the sixth transaction of a poll is told without details, at once', async () => {
  await using scene = await aScene();
  await scene.pauses(6);
  await scene.clock.advance(0);
  await scene.hook.calls.reached(6);
  const told = scene.told().toSorted((a, b) => b.length - a.length);
  expect(told).toEqual([
    ...Array.from({ length: 5 }, () => [PAUSED, LOST]),
    ['No details: only 5 transactions of a poll are looked up.'],
  ]);
});

test('a daemon that ends while it asks tells the alert once, without details, when another one begins', async () => {
  await using scene = await aScene();
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'transaction', ms: 10_000 });
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'state-changes', ms: 10_000 });
  await scene.pauses();
  await scene.restart();
  expect(scene.hook.calls.all).toEqual([]);
  await scene.clock.advance(1000);
  await scene.hook.calls.reached(1);
  await scene.poll();
  await scene.clock.advance(10 * MINUTE);
  expect(scene.told()).toEqual([LATE]);
});

test('details that are there when the daemon ends are told by the next one', async () => {
  await using scene = await aScene({
    change: { openStore: async (...args) => ({ ...(await openStore(...args)), readRouting: nothingToRoute }) },
  });
  await scene.pauses();
  await scene.clock.advance(500);
  expect(scene.hook.calls.all).toEqual([]);
  await scene.restart();
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([[PAUSED, LOST]]);
});

const nothingToRoute: Store['readRouting'] = () => Promise.resolve({ unrouted: [], retracting: [], known: [] });

test('details that the store does not take delay a message by a second', async () => {
  const refuse: Store['addDetails'] = () => Promise.reject(new Error('the disk is full'));
  await using scene = await aScene({
    change: { openStore: async (...args) => ({ ...(await openStore(...args)), addDetails: refuse }) },
  });
  await scene.pauses();
  await scene.clock.advance(1000);
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([LATE]);
});

test('a message that waits when a reload asks for no details any more is told once, when its time is over', async () => {
  await using scene = await aScene();
  for (const operation of ['transaction', 'state-changes'] as const)
    scene.sandbox.fail({ fault: 'slow-headers', operation, ms: 10_000 });
  await scene.pauses();
  scene.folder.write('rules.yaml', rulesOf({ enrich: '' }));
  expect(await scene.running.reload()).toBe('config:reloaded');
  await scene.hook.calls.reached(1);
  await scene.pauses();
  await scene.hook.calls.reached(2);
  expect(scene.told()).toEqual([LATE, []]);
});

test('a silence keeps a message back although its details are there', async () => {
  await using scene = await aScene({ severity: 'warning' });
  const until = new Date(scene.clock.now() + 10 * MINUTE).toISOString();
  const body = { matchers: { watch: 'calls' }, until, comment: 'planned', confirm: true };
  expect(await callApi(scene.running, { path: '/silences', body, key: 'a' })).toMatchObject({ status: 201 });
  await scene.pauses();
  await scene.clock.advance(10_000);
  expect([scene.asked.length, scene.hook.calls.all.length]).toEqual([2, 0]);
});

const hasDetails = ({ body }: { readonly body: string }): boolean[] => [body.includes(PAUSED), body.includes(LOST)];

const GROUPED = { severity: 'warning', type: 'slack', routes: 'routes: [{ group_wait: 30s, repeat: off }]' };

test('details that come while a group waits are in its message, and delay it no further', async () => {
  await using scene = await aScene(GROUPED);
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'transaction', ms: 2000 });
  await scene.pauses();
  await scene.clock.advance(29_000);
  expect([scene.asked.length, scene.hook.calls.all.length]).toEqual([2, 0]);
  await scene.clock.advance(2000);
  await scene.hook.calls.reached(1);
  expect(scene.hook.calls.all.map(hasDetails)).toEqual([[true, true]]);
});

test('a daemon that ends while a group waits tells its alert once, with the details that are there', async () => {
  await using scene = await aScene(GROUPED);
  await scene.pauses();
  await scene.clock.advance(5000);
  await scene.restart();
  expect(scene.hook.calls.all).toEqual([]);
  await scene.clock.advance(30_000);
  await scene.hook.calls.reached(1);
  await scene.clock.advance(MINUTE);
  expect(scene.hook.calls.all.map(hasDetails)).toEqual([[true, true]]);
});

test('an alert without details does not wait for another that has some to come', async () => {
  await using scene = await aScene({
    enrich: 'enrich: transaction, if: value == 0 }, { id: paid, on: new, if: value > 0,',
  });
  scene.sandbox.fail({ fault: 'slow-headers', operation: 'transaction', ms: 10_000 });
  scene.sandbox.mine();
  scene.sandbox.addTransaction({ to: 'vault', function: 'pause()' });
  scene.sandbox.addTransaction({ to: 'vault', function: 'pause()', value: '1000000000000000000' });
  await scene.poll();
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([[]]);
  await scene.clock.advance(1000);
  await scene.hook.calls.reached(2);
  expect(scene.told()).toEqual([[], LATE]);
});

test('a clock that is set back does not make a message wait longer', async () => {
  await using scene = await aScene();
  for (const operation of ['transaction', 'state-changes'] as const)
    scene.sandbox.fail({ fault: 'slow-headers', operation, ms: 10_000 });
  await scene.pauses();
  await scene.clock.setTo(scene.clock.now() - 60 * MINUTE);
  await scene.clock.advance(1000);
  await scene.hook.calls.reached(1);
  expect(scene.told()).toEqual([LATE]);
});
