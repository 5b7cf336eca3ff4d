// Much happens at once, or receivers do not answer: the whole daemon with real servers; only the clock is fake.
import { readFileSync } from 'node:fs';
import { setImmediate as afterIo } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { callApi, OPERATOR_TOKEN } from '../../support/web/api-calls.ts';
import { runApp, serveBalances, type BalanceExplorer, type RunningApp } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createSmtpSink, createWebhookSink, type ReceivedMail } from '../../support/sinks.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const TREASURY = `0x${'11'.repeat(20)}`;
const RULES =
  'watches: [{ id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: moved, on: changed, severity: warning }] }]\n';

/** One poll, at which the treasury has so many coins. Time stands still until the test goes on. */
async function poll(explorer: BalanceExplorer, running: RunningApp, coins: number): Promise<void> {
  explorer.balance = `${coins}000000000000000000`;
  const { length } = running.polls.all;
  await running.clock.advance(MINUTE);
  await running.polls.reached(length + 1);
}

test('nine channels that never answered held up the tenth', async () => {
  await using explorer = await serveBalances();
  await using deaf = await createWebhookSink(() => undefined);
  await using well = await createWebhookSink();
  const deafOnes = Array.from({ length: 9 }, (_, n) => `deaf-${n}`);
  const channels = [...deafOnes, 'well'].map((name) => {
    const { origin } = name === 'well' ? well : deaf;
    return `  ${name}: { type: webhook, url: '${origin}/${name}', allow: [127.0.0.0/8] }\n`;
  });
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '${TREASURY}' }
channels:
${channels.join('')}routes: [{ notify: [${[...deafOnes, 'well'].join(', ')}] }]
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml': RULES,
  });
  await using running = await runApp(folder);
  await running.polls.reached(1);
  for (let n = 1; n <= 8; n += 1) {
    await poll(explorer, running, n);
    // Nothing but this message makes the test go on: it comes in the same second of the clock.
    await well.calls.reached(n);
  }
  expect(well.calls.all).toHaveLength(8);
  // Of each of the others two messages are on their way all the time, and the rest waits for them.
  const paths = deafOnes.flatMap((name) => [`/${name}`, `/${name}`]);
  expect(deaf.calls.all.map(({ path }) => path).toSorted()).toEqual(paths);
  await deaf[Symbol.asyncDispose]();
});

test('a recipient whom the mail server refuses delays no mail of the others', async () => {
  await using explorer = await serveBalances();
  await using smtp = await createSmtpSink({
    rcpt: (address) =>
      address.startsWith('gone') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null,
  });
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
addresses: { treasury: '${TREASURY}' }
channels:
  mail:
    type: email
    from: chainwarden@example.com
    to: [ada@example.com, gone@example.com, bob@example.com]
    smtp: '${smtp.url}'
    allow: [127.0.0.0/8]
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml': RULES,
  });
  await using running = await runApp(folder);
  await running.polls.reached(1);
  for (const coins of [2, 7]) {
    await poll(explorer, running, coins);
    await running.clock.advance(SECOND);
    await smtp.mails.reached(coins === 2 ? 2 : 4);
  }
  expect(smtp.mails.all.map(({ to, parsed }) => `${to.join()} ${parsed.subject ?? ''}`).toSorted()).toEqual([
    'ada@example.com [WARNING] treasury coin 2, was 5',
    'ada@example.com [WARNING] treasury coin 7, was 2',
    'bob@example.com [WARNING] treasury coin 2, was 5',
    'bob@example.com [WARNING] treasury coin 7, was 2',
  ]);
});

const FILES = ['chain.yaml', 'token.yaml', 'treasury.yaml', 'vault.yaml'];
const RULES_OF_EXAMPLE = FILES.map((name) => readFileSync(`rules/${name}`, 'utf8'));

