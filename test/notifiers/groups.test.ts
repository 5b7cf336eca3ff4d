// How deliveries read that are more than the news of one alert: several alerts in one message, repeats, summaries, and what
// was over before anybody was told.
import { describe, expect, test } from '@jest/globals';
import { newsOf, type Delivery, type DeliveryMember, type Message } from '../../src/core/model/delivery.ts';
import { untrusted } from '../../src/lib/untrusted.ts';
import { log } from '../../src/notifiers/log.ts';
import { bodyOf } from '../../src/notifiers/rendering/body.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { fitted, toLines } from '../../src/notifiers/rendering/lines.ts';
import { toText } from '../../src/notifiers/rendering/mail-parts.ts';
import { aDelivery, aMessage, aResolvedMessage, aTry, never, someTools } from './samples.ts';

const START = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const at = (minutes: number): number => START + minutes * MINUTE;
const page = (name: string): string => `https://explorer.example/tx/${name}`;

/** `treasury` fires at 12:03. */
function fired(changes: Partial<Message> = {}): Message {
  const title = 'treasury USDC 970,030, below 1,000,000';
  const words = { title, detail: null, measured: '970,030', text: [], fields: {}, before: {} };
  return aMessage({ watch: 'coins[treasury]', ...words, at: at(3), since: at(3), links: [page('a')], ...changes });
}

/** It is over at 12:09. */
function cleared(changes: Partial<Message> = {}): Message {
  const title = 'treasury USDC 1,120,423, above 1,050,000';
  const lines = [[{ text: 'When it fired: 970,030.' }]];
  return fired({ type: 'alert.resolved', seq: 6, at: at(9), resolvedAt: at(9), title, lines, ...changes });
}

const call = (n: number, changes: Partial<Message> = {}): Message =>
  fired({
    type: 'alert.event',
    key: `call-${n}`,
    watch: 'vault-calls',
    alert: 'failed',
    severity: 'warning',
    title: 'Call to vault failed',
    links: [page(`c${n}`)],
    runbook: 'https://wiki.example/calls',
    ...changes,
  });

function several(members: readonly DeliveryMember[], changes: Partial<Delivery> = {}): Delivery {
  const [first = newsOf(fired()), ...others] = members;
  return aDelivery({ at: at(10), members: [first, ...others], ...changes });
}

const firstLines = (delivery: Delivery): string[] => {
  const { headline, lead } = toLines(delivery, aTry());
  return [headline, ...lead.map(({ text }) => text)];
};

async function printed(delivery: Delivery, maybeCopy = false): Promise<string[]> {
  const tools = someTools();
  await using sender = log.open({ format: 'text' }, tools);
  await sender.send(delivery, aTry(1, { maybeCopy }), never);
  return tools.printed.flatMap((text) => text.split('\n'));
}

