import { expect, test } from '@jest/globals';
import { routedLines, type RoutedNotification, withdrawnLines } from '../../../src/core/journal/entry.ts';

const one = (key: string, changes: Partial<RoutedNotification> = {}): RoutedNotification => ({
  key,
  watch: 'coins',
  alert: 'low',
  transition: 'firing',
  channels: ['ops'],
  lost: [],
  ...changes,
});

test('a thousand events that go the same way are one line, and one that goes another way has its own', () => {
  const events = Array.from({ length: 1000 }, (_none, i) => one(`k${i}`, { transition: 'event' }));
  const lines = routedLines([...events, one('end', { transition: 'resolved' }), one('x', { lost: ['gone'] })], 7);
  expect(lines.map(({ kind, subject, data }) => [kind, subject, data])).toEqual([
    ['routed', 'coins', { alert: 'low', what: 'event', count: 1000, key: 'k0', to: ['ops'] }],
    ['routed', 'coins', { alert: 'low', what: 'resolved', count: 1, key: 'end', to: ['ops'] }],
    ['routed', 'coins', { alert: 'low', what: 'firing', count: 1, key: 'x', to: ['ops'], lost: ['gone'] }],
  ]);
});

test('messages that are taken back before they were tried are one line for each channel', () => {
  const taken = ['a', 'b'].map((key) => ({ key, target: { channel: 'ops' }, as: 'cancelled' }) as const);
  expect(withdrawnLines([...taken, { key: 'c', target: { channel: 'night' }, as: 'cancelled' }], 7)).toEqual([
    { at: 7, kind: 'cancelled', subject: 'a', actor: 'daemon', data: { channel: 'ops', count: 2 } },
    { at: 7, kind: 'cancelled', subject: 'c', actor: 'daemon', data: { channel: 'night', count: 1 } },
  ]);
});
