// What single services answer in words of their own, and what they are told of the same alert.
import { describe, expect, test } from '@jest/globals';
import { newsOf, type Attempt, type Delivery, type Message, type Outcome } from '../../src/core/model/delivery.ts';
import { sampleFor } from '../../src/notifiers/sample.ts';
import { discordWith } from '../../src/notifiers/discord.ts';
import { slackWith } from '../../src/notifiers/slack.ts';
import { telegramWith } from '../../src/notifiers/telegram.ts';
import { status, type Answer } from '../support/sinks.ts';
import { aDelivery, aMessage, aResolvedMessage, LOOPBACK, aTry, never, PATIENT_MS, someTools } from './samples.ts';
import { DISCORD_PATH, serve, serviceNamed, SLACK_TOKEN, TELEGRAM_TOKEN } from './services.ts';

const QUARTER_HOUR_MS = 900_000;
const REFUSED = { type: 'again', auth: true, atLeastMs: QUARTER_HOUR_MS };

const json = (body: unknown, code = 200): Answer => status(code, {}, JSON.stringify(body));

async function answered(name: string, ...answers: Answer[]): Promise<Outcome> {
  const service = serviceNamed(name);
  await using served = await serve(service);
  served.answerNext(...answers);
  await using sender = service.open(served.origin, someTools(), PATIENT_MS);
  return await sender.send(aDelivery(), aTry(), never);
}

async function told<T>(name: string, message: Message | Partial<Delivery>, links: Partial<Attempt> = {}): Promise<T> {
  const service = serviceNamed(name);
  await using served = await serve(service);
  await using sender = service.open(served.origin, someTools(), PATIENT_MS);
  await sender.send(aDelivery('key' in message ? { message } : message), aTry(1, links), never);
  return JSON.parse(served.calls.all[0]?.body ?? '') as T;
}

const ADDRESS = '0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503';
const LINK = `https://explorer.example/address/${ADDRESS}`;
const ACK = 'https://us.example/a/token';
const PAGE = 'https://us.example/alerts/k7xq2mfd3p5rnabcwz4ty6v1e2/3';
/** As where the daemon has an address of its own. */
const OWN_LINKS: Partial<Attempt> = {
  ackUrl: ACK,
  pageOf: ({ key, episode }) => `https://us.example/alerts/${key}/${episode}`,
};
const SUBJECT = '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000';
const LEAD = 'Fell 1,060,000.5 since the last poll. Clears above 1,050,000. ethereum, 00:03 UTC.';
const TEXT = `940000 USDC left at ${ADDRESS}`;
const FACTS = [
  'balance: 940,000 (last poll: 2,000,000.5)',
  'raw: 940,000,000,000',
  'token decimals: 6',
  'token reputation: ok',
  `address: treasury ${ADDRESS}`,
  'token: “USDC” 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  'Text in “quotes” is as the explorer reports it: anyone may have chosen it.',
  'Names in the text above are as the explorer reports them.',
  'state: firing, critical, since 00:01 UTC · watch: treasury-usdc / low · explorer: ethereum (chain 1) · observed: 2026-01-01T00:03:00Z · rule: rules/treasury.yaml:17 · condition: balance < 1000000',
];

/** Two alerts, of which the second has no page. */
const TWO: Partial<Delivery> = {
  members: [
    newsOf(aMessage({ watch: 'hot_wallet' })),
    newsOf(aResolvedMessage({ title: '*over*', detail: null, links: [] })),
  ],
};
const TWO_SUBJECT = '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000 (and 1 more)';
const STATES = '1 firing, 1 resolved.';

