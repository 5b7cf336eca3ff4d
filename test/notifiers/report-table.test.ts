// The table of a report in every channel: in characters of one width where the service has them.
import { describe, expect, test } from '@jest/globals';
import { newsOf, type Delivery } from '../../src/core/model/delivery.ts';
import { bodyOf } from '../../src/notifiers/rendering/body.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { toHtml, toText } from '../../src/notifiers/rendering/mail-parts.ts';
import { aDelivery, aMessage, aTry, never, someTools } from './samples.ts';
import { serve, SERVICES } from './services.ts';

const report: Delivery = {
  ...aDelivery(),
  members: [
    newsOf(
      aMessage({
        type: 'alert.event',
        title: 'report weekly: $30,100 in 2 balances',
        detail: null,
        measured: null,
        of: null,
        token: null,
        table: [
          ['', 'balance', 'balance USD'],
          ['coins', '10 ETH', '$30,000'],
          ['0x3c54…b3AB`', '100 USDC', '$100'],
          ['total', '', '$30,100'],
        ],
        lines: [[{ text: 'cold: not known since 14:02 UTC.' }]],
        text: [],
        condition: 'on schedule 0 8 * * 1',
        fields: { total: { text: '30100' } },
        before: {},
      }),
    ),
  ],
};
const ROWS = [
  '               balance  balance USD',
  'coins           10 ETH      $30,000',
  '0x3c54…b3AB`  100 USDC         $100',
  'total                       $30,100',
];
const NOTE = 'cold: not known since 14:02 UTC.';

test('a mail has the rows one below the other', () => {
  const content = toContent(report);
  expect(toText(content)).toContain([...ROWS, NOTE].join('\n'));
  const html = toHtml(content);
  expect(html).toMatch(/<pre style="[^"]*monospace[^"]*">\s* {15}balance {2}balance USD\ncoins/);
  expect(html).toContain('b3AB&#96;  100 USDC');
});

test('a report that is late says when it was due, and not that something was seen late', () => {
  const [{ message }] = report.members;
  const late = {
    ...report,
    members: [newsOf({ ...message, late: true, lines: [[{ text: 'Due at 08:00 UTC.' }]] })],
  } as const;
  expect(toText(toContent(late))).toContain('Due at 08:00 UTC.');
  expect(toText(toContent(late))).not.toContain('Late: it happened');
});

test('a webhook has the rows as lines, and exact numbers beside them', () => {
  const { lines, fields, text } = bodyOf(report).data;
  expect(lines).toEqual([...ROWS, NOTE]);
  expect(fields).toEqual({ total: '30100' });
  expect(text).toContain('coins: balance 10 ETH, balance USD $30,000.');
});

function manyRows(count: number): Delivery {
  const [{ message }] = report.members;
  const [head = [], , , total = []] = message.table ?? [];
  const rows = Array.from({ length: count }, (_, i) => [`coins[safe-${i + 1}]`, '10,000,000 ETH', '$30,000,000,000']);
  return { ...report, members: [newsOf({ ...message, table: [head, ...rows, total] })] };
}

describe.each(SERVICES.map((service) => [service.name, service] as const))('%s', (name, service) => {
  test('takes a report', async () => {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), 20_000);
    const outcome = await sender.send(report, aTry(1), never);
    expect([outcome.type, served.refused]).toEqual(['sent', []]);
    const [body = ''] = served.calls.all.map((call) => call.body);
    const marks: Readonly<Record<string, RegExp>> = {
      'slack bot': /```\\n {15}balance/,
      'slack webhook': /```\\n {15}balance/,
      discord: /```\\n {15}balance/,
      telegram: /"type":"pre"/,
      teams: /"fontType":"monospace"/i,
    };
    expect(body).toMatch(marks[name] ?? /balance/);
  });

  test.each([50, 200])('takes a report of %i rows, with the total and what is not known', async (count) => {
    await using served = await serve(service);
    await using sender = service.open(served.origin, someTools(), 20_000);
    const outcome = await sender.send(manyRows(count), aTry(1), never);
    expect([outcome.type, served.refused]).toEqual(['sent', []]);
    const [sent = ''] = served.calls.all.map((call) => call.body);
    const body = sent.replaceAll('\\\\', '').replaceAll('\u00a0', ' ');
    expect(body).toMatch(/balance +balance USD[^]+safe-1\][^]+total +\$30,100[^]+cold\\?: not known/);
    const rows = new Set(body.match(/safe-\d+\]/g));
    const [, left = '0'] = /and (\d+) more rows/.exec(body) ?? [];
    expect(rows.size + Number(left)).toBe(count);
  });
});
