// What becomes of messages that operators silence or acknowledge: the whole daemon with a real mail server, over its real
// API; only the clock is fake.
import { setImmediate as afterIo } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { openReader } from '../../../src/store/open.ts';
import type { StoreReader } from '../../../src/store/contract/store.ts';
import { callApi, OPERATOR_TOKEN, type ApiAnswer } from '../../support/web/api-calls.ts';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createSmtpSink, type SmtpSink } from '../../support/sinks.ts';
import { stateOf } from '../../support/store/story-state.ts';

const MINUTE = 60_000;
const after = (minutes: number): string => new Date(Date.UTC(2026, 0, 1) + minutes * MINUTE).toISOString();

interface Daemon extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  running: RunningApp;
  restart(): Promise<void>;
  readonly smtp: SmtpSink;
  readonly reader: StoreReader;
}

/** Alerts are mailed to ops, and what operators do to desk. They are repeated every ten minutes. */
async function aDaemon(): Promise<Daemon> {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const smtp = opened.use(await createSmtpSink());
  const mail = `type: email, from: chainwarden@example.com, smtp: '${smtp.url}', allow: [127.0.0.0/8]`;
  const config = `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  ops: { ${mail}, to: [ops@example.com] }
  desk: { ${mail}, to: [desk@example.com] }
routes: [{ notify: [ops], repeat: 10m }]
http: { listen: 127.0.0.1:0, operators: { alice: { token: { env: ALICE } } } }
self: [desk]
state: { file: state.db }
rules: [rules.yaml]
`;
  const alerts = '[{ id: low, while: balance < 3 }, { id: empty, while: balance < 1, severity: critical }]';
  const rules = `watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: ${alerts} }]\n`;
  const folder = opened.use(createFolder({ 'config.yaml': config, 'rules.yaml': rules }));
  const env = { ALICE: OPERATOR_TOKEN };
  const running = await runApp(folder, { env });
  opened.defer(() => daemon.running[Symbol.asyncDispose]());
  await running.polls.reached(1);
  const reader = opened.use(await openReader(stateOf(folder, 'state.db')));
  const restart = async (): Promise<void> => {
    const { clock } = daemon.running;
    await daemon.running[Symbol.asyncDispose]();
    daemon.running = await runApp(folder, { env, clock });
  };
  const daemon = { explorer, running, restart, smtp, reader, [Symbol.asyncDispose]: () => all.disposeAsync() };
  const all = opened.move();
  return daemon;
}

/** So many minutes, whatever the explorer does. */
async function pass({ running }: Daemon, minutes: number): Promise<void> {
  for (let i = 0; i < minutes; i += 1) await running.clock.advance(MINUTE);
}

/** So many polls, a minute apart, at which the treasury has so many coins. What is owed is sent before the next one. */
async function poll({ explorer, running, reader }: Daemon, coins: number, count = 1): Promise<void> {
  explorer.balance = `${coins}000000000000000000`;
  for (let i = 0; i < count; i += 1) {
    const { length } = running.polls.all;
    await running.clock.advance(MINUTE);
    await running.polls.reached(length + 1);
    while ((await reader.survey()).outbox.length > 0) await afterIo();
  }
}

let calls = 0;
async function ask({ running }: Daemon, path: string, body: object): Promise<ApiAnswer> {
  calls += 1;
  return callApi(running, { path, body, key: `call-${calls}` });
}

const silence = (daemon: Daemon, minutes: number, more: object = {}): Promise<ApiAnswer> =>
  ask(daemon, '/silences', { matchers: {}, until: after(minutes), comment: 'moved', confirm: true, ...more });

/** Subjects of what was mailed to somebody, once there are so many. */
async function mailed({ smtp }: Daemon, to: 'ops' | 'desk', count: number): Promise<readonly string[]> {
  for (;;) {
    const all = smtp.mails.all;
    const own = all.filter((mail) => mail.to.includes(`${to}@example.com`));
    if (own.length >= count) return own.map(({ parsed }) => parsed.subject ?? '');
    await smtp.mails.reached(all.length + 1);
  }
}

/** Text of the newest mail to ops. */
function newest({ smtp }: Daemon): string {
  return smtp.mails.all.filter((mail) => mail.to.includes('ops@example.com')).at(-1)?.parsed.text ?? '';
}

test('sends nothing during a silence, and once afterwards what still fires', async () => {
  await using daemon = await aDaemon();
  await silence(daemon, 30);
  await poll(daemon, 2, 29);
  expect(await mailed(daemon, 'ops', 0)).toEqual([]);
  await poll(daemon, 2, 5);
  expect(await mailed(daemon, 'ops', 1)).toEqual(['[WARNING] treasury coin 2, below 3']);
  expect(newest(daemon)).toMatch(/^\[WARNING\].*\nValues of .*\nHeld back since 00:00 UTC\.$/m);
  // A silence of all alerts holds back no news of itself.
  expect(await mailed(daemon, 'desk', 2)).toEqual([
    '[INFO] alice silenced all alerts until 00:30 UTC',
    '[INFO] the silence of all alerts by alice is over',
  ]);
});

test('a silence that is over told the values of when it began', async () => {
  await using daemon = await aDaemon();
  await silence(daemon, 30);
  await poll(daemon, 2, 20);
  await poll(daemon, 1, 11);
  expect(await mailed(daemon, 'ops', 1)).toEqual(['[WARNING] treasury coin 1, below 3']);
  expect(newest(daemon)).toContain(
    'Values of 00:29 UTC. When it fired, 00:00 UTC: 2. It has not cleared since.\nHeld back since 00:00 UTC.',
  );
  expect(newest(daemon)).toContain('balance: 1 (when it fired: 2)');
});

