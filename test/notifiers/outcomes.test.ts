// Every channel that speaks HTTP against its service as its vendor publishes it: what it is sent, and what follows from
// each answer of the table that all of them share. What a service answers in its own words is in services-own.test.ts.
import { describe, expect, test } from '@jest/globals';
import { newsOf, type Delivery, type Message, type Outcome } from '../../src/core/model/delivery.ts';
import { notifiers } from '../../src/notifiers/index.ts';
import { untrusted } from '../../src/lib/untrusted.ts';
import { freePort } from '../support/free-port.ts';
import { status, type Answer } from '../support/sinks.ts';
import { aDelivery, aMessage, aResolvedMessage, aTry, never, PATIENT_MS, someTools } from './samples.ts';
import { DISCORD_PATH, PAGERDUTY_KEY, serve, SERVICES, SLACK_TOKEN, TELEGRAM_TOKEN, type Service } from './services.ts';

const QUARTER_HOUR_MS = 900_000;

async function answered(service: Service, answer: Answer): Promise<Outcome> {
  await using served = await serve(service);
  served.answerNext(answer);
  await using sender = service.open(served.origin, someTools(), PATIENT_MS);
  return await sender.send(aDelivery(), aTry(), never);
}

/** Every sort of message, and those at the ends of what a message can be. */
const MESSAGES: Readonly<Record<string, Message>> = {
  'an alert that fires': aMessage(),
  'an alert that ends': aResolvedMessage(),
  'an event': aMessage({ type: 'alert.event', late: true }),
  'an event that is taken back': aMessage({ type: 'alert.retracted', reason: 'not found any more' }),
  'an event that is otherwise': aMessage({ type: 'alert.corrected' }),
  'an event that is so after all': aMessage({ type: 'alert.reinstated' }),
  'a summary': aMessage({ type: 'alert.summary', summary: { of: 'alert.retracted', count: 2, keys: ['a', 'b'] } }),
  'the least that can be said': aMessage({
    title: 'x',
    text: [],
    fields: {},
    before: {},
    links: [],
    of: null,
    token: null,
    chainId: null,
  }),
  'the most that can be said': aMessage({
    title: '*_`~|<>#[]()!'.repeat(15),
    text: [{ text: '"\\\u00e9\u{1f4a9}*'.repeat(3000) }, { untrusted: untrusted('<!channel> "'.repeat(500)) }],
    fields: Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`f${n}`, { untrusted: untrusted(`*"\\\u{1f4a9}`.repeat(100)) }]),
    ),
    links: Array.from({ length: 20 }, (_, n) => `https://explorer.example/tx/${n}/${'a'.repeat(n * 20)}`),
  }),
};

const MOST = MESSAGES['the most that can be said'] ?? aMessage();
const fifty = (message: Message): Delivery['members'] => {
  const others = Array.from({ length: 49 }, (_, n) => newsOf({ ...message, key: `k${n}` }));
  return [newsOf(message), ...others];
};
const counted: Delivery['more'] = Array.from({ length: 40 }, (_, n) => ({
  watch: `*_~|<&>${n}`.repeat(20),
  alert: 'x'.repeat(200),
  severity: 'info',
  type: 'alert.event',
  count: 1000,
  keys: [],
}));

/** Deliveries about several alerts, or about what was told before. */
const DELIVERIES: Readonly<Record<string, Partial<Delivery>>> = {
  'a repeat': {
    kind: 'repeat',
    members: [{ message: aMessage(), as: 'repeat', renewed: null, heldAt: 0, present: null }],
  },
  'what nobody was told of': {
    members: [{ message: aResolvedMessage(), as: 'fired-and-resolved', renewed: null, heldAt: null, present: null }],
  },
  'fifty alerts': { members: fifty(aMessage()) },
  'fifty alerts without a page': { members: fifty(aMessage({ links: [] })) },
  'fifty alerts and more, with all that they can say': { members: fifty(MOST), more: counted },
  'a summary of too many': { kind: 'overflow_summary', members: fifty(MOST), more: counted },
  'what a silence kept back': { kind: 'silence_summary', members: fifty(MOST), more: counted },
  'what an open alert kept back': { kind: 'inhibition_summary', members: fifty(aMessage()) },
};

