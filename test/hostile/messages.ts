// Messages with a text in every place that can hold one.
import { untrusted } from '../../src/lib/untrusted.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import type { Segment } from '../../src/core/model/condition.ts';
import { aMessage } from '../notifiers/samples.ts';

/** A stranger's text in every place that can hold one; names of fields apart, since they change the shape. */
export const STRANGERS: Readonly<Record<string, (text: string) => Message>> = {
  'every value': (text) =>
    aMessage({
      text: [
        ...[{ text: 'Token ' }, strange(text), { text: ' arrived\nNo space' }],
        ...[strange(text), { text: 'around\nHalves ' }, ...halves(text)],
        ...[{ text: '\nDots x.' }, strange(text), { text: '.com' }],
      ],
      token: { address: `0x${'1'.repeat(40)}`, symbol: untrusted(text), decimals: null },
      fields: {
        revert_reason: strange(text),
        token: { record: { name: strange(text) } },
        tags: { list: [strange(text), { record: { name: strange(text) } }] },
        symbol: strange('USDC'),
      },
      before: { symbol: strange(text), gone: strange(text) },
    }),
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

/** Ours, but written by people: no link is looked for, and nothing may break out. */
export const OURS: Readonly<Record<string, (text: string) => Partial<Message>>> = {
  'texts and names': (text) => ({
    ...{ title: text, condition: text, rule: text, watch: text, alert: text, explorer: text, chainId: text },
    text: [{ text: `x${text.replaceAll('\n', ' ')}` }],
    of: { name: text, address: text },
    fields: { reputation: { text } },
    before: {},
  }),
  'the reason of an end': (text) => ({ reason: text, type: 'alert.resolved', resolvedAt: 0 }),
};
