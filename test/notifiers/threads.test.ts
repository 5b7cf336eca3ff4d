// What becomes of the first message about an alert when more happens: it is brought up to date and answered, where the
// service can do that, and whatever comes of the change, what is new is told.
import { describe, expect, test } from '@jest/globals';
import { newsOf, type Delivery, type Receipt } from '../../src/core/model/delivery.ts';
import { discordWith } from '../../src/notifiers/discord.ts';
import { slackWith } from '../../src/notifiers/slack.ts';
import { status, type Answer } from '../support/sinks.ts';
import { aDelivery, aMessage, aResolvedMessage, aTry, LOOPBACK, never, PATIENT_MS, someTools } from './samples.ts';
import { DISCORD_PATH, serve, serviceNamed, SERVICES, SLACK_TOKEN, type ServedService } from './services.ts';

const json = (body: unknown, code = 200): Answer => status(code, {}, JSON.stringify(body));

/** The names of the fields differ, and what they mean does not. */
const ABOUT = {
  'slack bot': { id: '1700000000.000100', gone: json({ ok: false, error: 'message_not_found' }) },
  telegram: {
    id: 7,
    gone: json({ ok: false, error_code: 400, description: 'Bad Request: message to edit not found' }, 400),
  },
  discord: { id: '1234567890', gone: json({ code: 10008, message: 'Unknown Message' }, 404) },
} as const;
type Name = keyof typeof ABOUT;
const NAMES = ['slack bot', 'telegram', 'discord'] as const;

const fired = aDelivery();
const resolved = aDelivery({ id: 'later', message: aResolvedMessage() });

interface Call {
  readonly method: string;
  readonly place: string;
  readonly body: Readonly<Record<string, unknown>>;
}

function callsOf(served: ServedService): Call[] {
  return served.calls.all.map(({ method, path, body }) => ({
    method,
    place: path.replace(/^.*\/(?=messages|\w+\.|send|edit)|^.*(?=\?)/, ''),
    body: JSON.parse(body) as Call['body'],
  }));
}

/** Sends these one after the other, each with the receipt of the one before. */
async function story(name: Name, deliveries: readonly Delivery[], answers: readonly Answer[] = []) {
  const service = serviceNamed(name);
  await using served = await serve(service);
  served.answerNext(...answers);
  await using sender = service.open(served.origin, someTools(), PATIENT_MS);
  let receipt: Receipt | null = null;
  const receipts: (Receipt | null)[] = [];
  for (const delivery of deliveries) {
    const outcome = await sender.send(delivery, aTry(1, { receipt }), never);
    expect([outcome.type, served.refused]).toEqual(['sent', []]);
    if (outcome.type === 'sent') receipt = outcome.receipt ?? null;
    receipts.push(receipt);
  }
  return { calls: callsOf(served), receipts };
}

const textIn = ({ body }: Call): string => String(body['text'] ?? body['content']);
const RESOLVED = /RESOLVED after 12m5s/;
const usual = (name: Name): Answer => serviceNamed(name).thanks;

