// When alerts are told, as routes of the config say: the whole daemon with a real mail server; only the clock is fake.
import { expect, test } from '@jest/globals';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import { createSmtpSink, refusal, type SmtpSink } from '../../support/sinks.ts';

const CHANNELS = ['ops', 'payments', 'pager'];
const MINUTE = 60_000;

interface Daemon extends AsyncDisposable {
  readonly explorer: BalanceExplorer;
  readonly running: RunningApp;
  readonly smtp: SmtpSink;
  /** Recipients whose mails the server does not take. */
  readonly refused: Set<string>;
  readonly watches: number;
}

interface Setting {
  readonly routes: string;
  /** Watches of the treasury's balance, each with its alerts. */
  readonly alerts: Readonly<Record<string, string>>;
  /** The times of reports of the watch `coins`, by their ids. */
  readonly reports?: Readonly<Record<string, string>>;
}

/** Every channel mails to an address of its own. */
async function aDaemon({ routes, alerts, reports = {} }: Setting): Promise<Daemon> {
  await using opened = new AsyncDisposableStack();
  const refused = new Set<string>();
  const explorer = opened.use(await serveBalances());
  const rcpt = (address: string): Error | null => (refused.has(address) ? refusal(450, 'come back later') : null);
  const smtp = opened.use(await createSmtpSink({ rcpt }));
  const mail = `type: email, from: chainwarden@example.com, smtp: '${smtp.url}', allow: [127.0.0.0/8]`;
  const config = `
explorers:
  chain: { form: instance, instance_url: '${explorer.url}' }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
${CHANNELS.map((name) => `  ${name}: { ${mail}, to: [${name}@example.com] }\n`).join('')}
${routes}
http: { listen: 127.0.0.1:0 }
self: none
rules: [rules.yaml]
`;
  const watches = Object.entries(alerts).map(
    ([id, own]) => `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [${own}] }\n`,
  );
  const told = Object.entries(reports).map(
    ([id, cron]) => `  - { id: ${id}, cron: '${cron}', watches: [coins], values: [balance], total: balance }\n`,
  );
  const rules = `watches:\n${watches.join('')}${told.length === 0 ? '' : `reports:\n${told.join('')}`}`;
  const folder = opened.use(createFolder({ 'config.yaml': config, 'rules.yaml': rules }));
  const running = opened.use(await runApp(folder, { clock: createStoryClock() }));
  await running.polls.reached(watches.length);
  const all = opened.move();
  const parts = { explorer, running, smtp, refused, watches: watches.length };
  return { ...parts, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** So many polls of all watches, at which the treasury has so many coins. */
async function poll(daemon: Daemon, coins: number, count = 1): Promise<void> {
  const { explorer, watches, running } = daemon;
  explorer.balance = `${coins}000000000000000000`;
  for (let i = 0; i < count; i += 1) {
    const { length } = running.polls.all;
    await running.clock.advance(MINUTE);
    await running.polls.reached(length + watches);
  }
}

/** All mails once there are so many: `ops WARNING`, in the order in which they arrived. */
async function mails({ smtp }: Daemon, count: number): Promise<readonly string[]> {
  const all = await smtp.mails.reached(count);
  return all.map(
    ({ to, parsed }) =>
      `${to.join().replace('@example.com', '')} ${/^\[([^\]]*)\]/.exec(parsed.subject ?? '')?.[1] ?? ''}`,
  );
}

const LOW = '{ id: low, while: balance < 3 }';
const EMPTY = '{ id: empty, while: balance < 1, severity: critical }';

test('at night only what is critical is told; what is still so in the morning is told then', async () => {
  await using daemon = await aDaemon({
    alerts: { low: LOW, empty: EMPTY },
    routes: `routes:
  - { match: { severity: '!critical' }, mute: [{ from: '22:00', to: '00:20', zone: UTC }] }
  - { notify: ops }`,
  });
  await poll(daemon, 0, 2);
  expect(await mails(daemon, 1)).toEqual(['ops CRITICAL']);
  await poll(daemon, 2, 3);
  expect(await mails(daemon, 2)).toEqual(['ops CRITICAL', expect.stringMatching(/^ops RESOLVED after/)]);
  await poll(daemon, 2, 20);
  expect((await mails(daemon, 3)).at(-1)).toBe('ops WARNING');
  expect(daemon.smtp.mails.all.at(-1)?.parsed.text).toContain('Held back since 00:00 UTC.');
});

test('a critical alert that nobody acknowledged for 15 minutes goes to the pager, and so does its end', async () => {
  await using daemon = await aDaemon({
    alerts: { empty: EMPTY, low: LOW },
    routes: 'routes: [{ match: { severity: critical }, escalate: [{ after: 15m, notify: pager }] }, { notify: ops }]',
  });
  await poll(daemon, 0, 15);
  expect((await mails(daemon, 2)).toSorted()).toEqual(['ops CRITICAL', 'ops WARNING']);
  await poll(daemon, 0, 2);
  expect((await mails(daemon, 3)).at(-1)).toMatch(/^pager CRITICAL for 1\dm/);
  await poll(daemon, 9);
  expect(
    (await mails(daemon, 6))
      .slice(3)
      .map((one) => one.replace(/ after.*/, ''))
      .toSorted(),
  ).toEqual(['ops RESOLVED', 'ops RESOLVED', 'pager RESOLVED']);
});

test('a critical alert that no channel takes for 5 minutes goes to the failover; a warning waits', async () => {
  await using daemon = await aDaemon({
    alerts: { empty: EMPTY, low: LOW },
    routes: 'routes: [{ failover: payments }, { notify: ops }]',
  });
  daemon.refused.add('ops@example.com');
  await poll(daemon, 0, 4);
  expect(daemon.smtp.mails.all).toEqual([]);
  await poll(daemon, 0, 3);
  expect(await mails(daemon, 1)).toEqual([expect.stringMatching(/^payments CRITICAL for \dm/)]);
});

test('an open alert that explains others keeps them back; what is still so when it ends is told then', async () => {
  await using daemon = await aDaemon({
    alerts: { empty: EMPTY, low: LOW },
    routes: `routes: [{ notify: ops }]
inhibit: [{ when: { watch: empty }, mute: { severity: '!critical' }, equal: [explorer] }]`,
  });
  await poll(daemon, 0, 5);
  expect(await mails(daemon, 1)).toEqual(['ops CRITICAL']);
  await poll(daemon, 2, 2);
  expect((await mails(daemon, 3)).slice(1)).toEqual(['ops RESOLVED after 5m', 'ops WARNING']);
});

test('an alert that stays open is told again, and once more; then its end', async () => {
  await using daemon = await aDaemon({ alerts: { low: LOW }, routes: 'routes: [{ notify: ops, repeat: 10m }]' });
  await poll(daemon, 2, 8);
  expect(await mails(daemon, 1)).toEqual(['ops WARNING']);
  // While a mail is on its way, the clock runs on.
  for (let minutes = 0; minutes < 40 && daemon.smtp.mails.all.length < 3; minutes += 1) await poll(daemon, 2);
  const again = expect.stringMatching(/^ops WARNING for \d+m/);
  expect(await mails(daemon, 3)).toEqual(['ops WARNING', again, again]);
  await poll(daemon, 9);
  expect((await mails(daemon, 4)).at(-1)).toMatch(/^ops RESOLVED after \d+m/);
});

test('a storm of one team is one mail', async () => {
  const storm = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`w${i}`, `{ id: low, while: balance < 3 }`]));
  await using daemon = await aDaemon({
    alerts: storm,
    routes: 'routes: [{ notify: ops, group_by: [explorer], group_wait: 5s }]',
  });
  await poll(daemon, 2);
  await daemon.running.clock.advance(10_000);
  expect(await mails(daemon, 1)).toEqual(['ops WARNING']);
  expect(daemon.smtp.mails.all[0]?.parsed.subject).toContain('(and 11 more)');
  await poll(daemon, 9);
  await daemon.running.clock.advance(MINUTE);
  expect((await mails(daemon, 2)).at(-1)).toMatch(/^ops RESOLVED/);
});

