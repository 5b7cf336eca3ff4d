// What the journal says of a round that decides what goes out.
import { expect, test } from '@jest/globals';
import { closedLines, type HeldAlert, heldLines } from '../../../src/core/journal/entry.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const HELD: HeldAlert = {
  is: 'held',
  key: 'k1',
  watch: 'calls',
  alert: 'failed',
  channel: 'ops',
  why: 'silenced',
  by: 's1',
};

test('what a silence holds back of one alert is one line, with how many; another channel is another line', () => {
  const lines = heldLines([HELD, { ...HELD, key: 'k2' }, { ...HELD, channel: 'mail' }], NOON);
  expect(lines.map(({ kind, subject, data }) => [kind, subject, data])).toEqual([
    ['held', 'k1', { alert: 'failed', channel: 'ops', why: 'silenced', by: 's1', count: 2 }],
    ['held', 'k1', { alert: 'failed', channel: 'mail', why: 'silenced', by: 's1', count: 1 }],
  ]);
});

test('what is let go of says what had held it', () => {
  const [line] = heldLines([{ ...HELD, is: 'released', why: 'cap', by: null }], NOON);
  expect(line).toMatchObject({ kind: 'released', data: { alert: 'failed', channel: 'ops', why: 'cap', count: 1 } });
});

test('a message about several alerts, and a repeat, have a line with their alerts; a message about one has none', () => {
  const message = { id: 'd1', kind: 'news', target: { channel: 'ops' }, members: [{ key: 'k1' }] } as const;
  const several = { ...message, id: 'd2', members: Array.from({ length: 20 }, (_, n) => ({ key: `k${n}` })) };
  const lines = closedLines([message, several, { ...message, id: 'd3', kind: 'repeat' }], NOON);
  expect(lines.map(({ subject, data }) => [subject, data])).toEqual([
    ['d2', { channel: 'ops', kind: 'news', count: 20, keys: several.members.slice(0, 12).map(({ key }) => key) }],
    ['d3', { channel: 'ops', kind: 'repeat', count: 1, keys: ['k1'] }],
  ]);
});
