import { describe, expect, test } from '@jest/globals';
import { fitted, toLines, type AllLines, type MessageLines } from '../../src/notifiers/rendering/lines.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { aDelivery, aMessage, aResolvedMessage, aTry } from './samples.ts';

const linesOf = (message: Message) => toLines(aDelivery({ message }), aTry());

describe('the headline', () => {
  test.each([
    [aMessage(), '[CRITICAL] Treasury USDC is low: 940,000, below 1,000,000'],
    [aMessage({ detail: null }), '[CRITICAL] Treasury USDC is low'],
    [aMessage({ type: 'alert.event', severity: 'info' }), '[INFO] Treasury USDC is low: 940,000, below 1,000,000'],
    [aResolvedMessage(), '[RESOLVED after 12m5s] Treasury USDC is low: 1,200,000, above 1,050,000'],
    // The clock was set back while it fired.
    [
      aResolvedMessage({ since: aResolvedMessage().at + 60_000 }),
      '[RESOLVED] Treasury USDC is low: 1,200,000, above 1,050,000',
    ],
    [
      aMessage({ type: 'alert.retracted', detail: 'the block was replaced' }),
      '[RETRACTED] Treasury USDC is low: the block was replaced',
    ],
    [aMessage({ type: 'alert.corrected' }), '[CORRECTED] Treasury USDC is low: 940,000, below 1,000,000'],
    [aMessage({ type: 'alert.reinstated' }), '[REINSTATED] Treasury USDC is low: 940,000, below 1,000,000'],
  ])('of %#: %s', (message, headline) => {
    expect(linesOf(message).headline).toBe(headline);
  });
});

describe('links', () => {
  const linksOf = (...links: string[]): readonly string[] => linesOf(aMessage({ links })).links.map(({ url }) => url);

  test('hold no character that ends them in any markup, and lead to the same page', () => {
    const [link = ''] = linksOf('https://explorer.example/tx/(a)?q=[b]|<c>*#~d');
    expect(link).not.toMatch(/[<>"'`|\\^{}[\]()*~]/);
    expect(decodeURIComponent(link)).toBe('https://explorer.example/tx/(a)?q=[b]|<c>*#~d');
  });

  test('keep the address of a server that has no name', () => {
    expect(linksOf('http://[::1]:8080/tx/1')).toEqual(['http://[::1]:8080/tx/1']);
  });

  test('are five at most, whole or not at all', () => {
    const long = `https://explorer.example/${'a'.repeat(400)}`;
    const short = [1, 2, 3, 4, 5, 6].map((n) => `https://explorer.example/tx/${n}`);
    expect(linksOf(long, ...short)).toEqual(short.slice(0, 5));
  });

  test('are named by what people find or do there', () => {
    const own = { ackUrl: 'https://us.example/a/t', pageOf: () => 'https://us.example/alerts/k/1' };
    const pages = ['tx/0x1', 'tx/0x2', 'block/7', 'address/0x3', 'token/0x4', 'stats'];
    const links = pages.map((page) => `https://explorer.example/${page}`);
    const message = aMessage({ links, runbook: 'https://wiki.example/low' });
    const labels = toContent(aDelivery({ message }), own).links.map(({ label }) => label);
    expect(labels).toEqual([
      'Runbook',
      'Acknowledge',
      'Alert',
      'Transaction',
      'Transaction 2',
      'Block',
      'Address',
      'Token',
      'Explorer',
    ]);
  });
});

describe('where room is short', () => {
  const line = (text: string) => ({ text, strange: false });
  const lines: AllLines = {
    headline: 'headline',
    lead: [],
    alerts: [],
    others: [],
    tone: 'critical',
    text: ['text 1', 'text 2'].map(line),
    links: [{ label: 'Explorer', url: 'https://explorer.example/' }],
    facts: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => line(`fact ${n}`)),
  };
  const sizeOf = (text: string): number => text.length + 1;
  const sizes = {
    line: ({ text }: { text: string }) => sizeOf(text),
    link: ({ url }: { url: string }) => sizeOf(url),
    alert: ({ subject }: { subject: string }) => sizeOf(subject),
  };
  const shown = ({ headline, text, links, facts }: MessageLines): string =>
    [headline, ...text.map((one) => one.text), ...links.map(({ url }) => url), ...facts.map((one) => one.text)].join(
      '|',
    );
  const all = shown(lines);

  test.each([
    [all.length + 1, all],
    [
      all.length,
      'headline|text 1|text 2|https://explorer.example/|fact 1|fact 2|fact 3|fact 4|5 more lines are not shown here.',
    ],
    [80, 'headline|text 1|https://explorer.example/|10 more lines are not shown here.'],
    [70, 'headline|https://explorer.example/|11 more lines are not shown here.'],
  ])('%i characters hold %s', (most, expected) => {
    expect(shown(fitted(lines, most, sizes))).toBe(expected);
  });

  test('facts go before text, the last one first', () => {
    const many = { ...lines, facts: Array.from({ length: 30 }, (_, n) => line(`fact ${n}`)) };
    const { text, facts } = fitted(many, 200, sizes);
    expect(text).toHaveLength(2);
    expect(facts.at(-2)?.text).toBe(`fact ${facts.length - 2}`);
    expect(facts.at(-1)?.text).toBe(`${30 - facts.length + 1} more lines are not shown here.`);
  });

  test('what is kept never takes more than the room, for any room that holds headline, link and count', () => {
    for (let most = 70; most <= all.length + 1; most += 1)
      expect(`${shown(fitted(lines, most, sizes))}|`.length).toBeLessThanOrEqual(most);
  });

  test('a long line is cut, and no character of two units is cut in halves', () => {
    const text = linesOf(aMessage({ text: [{ text: '\u{1f4a9}'.repeat(500) }] })).text[0]?.text ?? '';
    expect(text.length).toBeLessThanOrEqual(400);
    expect(text.isWellFormed()).toBe(true);
    expect(text.endsWith('\u{1f4a9}\u2026')).toBe(true);
  });
});