test('each report of several watches is a mail of its own with its table, however its alerts are grouped', async () => {
  await using daemon = await aDaemon({
    routes: 'routes: [{ match: {}, notify: [ops], group_by: [], group_wait: 30s }]',
    alerts: { coins: LOW },
    reports: { fives: '5 0 * * *', others: '5 0 * * *', minutely: '7,8,9 0 * * *' },
  });
  await poll(daemon, 2, 6);
  await daemon.smtp.mails.reached(3);
  daemon.refused.add('ops@example.com');
  await poll(daemon, 2, 4);
  daemon.refused.clear();
  await poll(daemon, 2, 30);
  const all = await daemon.smtp.mails.reached(6);
  const shown = all.map(({ parsed }) => [
    parsed.subject,
    /^coins +2 coin$/m.test(parsed.text ?? '') && /^total +2 coin$/m.test(parsed.text ?? ''),
  ]);
  expect(shown.toSorted()).toEqual([
    ['[INFO] report fives: 2 coin in 1 balance', true],
    ['[INFO] report minutely: 2 coin in 1 balance', true],
    ['[INFO] report minutely: 2 coin in 1 balance', true],
    ['[INFO] report minutely: 2 coin in 1 balance', true],
    ['[INFO] report others: 2 coin in 1 balance', true],
    [expect.stringMatching(/^\[WARNING\] treasury coin 2, below 3/), false],
  ]);
});
