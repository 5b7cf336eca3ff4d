// A body of one's own: what it says of an alert, what is refused, and that nothing an alert holds breaks it.
import { describe, expect, test } from '@jest/globals';
import { untrusted } from '../../src/lib/untrusted.ts';
import type { Message } from '../../src/core/model/delivery.ts';
import { bodyFault, compileBody } from '../../src/notifiers/rendering/body-template.ts';
import { BODY_FIELDS, bodyOf } from '../../src/notifiers/rendering/body.ts';
import { webhookWith } from '../../src/notifiers/webhook.ts';
import { corpus } from '../hostile/corpus.ts';
import { STRANGERS } from '../hostile/messages.ts';
import { textsOf } from '../hostile/readers.ts';
import { createWebhookSink } from '../support/sinks.ts';
import { aDelivery, aMessage, LOOPBACK, aTry, never, PATIENT_MS, someTools } from './samples.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function written(template: unknown, message: Message = aMessage()): unknown {
  const source = JSON.stringify(template);
  expect(bodyFault(source)).toBeNull();
  return JSON.parse(compileBody(source)(aDelivery({ message })));
}

describe('what it says', () => {
  test.each([
    ['{{ title }}', 'Treasury USDC is low'],
    ['{{title}}', 'Treasury USDC is low'],
    ['[{{ severity }}] {{ title }} of {{ of.name }}', '[critical] Treasury USDC is low of treasury'],
    ['{{ episode }}', 3],
    ['{{ late }}', false],
    ['no {{ episode }}', 'no 3'],
    ['{{ fields.balance }}', '940000'],
    ['{{ fields.token }}', { symbol: 'USDC', decimals: 6, reputation: 'ok' }],
    ['{{ fields.token.decimals }}', 6],
    ['{{ links.0 }}', 'https://explorer.example/address/0x47ac0Fb4F2D84898e4D9E7b4DaB3C24507a6D503'],
    ['{{ resolved_at }}', null],
    ['ended {{ resolved_at }}', 'ended unknown'],
    ['{{ fields.nothing }}', null],
    ['{{ fields.balance.length }}', null],
    ['{{ fields.constructor }}', null],
    ['{{ type }} at {{ timestamp }}', 'alert.firing at 2026-01-01T00:03:00Z'],
    ['plain', 'plain'],
    ['', ''],
  ])('%j: %j', (text, expected) => {
    expect(written({ text })).toEqual({ text: expected });
  });

  test('keeps its shape, its numbers and its names', () => {
    const template = { a: [1, true, null, '{{ seq }}'], '{{ title }}': { b: [] }, __proto__x: {} };
    expect(written(template)).toEqual({ a: [1, true, null, 5], '{{ title }}': { b: [] }, __proto__x: {} });
  });

  test('knows every field of the usual body', () => {
    const summary = { of: 'alert.retracted' as const, count: 1, keys: ['k'] };
    const { data, ...around } = bodyOf(aDelivery({ message: aMessage({ summary, isClaim: true }) }));
    expect(Object.keys(BODY_FIELDS).toSorted()).toEqual([...Object.keys(around), ...Object.keys(data)].toSorted());
    for (const [name, inner] of Object.entries(BODY_FIELDS))
      if (typeof inner !== 'string') expect([name, Object.keys(data[name as 'of'] ?? {})]).toEqual([name, inner]);
  });

  test('is signed and sent as it is, the same on every try', async () => {
    await using sink = await createWebhookSink();
    const to = { url: sink.origin, secret: SECRET, allow: LOOPBACK, body: '{"text": "{{ title }}"}' };
    await using sender = webhookWith({ totalMs: PATIENT_MS }).open(to, someTools());
    for (const attempt of [1, 2]) await sender.send(aDelivery(), aTry(attempt), never);
    expect(sink.calls.all.map(({ body }) => body)).toEqual(Array(2).fill('{"text":"Treasury USDC is low"}'));
    expect(sink.calls.all[0]?.headers['webhook-signature']).toMatch(/^v1,/);
  });
});

describe('what is refused when the config is loaded', () => {
  const { config } = webhookWith({ totalMs: 1 });

  test.each([
    ['text: {{ title }}', /^must be JSON with fields in its texts/],
    ['{"text": {{ title }}}', /^must be JSON with fields in its texts/],
    ['"{{ title }}"', /^must be JSON with fields in its texts/],
    ['', /^must be JSON with fields in its texts/],
    ['{"text": "{{ titel }}"}', /^holds no field of an alert: titel\. Possible: type, timestamp, id, /],
    ['{"text": "{{ data.title }}"}', /^holds no field of an alert: data\.title/],
    ['{"text": "{{ token.name }}"}', /^holds no field of an alert: token\.name/],
    ['{"text": "{{ token.symbol.x }}"}', /^holds no field of an alert: token\.symbol\.x/],
    ['{"text": "{{ title.x }}"}', /^holds no field of an alert: title\.x/],
    ['{"text": "{{ constructor }}"}', /^holds no field of an alert: constructor/],
    ['{"text": "{{ __proto__ }}"}', /^holds no field of an alert: __proto__/],
    ['{"text": "{{ title | upcase }}"}', /^holds more than a field: \{\{ title \| upcase \}\}/],
    ['{"text": "{% if late %}"}', /^holds more than a field: \{% if late %\}/],
    ['{"text": "{{ title"}', /^holds more than a field: \{\{ title/],
    [`${'['.repeat(40)}${']'.repeat(40)}`, /^is nested more than 32 deep/],
    [`${'['.repeat(8000)}${']'.repeat(8000)}`, /^is nested more than 32 deep/],
    [`["${'a'.repeat(20_000)}"]`, /^has at most 16384 characters/],
  ])('%.60j', (body, fault) => {
    const { error } = config.safeParse({ url: 'https://hooks.example.com', body });
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(fault)]);
  });
});

test('nothing that a stranger writes changes its shape or gets out of its texts', () => {
  const source = JSON.stringify({ a: 'x {{ text }} y', b: ['{{ fields.revert_reason }}', '{{ token.symbol }}'] });
  const write = compileBody(source);
  for (const [name, text] of corpus) {
    const body = JSON.parse(write(aDelivery({ message: STRANGERS['every value']?.(text) ?? aMessage() }))) as object;
    expect([name, Object.keys(body), textsOf(body).length]).toEqual([name, ['a', 'b'], 7]);
  }
  const message = aMessage({ text: [{ untrusted: untrusted('","b":["') }] });
  expect(JSON.parse(write(aDelivery({ message })))).toMatchObject({ a: 'x ","b"[:][" y' });
});
