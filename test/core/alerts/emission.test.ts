// What is told of a condition that comes and goes: the state is exact at every poll, its messages may wait.
import { describe, expect, test } from '@jest/globals';
import type { ConditionAlert } from '../../../src/core/model/watch/watch.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { runPolls, type PollResults } from '../../support/engine/run-polls.ts';
import { aWatch, saw, whileAlert } from '../../support/engine/watch.ts';

const LOW = '90';
const FINE = '150';

/** By minute, what was seen. */
function story(alert: Partial<ConditionAlert>, levels: Readonly<Record<number, string>>): PollResults {
  const polls = Object.entries(levels).map(([minute, level]): Observation => saw({ level }, `${minute}m`));
  return runPolls(aWatch([whileAlert(alert)]), polls);
}

/** What was said, by minute: `12 firing`. */
function said({ messages }: PollResults): string[] {
  const start = Date.parse('2026-01-01T00:00:00Z');
  return messages.map(({ at, type }) => `${(at - start) / 60_000} ${type.slice('alert.'.length)}`);
}

describe('a cooldown of twenty minutes', () => {
  const alert = { cooldownMs: 20 * 60_000 };

  test('holds back a firing until it is over, and tells it then if it still fires', () => {
    const told = story(alert, { 0: LOW, 1: FINE, 5: LOW, 20: LOW, 21: LOW, 22: LOW });
    expect(said(told)).toEqual(['0 firing', '1 resolved', '21 firing']);
    expect(told.messages[2]).toMatchObject({ reason: null, since: Date.parse('2026-01-01T00:05:00Z') });
  });

  test('what fired and ended meanwhile is counted, and told in the next message', () => {
    const told = story(alert, { 0: LOW, 1: FINE, 5: LOW, 6: FINE, 60: FINE, 90: LOW });
    expect(said(told)).toEqual(['0 firing', '1 resolved', '90 firing']);
    expect(told.messages[2]?.reason).toBe('it fired and ended one more time without a message');
  });

  test('the state is firing at once, whatever is told', () => {
    const { memory } = story(alert, { 0: LOW, 1: FINE, 5: LOW });
    expect(memory.alerts['low']?.['']).toMatchObject({ state: 'firing', firing: null });
  });
});

test('an alert that flaps in its cooldown says so only after it', () => {
  const alert = { cooldownMs: 30 * 60_000 };
  const told = story(alert, { 0: LOW, 1: FINE, 5: LOW, 6: FINE, 10: LOW, 11: FINE, 20: LOW, 25: LOW, 31: LOW });
  expect(said(told)).toEqual(['0 firing', '1 resolved', '31 firing']);
  expect(told.messages[2]?.reason).toBe('it fired and ended 2 more times without a message');
  const again = story(alert, { 0: LOW, 1: FINE, 5: LOW, 6: FINE, 10: LOW, 11: FINE, 32: LOW });
  expect(said(again)).toEqual(['0 firing', '1 resolved', '32 firing']);
  expect(again.messages[2]?.reason).toMatch(/^flapping: it fired three times/);
});

describe('an alert that flaps', () => {
  const often = { 0: LOW, 1: FINE, 2: LOW, 3: FINE, 4: LOW, 5: FINE, 6: LOW, 7: FINE };

  test('is told so at its third firing within an hour, and then nothing until it is steady', () => {
    const told = story({}, { ...often, 8: FINE, 36: FINE });
    expect(said(told)).toEqual(['0 firing', '1 resolved', '2 firing', '3 resolved', '4 firing']);
    expect(told.messages[4]?.reason).toMatch(/^flapping: it fired three times within an hour/);
  });

  test('and its last state is told when it has been steady for half an hour: over', () => {
    const told = story({}, { ...often, 36: FINE, 37: FINE, 38: FINE });
    expect(said(told).slice(5)).toEqual(['37 resolved']);
    expect(told.messages.at(-1)?.reason).toBe(
      'steady for 30 minutes; it fired and ended 2 more times without a message',
    );
  });

  test('or firing', () => {
    const told = story({}, { ...often, 8: LOW, 37: LOW, 38: LOW, 39: LOW });
    expect(said(told).slice(5)).toEqual(['38 firing']);
    const ended = story({}, { ...often, 8: LOW, 38: LOW, 100: FINE });
    expect(said(ended).slice(5)).toEqual(['38 firing', '100 resolved']);
    expect(ended.messages.slice(5).map(({ since }) => since)).toEqual(
      Array(2).fill(Date.parse('2026-01-01T00:08:00Z')),
    );
  });

  test('a value that has been good for half an hour is told at once, with the time that the alert itself waits', () => {
    const lows = [0, 7, 14];
    const levels = Array.from({ length: 60 }, (_, minute): [number, string] => [
      minute,
      lows.includes(minute) ? LOW : FINE,
    ]);
    const told = story({ keepFiringForMs: 5 * 60_000 }, Object.fromEntries(levels));
    expect(said(told)).toEqual(['0 firing', '6 resolved', '7 firing', '13 resolved', '14 firing', '45 resolved']);
  });

  test('taken out of its rule it is over, and says so', () => {
    const { memory } = story({}, often);
    const gone = runPolls(aWatch([]), [saw({ level: FINE }, '8m')], memory);
    expect(gone.sent).toEqual([['low resolved']]);
  });

  test('firings that are more than an hour apart do not flap', () => {
    const told = story({}, { 0: LOW, 1: FINE, 30: LOW, 31: FINE, 60: LOW, 61: FINE });
    expect(said(told)).toHaveLength(6);
  });
});