describe.each(SERVICES.map((service) => [service.name, service] as const))('%s', (_name, service) => {
  test('takes every sort of delivery', async () => {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    for (const [name, delivery] of Object.entries(DELIVERIES)) {
      const { type } = await sender.send(aDelivery(delivery), aTry(2, { maybeCopy: true }), never);
      expect({ name, type, refused: served.refused }).toEqual({ name, type: 'sent', refused: [] });
    }
  });

  test('says that it may be a copy only where the receiver cannot know', async () => {
    const notifier = notifiers.find(({ type }) => type === service.name.split(' ')[0]);
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    for (const maybeCopy of [false, true]) await sender.send(aDelivery(), aTry(2, { maybeCopy }), never);
    const says = served.calls.all.map(({ body }) => body.includes('may be a copy'));
    expect(says).toEqual([false, notifier?.idempotent === false]);
  });

  test('takes every sort of message, once each', async () => {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    for (const [name, message] of Object.entries(MESSAGES)) {
      const { type } = await sender.send(aDelivery({ message }), aTry(), never);
      expect({ name, type, refused: served.refused }).toEqual({ name, type: 'sent', refused: [] });
    }
    expect(served.calls.all).toHaveLength(Object.keys(MESSAGES).length);
  });

  test('is sent the same bytes on every try', async () => {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    served.answerNext(status(500));
    for (const attempt of [1, 2]) await sender.send(aDelivery(), aTry(attempt), never);
    const [first, second] = served.calls.all;
    expect(second?.body).toBe(first?.body);
  });

  test.each([
    [400, { type: 'rejected' }],
    [401, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS }],
    [403, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS }],
    [404, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS }],
    [408, { type: 'again' }],
    [410, { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS }],
    [413, { type: 'rejected' }],
    [422, { type: 'rejected' }],
    [425, { type: 'again' }],
    [500, { type: 'again' }],
    [502, { type: 'again' }],
    [503, { type: 'again' }],
  ])('answers %i: %j', async (code, expected) => {
    const why = expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+ answered ${code} no such luck$`));
    expect(await answered(service, status(code, {}, 'no such luck'))).toEqual({ ...expected, why });
  });

  test.each([
    ['30', 30_000],
    ['0', 1000],
    ['86400', 3_600_000],
    ['Thu, 01 Jan 2026 00:06:30 GMT', 90_000],
  ])('answers 429 and wants to be asked again after %s: in %i ms', async (header, afterMs) => {
    expect(await answered(service, status(429, { 'retry-after': header }))).toMatchObject({ type: 'again', afterMs });
  });

  test('answers with a redirect: it is not followed', async () => {
    expect(await answered(service, status(307, { location: 'https://evil.example/steal?token=1' }))).toEqual({
      type: 'again',
      why: expect.stringMatching(/^moved: .* points to evil\.example;/),
    });
  });

  test('is not there: again', async () => {
    await using sender = service.open(`http://127.0.0.1:${await freePort()}`, someTools(), PATIENT_MS);
    expect(await sender.send(aDelivery(), aTry(), never)).toEqual({
      type: 'again',
      why: expect.stringMatching(/^127\.0\.0\.1:\d+: ECONNREFUSED$/),
    });
  });

  test('breaks off before it answers: unknown', async () => {
    expect(await answered(service, (response) => void response.socket?.resetAndDestroy())).toEqual({
      type: 'unknown',
      why: expect.stringMatching(/^127\.0\.0\.1:\d+: ECONNRESET$/),
    });
  });

  test('repeats every secret in its answer: none of them is shown', async () => {
    const secrets = [SLACK_TOKEN, TELEGRAM_TOKEN, DISCORD_PATH, PAGERDUTY_KEY, 'tk_0123456789abcdef', 'flow-signature'];
    const outcome = await answered(service, (response, call) => {
      response.writeHead(400).end(`cannot POST ${call.path} ${call.headers.authorization ?? ''} ${call.body}`);
    });
    expect(secrets.filter((secret) => JSON.stringify(outcome).includes(secret))).toEqual([]);
  });
});
