import { describe, expect, test } from '@jest/globals';
import { MEETINGS } from '../model.ts';
import { addMeetings, NEVER_MEET, readMeetings, showMeetings } from './meetings.ts';
import { createSightingLog, pairCounts, PAIRS } from './sightings.ts';

const MINUTE = 60_000;

describe('two things that meet one alert', () => {
  test('meet each other within a quarter of an hour, once for each alert', () => {
    let now = 0;
    const log = createSightingLog(() => now);
    for (const key of ['a', 'b']) log.saw('reload', key);
    now = 10 * MINUTE;
    for (const key of ['a', 'b', 'a']) log.saw('silence', key);
    log.saw('ack', 'c');
    expect([...pairCounts(log.all())]).toEqual([['reload + silence', 2]]);
  });

  test('do not meet when one is long over', () => {
    let now = 0;
    const log = createSightingLog(() => now);
    log.saw('reload', 'a');
    now = 16 * MINUTE;
    log.saw('silence', 'a');
    expect(pairCounts(log.all()).size).toBe(0);
  });

  test('meet as long as one of them lasts', () => {
    let now = 0;
    const log = createSightingLog(() => now);
    log.sawFor('snooze', 'a', 60 * MINUTE);
    now = 50 * MINUTE;
    log.saw('mute', 'a');
    expect([...pairCounts(log.all()).keys()]).toEqual(['snooze + mute']);
  });
});

test('each pair is named once', () => {
  expect(PAIRS).toHaveLength((MEETINGS.length * (MEETINGS.length - 1)) / 2);
  expect(new Set(PAIRS).size).toBe(PAIRS.length);
});

test('the lines of several runs are added up', () => {
  const once = addMeetings(new Map(), [
    { of: 'ack', key: 'a', episode: 1, from: 0, to: 1 },
    { of: 'reload', key: 'a', episode: 1, from: 0, to: 1 },
  ]);
  const lines = showMeetings(once);
  expect(lines).toContain('met: reload + ack 1');
  expect(lines).toHaveLength(PAIRS.length - Object.keys(NEVER_MEET).length);
  expect(readMeetings([...lines, ...lines].join('\n')).get('reload + ack')).toBe(2);
});

test('what never meets is named as a pair', () => {
  expect(Object.keys(NEVER_MEET).filter((pair) => !PAIRS.includes(pair))).toEqual([]);
});