describe('slack', () => {
  test.each([
    ...['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout', 'team_added_to_org'].map(
      (error) => [error, { type: 'again' }] as const,
    ),
    ...[
      'not_in_channel',
      'restricted_action_thread_only_channel',
      'channel_not_found',
      'is_archived',
      'token_expired',
    ].map((error) => [error, REFUSED] as const),
    ...['fatal_error', 'internal_error'].map((error) => [error, { type: 'unknown' }] as const),
    ...['no_text', 'an_error_of_tomorrow'].map((error) => [error, { type: 'rejected' }] as const),
  ])('a bot is answered %s: %j', async (error, expected) => {
    expect(await answered('slack bot', json({ ok: false, error }))).toEqual({
      ...expected,
      why: expect.stringMatching(new RegExp(`answered 200 .*${error}`)),
    });
  });

  test.each(['msg_blocks_too_long', 'invalid_blocks', 'invalid_blocks_format'])(
    'blocks that are refused as %s are told as bare text, once',
    async (error) => {
      const service = serviceNamed('slack bot');
      await using served = await serve(service);
      served.answerNext(json({ ok: false, error }));
      await using sender = service.open(served.origin, someTools(), PATIENT_MS);
      expect(await sender.send(aDelivery(), aTry(), never)).toMatchObject({ type: 'sent', answer: '200 posted' });
      expect(served.calls.all.map(({ body }) => 'blocks' in (JSON.parse(body) as object))).toEqual([true, false]);
      expect(await answered('slack bot', json({ ok: false, error }), json({ ok: false, error }))).toMatchObject({
        type: 'rejected',
      });
    },
  );

  test.each([
    [status(400, {}, 'invalid_payload'), { type: 'rejected' }],
    [status(403, {}, 'action_prohibited'), REFUSED],
    [status(404, {}, 'no_active_hooks'), REFUSED],
    [status(410, {}, 'channel_is_archived'), { type: 'again', auth: true }],
    [status(200, {}, '<html>sign in to the network</html>'), { type: 'unknown' }],
  ])('an incoming webhook is answered in its words', async (answer, expected) => {
    expect(await answered('slack webhook', answer)).toMatchObject(expected);
  });

  type Blocks = readonly { readonly text: { readonly type: string; readonly text: string } }[];
  interface Posted {
    readonly text: string;
    readonly blocks: Blocks;
    readonly attachments: readonly { readonly color: string; readonly blocks: Blocks }[];
  }

  test('shows the subject, and beside a bar in its colour the first lines, the links, then text and facts', async () => {
    const { text: fallback, blocks, attachments } = await told<Posted>('slack bot', aMessage(), OWN_LINKS);
    expect(blocks).toEqual([{ type: 'header', text: { type: 'plain_text', emoji: false, text: SUBJECT } }]);
    expect(attachments.map(({ color }) => color)).toEqual(['#b3261e']);
    expect(attachments[0]?.blocks.map(({ text }) => [text.type, text.text])).toEqual([
      ['plain_text', LEAD],
      ['mrkdwn', `<${ACK}|Acknowledge> \u00b7 <${PAGE}|Alert> \u00b7 <${LINK}|Address>`],
      ['plain_text', [TEXT, ...FACTS].join('\n')],
    ]);
    expect(fallback).toBe(`${SUBJECT}\n${LEAD}`);
  });

  test('a headline that is too long for a header is shown all the same', async () => {
    const title = 'x'.repeat(200);
    const { blocks } = await told<Posted>('slack bot', aMessage({ title, detail: null }));
    expect(blocks.map(({ text }) => text.text)).toEqual([`[CRITICAL] ${title}`]);
  });

  test('blocks that are refused are told as bare text, the links with their names', async () => {
    const service = serviceNamed('slack webhook');
    await using served = await serve(service);
    served.answerNext(status(400, {}, 'invalid_attachments'));
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    await sender.send(aDelivery(), aTry(1, OWN_LINKS), never);
    expect(JSON.parse(served.calls.all[1]?.body ?? '')).toMatchObject({
      text: `${SUBJECT}\n${LEAD}\nAcknowledge: ${ACK}\nAlert: ${PAGE}\nAddress: ${LINK}`,
    });
  });

  test('of several alerts makes links, and shows nothing of them as markup', async () => {
    const body = await told<Posted>('slack bot', TWO);
    expect(body.blocks.map(({ text }) => text.text)).toEqual([TWO_SUBJECT]);
    expect(body.attachments[0]?.blocks.map(({ text: { type, text } }) => [type, text])).toEqual([
      ['plain_text', STATES],
      ['mrkdwn', `<${LINK}|${SUBJECT}> (00:03 UTC)\n[RESOLVED after 12m5s] \u2217over\u2217 (00:13 UTC)`],
    ]);
    expect(body.text).toBe(`${TWO_SUBJECT}\n${STATES}`);
  });

  test.each([
    [{ token: SLACK_TOKEN, channel: 'C0123ABCD' }, null],
    [{ url: 'https://hooks.slack.com/services/T0/B0/x' }, null],
    [{ token: SLACK_TOKEN }, 'must have either `token` and `channel`, or `url`'],
    [{ channel: 'C0123ABCD' }, 'must have either `token` and `channel`, or `url`'],
    [{}, 'must have either `token` and `channel`, or `url`'],
    [
      { token: SLACK_TOKEN, channel: 'C0123ABCD', url: 'https://hooks.slack.com/x' },
      'must have either `token` and `channel`, or `url`',
    ],
    [{ token: SLACK_TOKEN, channel: '#alerts' }, 'must be the id of a channel such as C0123ABCD, not its name'],
    [{ token: 'hunter2', channel: 'C0123ABCD' }, 'must be a token such as xoxb-…'],
  ])('the config %j: %s', (written, fault) => {
    const { config } = slackWith({ totalMs: 1, api: '' });
    expect(config.safeParse(written).error?.issues[0]?.message ?? null).toBe(fault);
  });
});