describe.each(NAMES)('%s', (name) => {
  const { id, gone } = ABOUT[name];

  test('says in the first message that it is over, and then tells so', async () => {
    const { calls, receipts } = await story(name, [fired, resolved]);
    expect(calls).toHaveLength(3);
    const [first, edit, reply] = calls;
    expect(first && textIn(first)).not.toMatch(RESOLVED);
    expect(edit && textIn(edit)).toMatch(RESOLVED);
    expect(reply && textIn(reply)).toMatch(RESOLVED);
    expect(JSON.stringify([edit?.place, edit?.body])).toContain(String(id));
    expect(receipts[1]).toBe(receipts[0]);
    expect(Buffer.byteLength(receipts[0] ?? '')).toBeLessThanOrEqual(512);
  });

  test.each<[string, Answer]>([
    ['is refused', json({ ok: false, error: 'cant_update_message' }, 400)],
    ['fails', status(500)],
    ['is too much', status(429, { 'retry-after': '60' })],
    ['is cut off', (response) => response.destroy()],
    [
      'says so already',
      json({ ok: false, description: 'Bad Request: message is not modified: specified new message content' }, 400),
    ],
  ])('a change that %s keeps nothing from being told', async (_name, answer) => {
    const { calls, receipts } = await story(name, [fired, resolved], [usual(name), answer]);
    expect(calls.map(textIn).filter((text) => RESOLVED.test(text))).toHaveLength(2);
    expect(receipts[1]).toBe(receipts[0]);
  });

  test('a new message replaces a deleted one', async () => {
    const again = aDelivery({ id: 'third', message: aMessage({ seq: 7, title: 'Once more' }) });
    const other = { 'slack bot': '1700000000.000200', telegram: 8, discord: '1234567891' }[name];
    const thanks = json({ ok: true, channel: 'C0123ABCD', ts: other, id: other, result: { message_id: other } });
    const goneTwice = name === 'slack bot' ? [gone, json({ ok: false, error: 'thread_not_found' })] : [gone];
    const { calls, receipts } = await story(name, [fired, resolved, again], [usual(name), ...goneTwice, thanks]);
    expect(receipts[1]).not.toBe(receipts[0]);
    const edits = calls.filter((call) => /update|edit|messages/.test(call.place));
    expect(edits).toHaveLength(2);
    expect(JSON.stringify([edits[1]?.place, edits[1]?.body])).toContain(String(other));
  });

  test('the answer to a try is that of the message, not of the change', async () => {
    const service = serviceNamed(name);
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    const sent = await sender.send(fired, aTry(), never);
    const receipt = sent.type === 'sent' ? (sent.receipt ?? null) : null;
    served.answerNext(usual(name), status(503));
    expect(await sender.send(resolved, aTry(1, { receipt }), never)).toMatchObject({ type: 'again' });
  });

  test('a message about several alerts is answered and never changed for one of them', async () => {
    const several = aDelivery({ members: [newsOf(aMessage()), newsOf(aMessage({ key: 'other' }))] });
    const { calls, receipts } = await story(name, [several, resolved]);
    expect(calls).toHaveLength(2);
    expect(receipts[1]).toBe(receipts[0]);
  });

  test('a message about several alerts changes none', async () => {
    const repeat = { kind: 'repeat', members: [newsOf(aMessage()), newsOf(aMessage({ key: 'other' }))] } as const;
    expect((await story(name, [fired, aDelivery(repeat)])).calls).toHaveLength(2);
  });

  test('an end that travels with other news changes the first message of its own alert', async () => {
    const { receipts } = await story(name, [fired]);
    const begins = aMessage({ key: 'other', title: 'Vault USDC is low' });
    const both = aDelivery({ id: 'both', members: [newsOf(begins), newsOf(aResolvedMessage())] });
    const service = serviceNamed(name);
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    const ownReceipts = new Map([[aMessage().key, receipts[0] ?? '']]);
    const sent = await sender.send(both, aTry(1, { ownReceipts, ackUrl: 'https://us.example/a/t' }), never);
    expect([sent.type, served.refused]).toEqual(['sent', []]);
    const [edit, all, reply, ...others] = callsOf(served);
    expect(JSON.stringify([edit?.place, edit?.body])).toContain(String(id));
    expect(edit && textIn(edit)).toMatch(/^\W*RESOLVED after 12m5s/);
    expect(JSON.stringify(edit?.body)).not.toContain('/a/t');
    expect(all && textIn(all)).toContain('and 1 more');
    expect(sent).toMatchObject({ receipt: expect.stringMatching(/true\]$/) });
    const { thread_ts: thread, reply_broadcast: toAll } = reply?.body ?? {};
    expect([thread, toAll]).toEqual([name === 'slack bot' ? id : undefined, undefined]);
    const answered = all?.body['reply_parameters'];
    expect(answered).toEqual(name === 'telegram' ? { message_id: id, allow_sending_without_reply: true } : undefined);
    expect([reply !== undefined, others]).toEqual([name === 'slack bot', []]);
  });

  test('a try that was not taken answers nothing in a thread, since it comes again', async () => {
    const { receipts } = await story(name, [fired]);
    const members = [newsOf(aMessage({ key: 'other' })), newsOf(aResolvedMessage())] as const;
    const service = serviceNamed(name);
    await using served = await serve(service);
    served.answerNext(usual(name), status(503));
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    const ownReceipts = new Map([[aMessage().key, receipts[0] ?? '']]);
    expect(await sender.send(aDelivery({ members }), aTry(1, { ownReceipts }), never)).toMatchObject({ type: 'again' });
    expect(callsOf(served)).toHaveLength(2);
  });

  test('what a silence kept back is neither an answer nor answered', async () => {
    const summary = aDelivery({ id: 'summary', kind: 'silence_summary' });
    const { calls, receipts } = await story(name, [fired, summary]);
    expect(calls).toHaveLength(2);
    expect(JSON.stringify(calls[1]?.body)).not.toMatch(/thread_ts|reply_parameters/);
    expect(receipts[1]).toBeNull();
  });

  test.each(['', 'nonsense', '[]', '["elsewhere","1",null,false]'])('a receipt %j is none', async (receipt) => {
    const service = serviceNamed(name);
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    expect(await sender.send(resolved, aTry(1, { receipt }), never)).toMatchObject({ type: 'sent' });
    expect(callsOf(served)).toHaveLength(1);
    expect(JSON.stringify(callsOf(served)[0]?.body)).not.toMatch(/thread_ts|reply_parameters/);
  });

  test('an answer that does not say what the message is called leaves nothing to answer', async () => {
    const { receipts } = await story(name, [fired], [json({ ok: true })]);
    expect(receipts).toEqual([null]);
  });
});

