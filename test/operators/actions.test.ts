// Actions as data: each is known by one name, and its answer is as the API sends it.
import { expect, test } from '@jest/globals';
import { ack } from '../../src/operators/acks.ts';
import { ACTIONS } from '../../src/operators/actions.ts';
import { retryChannel, sampleChannel } from '../../src/operators/channels.ts';
import { dismissDelivery } from '../../src/operators/deliveries.ts';
import { pause } from '../../src/operators/pauses.ts';
import { silence } from '../../src/operators/silences.ts';

test('no two actions have the same name or the same path', () => {
  expect(new Set(ACTIONS.map(({ name }) => name)).size).toBe(ACTIONS.length);
  expect(new Set(ACTIONS.map(({ path }) => path)).size).toBe(ACTIONS.length);
});

const MINUTE = 60_000;
const BY = { actor: 'alice', comment: 'why' };

test('answers a pause in snake_case and UTC', () => {
  expect(pause.answer.parse(pause.answerOf({ id: 'p', watch: 'coins', from: 0, until: MINUTE, ...BY }))).toEqual({
    id: 'p',
    watch: 'coins',
    from: '1970-01-01T00:00:00Z',
    until: '1970-01-01T00:01:00Z',
    ...BY,
  });
});

test('answers a silence in snake_case and UTC, without what is not part of the API', () => {
  const matchers = { watch: ['coins', 'vault-*'], severity: '!critical' };
  const times = { from: 0, until: MINUTE, untilResolved: true, version: 2 };
  expect(silence.answer.parse(silence.answerOf({ id: 's', kind: 'silence', matchers, ...times, ...BY }))).toEqual({
    id: 's',
    matchers,
    from: '1970-01-01T00:00:00Z',
    until: '1970-01-01T00:01:00Z',
    until_resolved: true,
    version: 2,
    ...BY,
  });
});

test('answers an acknowledgement in snake_case and UTC, without the severity', () => {
  const of = { id: 'a', key: 'k', episode: 1, seq: 3, actor: 'alice', comment: null };
  expect(ack.answer.parse(ack.answerOf({ ...of, severity: 'critical', at: 0, until: MINUTE }))).toEqual({
    ...of,
    at: '1970-01-01T00:00:00Z',
    until: '1970-01-01T00:01:00Z',
  });
});

test('answers deliveries, channels and samples as they are', () => {
  const delivery = { id: 'd', channel: 'ops', recipient: 'ops', state: 'dismissed' } as const;
  expect(dismissDelivery.answer.parse(dismissDelivery.answerOf(delivery))).toEqual(delivery);
  const channel = { channel: 'ops', deliveries: 2 };
  expect(retryChannel.answer.parse(retryChannel.answerOf(channel))).toEqual(channel);
  const sample = { channel: 'ops', tries: [{ recipient: 'ops', outcome: 'sent', answer: '204' }] } as const;
  expect(sampleChannel.answer.parse(sampleChannel.answerOf(sample))).toEqual(sample);
});
