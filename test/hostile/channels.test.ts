import { describe, expect, test } from '@jest/globals';
import PostalMime, { type Email } from 'postal-mime';
import type { Delivery, Message } from '../../src/core/model/delivery.ts';
import { email } from '../../src/notifiers/email.ts';
import { log } from '../../src/notifiers/log.ts';
import { toBody } from '../../src/notifiers/rendering/body.ts';
import { toHtml, toText } from '../../src/notifiers/rendering/mail-parts.ts';
import { toContent } from '../../src/notifiers/rendering/group-content.ts';
import { toMime } from '../../src/notifiers/wire/mime.ts';
import { webhook } from '../../src/notifiers/webhook.ts';
import { aDelivery, aMessage, LOOPBACK, aTry, never, someTools } from '../notifiers/samples.ts';
import { createSmtpSink, createWebhookSink } from '../support/sinks.ts';
import { corpus } from './corpus.ts';
import { inEveryValue, OURS, SHAPES, strange, STRANGERS } from './messages.ts';
import { forbiddenIn, linksIn, readHtml, textsOf } from './readers.ts';

const MOST_CHARACTERS = 20_000;

/** What the three channels make of a message, as those who read it would see it. */
async function read(message: Message, shape: Partial<Delivery> = {}) {
  const delivery = aDelivery({ message, ...shape });
  const letter = toContent(delivery);
  const html = readHtml(toHtml(letter));
  const text = toText(letter);
  const body = toBody(delivery);
  const lines = [...(await printed(delivery, 'text')), ...(await printed(delivery, 'json'))];
  return { html, text, body, json: JSON.parse(body) as unknown, lines };
}

async function printed(delivery: Delivery, format: 'text' | 'json'): Promise<string[]> {
  const tools = someTools();
  await using sender = log.open({ format }, tools);
  await sender.send(delivery, aTry(), never);
  return tools.printed;
}

/** The shape of JSON: names and types without the texts. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

/** What of a reading must not depend on the text: one line per promise. */
function frameOf({ html, text, json, lines }: Reading, isShapeFree: boolean): Record<string, unknown> {
  return {
    tags: html.tags.join('\n'),
    shape: isShapeFree ? null : JSON.stringify(shapeOf(json)),
    textLines: text.split('\n').length,
    logLines: lines.join('\n').split('\n').length,
    sameJson: JSON.stringify(JSON.parse(lines[1] ?? '')) === JSON.stringify(json),
    forbidden: forbiddenIn([text, html.text, ...lines, ...textsOf(json)].join('\n')),
    isShort: text.length < MOST_CHARACTERS && lines.join('').length < 2 * MOST_CHARACTERS,
  };
}

function linksOf({ html, text, json, lines }: Reading): string[] {
  return linksIn([html.text, text, lines[0] ?? '', ...textsOf(json)].join('\n'));
}

type Reading = Awaited<ReturnType<typeof read>>;

// The loops below go over the whole corpus in one test each: a test per string would spend its time on tests.

describe('a stranger’s text stays text', () => {
  test.each(Object.entries(STRANGERS))('in %s', async (place, messageWith) => {
    const ours = await read(messageWith('harmless'));
    const frame = frameOf(ours, place === 'the name of a field');
    const links = new Set(linksOf(ours));
    for (const [name, hostile] of corpus) {
      const theirs = await read(messageWith(hostile));
      const added = linksOf(theirs).filter((link) => !links.has(link));
      expect({ name, ...frameOf(theirs, place === 'the name of a field'), added }).toEqual({
        name,
        ...frame,
        added: [],
      });
    }
  });
});

describe('a stranger’s text stays text', () => {
  test.each(Object.entries(SHAPES))('in %s', async (_name, shapeOf) => {
    const readAs = (text: string) => {
      const message = inEveryValue(text);
      return read(message, shapeOf(message));
    };
    const ours = await readAs('harmless');
    const [frame, links] = [frameOf(ours, false), new Set(linksOf(ours))];
    for (const [name, hostile] of corpus) {
      const theirs = await readAs(hostile);
      const added = linksOf(theirs).filter((link) => !links.has(link));
      expect({ name, ...frameOf(theirs, false), added }).toEqual({ name, ...frame, added: [] });
    }
  });
});