test('sends ten minutes of the example rules in at most twenty mails', async () => {
  await using smtp = await createSmtpSink();
  const example = readFileSync('config.example.yaml', 'utf8');
  const screen = /^ {2}screen: .*$/m.exec(example)?.[0] ?? '';
  const mail = `type: email, from: a@example.com, to: [b@example.com], smtp: '${smtp.url}', allow: [127.0.0.0/8]`;
  using folder = createFolder({
    'config.yaml': example
      .replace(screen, `  screen: { ${mail} }\n  truth: { type: log, format: json }\nroutes: [{ add: [truth] }]`)
      .replace('block_time: 12s', 'block_time: 2s')
      .replace(/^self: .*$/m, 'self: none')
      .replace(/^ {2}listen: .*$/m, '  listen: 127.0.0.1:0\n  operators: { alice: { token: { env: ALICE } } }')
      .replace(/^rules: .*$/m, `rules: [${FILES.join(', ')}]`),
    ...Object.fromEntries(FILES.map((name, n) => [name, RULES_OF_EXAMPLE[n] ?? ''])),
  });
  const told: string[] = [];
  await using running = await runApp(folder, {
    env: { ALICE: OPERATOR_TOKEN },
    print: (line) => {
      told.push(line);
      return Promise.resolve();
    },
  });
  for (let second = 0; second < 600; second += 5) {
    await running.clock.advance(5 * SECOND);
    for (let turn = 0; turn < 20; turn += 1) await afterIo();
  }
  // Nothing happens any more, and what the cap held back goes out in the summary of its slot.
  const until = new Date(Date.UTC(2026, 0, 1, 2)).toISOString();
  for (const [, rule] of RULES_OF_EXAMPLE.flatMap((text) => [...text.matchAll(/^ {2}- id: (\S+)$/gm)]))
    await callApi(running, {
      path: `/watches/${rule}/pauses`,
      body: { until, comment: 'enough' },
      key: `pause-${rule}`,
    });
  const inTenMinutes = smtp.mails.all.length;
  await running.clock.advance(11 * MINUTE);
  // What was taken back while it was held is not told at all.
  const of = (type: string): number => told.filter((line) => line.includes(`"alert.${type}"`)).length;
  const happened = told.length - of('resolved') - 2 * of('retracted');
  while (countIn(smtp.mails.all) < happened) await smtp.mails.reached(smtp.mails.all.length + 1);
  expect(happened).toBeGreaterThan(100);
  // Ten of those without a critical alert, a summary, and each critical alert that nobody had heard of.
  expect(inTenMinutes).toBeLessThanOrEqual(20);
  expect(smtp.mails.all.length).toBeLessThanOrEqual(inTenMinutes + 2);
  // What fired and was over before it was told is one line.
  expect(countIn(smtp.mails.all)).toBeLessThanOrEqual(told.length);
});

/** How many alerts these mails tell: the one of the subject, as often as it says, and those beside it. */
function countIn(mails: readonly ReceivedMail[]): number {
  return mails.reduce((sum, { parsed: { subject = '' } }) => {
    const times = / \((\d+) times(?:, and \d+ more)?\)$/.exec(subject)?.[1] ?? 1;
    return sum + Number(times) + Number(/[ (]and (\d+) more\)$/.exec(subject)?.[1] ?? 0);
  }, 0);
}

const TOGETHER = 60;

test('alerts that fire together are repeated to a program all at their time, each once', async () => {
  await using explorer = await serveBalances();
  await using hook = await createWebhookSink();
  const watches = Array.from({ length: TOGETHER }, (_, n) => {
    const address = `0x${String(n + 1).padStart(40, '0')}`;
    return `  - { id: w${n}, kind: balance, of: '${address}', every: 10m, alerts: [{ id: low, while: balance < 1 }] }\n`;
  });
  using folder = createFolder({
    'config.yaml': `
explorers: { chain: { form: instance, instance_url: '${explorer.url}' } }
channels: { hook: { type: webhook, url: '${hook.origin}', allow: [127.0.0.0/8] } }
routes: [{ notify: [hook], repeat: 30m }]
self: none
http: { listen: 127.0.0.1:0 }
rules: [rules.yaml]
`,
    'rules.yaml': `watches:\n${watches.join('')}`,
  });
  await using running = await runApp(folder);
  const pollAll = async (): Promise<void> => {
    const { length } = running.polls.all;
    await running.clock.advance(10 * MINUTE);
    await running.polls.reached(length + TOGETHER);
  };
  await pollAll();
  explorer.balance = '0';
  await pollAll();
  for (let round = 1; round <= 2; round += 1) {
    await hook.calls.reached(round * TOGETHER);
    const times = Map.groupBy(hook.calls.all, ({ body }) => Called.parse(JSON.parse(body)).data.key);
    expect([...times.values()].map(({ length }) => length)).toEqual(watches.map(() => round));
    for (let n = 0; n < 2; n += 1) await pollAll();
    expect(hook.calls.all).toHaveLength(round * TOGETHER);
    await pollAll();
  }
  const ids = new Set(hook.calls.all.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(hook.calls.all.length);
});

const Called = z.object({ data: z.object({ key: z.string() }) });