describe('several alerts', () => {
  const both = several([newsOf(fired()), newsOf(cleared({ key: 'other' })), newsOf(call(1))]);

  test('are one line each, with a page each', () => {
    expect(toText(toContent(both))).toBe(`\
[CRITICAL] treasury USDC 970,030, below 1,000,000 (and 2 more)
1 firing, 1 resolved, 1 event.

[CRITICAL] treasury USDC 970,030, below 1,000,000 (12:03 UTC)
  ${page('a')}
[WARNING] Call to vault failed (12:03 UTC)
  ${page('c1')}
[RESOLVED after 6m] treasury USDC 1,120,423, above 1,050,000 (12:09 UTC)
  ${page('a')}
`);
  });

  test('are one line each in a log', async () => {
    expect(await printed(both)).toEqual([
      expect.stringMatching(/^2026-01-01T12:03:00Z CRITICAL coins\[treasury\]\/low FIRING treasury USDC 970,030/),
      expect.stringMatching(/^2026-01-01T12:09:00Z CRITICAL coins\[treasury\]\/low RESOLVED .* \(after 6m\)$/),
      expect.stringMatching(/^2026-01-01T12:03:00Z WARNING vault-calls\/failed EVENT Call to vault failed/),
    ]);
  });

  test.each<[string, readonly Message[], string]>([
    [
      'all over',
      [cleared(), cleared({ key: 'b' })],
      '[RESOLVED after 6m] treasury USDC 1,120,423, above 1,050,000 (and 1 more)',
    ],
    ['taken back', [call(1, { type: 'alert.retracted' })], '[RETRACTED] Call to vault failed (2 times)'],
    ['over, and one event', [cleared(), call(1)], '[WARNING] Call to vault failed (and 1 more)'],
    [
      'over, and one piece of information',
      [cleared(), call(1, { severity: 'info' })],
      '[RESOLVED after 6m] treasury USDC 1,120,423, above 1,050,000 (and 1 more)',
    ],
  ])('that are %s have the worst of them in the subject', (_name, [first, ...others], subject) => {
    if (first === undefined) throw new Error('none');
    const members = [first, ...(others.length === 0 ? [first] : others)].map(newsOf);
    expect(firstLines(several(members))[0]).toBe(subject);
  });

  test('beyond fifty are counted by rule, those with most first', () => {
    const members = Array.from({ length: 50 }, (_, n) => newsOf(call(n)));
    const others = { severity: 'warning', type: 'alert.event', keys: [] } as const;
    const more = [
      { watch: 'vault-calls', alert: 'failed', ...others, count: 8 },
      { watch: 'coins[treasury]', alert: 'low', ...others, count: 9 },
      { watch: 'coins[vault]', alert: 'low', ...others, count: 3 },
    ];
    const delivery = several(members, { more });
    expect(toText(toContent(delivery))).toContain(
      '\n\n20 more are not listed here: coins/low 12, vault-calls/failed 8.\n',
    );
    expect(firstLines(delivery)[0]).toBe('[WARNING] Call to vault failed (50 times, and 20 more)');
  });

  test('that read alike, and are events, are one line: how often, from when to when, and by whom', () => {
    const from = (hash: string): Message['fields'] => ({ from: { record: { hash: { text: hash } } } });
    const calls = [1, 2, 3, 4, 5].map((n) =>
      newsOf(call(n, { at: at(n), fields: from(`0x${`${n % 4}`.repeat(40)}`), severity: 'critical' })),
    );
    const conditions = [1, 2].map((n) => newsOf(fired({ key: `f${n}` })));
    const { alerts } = toLines(several([...calls, ...conditions, newsOf(call(9))]), aTry());
    expect(alerts.map(({ subject, aside }) => `${subject} (${aside})`)).toEqual([
      expect.stringMatching(/^\[CRITICAL\] \S+ .*below/),
      expect.stringMatching(/^\[CRITICAL\] \S+ .*below/),
      '[CRITICAL] Call to vault failed (5 times, 12:01\u201312:05 UTC, from 0x1111\u20261111, 0x2222\u20262222, 0x3333\u20263333, 1 more)',
      '[WARNING] Call to vault failed (12:03 UTC)',
    ]);
    expect(alerts.map(({ counts }) => counts.count)).toEqual([1, 1, 5, 1]);
  });

  test('that failed for reasons of strangers quote the first three of them, which open no link and mention nobody', () => {
    const reasons = ['out of gas', 'claim at https://evil.example', 'out of gas', '@here /stop', 'paused\u201d'];
    const failed = (n: number, reason: string): Message =>
      call(n, { lines: [[{ text: 'Reason given: "' }, { untrusted: untrusted(reason) }, { text: '".' }]] });
    const { alerts } = toLines(several(reasons.map((reason, n) => newsOf(failed(n, reason)))), aTry());
    expect(alerts.map(({ aside, strange }) => [aside, strange])).toEqual([
      [
        '5 times, 12:03 UTC, \u201cout of gas\u201d, \u201cclaim at hxxps[:]//evil[.]example\u201d, \u201c[at]here /stop\u201d, 1 more',
        true,
      ],
    ]);
    const pair = several([newsOf(failed(1, 'paused')), newsOf(fired())]);
    expect(toLines(pair, aTry()).alerts.map(({ aside }) => aside)).toEqual([
      '12:03 UTC',
      '12:03 UTC, \u201cpaused\u201d',
    ]);
  });

  test('that are over the cap of a program are one call that names them', () => {
    const { type, data } = bodyOf(
      several([newsOf(fired()), newsOf(call(1))], { kind: 'overflow_summary', at: at(10) }),
    );
    expect({ type, title: data.title, summary: data.summary }).toEqual({
      type: 'alert.summary',
      title: 'treasury USDC 970,030, below 1,000,000 (and 1 more)',
      summary: { of: 'alert.firing', count: 2, keys: [fired().key, 'call-1'] },
    });
  });

  test('that have no room are counted with those', () => {
    const members = Array.from({ length: 50 }, (_, n) => newsOf(call(n, { title: `Call ${n} to vault failed` })));
    const more = [
      { watch: 'coins[a]', alert: 'low', severity: 'info', type: 'alert.firing', count: 7, keys: [] },
    ] as const;
    const sizes = { line: ({ text }: { text: string }) => text.length, link: () => 0, alert: () => 100 };
    const lines = fitted(toLines(several(members, { more: [...more] }), aTry()), 1200, sizes);
    const listed = lines.alerts.length;
    expect(listed).toBeGreaterThan(5);
    expect(lines.text.map(({ text }) => text)).toEqual([
      `${57 - listed} more are not listed here: vault-calls/failed ${50 - listed}, coins/low 7.`,
    ]);
  });

  test('of which a summary is one count as many as it stands for', () => {
    const summary = { of: 'alert.event', count: 40, keys: [] } as const;
    const delivery = several([newsOf(fired()), newsOf(call(1, { type: 'alert.summary', summary }))]);
    expect(firstLines(delivery)).toEqual([
      '[CRITICAL] treasury USDC 970,030, below 1,000,000 (and 40 more)',
      '1 firing, 40 events.',
    ]);
  });
});

