// The whole corpus through every channel that speaks HTTP, in every place of a message, over real connections: what
// arrives is read as its medium reads it.
import { describe, expect, test } from '@jest/globals';
import type { Delivery, Message } from '../../src/core/model/delivery.ts';
import { aDelivery, aMessage, aTry, never, someTools } from '../notifiers/samples.ts';
import { serve, serviceNamed, SERVICES, type Service } from '../notifiers/services.ts';
import { CHAT_READERS, type ChatReading } from './chat-readers.ts';
import { corpus } from './corpus.ts';
import { inEveryValue, OURS, SHAPES, STRANGERS } from './messages.ts';
import { forbiddenIn } from './readers.ts';

const TOTAL_MS = 60_000;
/** At once: enough to keep two processors busy. */
const ABREAST = 8;

/** What arrives of each message, in order. */
async function arrived(
  service: Service,
  messages: readonly Message[],
  shapeOf: (message: Message) => Partial<Delivery> = () => ({}),
): Promise<ChatReading[]> {
  const read = CHAT_READERS[service.name];
  if (read === undefined) throw new Error(`nobody reads ${service.name}`);
  await using served = await serve(service);
  await using sender = service.open(served.origin, someTools(), TOTAL_MS);
  const bodies: string[] = [];
  for (let start = 0; start < messages.length; start += ABREAST) {
    const batch = messages.slice(start, start + ABREAST);
    const sent = batch.map((message, n) =>
      sender.send(aDelivery({ id: `n${start + n}`, message, ...shapeOf(message) }), aTry(), never),
    );
    expect((await Promise.all(sent)).map(({ type }) => type)).toEqual(batch.map(() => 'sent'));
    bodies.push(
      ...inOrder(
        served.calls.all.slice(start).map(({ body }) => body),
        batch,
      ),
    );
  }
  expect(served.refused).toEqual([]);
  return bodies.map(read);
}

// Those that are on their way together arrive in any order: the key of each message tells which it is.
function inOrder(bodies: readonly string[], batch: readonly Message[]): string[] {
  return batch.map(({ title }) => bodies.find((body) => body.includes(title)) ?? '');
}

// Some are told by the name of their watch alone.
const numbered = (message: Message, n: number): Message => {
  const name = `Title number ${n} ends here`;
  return { ...message, title: name, watch: name };
};

function judged({ text, markup, links }: ChatReading, harmless: ChatReading) {
  return {
    markup: markup.filter((found) => !harmless.markup.includes(found)),
    links: links.filter((found) => !harmless.links.includes(found)),
    forbidden: forbiddenIn(text),
    addsLines: text.split('\n').length > harmless.text.split('\n').length,
  };
}

describe.each(SERVICES.map((service) => [service.name, service] as const))('%s', (_name, service) => {
  test.each(Object.entries(STRANGERS))('shows a stranger’s text as text, in %s', async (_place, messageWith) => {
    const messages = [messageWith('harmless'), ...corpus.map(([, text]) => messageWith(text))].map(numbered);
    isHarmless(await arrived(service, messages));
  });

  test.each(Object.entries(SHAPES))('shows a stranger’s text as text, in %s', async (_shape, shapeOf) => {
    const messages = ['harmless', ...corpus.map(([, text]) => text)].map(inEveryValue).map(numbered);
    isHarmless(await arrived(service, messages, shapeOf));
  });
});

/** The first reading is of the harmless text, the others are of the corpus. */
function isHarmless([harmless, ...theirs]: readonly ChatReading[]): void {
  if (harmless === undefined) throw new Error('nothing arrived');
  expect(theirs).toHaveLength(corpus.length);
  for (const [index, [name]] of corpus.entries()) {
    const reading = theirs[index];
    expect({ name, ...(reading && judged(reading, harmless)) }).toEqual({
      name,
      markup: [],
      links: [],
      forbidden: [],
      addsLines: false,
    });
  }
}

// These have no plain text, so our own words are escaped as well: a condition with two asterisks must not turn bold.
describe.each(['discord', 'teams'])('%s', (name) => {
  test('shows our own words as text, in several alerts', async () => {
    const ours = corpus.filter(([, text]) => text.length < 10_000 && !text.includes('['));
    const messages = ['harmless', ...ours.map(([, text]) => text)].map((text, n) =>
      numbered(aMessage({ alert: text, detail: text }), n),
    );
    const [harmless, ...written] = await arrived(serviceNamed(name), messages, SHAPES['several alerts']);
    if (harmless === undefined) throw new Error('nothing arrived');
    for (const [index, [what]] of ours.entries()) {
      const { markup, forbidden, addsLines } = judged(written[index] ?? harmless, harmless);
      expect({ what, markup, forbidden, addsLines }).toEqual({ what, markup: [], forbidden: [], addsLines: false });
    }
  });

  test.each(Object.entries(OURS))('shows our own words as text, in %s', async (_place, changes) => {
    const ours = corpus.filter(([, text]) => text.length < 10_000);
    const messages = ['harmless', ...ours.map(([, text]) => text)].map((text) => aMessage(changes(text))).map(numbered);
    const [harmless, ...written] = await arrived(serviceNamed(name), messages);
    if (harmless === undefined) throw new Error('nothing arrived');
    for (const [index, [what]] of ours.entries()) {
      const { markup, forbidden, addsLines } = judged(written[index] ?? harmless, harmless);
      expect({ what, markup, forbidden, addsLines }).toEqual({ what, markup: [], forbidden: [], addsLines: false });
    }
  });
});
