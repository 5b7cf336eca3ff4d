// Who is told, and when, as routes of the config say: the whole daemon with real receivers; only the clock is fake.
import { expect, test } from '@jest/globals';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder, type Folder } from '../../support/daemon.ts';
import { createWebhookSink, type WebhookSink } from '../../support/sinks.ts';

const CHANNELS = ['ops', 'payments', 'pager'] as const;
const RULES = `
defaults: { every: 1m }
watches:
  - id: reserve
    kind: balance
    of: treasury
    alerts: [{ id: low, while: balance < 3 }, { id: empty, while: balance < 1, severity: critical }]
  - id: payouts
    kind: balance
    of: treasury
    labels: { team: payments }
    alerts: [{ id: low, while: balance < 3 }]
`;

interface Daemon extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly folder: Folder;
  readonly running: RunningApp;
  readonly sink: WebhookSink;
  configure(routes: string): string;
}

/** Every channel is a webhook at a path of its own. */
async function aDaemon(routes: string): Promise<Daemon> {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const sink = opened.use(await createWebhookSink());
  const channels = CHANNELS.map(
    (name) => `  ${name}: { type: webhook, url: '${sink.origin}/${name}', allow: [127.0.0.0/8] }\n`,
  );
  const configure = (more: string): string => `
explorers:
  chain: { form: instance, instance_url: '${explorer.url}' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
${channels.join('')}
routes:${more}
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`;
  const files = { 'config.yaml': configure(routes), 'rules.yaml': RULES };
  const folder = opened.use(createFolder(files));
  const running = opened.use(await runApp(folder));
  await running.polls.reached(2);
  const all = opened.move();
  return { explorer, folder, running, sink, configure, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A poll of both watches, a minute later, at which the treasury has so many coins. */
async function poll({ explorer, running: { clock, polls } }: Daemon, coins: number): Promise<void> {
  explorer.balance = `${coins}000000000000000000`;
  const { length } = polls.all;
  await clock.advance(60_000);
  await polls.reached(length + 2);
}

/** What arrived so far once there are so many: `payments firing payouts/low`, sorted, since channels are independent. */
async function told({ sink }: Daemon, count: number, from = 0): Promise<readonly string[]> {
  const calls = await sink.calls.reached(count);
  return calls
    .slice(from)
    .map(({ path, body }) => {
      const { type, data } = JSON.parse(body) as { type: string; data: { watch: string; alert: string } };
      return `${path.slice(1)} ${type.replace('alert.', '')} ${data.watch}/${data.alert}`;
    })
    .toSorted();
}

test('each team hears of its own alerts, and the pager of what is critical', async () => {
  await using daemon = await aDaemon(`
  - { match: { severity: critical }, add: pager }
  - { match: { team: payments }, notify: payments }
  - { notify: ops }
`);
  await poll(daemon, 2);
  expect(await told(daemon, 2)).toEqual(['ops firing reserve/low', 'payments firing payouts/low']);
  await poll(daemon, 0);
  expect(await told(daemon, 4, 2)).toEqual(['ops firing reserve/empty', 'pager firing reserve/empty']);
  await poll(daemon, 9);
  expect(await told(daemon, 8, 4)).toEqual([
    'ops resolved reserve/empty',
    'ops resolved reserve/low',
    'pager resolved reserve/empty',
    'payments resolved payouts/low',
  ]);
});

test('after a change of routes the new channel is told of what is open, and an end goes to all who heard the begin', async () => {
  await using daemon = await aDaemon(' [{ match: { team: payments }, notify: payments }, { notify: ops }]');
  await poll(daemon, 2);
  expect(await told(daemon, 2)).toEqual(['ops firing reserve/low', 'payments firing payouts/low']);
  daemon.folder.write(
    'config.yaml',
    daemon.configure(' [{ match: { team: payments }, notify: pager }, { notify: ops }]'),
  );
  expect(await daemon.running.reload()).toBe('config:reloaded');
  expect(await told(daemon, 3, 2)).toEqual(['pager firing payouts/low']);
  await poll(daemon, 9);
  expect(await told(daemon, 6, 3)).toEqual([
    'ops resolved reserve/low',
    'pager resolved payouts/low',
    'payments resolved payouts/low',
  ]);
  await poll(daemon, 2);
  expect(await told(daemon, 8, 6)).toEqual(['ops firing reserve/low', 'pager firing payouts/low']);
});