describe('a repeat', () => {
  const still = (message: Message, heldAt: number | null = null): DeliveryMember => ({
    message,
    as: 'repeat',
    renewed: null,
    heldAt,
    present: null,
  });

  test('says for how long it is so, and that its values are those of then', () => {
    const message = fired({ fields: aMessage().fields, before: aMessage().before });
    const text = toText(toContent(several([still(message)], { kind: 'repeat', at: at(243) })));
    expect(text).toContain(`\
[CRITICAL for 4h] treasury USDC 970,030, below 1,000,000
When it fired, 12:03 UTC: 970,030. It has not cleared since.
`);
    expect(text).toContain('The values are those of its first message.');
    expect(text).not.toContain('since the last poll');
  });

  test('says the values of now where they are known, of when they are, and those of then', async () => {
    const message = fired({ fields: { balance: { text: '970030' } }, before: { balance: { text: '1090237' } } });
    const fields = { balance: { text: '940100' } };
    const title = 'treasury USDC 940,100, below 1,000,000';
    const present = { at: at(242), title, detail: null, measured: '940,100', text: [], fields };
    const delivery = several([{ ...still(message), present }], { kind: 'repeat', at: at(243) });
    const text = toText(toContent(delivery));
    expect(text).toContain(`\
[CRITICAL for 4h] treasury USDC 940,100, below 1,000,000
Values of 16:02 UTC. When it fired, 12:03 UTC: 970,030. It has not cleared since.
`);
    expect(text).toContain('balance: 940,100 (when it fired: 970,030)');
    expect(text).not.toContain('1,090,237');
    expect(text).not.toContain('The values are those of its first message.');
    const { data } = bodyOf(delivery);
    expect(data).toMatchObject({
      reason: 'repeat',
      observed_at: '2026-01-01T16:02:00Z',
      since: '2026-01-01T12:03:00Z',
      fields: { balance: '940100' },
      before: { balance: '970030' },
    });
    const both = several([{ ...still(message), present }, still(fired({ key: 'b' }))], { kind: 'repeat', at: at(243) });
    expect(toLines(both, aTry()).alerts.map(({ aside }) => aside)).toEqual([
      'since 12:03 UTC; values of 16:02 UTC',
      'since 12:03 UTC',
    ]);
    expect((await printed(delivery))[0]).toContain('treasury USDC 940,100, below 1,000,000 - Values of 16:02 UTC.');
  });

  test('says since when it was held back', () => {
    const delivery = several([still(fired(), at(490))], { kind: 'repeat', at: at(540) });
    expect(firstLines(delivery)).toEqual([
      '[CRITICAL for 8h57m] treasury USDC 970,030, below 1,000,000',
      'When it fired, 12:03 UTC: 970,030. It has not cleared since.',
      'Held back since 20:10 UTC.',
    ]);
  });

  test('of several says since when each is so', async () => {
    const delivery = several([still(fired()), still(fired({ key: 'b' }), at(100))], { kind: 'repeat', at: at(243) });
    const { headline, alerts } = toLines(delivery, aTry());
    expect([headline, ...alerts.map(({ aside }) => aside)]).toEqual([
      '[CRITICAL for 4h] treasury USDC 970,030, below 1,000,000 (and 1 more)',
      'since 12:03 UTC',
      'since 12:03 UTC; held back since 13:40 UTC',
    ]);
    expect((await printed(delivery))[0]).toBe(
      '2026-01-01T16:03:00Z CRITICAL coins[treasury]/low FIRING treasury USDC 970,030, below 1,000,000 ' +
        '- When it fired, 12:03 UTC: 970,030. It has not cleared since.',
    );
  });

  test('of an event says when it happened, with the day where it was another', () => {
    const delivery = several([still(call(1))], { kind: 'repeat', at: at(1440) });
    expect(firstLines(delivery)).toEqual([
      '[WARNING for 23h57m] Call to vault failed',
      'It happened at 2026-01-01 12:03 UTC.',
    ]);
  });

  test('keeps its type for programs, which read its reason', () => {
    const { type, timestamp, data } = bodyOf(several([still(fired())], { kind: 'repeat', at: at(243) }));
    expect({ type, timestamp, reason: data.reason, subject: data.subject }).toEqual({
      type: 'alert.firing',
      timestamp: '2026-01-01T16:03:00Z',
      reason: 'repeat',
      subject: '[CRITICAL for 4h] treasury USDC 970,030, below 1,000,000',
    });
  });
});