describe('telegram', () => {
  test.each([
    [json({ ok: false, description: 'Unauthorized' }, 401), REFUSED],
    [json({ ok: false, description: 'Forbidden: bot was kicked from the group chat' }, 403), REFUSED],
    [json({ ok: false, description: 'Bad Request: chat not found' }, 400), REFUSED],
    [json({ ok: false, description: 'Bad Request: message thread not found' }, 400), REFUSED],
    [
      json({ ok: false, description: 'Bad Request: not enough rights to send text messages to the chat' }, 400),
      REFUSED,
    ],
    [json({ ok: false, description: 'Bad Request: need administrator rights in the channel chat' }, 400), REFUSED],
    [json({ ok: false, description: 'Bad Request: TOPIC_CLOSED' }, 400), REFUSED],
    [json({ ok: false, description: 'Bad Request: message is too long' }, 400), { type: 'rejected' }],
    [json({ ok: false, parameters: { retry_after: 7 } }, 429), { type: 'again', afterMs: 7000 }],
    [json({ ok: false, description: 'odd' }), { type: 'unknown' }],
  ])('answers in its words', async (answer, expected) => {
    expect(await answered('telegram', answer)).toMatchObject(expected);
  });

  test('a group that became a supergroup is followed at the next try, and the new number is said', async () => {
    await using served = await serve(serviceNamed('telegram'));
    served.answerNext(json({ ok: false, parameters: { migrate_to_chat_id: -1009876543210 } }, 400));
    const telegram = telegramWith({ totalMs: PATIENT_MS, api: served.origin });
    await using sender = telegram.open(
      { token: TELEGRAM_TOKEN, chat: '-42', topic: '5', allow: LOOPBACK },
      someTools(),
    );
    expect(await sender.send(aDelivery(), aTry(), never)).toEqual({
      type: 'again',
      afterMs: 1000,
      why: expect.stringContaining("set `chat: '-1009876543210'`"),
    });
    expect(await sender.send(aDelivery(), aTry(2), never)).toMatchObject({ type: 'sent' });
    const chats = served.calls.all.map(
      ({ body }) => JSON.parse(body) as { chat_id: number; message_thread_id: number },
    );
    expect(chats.map(({ chat_id: chat, message_thread_id: topic }) => [chat, topic])).toEqual([
      [-42, 5],
      [-1009876543210, 5],
    ]);
  });

  interface Told {
    readonly text: string;
    readonly entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[];
    readonly reply_markup?: { readonly inline_keyboard: readonly unknown[] };
  }
  const marked = ({ text, entities }: Told): string[] =>
    entities.map(({ type, offset, length }) => `${type} ${text.slice(offset, offset + length)}`);

  test('shows the subject bold, a stranger’s lines as code, in which nothing is looked for, and links as buttons', async () => {
    const body = await told<Told>('telegram', aMessage(), OWN_LINKS);
    expect(body.text.split('\n')).toEqual([SUBJECT, LEAD, TEXT, ...FACTS]);
    expect(marked(body)).toEqual([`bold ${SUBJECT}`, `pre ${TEXT}`, `pre ${FACTS.join('\n')}`]);
    const buttons = [
      { text: 'Acknowledge', url: ACK },
      { text: 'Alert', url: PAGE },
      { text: 'Address', url: LINK },
    ];
    expect(body.reply_markup).toEqual({ inline_keyboard: [buttons] });
  });

  test('a button that Telegram refuses takes no message with it: the link stands in the text', async () => {
    const service = serviceNamed('telegram');
    await using served = await serve(service);
    const refusal = 'Bad Request: inline keyboard button URL is invalid: Wrong HTTP URL';
    served.answerNext(json({ ok: false, error_code: 400, description: refusal }, 400));
    await using sender = service.open(served.origin, someTools(), PATIENT_MS);
    expect(await sender.send(aDelivery(), aTry(1, OWN_LINKS), never)).toMatchObject({ type: 'sent' });
    const [, second] = served.calls.all.map(({ body }) => JSON.parse(body) as Told);
    expect(second?.reply_markup).toBeUndefined();
    expect(second?.text.split('\n').slice(2, 5)).toEqual([`Acknowledge: ${ACK}`, `Alert: ${PAGE}`, `Address: ${LINK}`]);
    expect([served.refused, served.calls.all.length]).toEqual([[], 2]);
  });

  test('of several alerts makes the subject of each a link', async () => {
    const { text, entities } = await told<Told>('telegram', TWO);
    expect(text.split('\n')).toEqual([
      TWO_SUBJECT,
      STATES,
      `${SUBJECT} (00:03 UTC)`,
      '[RESOLVED after 12m5s] *over* (00:13 UTC)',
    ]);
    expect(entities.slice(1)).toEqual([
      { type: 'text_link', offset: text.lastIndexOf(SUBJECT), length: SUBJECT.length, url: LINK },
    ]);
  });

  test.each(['-1001234567890', '42', '@our_alerts', 'our_alerts', '12.5', ''])(
    'takes a chat %j or says why',
    (chat) => {
      const { config } = telegramWith({ totalMs: 1, api: '' });
      const isGood = ['-1001234567890', '42', '@our_alerts'].includes(chat);
      expect(config.safeParse({ token: TELEGRAM_TOKEN, chat }).success).toBe(isGood);
    },
  );
});

