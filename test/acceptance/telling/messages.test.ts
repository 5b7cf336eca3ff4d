// What arrives in a chat and in a mailbox over the life of alerts: the whole daemon with real receivers; only the clock is
// fake.
import { expect, test } from '@jest/globals';
import { serve, serviceNamed, DISCORD_PATH } from '../../notifiers/services.ts';
import { runApp, serveBalances } from '../../support/app.ts';
import { createFolder } from '../../support/daemon.ts';
import { createStoryClock } from '../../support/fake-clock.ts';
import { createSmtpSink } from '../../support/sinks.ts';

const MINUTE = 60_000;
const MOST_POLLS = 40;

async function aDaemon(watches: readonly string[]) {
  await using opened = new AsyncDisposableStack();
  const explorer = opened.use(await serveBalances());
  const chat = opened.use(await serve({ ...serviceNamed('discord'), headers: {} }));
  const smtp = opened.use(await createSmtpSink());
  const config = `
explorers: { chain: { form: instance, instance_url: '${explorer.url}', page_url: 'https://pages.example' } }
addresses: { treasury: '0x${'11'.repeat(20)}' }
channels:
  chat: { type: discord, url: '${chat.origin}${DISCORD_PATH}', allow: [127.0.0.0/8] }
  post: { type: email, from: chainwarden@example.com, to: [ops@example.com], smtp: '${smtp.url}', allow: [127.0.0.0/8] }
routes: [{ notify: [chat, post], repeat: 10m, group_by: [explorer] }]
http: { listen: 127.0.0.1:0 }
self: none
rules: [rules.yaml]
`;
  const rules = `watches:\n${watches.map((one) => `  - { kind: balance, of: treasury, every: 1m, ${one} }\n`).join('')}`;
  const folder = opened.use(createFolder({ 'config.yaml': config, 'rules.yaml': rules }));
  const running = opened.use(await runApp(folder, { clock: createStoryClock() }));
  await running.polls.reached(watches.length);
  const all = opened.move();
  return {
    chat,
    smtp,
    /** Polls at which the treasury has so many coins, until so many calls of the chat and mails have arrived. */
    async pollUntil(coins: number, calls: number, mails: number, isThere = () => true): Promise<void> {
      explorer.balance = `${coins}000000000000000000`;
      for (let n = 0; chat.calls.all.length < calls || smtp.mails.all.length < mails || !isThere(); n += 1) {
        if (n > MOST_POLLS) throw new Error(`only ${chat.calls.all.length} calls and ${smtp.mails.all.length} mails`);
        const { length } = running.polls.all;
        await running.clock.advance(MINUTE);
        await running.polls.reached(length + watches.length);
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

test('the first message in a chat says how things stand; what is new is posted, and answers it in the mailbox', async () => {
  await using daemon = await aDaemon(['id: coins, alerts: [{ id: low, while: balance < 3 }]']);
  await daemon.pollUntil(2, 1, 1);
  await daemon.pollUntil(2, 3, 2);
  const isOver = (): boolean =>
    /RESOLVED/.test(daemon.chat.calls.all.at(-1)?.body ?? '') &&
    daemon.chat.calls.all.at(-1)?.method === 'POST' &&
    /RESOLVED/.test(daemon.smtp.mails.all.at(-1)?.parsed.subject ?? '');
  await daemon.pollUntil(9, 5, 3, isOver);
  const { all: calls } = daemon.chat.calls;
  const shown = calls.map(({ method, body }) => {
    const { content } = JSON.parse(body) as { content: string };
    return `${method} ${content.replace(/^\*\*(.*)\*\*$/, '$1').replaceAll('\\', '')}`;
  });
  const [first, ...later] = shown;
  expect(first).toBe('POST [WARNING] treasury coin 2, below 3');
  // How often it is told again depends on when the receivers answered.
  const changes = later.filter((one) => one.startsWith('PATCH '));
  expect(later).toEqual(changes.flatMap((one) => [one, one.replace('PATCH', 'POST')]));
  const [again, over] = [
    /\[WARNING for [1-9]\dm\S*\] treasury coin 2, below 3$/,
    /\[RESOLVED after [1-9]\dm\S*\] treasury coin 9/,
  ];
  expect(changes[0]).toMatch(again);
  expect(changes.filter((one) => !again.test(one))).toEqual([expect.stringMatching(over)]);
  expect(changes.at(-1)).toMatch(over);
  expect(daemon.chat.refused).toEqual([]);
  const { all: mails } = daemon.smtp.mails;
  const subjects = mails.map(({ parsed }) => parsed.subject ?? '');
  expect(subjects[0]).toBe('[WARNING] treasury coin 2, below 3');
  expect(subjects[1]).toMatch(again);
  expect(subjects.at(-1)).toMatch(over);
  expect(new Set(mails.map(({ parsed }) => parsed.inReplyTo)).size).toBe(1);
  expect(new Set(mails.map(({ parsed }) => parsed.messageId)).size).toBe(mails.length);
});

test('what belongs together is one message with a link for each, and the chat answers it without changing it', async () => {
  await using daemon = await aDaemon([
    'id: coins, alerts: [{ id: low, while: balance < 3 }]',
    'id: gas, alerts: [{ id: low, while: balance < 4 }, { id: empty, while: balance < 2 }]',
  ]);
  await daemon.pollUntil(0, 2, 2);
  const [first, second] = daemon.smtp.mails.all;
  const listed = `${first?.parsed.text ?? ''}\n${second?.parsed.text ?? ''}`;
  expect(new Set(listed.match(/treasury coin 0, below \d/g))).toHaveProperty('size', 3);
  expect(listed).toMatch(/^ {2}https:\/\/pages\.example\/address\/0x1{40}$/m);
  await daemon.pollUntil(9, 3, 3);
  const { all: calls } = daemon.chat.calls;
  expect(calls.map(({ method }) => method)).not.toContain('PATCH');
  expect(calls.some(({ body }) => /\]\(https:\/\/pages\.example\/address\/0x1{40}\)/.test(body))).toBe(true);
  expect(daemon.chat.refused).toEqual([]);
});