describe('what was over before anybody was told', () => {
  const over = (message = cleared()): DeliveryMember => ({
    message,
    as: 'fired-and-resolved',
    renewed: null,
    heldAt: null,
    present: null,
  });

  test('says when it was firing', async () => {
    const delivery = several([over()]);
    expect(firstLines(delivery)).toEqual([
      '[RESOLVED after 6m] treasury USDC 1,120,423, above 1,050,000',
      'Was firing 12:03–12:09 UTC, now clear.',
      'When it fired: 970,030.',
    ]);
    expect((await printed(delivery))[0]).toBe(
      '2026-01-01T12:09:00Z CRITICAL coins[treasury]/low RESOLVED treasury USDC 1,120,423, above 1,050,000 ' +
        '- Was firing 12:03–12:09 UTC, now clear. When it fired: 970,030. (after 6m)',
    );
  });

  test('says seconds where the minutes are the same, and below a second no duration', () => {
    const short = cleared({ since: at(9) - 29_000 });
    expect(firstLines(several([over(short)])).slice(0, 2)).toEqual([
      '[RESOLVED after 29s] treasury USDC 1,120,423, above 1,050,000',
      'Was firing 12:08–12:09 UTC, now clear.',
    ]);
    const shorter = cleared({ since: at(9) });
    expect(firstLines(several([over(shorter)])).slice(0, 2)).toEqual([
      '[RESOLVED] treasury USDC 1,120,423, above 1,050,000',
      'Was firing 12:09:00–12:09:00 UTC, now clear.',
    ]);
  });

  test('is one end for programs, with its reason', () => {
    const { type, data } = bodyOf(several([over()]));
    expect({ type, reason: data.reason, lines: data.lines }).toEqual({
      type: 'alert.resolved',
      reason: 'fired-and-resolved',
      lines: ['Was firing 12:03–12:09 UTC, now clear.', 'When it fired: 970,030.'],
    });
  });

  test('among others stands behind its line', () => {
    const { alerts } = toLines(several([newsOf(fired({ key: 'b' })), over()]), aTry());
    expect(alerts.map(({ aside }) => aside)).toEqual(['12:03 UTC', 'was firing 12:03–12:09 UTC']);
  });
});