test('a repeat shows the values of the last poll', async () => {
  await using daemon = await aDaemon();
  await poll(daemon, 2);
  await poll(daemon, 1, 11);
  expect(await mailed(daemon, 'ops', 2)).toEqual([
    '[WARNING] treasury coin 2, below 3',
    expect.stringMatching(/^\[WARNING for 10m\w*\] treasury coin 1, below 3$/),
  ]);
  expect(newest(daemon)).toContain('Values of 00:10 UTC. When it fired, 00:00 UTC: 2. It has not cleared since.');
});

test('values that were read before the explorer went away, or before a restart, passed for those of now', async () => {
  await using daemon = await aDaemon();
  await poll(daemon, 2);
  await poll(daemon, 1, 4);
  daemon.explorer.isDown = true;
  await pass(daemon, 7);
  expect((await mailed(daemon, 'ops', 2))[1]).toMatch(/^\[WARNING for 10m\w*\] treasury coin 1, below 3$/);
  expect(newest(daemon)).toContain('Values of 00:04 UTC. When it fired, 00:00 UTC: 2. It has not cleared since.');
  await daemon.restart();
  await pass(daemon, 11);
  expect((await mailed(daemon, 'ops', 3))[2]).toMatch(/^\[WARNING for 2\dm\w*\] treasury coin 2, below 3$/);
  expect(newest(daemon)).toContain('\nWhen it fired, 00:00 UTC: 2. It has not cleared since.');
  expect(newest(daemon)).not.toContain('Values of');
});

test('what fired and was over in a silence was told late, or never: it is counted in one summary', async () => {
  await using daemon = await aDaemon();
  await silence(daemon, 30);
  await poll(daemon, 0, 3);
  await poll(daemon, 5, 3);
  await poll(daemon, 2, 3);
  await poll(daemon, 5, 25);
  expect(await mailed(daemon, 'ops', 1)).toEqual(['[INFO] Silence ended: 3 conditions']);
  expect(newest(daemon)).toContain('coins/low: 2 conditions');
  expect(newest(daemon)).toContain('coins/empty: 1 condition');
});

test('a silence swallowed the end of what people knew', async () => {
  await using daemon = await aDaemon();
  await poll(daemon, 2);
  await silence(daemon, 60);
  await poll(daemon, 2, 20);
  expect(await mailed(daemon, 'ops', 1)).toEqual(['[WARNING] treasury coin 2, below 3']);
  await poll(daemon, 5);
  expect((await mailed(daemon, 'ops', 2)).slice(1)).toEqual([expect.stringMatching(/^\[RESOLVED after /)]);
  expect(newest(daemon)).not.toContain('Held back');
  await poll(daemon, 5, 45);
  expect(await mailed(daemon, 'ops', 2)).toHaveLength(2);
});

test('a silence that ended early, or was made longer, held back what it should not, or not what it should', async () => {
  await using daemon = await aDaemon();
  const { body } = await silence(daemon, 10);
  const path = `/silences/${String(body['id'])}`;
  await poll(daemon, 2, 5);
  await ask(daemon, `${path}/extend`, { until: after(40) });
  await poll(daemon, 2, 20);
  expect(await mailed(daemon, 'ops', 0)).toEqual([]);
  await ask(daemon, `${path}/end`, {});
  await poll(daemon, 2);
  expect(await mailed(daemon, 'ops', 1)).toEqual(['[WARNING] treasury coin 2, below 3']);
});

test('a silence until it is resolved ends then, and the next firing is told', async () => {
  await using daemon = await aDaemon();
  await poll(daemon, 2);
  await silence(daemon, 600, { until_resolved: true });
  await poll(daemon, 2, 20);
  await poll(daemon, 5, 2);
  await poll(daemon, 2, 2);
  expect(await mailed(daemon, 'ops', 3)).toEqual([
    '[WARNING] treasury coin 2, below 3',
    expect.stringMatching(/^\[RESOLVED after /),
    '[WARNING] treasury coin 2, below 3',
  ]);
});

/** Polls until so many were mailed: when a mail was accepted decides when it is repeated. */
async function pollUntilMailed(daemon: Daemon, coins: number, count: number): Promise<readonly string[]> {
  for (let minutes = 0; minutes < 60; minutes += 1) {
    const subjects = await mailed(daemon, 'ops', 0);
    if (subjects.length >= count) return subjects;
    await poll(daemon, coins);
  }
  return mailed(daemon, 'ops', 0);
}

test('an acknowledged alert is not repeated, and its end is sent', async () => {
  await using daemon = await aDaemon();
  const repeated = expect.stringMatching(/^\[WARNING for /);
  expect(await pollUntilMailed(daemon, 2, 2)).toEqual(['[WARNING] treasury coin 2, below 3', repeated]);
  const open = await daemon.reader.openAlerts({ at: daemon.running.clock.now() });
  const acks = `/alerts/${open[0]?.key ?? ''}/1/acks`;
  expect(await ask(daemon, acks, { seq: 1, comment: 'on it' })).toMatchObject({ status: 201 });
  await poll(daemon, 2, 35);
  expect(await mailed(daemon, 'ops', 2)).toHaveLength(2);
  await ask(daemon, `${acks}/end`, {});
  expect((await pollUntilMailed(daemon, 2, 3)).slice(2)).toEqual([repeated]);
  await ask(daemon, acks, { seq: 1 });
  await poll(daemon, 5);
  expect((await mailed(daemon, 'ops', 4)).slice(3)).toEqual([expect.stringMatching(/^\[RESOLVED after /)]);
  // Another episode is another alert.
  expect((await pollUntilMailed(daemon, 2, 6)).slice(4)).toEqual(['[WARNING] treasury coin 2, below 3', repeated]);
});
