import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { untrusted } from '../../src/lib/untrusted.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import { log } from '../../src/notifiers/log.ts';
import { toBody } from '../../src/notifiers/rendering/body.ts';
import { aDelivery, aMessage, aResolvedMessage, aTry, never, someTools } from './samples.ts';

async function printed(message: Message, format: 'text' | 'json' = 'text'): Promise<string[]> {
  const tools = someTools();
  await using sender = log.open({ format }, tools);
  expect(await sender.send(aDelivery({ message }), aTry(), never)).toEqual({ type: 'sent', answer: 'printed' });
  return tools.printed;
}

describe('the log channel', () => {
  test('writes a firing alert on one line', async () => {
    expect(await printed(aMessage())).toEqual([
      '2026-01-01T00:03:00Z CRITICAL treasury-usdc/low FIRING Treasury USDC is low: 940,000, below 1,000,000 - ' +
        '940000 USDC left at 0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503',
    ]);
  });

  test('says of a resolved alert how long it fired, and why it ended when the condition was not it', async () => {
    const [line] = await printed(aResolvedMessage({ reason: 'rule removed', text: [{ text: 'over' }] }));
    expect(line).toBe(
      '2026-01-01T00:13:05Z CRITICAL treasury-usdc/low RESOLVED Treasury USDC is low: 1,200,000, above 1,050,000 ' +
        '- over (after 12m5s; rule removed)',
    );
  });

  test('says of a late event that it is late, and the first lines where the rule has no text', async () => {
    const [line] = await printed(aMessage({ type: 'alert.event', text: [], late: true }));
    expect(line).toBe(
      '2026-01-01T00:03:00Z CRITICAL treasury-usdc/low EVENT Treasury USDC is low: 940,000, below 1,000,000 ' +
        '- Fell 1,060,000.5 since the last poll. Clears above 1,050,000. ethereum, 00:03 UTC. (late)',
    );
  });

  test('keeps a text of several lines on one line', async () => {
    const lines = await printed(aMessage({ text: [{ text: 'one\ntwo ' }, { untrusted: untrusted('three\r\nfour') }] }));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/ - one two three four$/);
  });

  test('as json prints what a webhook would carry, in ASCII', async () => {
    const message = aMessage({ title: 'Trésor \u{1f4b0}' });
    const [line = ''] = await printed(message, 'json');
    expect(line).toMatch(/^[\u0020-\u007e]+$/);
    expect(JSON.parse(line)).toEqual(JSON.parse(toBody(aDelivery({ message }))));
  });

  test('of many messages in one it says how many, and as json which ones', async () => {
    const summary = { of: 'alert.retracted', count: 2, keys: ['k1', 'k2'] } as const;
    const words = { title: '2 failed events of calls retracted', detail: null, lines: [], text: [] };
    const message = aMessage({ type: 'alert.summary', ...words, summary });
    expect((await printed(message))[0]).toMatch(/ SUMMARY 2 failed events of calls retracted$/);
    const [line = ''] = await printed(message, 'json');
    expect(JSON.parse(line)).toMatchObject({ type: 'alert.summary', data: { summary } });
    expect(toBody(aDelivery({ message: aMessage() }))).not.toContain('"summary"');
  });

  test('tries again when the line cannot be written', async () => {
    const print = () => Promise.reject(new Error('EPIPE'));
    await using sender = log.open({ format: 'text' }, { ...someTools(), print });
    expect(await sender.send(aDelivery(), aTry(), never)).toMatchObject({ type: 'again' });
  });

  test('a line that nobody takes is not sent; told to stop, the channel does not know whether it was', async () => {
    const stop = new AbortController();
    const print = () => new Promise<never>(() => undefined);
    await using sender = log.open({ format: 'text' }, { ...someTools(), print });
    const outcome = sender.send(aDelivery(), aTry(), stop.signal);
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    expect(await outcome).toMatchObject({ type: 'unknown' });

    const running = new AbortController();
    await using reading = log.open({ format: 'text' }, someTools());
    await reading.send(aDelivery(), aTry(), running.signal);
    expect(getEventListeners(running.signal, 'abort')).toHaveLength(0);
  });

  test('is text unless told otherwise, and knows no other key', () => {
    expect(log.config.parse({})).toEqual({ format: 'text' });
    expect(log.config.safeParse({ colour: 'yes' }).success).toBe(false);
    expect(log.recipients({ format: 'text' }, 'screen')).toEqual(['screen']);
  });
});