describe('summaries', () => {
  test('of more than a recipient is sent count the severities, the worst first', () => {
    const members = [...[1, 2, 3].map((n) => newsOf(fired({ key: `f${n}` }))), newsOf(call(1))];
    const more = [
      { watch: 'vault-calls', alert: 'failed', severity: 'warning', type: 'alert.event', count: 53, keys: [] },
    ] as const;
    const delivery = several(members, { kind: 'overflow_summary', more: [...more] });
    expect(firstLines(delivery)).toEqual([
      '[CRITICAL] treasury USDC 970,030, below 1,000,000 (and 56 more)',
      '57 alerts in one summary: 3 critical, 54 warning; critical first.',
    ]);
    expect(toText(toContent(delivery))).toContain('\n53 more are not listed here: vault-calls/failed 53.\n');
  });

  test('say nothing of each having been held back: that is what they are', () => {
    const members = [1, 2].map((n) => ({ ...newsOf(call(n)), heldAt: at(4) }));
    const { alerts } = toLines(several(members, { kind: 'overflow_summary' }), aTry());
    expect(alerts.map(({ aside }) => aside)).toEqual(['2 times, 12:03 UTC']);
  });

  test.each([
    ['silence_summary', 'Silence ended', 'Silenced meanwhile, by rule.'],
    ['inhibition_summary', 'Inhibition ended', 'Held back meanwhile, by rule.'],
  ] as const)('of kind %s count by rule', async (kind, ended, why) => {
    const over = { message: cleared(), as: 'fired-and-resolved', renewed: null, heldAt: at(3), present: null } as const;
    const members = [...[1, 2].map((n) => ({ ...newsOf(call(n)), heldAt: at(3) })), over];
    const more = [
      { watch: 'vault-calls', alert: 'failed', severity: 'warning', type: 'alert.event', count: 12, keys: [] },
    ] as const;
    const delivery = several(members, { kind, more: [...more] });
    expect(toText(toContent(delivery))).toBe(`\
[INFO] ${ended}: 14 events, 1 condition
${why} Alerts that still fire get a message of their own.

vault-calls/failed: 14 events
coins/low: 1 condition
`);
    expect(await printed(delivery)).toEqual([
      `2026-01-01T12:10:00Z INFO SUMMARY ${ended}: 14 events, 1 condition - ${why} Alerts that still fire get a message of ` +
        'their own. vault-calls/failed: 14 events coins/low: 1 condition',
    ]);
  });

  test('of one event are summaries all the same', () => {
    const delivery = several([newsOf(call(1))], { kind: 'silence_summary' });
    expect(firstLines(delivery)[0]).toBe('[INFO] Silence ended: 1 event');
  });

  test('are one call for programs, with the keys that it lists and the number of all', () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const more = [
      { watch: 'coins[a]', alert: 'low', severity: 'critical', type: 'alert.firing', count: 5, keys },
    ] as const;
    const delivery = several([newsOf(fired({ key: 'k1' })), newsOf(call(1))], {
      kind: 'overflow_summary',
      more: [...more],
    });
    const { type, data } = bodyOf(delivery);
    expect({ type, key: data.key, title: data.title, summary: data.summary }).toEqual({
      type: 'alert.summary',
      key: delivery.id,
      title: 'treasury USDC 970,030, below 1,000,000 (and 6 more)',
      summary: { of: 'alert.firing', count: 7, keys: ['k1', 'call-1', ...keys] },
    });
    expect(data.text).toContain('Call to vault failed (12:03 UTC)');
  });
});

test('claims together are a claim for programs, claims with anything else are not', () => {
  const claim = newsOf(call(1, { isClaim: true }));
  expect(bodyOf(several([claim, newsOf(call(2, { isClaim: true }))])).data.claim).toBe(true);
  expect(bodyOf(several([claim, newsOf(call(2))])).data.claim).toBeUndefined();
  expect(bodyOf(several([newsOf(call(2)), claim])).data.claim).toBeUndefined();
});

test('where the receiver cannot know a copy, it says that it may be one', async () => {
  const { lead } = toLines(aDelivery(), aTry(2, { maybeCopy: true }));
  expect(lead.at(-1)?.text).toBe('This may be a copy: nobody knows whether an earlier try arrived.');
  const [line] = await printed(aDelivery({ message: aResolvedMessage({ text: [] }) }), true);
  expect(line).toMatch(/\(after 12m5s; may be a copy\)$/);
});
