import { describe, expect, test } from '@jest/globals';
import type { EventAlert } from '../../../src/core/model/watch.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { runPolls } from '../../support/run-polls.ts';
import { aWatch, missed, onAlert, saw, type Item } from '../../support/watch.ts';

/** A poll that read every block from `from` on, and saw items in blocks: `{ a: 103 }`. */
function read(when: string, head: number, blocks: Readonly<Record<string, number | Item>>, from = 100): Observation {
  const items = Object.fromEntries(
    Object.entries(blocks).map(([key, it]) => [key, typeof it === 'number' ? { mood: 'wild', block: it } : it]),
  );
  return saw({ items, range: { from, head } }, when);
}

function story(alert: Partial<EventAlert>, polls: readonly Observation[]) {
  const watch = { ...aWatch([onAlert(alert)]) };
  return runPolls({ ...watch, kind: { ...watch.kind, shown: ['mood', 'label'] } }, [read('0m', 100, {}), ...polls]);
}

describe('confirmations', () => {
  const alert = { confirmations: 3 };

  test('an item is told when it is deep enough, not before', () => {
    const polls = [101, 102, 103, 104, 105].map((head, i) => read(`${i + 1}m`, head, { a: 101 }));
    expect(story(alert, polls).sent).toEqual([[], [], [], [], ['wild event'], []]);
  });

  test('one that is gone before is dropped in silence, and told when it is mined after all', () => {
    const polls = [read('1m', 101, { a: 101 }), read('2m', 102, {}), read('3m', 103, {}), read('4m', 104, {})];
    const told = story(alert, [...polls, read('5m', 105, { a: 105 }), read('6m', 108, { a: 105 })]);
    expect(told.sent).toEqual([[], [], [], [], [], [], ['wild event']]);
    expect(told.reasons[3]).toEqual(['dropped']);
  });

  test('one that is mined long after the block that it was in at first is final is told', () => {
    const gone = [read('1m', 101, { a: 101 }), read('2m', 102, {}), read('3m', 103, {}), read('4m', 200, {}, 190)];
    const told = story(alert, [...gone, read('5m', 201, { a: 201 }), read('6m', 204, { a: 201 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('one that was not read again is told all the same: it was seen, and nothing speaks against it', () => {
    const polls = [read('1m', 101, { a: 101 }), read('2m', 104, {}, 103)];
    expect(story(alert, polls).sent).toEqual([[], [], ['wild event']]);
  });

  test('`provisional` tells at once, says so, and does not repeat it', () => {
    const polls = [101, 104].map((head, i) => read(`${i + 1}m`, head, { a: 101 }));
    const { sent, messages } = story({ ...alert, provisional: true }, polls);
    expect(sent).toEqual([[], ['wild event'], []]);
    expect(messages[0]?.reason).toBe('provisional: not 3 blocks deep yet');
  });
});

describe('an item that was told', () => {
  const first = read('1m', 101, { a: 101 });

  test('and vanishes is retracted after the second reading without it, in the same thread', () => {
    const told = story({}, [first, read('2m', 102, {}), read('3m', 103, {}), read('4m', 104, {})]);
    expect(told.sent).toEqual([[], ['wild event'], [], ['wild retracted'], []]);
    const [event, retracted] = told.messages;
    expect(retracted).toMatchObject({ key: event?.key, seq: 2, title: event?.title, reason: 'not found any more' });
  });

  test('and is missing from one reading only is not spoken of', () => {
    expect(story({}, [first, read('2m', 102, {}), read('3m', 103, { a: 101 })]).sent.flat()).toEqual(['wild event']);
  });

  test('and is mined again in another block is the same item', () => {
    const told = story({}, [first, read('2m', 102, {}), read('3m', 103, { a: 103 }), read('4m', 104, { a: 103 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('and lies above the head of an explorer that is behind may still be there', () => {
    const behind = (when: string): Observation => saw({ items: {}, range: { from: 90, to: 99, head: 99 } }, when);
    const polls = [first, behind('2m'), behind('3m'), behind('4m'), read('5m', 102, { a: 101 })];
    expect(story({}, polls).sent.flat()).toEqual(['wild event']);
  });

  test('and is not in the range that was read may still be there', () => {
    const polls = [first, read('2m', 110, {}, 105), read('3m', 111, {}, 105), read('4m', 112, {}, 105)];
    expect(story({}, polls).sent.flat()).toEqual(['wild event']);
  });

  test('is not retracted by missed or partial polls', () => {
    const partial = saw({ items: {}, range: { from: 100, head: 102 } }, '3m', { partial: 'page 2 did not come' });
    const told = story({}, [first, missed('2m'), { ...partial }, missed('4m'), read('5m', 103, { a: 101 })]);
    expect(told.sent.flat()).toEqual(['wild event']);
  });

  test('and is mined again long after its old block is final is reinstated', () => {
    const polls = [
      first,
      read('2m', 102, {}),
      read('3m', 103, {}),
      read('4m', 200, {}, 190),
      read('5m', 201, { a: 201 }),
    ];
    expect(story({}, polls).sent.flat()).toEqual(['wild event', 'wild retracted', 'wild reinstated']);
  });

  test('and comes back after its retraction is reinstated', () => {
    const polls = [first, read('2m', 102, {}), read('3m', 103, {}), read('4m', 104, { a: 104 })];
    const told = story({}, polls);
    expect(told.sent.flat()).toEqual(['wild event', 'wild retracted', 'wild reinstated']);
    expect(told.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test('and turns out otherwise is corrected, or retracted when it does not match any more', () => {
    const other = read('2m', 102, { a: { mood: 'calm', block: 101 } });
    expect(story({ if: null }, [first, other]).sent.flat()).toEqual(['wild event', 'wild corrected']);
    const retracted = story({}, [first, other]);
    expect(retracted.sent.flat()).toEqual(['wild event', 'wild retracted']);
    expect(retracted.messages[1]?.reason).toBe('it changed, and does not match any more');
  });

  test('of which more becomes known is not corrected', () => {
    const half = read('1m', 101, { a: { mood: null, block: 101 } });
    expect(story({ if: null }, [half, read('2m', 102, { a: 101 })]).sent.flat()).toEqual(['wild event']);
  });

  test('is final at a depth of 64 blocks: then nothing takes it back', () => {
    const told = story({}, [first, read('2m', 165, { a: 101 }), read('3m', 166, {}), read('4m', 167, {})]);
    expect(told.sent.flat()).toEqual(['wild event']);
    expect(told.memory.alerts).toEqual({});
  });
});

test('more than twenty that vanish at once speak of the explorer: they are held back, and said', () => {
  const all = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`i${i}`, 101]));
  const gone = [read('2m', 102, {}), read('3m', 103, {}), read('4m', 104, {})];
  const told = story({}, [read('1m', 101, all), ...gone, read('5m', 105, all), read('6m', 106, all)]);
  expect(told.sent.flat().filter((words) => words !== 'wild event')).toEqual([]);
  expect(told.reasons[3]).toContain('note');
});

test('those that wait for confirmations are told, however many they are', () => {
  const all = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`i${i}`, 101]));
  const told = story({ confirmations: 3 }, [read('1m', 101, all), read('2m', 104, all), read('3m', 105, all)]);
  expect(told.sent.map((words) => words.length)).toEqual([0, 0, 250, 0]);
});

test('a retraction that was held back leaves what was told as it was', () => {
  const all = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`i${i}`, 101]));
  const few = Object.fromEntries(Object.entries(all).slice(1));
  const gone = [read('2m', 102, {}), read('3m', 103, {})];
  const told = story({}, [read('1m', 101, all), ...gone, read('4m', 104, few), read('5m', 105, few)]);
  expect(told.sent.flat().filter((words) => words !== 'wild event')).toEqual(['wild retracted']);
  expect(told.messages.at(-1)).toMatchObject({ seq: 2, reason: 'not found any more' });
});

test('a hundred are followed; of more the older ones are taken for final', () => {
  const all = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`i${i}`, 101 + i]));
  const { memory } = story({}, [read('1m', 160, all)]);
  expect(Object.keys(memory.alerts['wild'] ?? {})).toHaveLength(100);
});