describe('slack', () => {
  const still = aDelivery({
    kind: 'repeat',
    members: [{ message: aMessage(), as: 'repeat', renewed: null, heldAt: null, present: null }],
  });
  const corrected = aDelivery({ message: aMessage({ type: 'alert.corrected', seq: 6 }) });

  test.each([
    ['an end', true, resolved],
    ['a repeat', true, still],
    ['a correction', undefined, corrected],
    ['an item that is back', true, aDelivery({ message: aMessage({ type: 'alert.reinstated', seq: 6 }) })],
  ])('answers in the thread; %s is shown to the whole channel: %s', async (_name, broadcast, delivery) => {
    const { calls } = await story('slack bot', [fired, delivery]);
    expect(calls[1]?.body).toMatchObject({ channel: 'C0123ABCD', ts: ABOUT['slack bot'].id, parse: 'none' });
    expect(calls[1]?.body['blocks']).toEqual(calls[2]?.body['blocks']);
    const { thread_ts: thread, reply_broadcast: toAll } = calls[2]?.body ?? {};
    expect([thread, toAll]).toEqual([ABOUT['slack bot'].id, broadcast]);
  });

  test('a bot that was told another channel since begins anew there', async () => {
    const { receipts } = await story('slack bot', [fired]);
    await using served = await serve(serviceNamed('slack bot'));
    const to = { token: SLACK_TOKEN, channel: 'C9999ZZZZ', allow: LOOPBACK };
    await using sender = slackWith({ totalMs: PATIENT_MS, api: `${served.origin}/api` }).open(to, someTools());
    await sender.send(resolved, aTry(1, { receipt: receipts[0] ?? null }), never);
    expect(callsOf(served).map(({ body }) => [body['channel'], body['thread_ts']])).toEqual([['C9999ZZZZ', undefined]]);
  });
});

describe('discord', () => {
  const THREAD = '987654321098765432';

  test('a change forbids mentions again, and names the thread', async () => {
    await using served = await serve(serviceNamed('discord'));
    const to = { url: served.origin + DISCORD_PATH, thread_id: THREAD, allow: LOOPBACK };
    await using sender = discordWith({ totalMs: PATIENT_MS }).open(to, someTools());
    const sent = await sender.send(fired, aTry(), never);
    const receipt = sent.type === 'sent' ? (sent.receipt ?? null) : null;
    await sender.send(resolved, aTry(1, { receipt }), never);
    const [, edit, next] = served.calls.all;
    expect([edit?.method, edit?.path]).toEqual(['PATCH', `${DISCORD_PATH}/messages/1234567890?thread_id=${THREAD}`]);
    expect(JSON.parse(edit?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(next?.path).toBe(`${DISCORD_PATH}?wait=true&thread_id=${THREAD}`);
    expect(served.refused).toEqual([]);
  });

  test('in a forum what follows is posted into the post of the alert; where that is gone, a new one is opened', async () => {
    await using served = await serve(serviceNamed('discord'));
    const to = { url: served.origin + DISCORD_PATH, thread_name: 'Alerts', allow: LOOPBACK };
    await using sender = discordWith({ totalMs: PATIENT_MS }).open(to, someTools());
    const opened = json({ id: THREAD, channel_id: THREAD });
    const unknown = json({ code: 10003, message: 'Unknown Channel' }, 404);
    served.answerNext(opened, json({ id: THREAD }), json({ id: '5' }), unknown, unknown, opened);
    const sent = await sender.send(fired, aTry(), never);
    const receipt = sent.type === 'sent' ? (sent.receipt ?? null) : null;
    for (let n = 0; n < 2; n += 1)
      expect(await sender.send(resolved, aTry(1, { receipt }), never)).toMatchObject({ type: 'sent', receipt });
    const shown = served.calls.all.map(({ method, path, body }) => {
      const name = 'thread_name' in (JSON.parse(body) as object) ? ' opens' : '';
      return `${method} ${path.slice(DISCORD_PATH.length)}${name}`;
    });
    const [edit, post, open] = [
      `PATCH /messages/${THREAD}?thread_id=${THREAD}`,
      `POST ?wait=true&thread_id=${THREAD}`,
      'POST ?wait=true opens',
    ];
    expect(shown).toEqual([open, edit, post, edit, post, open]);
  });
});

test('telegram answers the first message, also where it is deleted meanwhile', async () => {
  const { calls } = await story('telegram', [fired, resolved]);
  expect(calls.map(({ place }) => place)).toEqual(['sendMessage', 'editMessageText', 'sendMessage']);
  expect(calls[1]?.body).toMatchObject({ chat_id: -1001234567890, message_id: 7 });
  expect(calls[2]?.body).toMatchObject({ reply_parameters: { message_id: 7, allow_sending_without_reply: true } });
});

test('all other channels leave nothing to answer', async () => {
  for (const service of SERVICES.filter(({ name }) => !NAMES.some((one) => one === name))) {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    const outcome = await sender.send(fired, aTry(), never);
    expect([service.name, outcome]).toEqual([service.name, { type: 'sent', answer: expect.any(String) }]);
  }
});