describe('discord', () => {
  test.each([
    [json({ code: 10015, message: 'Unknown Webhook' }, 404), { type: 'again', auth: true }],
    [json({ code: 50027, message: 'Invalid Webhook Token' }, 401), REFUSED],
    [
      json({ code: 220001, message: 'Webhooks posted to forum channels must have a thread_name' }, 400),
      { type: 'rejected' },
    ],
    [json({ retry_after: 1.337, global: false }, 429), { type: 'again', afterMs: 1337 }],
    [json({ retry_after: 0.02 }, 429), { type: 'again', afterMs: 1000 }],
  ])('answers in its words', async (answer, expected) => {
    expect(await answered('discord', answer)).toMatchObject(expected);
  });

  interface Told {
    readonly content: string;
    readonly embeds: readonly { readonly color: number; readonly description: string }[];
  }

  test('shows the same lines beside their colour, every mark of Markdown escaped, the links with names', async () => {
    const { content, embeds } = await told<Told>('discord', aMessage(), OWN_LINKS);
    expect(content).toBe('**\\[CRITICAL\\] Treasury USDC is low\\: 940,000, below 1,000,000**');
    expect(embeds.map(({ color }) => color)).toEqual([0xb3261e]);
    const lines = embeds[0]?.description.split('\n') ?? [];
    expect(lines.slice(0, 4)).toEqual([
      LEAD.replace('00:03', '00\\:03'),
      `[Acknowledge](${ACK}) \u00b7 [Alert](${PAGE}) \u00b7 [Address](${LINK})`,
      TEXT,
      'balance\\: 940,000 \\(last poll\\: 2,000,000.5\\)',
    ]);
    expect(lines).toHaveLength(3 + FACTS.length);
  });

  test('of several alerts makes links', async () => {
    const { embeds } = await told<Told>('discord', TWO);
    expect(embeds[0]?.description.split('\n').slice(1)).toEqual([
      `[\\[CRITICAL\\] Treasury USDC is low\\: 940,000, below 1,000,000](${LINK}) \\(00\\:03 UTC\\)`,
      '\\[RESOLVED after 12m5s\\] \\*over\\* \\(00\\:13 UTC\\)',
    ]);
  });

  test('posts into a thread, or opens one in a forum; not both', async () => {
    await using served = await serve(serviceNamed('discord'));
    const url = served.origin + DISCORD_PATH;
    const discord = discordWith({ totalMs: PATIENT_MS });
    await using inThread = discord.open({ url, thread_id: '987654321098765432', allow: LOOPBACK }, someTools());
    await inThread.send(aDelivery(), aTry(), never);
    await using inForum = discord.open({ url, thread_name: 'Alerts', allow: LOOPBACK }, someTools());
    await inForum.send(aDelivery(), aTry(), never);
    expect(served.calls.all.map(({ path }) => path)).toEqual([
      `${DISCORD_PATH}?wait=true&thread_id=987654321098765432`,
      `${DISCORD_PATH}?wait=true`,
    ]);
    expect(JSON.parse(served.calls.all[1]?.body ?? '')).toMatchObject({ thread_name: 'Alerts' });
    expect(
      discord.config.safeParse({ url, thread_id: '987654321098765432', thread_name: 'x', allow: LOOPBACK }).success,
    ).toBe(false);
    expect(discord.config.safeParse({ url: 'https://discord.com/channels/1/2' }).success).toBe(false);
  });
});