describe('our own words break nothing', () => {
  // Nobody's title is a megabyte.
  const writable = corpus.filter(([, text]) => text.length < 10_000);

  test.each(Object.entries(OURS))('in %s', async (_place, changes) => {
    const frame = frameOf(await read(aMessage(changes('harmless'))), false);
    for (const [name, hostile] of writable) {
      const theirs = await read(aMessage(changes(hostile)));
      expect({ name, ...frameOf(theirs, false) }).toEqual({ name, ...frame });
    }
  });

  test('in the headers of a mail', async () => {
    const from = { name: 'Watch', address: 'watch@example.com' };
    const parsed = async (text: string) => {
      const message = aMessage({ title: text, watch: text, key: text });
      const mime = await toMime(aDelivery({ id: text, recipient: 'anne@example.com', message }), from, aTry());
      return PostalMime.parse(mime);
    };
    const frame = headersOf(await parsed('harmless'));
    for (const [name, hostile] of writable)
      expect({ name, ...headersOf(await parsed(hostile)) }).toEqual({ name, ...frame });
  });

  function headersOf({ headers, from, to, attachments, subject = '', messageId = '', references = '' }: Email) {
    return {
      headers: headers.map(({ key }) => key),
      from,
      to,
      attachments,
      forbidden: forbiddenIn(subject),
      areIdsPlain: /^<\w+@example\.com><\w+\.3@example\.com>$/.test(messageId + references),
    };
  }
});

describe('on the wire', () => {
  // Thirteen strings to a message, so that all of them cross the wire without a session for each.
  const messages = Array.from({ length: Math.ceil(corpus.length / 13) }, (_, index) =>
    packed(corpus.slice(index * 13, index * 13 + 13).map(([, text]) => text)),
  );

  function packed(texts: readonly string[]): Message {
    const [title = '', condition = ''] = texts;
    const fields = Object.fromEntries(texts.map((text, index) => [`f${index}`, strange(text)]));
    return aMessage({ title, condition, fields, before: {}, text: texts.map(strange) });
  }

  test('every mail arrives whole, with one recipient and two parts', async () => {
    await using sink = await createSmtpSink();
    const to = 'anne@example.com';
    await using sender = email.open(
      { from: 'Watch <watch@example.com>', to: [to], smtp: sink.url, allow: LOOPBACK },
      someTools(),
    );
    const outcomes = await Promise.all(
      messages.map((message) => sender.send(aDelivery({ recipient: to, message }), aTry(), never)),
    );
    expect(outcomes.map(({ type }) => type)).toEqual(messages.map(() => 'sent'));
    for (const { parsed, from, to: received } of await sink.mails.reached(messages.length)) {
      expect([from, received, parsed.attachments]).toEqual(['watch@example.com', [to], []]);
      expect(parsed.text).toContain('rule: rules/treasury.yaml:17');
      expect(parsed.html).toMatch(/<\/html>\s*$/);
    }
  });

  test('every webhook carries one JSON object with all its keys', async () => {
    await using sink = await createWebhookSink();
    await using sender = webhook.open({ url: sink.origin, allow: LOOPBACK }, someTools());
    for (const message of messages) await sender.send(aDelivery({ message }), aTry(), never);
    const bodies = sink.calls.all.map(({ body }) => JSON.parse(body) as { data: Record<string, unknown> });
    expect(bodies).toHaveLength(messages.length);
    for (const { data } of bodies) expect(Object.keys(data)).toEqual(Object.keys(bodies[0]?.data ?? {}));
  });
});

test('the corpus is as large as it says, and every name in it is its own', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(300);
  expect(new Set(corpus.map(([name]) => name)).size).toBe(corpus.length);
});
