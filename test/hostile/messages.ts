// Messages with a text in every place that can hold one.
import { untrusted } from '../../src/lib/untrusted.ts';
import { newsOf, type Delivery, type Message } from '../../src/core/model/delivery.ts';
import type { Segment } from '../../src/core/model/watch/condition.ts';
import { quotedText } from '../../src/core/wording/words.ts';
import { aMessage, aResolvedMessage } from '../notifiers/samples.ts';

/** As a value, a symbol, a name, in parts, and at the end of a word. */
export function inEveryValue(text: string): Message {
  return aMessage({
    lines: [quotedText('Reason given', untrusted(text))],
    text: [
      { text: 'Token ' },
      strange(text),
      { text: ' arrived\nNo space' },
      strange(text),
      { text: 'around\nHalves ' },
      ...halves(text),
      { text: '\nDots x.' },
      strange(text),
      { text: '.com' },
    ],
    token: { address: `0x${'1'.repeat(40)}`, symbol: untrusted(text), decimals: null },
    fields: {
      revert_reason: strange(text),
      token: { record: { name: strange(text) } },
      tags: { list: [strange(text), { record: { name: strange(text) } }] },
      symbol: strange('USDC'),
    },
    before: { symbol: strange(text), gone: strange(text) },
  });
}

/** A stranger's text in every place that can hold one; names of fields apart, since they change the shape. */
export const STRANGERS: Readonly<Record<string, (text: string) => Message>> = {
  'every value': inEveryValue,
  'the beginning of a line': (text) =>
    aMessage({
      text: [strange(text), { text: ' arrived\n' }, strange(text), { text: ' left' }],
      fields: {},
      before: {},
    }),
  'the name of a field': (text) => aMessage({ fields: { [`x${text}`]: 1 }, before: {} }),
};

export function strange(text: string): Segment {
  return { untrusted: untrusted(text) };
}

function halves(text: string): Segment[] {
  const middle = Math.floor(text.length / 2);
  return [strange(text.slice(0, middle)), strange(text.slice(middle))];
}

/** What a delivery may be beside the news of one alert. */
export const SHAPES: Readonly<Record<string, (message: Message) => Partial<Delivery>>> = {
  'a repeat that was held back': (message) => ({
    kind: 'repeat',
    members: [{ message, as: 'repeat', renewed: null, heldAt: message.since, present: null }],
  }),
  'several alerts': (message) => ({
    members: [
      newsOf(message),
      { message, as: 'repeat', renewed: null, heldAt: message.since, present: null },
      {
        message: aResolvedMessage({ ...message, type: 'alert.resolved' }),
        as: 'fired-and-resolved',
        renewed: null,
        heldAt: null,
        present: null,
      },
    ],
    more: [moreOf(message)],
  }),
  'what a silence kept back': (message) => ({
    kind: 'silence_summary',
    members: [newsOf({ ...message, type: 'alert.event' }), newsOf({ ...message, type: 'alert.resolved' })],
    more: [moreOf(message)],
  }),
};

function moreOf({ watch, alert, severity, type }: Message): Delivery['more'][number] {
  return { watch, alert, severity, type, count: 7, keys: [] };
}

/** Ours, but written by people: no link is looked for, and nothing may break out. */
export const OURS: Readonly<Record<string, (text: string) => Partial<Message>>> = {
  'texts and names': (text) => ({
    title: text,
    condition: text,
    rule: text,
    watch: text,
    alert: text,
    explorer: text,
    chainId: text,
    text: [{ text: `x${text.replaceAll('\n', ' ')}` }],
    of: { name: text, address: text },
    fields: { reputation: { text } },
    before: {},
  }),
  'the reason of an end': (text) => ({ reason: text, type: 'alert.resolved', resolvedAt: 0 }),
};