describe('pagerduty', () => {
  interface Event {
    readonly event_action: string;
    readonly dedup_key: string;
    readonly payload?: { readonly summary: string; readonly severity: string };
  }

  test.each([
    ['alert.firing', 'trigger'],
    ['alert.event', 'trigger'],
    ['alert.corrected', 'trigger'],
    ['alert.reinstated', 'trigger'],
    ['alert.retracted', 'resolve'],
  ] as const)('%s: %s', async (type, action) => {
    expect((await told<Event>('pagerduty', aMessage({ type }))).event_action).toBe(action);
  });

  test('one incident begins and ends under the key of the alert', async () => {
    const begun = await told<Event>('pagerduty', aMessage());
    const ended = await told<Event>('pagerduty', aResolvedMessage());
    expect([begun.event_action, ended.event_action]).toEqual(['trigger', 'resolve']);
    expect(ended.dedup_key).toBe(begun.dedup_key);
    expect(begun.payload).toMatchObject({ summary: SUBJECT, severity: 'critical' });
  });

  test('hears the end of what was over before anybody was paged, since a try that was refused may have opened it', async () => {
    const members = [
      { message: aResolvedMessage(), as: 'fired-and-resolved', renewed: null, heldAt: null, present: null },
    ] as const;
    const { event_action: action, dedup_key: key } = await told<Event>('pagerduty', { members });
    expect([action, key]).toEqual(['resolve', aMessage().key]);
  });

  test('a repeat triggers the same incident again', async () => {
    const members = [{ message: aMessage(), as: 'repeat', renewed: null, heldAt: null, present: null }] as const;
    const {
      event_action: action,
      dedup_key: key,
      payload,
    } = await told<Event>('pagerduty', { kind: 'repeat', members });
    expect([action, key]).toEqual(['trigger', aMessage().key]);
    expect(payload?.summary).toBe('[CRITICAL for 2m] Treasury USDC is low: 940,000, below 1,000,000');
  });

  test.each(['alert.event', 'alert.corrected', 'alert.retracted'] as const)(
    'an %s of severity info opens no incident: it is a change of the service',
    async (type) => {
      const message = aMessage({ type, severity: 'info', runbook: 'https://wiki.example/low' });
      const change = await told<object>('pagerduty', message, OWN_LINKS);
      expect(change).not.toHaveProperty('event_action');
      expect(change).toMatchObject({
        payload: {
          source: 'treasury',
          custom_details: { balance: expect.any(String), explorer: 'ethereum (chain 1)' },
        },
        links: [{ text: 'Runbook' }, { text: 'Acknowledge' }, { href: PAGE, text: 'Alert' }, { text: 'Address' }],
      });
    },
  );

  test('a condition of severity info, and the sample of an operator, open one', async () => {
    expect(await told<object>('pagerduty', aMessage({ severity: 'info' }))).toMatchObject({ event_action: 'trigger' });
    const sample = sampleFor('pager', 'pager', 0);
    expect(await told<object>('pagerduty', sample)).toMatchObject({ event_action: 'trigger' });
  });

  test('names what it links to, and tells its facts one by one', async () => {
    const event = await told<{ payload: object }>('pagerduty', aMessage(), OWN_LINKS);
    expect(event).toMatchObject({
      client_url: PAGE,
      payload: {
        custom_details: {
          balance: '940,000 (last poll: 2,000,000.5)',
          'token reputation': 'ok',
          watch: 'treasury-usdc / low',
          text: `${LEAD}\n${TEXT}`,
        },
      },
    });
  });

  test('asks for patience without a number: two minutes', async () => {
    expect(await answered('pagerduty', status(429))).toMatchObject({ type: 'again', afterMs: 120_000 });
    expect(await answered('pagerduty', status(429, { 'retry-after': '5' }))).toMatchObject({ afterMs: 5000 });
  });
});

describe('ntfy', () => {
  test.each([
    [
      json({ code: 42908, http: 429, error: 'daily message quota reached' }, 429),
      { type: 'again', afterMs: 3_600_000 },
    ],
    [json({ code: 42909, http: 429, error: 'too many auth failures' }, 429), { type: 'again', afterMs: 3_600_000 }],
    [json({ code: 42901, http: 429, error: 'too many requests' }, 429), { type: 'again' }],
    [json({ code: 40301, http: 403, error: 'forbidden' }, 403), REFUSED],
    [json({ code: 41303, http: 413, error: 'too large' }, 413), { type: 'rejected' }],
  ])('answers in its words', async (answer, expected) => {
    expect(await answered('ntfy', answer)).toMatchObject(expected);
  });

  test('is as loud as the alert is severe, and calm about its end; a tap opens the page', async () => {
    const fired = await told<object>('ntfy', aMessage());
    expect(fired).toEqual({
      topic: 'our-alerts',
      title: SUBJECT,
      message: [LEAD, TEXT, ...FACTS].join('\n'),
      priority: 5,
      tags: ['critical'],
      sequence_id: 'd4gq6yhz7krmtabcxw2ns5v3f1',
      click: LINK,
    });
    expect(await told<object>('ntfy', aMessage({ type: 'alert.reinstated', seq: 7 }))).toMatchObject({ priority: 5 });
    expect(await told<object>('ntfy', aResolvedMessage())).toMatchObject({
      title: '[RESOLVED after 12m5s] Treasury USDC is low: 1,200,000, above 1,050,000',
      priority: 3,
    });
  });
});

test('ntfy: a tap opens the page of the alert and acknowledges nothing, buttons are named', async () => {
  const message = aMessage({ runbook: 'https://wiki.example/low' });
  expect(await told<object>('ntfy', message, OWN_LINKS)).toMatchObject({
    click: PAGE,
    actions: [
      { action: 'view', label: 'Runbook', url: 'https://wiki.example/low' },
      { action: 'view', label: 'Acknowledge', url: ACK },
      { action: 'view', label: 'Address', url: LINK },
    ],
  });
  const onlyAck = await told<object>('ntfy', aMessage({ links: [] }), { ackUrl: ACK });
  expect(onlyAck).not.toHaveProperty('click');
  expect(onlyAck).toMatchObject({ actions: [{ action: 'view', label: 'Acknowledge', url: ACK }] });
});

test('ntfy: of several alerts opens the page of the first, and is as loud as the worst', async () => {
  const calm = newsOf(aMessage({ type: 'alert.event', severity: 'info', links: [] }));
  const message = [
    STATES.replace('1 resolved', '1 event'),
    `${SUBJECT} (00:03 UTC) ${LINK}`,
    '[INFO] Treasury USDC is low: 940,000, below 1,000,000 (00:03 UTC)',
  ].join('\n');
  expect(await told<object>('ntfy', { members: [newsOf(aMessage()), calm] })).toMatchObject({
    title: '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000 (and 1 more)',
    message,
    priority: 5,
    tags: ['critical'],
    click: LINK,
  });
});

describe('teams', () => {
  interface Card {
    readonly attachments: {
      readonly content: { readonly body: { readonly text: string }[]; readonly actions: object[] };
    }[];
  }

  test('says that the workflow took it, which is not that it is shown', async () => {
    expect(await answered('teams', status(202))).toEqual({ type: 'sent', answer: '202 taken by the workflow' });
  });

  test('shows a block for each line, the subject in its colour, and the links as buttons', async () => {
    const { attachments } = await told<Card>('teams', aMessage(), OWN_LINKS);
    const { body = [], actions = [] } = attachments[0]?.content ?? {};
    expect(body.slice(0, 4).map(({ text }) => text)).toEqual([
      '\\[CRITICAL\\] Treasury USDC is low: 940,000, below 1,000,000',
      LEAD,
      TEXT,
      'balance: 940,000 \\(last poll: 2,000,000.5\\)',
    ]);
    expect(body[0]).toMatchObject({ color: 'attention', weight: 'bolder' });
    expect(actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Acknowledge', url: ACK },
      { type: 'Action.OpenUrl', title: 'Alert', url: PAGE },
      { type: 'Action.OpenUrl', title: 'Address', url: LINK },
    ]);
  });

  test('of several alerts makes links', async () => {
    const { attachments } = await told<Card>('teams', TWO);
    expect(attachments[0]?.content.body[2]?.text).toBe(
      `[\\[CRITICAL\\] Treasury USDC is low: 940,000, below 1,000,000](${LINK}) \\(00:03 UTC\\)`,
    );
  });
});
