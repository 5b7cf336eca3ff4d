import { describe, expect, test } from '@jest/globals';
import type { CountAlert } from '../../../src/core/model/watch/watch.ts';
import { Amount } from '../../../src/core/values/amount.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import { shiftClock } from '../../../src/core/model/quality/clock-shift.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { at, aWatch, countAlert, missed, moodIs, onAlert, saw, type Item } from '../../support/engine/watch.ts';

/** Wild items by the minute they happened at: `{ a: '1m' }`. */
function wild(times: Readonly<Record<string, string>>): Record<string, Item> {
  return Object.fromEntries(Object.entries(times).map(([key, at]) => [key, { mood: 'wild', block: 'pending', at }]));
}

const START = saw({ items: wild({ old: '0m' }) }, '0m');

function story(alert: Partial<CountAlert>, polls: readonly Observation[]): readonly (readonly string[])[] {
  return runPolls(aWatch([countAlert(alert)]), polls).sent;
}

describe('`at_least` three within ten minutes', () => {
  test('fires at the third, says nothing of each, and resolves when they are too far apart', () => {
    const items = wild({ a: '1m', b: '2m', c: '9m' });
    const sent = story({}, [START, saw({ items }, '9m'), saw({ items }, '10m'), saw({ items }, '11m')]);
    expect(sent).toEqual([[], ['many firing'], [], ['many resolved']]);
  });

  test('the baseline does not count', () => {
    expect(story({}, [START, saw({ items: wild({ old: '0m', b: '2m', c: '3m' }) }, '3m')])).toEqual([[], []]);
  });

  test('counts by the own times of items: three that are told late do not fire if they were far apart', () => {
    const items = wild({ a: '1m', b: '20m', c: '40m' });
    expect(story({}, [START, saw({ items }, '40m')])).toEqual([[], []]);
  });

  test('an item is counted once, however often it is read', () => {
    const items = wild({ a: '1m', b: '1m' });
    const polls = ['1m', '2m', '3m', '4m'].map((when) => saw({ items }, when));
    expect(story({}, [START, ...polls]).flat()).toEqual([]);
  });

  test('a partial or missed poll decides nothing, and what it showed counts at the next complete one', () => {
    const items = wild({ a: '1m', b: '1m', c: '2m' });
    const polls = [START, saw({ items }, '2m', { partial: 'page 2 did not come' }), missed('3m'), saw({ items }, '4m')];
    expect(story({}, polls)).toEqual([[], [], [], ['many firing']]);
  });

  test('a missed poll resolves nothing', () => {
    const items = wild({ a: '1m', b: '1m', c: '1m' });
    const sent = story({}, [START, saw({ items }, '1m'), missed('20m'), saw({ items }, '21m')]);
    expect(sent).toEqual([[], ['many firing'], [], ['many resolved']]);
  });

  test('an item whose condition becomes known later counts then, by its own time', () => {
    const open = { ...wild({ a: '1m', b: '2m' }), c: { mood: null, block: 'pending' as const, at: '3m' } };
    const known = wild({ a: '1m', b: '2m', c: '3m' });
    const sent = story({}, [START, saw({ items: open }, '3m'), saw({ items: known }, '4m')]);
    expect(sent).toEqual([[], [], ['many firing']]);
  });

  test('says how many, and of what', () => {
    const items = wild({ a: '1m', b: '1m', c: '1m' });
    const [message] = runPolls(aWatch([countAlert()]), [START, saw({ items }, '1m')]).messages;
    expect(message).toMatchObject({
      condition: 'at least 3 new within 10m: mood == "wild"',
      fields: { count: 3, mood: { text: 'wild' } },
    });
  });
});

describe('items are judged at their own times', () => {
  const spread = wild({ a: '8m', b: '9m', c: '11m' });
  const early = wild({ a: '8m', b: '9m' });

  test('a burst on both sides of a poll fires, with the number of its own time, and is over at the next poll', () => {
    const polls = [START, saw({ items: early }, '10m'), saw({ items: spread }, '20m'), saw({ items: spread }, '30m')];
    const { sent, messages } = runPolls(aWatch([countAlert()]), polls);
    expect(sent).toEqual([[], [], ['many firing'], ['many resolved']]);
    expect(messages[0]?.fields).toMatchObject({ count: 3 });
  });

  test('a burst between two polls that are further apart than the time fires', () => {
    const items = wild({ a: '30m', b: '31m', c: '32m', d: '100m' });
    expect(story({}, [START, saw({ items }, '120m'), saw({ items }, '240m')])).toEqual([
      [],
      ['many firing'],
      ['many resolved'],
    ]);
  });

  test('what a partial poll showed, and what it lacked, is judged so at the next complete one', () => {
    const partial = saw({ items: early }, '10m', { partial: 'page 2 did not come' });
    const all = { ...early, ...wild({ c: '7m', d: '70m' }) };
    expect(story({}, [START, partial, missed('30m'), saw({ items: all }, '70m'), saw({ items: all }, '80m')])).toEqual([
      [],
      [],
      [],
      ['many firing'],
      ['many resolved'],
    ]);
  });

  test('a burst that was told is not told again by one more item of it that comes late', () => {
    const polls = [START, saw({ items: spread }, '11m'), saw({ items: spread }, '22m')];
    const late = saw({ items: { ...spread, ...wild({ d: '10m' }) } }, '23m');
    expect(story({}, [...polls, late])).toEqual([[], ['many firing'], ['many resolved'], []]);
  });

  test('a ratio', () => {
    const fires = { type: 'ratio', part: new Amount(5n, 1), of: null, min: 3, withinMs: 600_000 } as const;
    const polls = [early, spread, spread].map((items, i) => saw({ items }, `${10 * (i + 1)}m`));
    expect(story({ fires }, [START, ...polls])).toEqual([[], [], ['many firing'], ['many resolved']]);
  });

  test('a clock that is set back moves the time since which nothing was judged', () => {
    const partial = saw({ items: early }, '10m', { partial: 'page 2 did not come' });
    const { memory } = runPolls(aWatch([countAlert()]), [START, partial]);
    const unjudged = (of: typeof memory) => Object.values(of.alerts['many'] ?? {})[0];
    expect(unjudged(memory)).toMatchObject({ unjudgedFrom: START.at });
    expect(unjudged(shiftClock(memory, 1000))).toMatchObject({ unjudgedFrom: START.at - 1000 });
  });
});

describe('`per`', () => {
  const alert = { per: ['mood'], if: null };
  const moods = (minute: string, all: Readonly<Record<string, string>>): Record<string, Item> =>
    Object.fromEntries(Object.entries(all).map(([key, mood]) => [key, { mood, block: 'pending', at: minute }]));

  test('each group lives on its own, under a key of its own', () => {
    const items = moods('1m', { a: 'wild', b: 'wild', c: 'wild', d: 'calm', e: 'calm' });
    const more = { ...items, ...moods('2m', { f: 'calm' }) };
    const told = runPolls(aWatch([countAlert(alert)]), [START, saw({ items }, '1m'), saw({ items: more }, '2m')]);
    expect(told.sent).toEqual([[], ['many firing'], ['many firing']]);
    const [wildOnes, calmOnes] = told.messages;
    expect(wildOnes?.key).not.toBe(calmOnes?.key);
    expect(wildOnes?.fields).toMatchObject({ count: 3, mood: { text: 'wild' } });
    expect(calmOnes?.fields).toMatchObject({ count: 3, mood: { text: 'calm' } });
  });

  test('two processes that see a burst at different polls give its group the same key, and the next burst another one', () => {
    const burst = moods('1m', { a: 'wild', b: 'wild', c: 'wild' });
    const keysOf = (...polls: readonly Observation[]): (string | undefined)[] =>
      runPolls(aWatch([countAlert(alert)]), [START, ...polls]).messages.flatMap(({ type, key }) =>
        type === 'alert.firing' ? [key] : [],
      );
    const [early] = keysOf(saw({ items: burst }, '2m'));
    const later = moods('30m', { d: 'wild', e: 'wild', f: 'wild' });
    const [late, next] = keysOf(saw({ items: burst }, '3m'), saw({ items: {} }, '20m'), saw({ items: later }, '31m'));
    expect(late).toBe(early);
    expect(next).toMatch(/^[a-z2-7]+$/);
    expect(next).not.toBe(early);
  });

  test('a group of which nothing is left is forgotten', () => {
    const items = moods('1m', { a: 'wild' });
    const { memory } = runPolls(aWatch([countAlert(alert)]), [START, saw({ items }, '1m'), saw({ items: {} }, '12m')]);
    expect(memory.alerts).toEqual({});
  });

  test('beyond a hundred groups the rest are one', () => {
    const one: CountAlert['fires'] = { type: 'at-least', count: 1, withinMs: 600_000 };
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`i${i}`, `mood${i}`]));
    const told = runPolls(aWatch([countAlert({ ...alert, fires: one })]), [
      START,
      saw({ items: moods('1m', many) }, '1m'),
    ]);
    expect(told.messages).toHaveLength(101);
    expect(told.messages.at(-1)?.fields).toMatchObject({ count: 50 });
  });
});

describe('`none_for` six minutes', () => {
  const fires: CountAlert['fires'] = { type: 'none-for', ms: 360_000 };

  test('fires when none happened for so long, and resolves with the next', () => {
    const first = wild({ a: '2m' });
    const polls = [START, saw({ items: first }, '2m'), saw({ items: first }, '7m'), saw({ items: first }, '8m')];
    const next = saw({ items: { ...first, ...wild({ b: '9m' }) } }, '9m');
    expect(story({ fires }, [...polls, next])).toEqual([[], [], [], ['many firing'], ['many resolved']]);
  });

  test('what was there at the baseline happened too', () => {
    expect(story({ fires }, [START, saw({}, '5m'), saw({}, '6m')])).toEqual([[], [], ['many firing']]);
  });

  test('where nothing ever happened, it counts from when it began to look', () => {
    const polls = [saw({}, '10m'), saw({}, '15m'), saw({}, '16m')];
    expect(story({ fires }, polls)).toEqual([[], [], ['many firing']]);
  });

  test('while nobody looks, nothing is missing', () => {
    expect(story({ fires }, [START, missed('10m'), missed('20m')]).flat()).toEqual([]);
  });

  test('what was missed meanwhile and is read late happened in time', () => {
    const polls = [START, missed('10m'), saw({ items: wild({ a: '9m' }) }, '12m')];
    expect(story({ fires }, polls).flat()).toEqual([]);
  });
});

test('what does not match is counted since the last one that does, over a missed poll and a late item', () => {
  const silent = aWatch([countAlert({ fires: { type: 'none-for', ms: 3_600_000 } })]);
  const calm = (at: string): Item => ({ mood: 'calm', block: 'pending', at });
  const othersAt = (...polls: readonly Observation[]): unknown =>
    Object.values(runPolls(silent, [START, ...polls]).memory.alerts['many'] ?? {}).map(
      (group) => 'others' in group && group.others,
    );
  const one = saw({ items: { ...wild({ a: '5m' }), b: calm('4m'), c: calm('6m') } }, '7m');
  expect(othersAt(one)).toEqual([{ count: 1, newest: at('6m') }]);
  const two = saw({ items: { d: calm('8m'), e: calm('3m') } }, '9m');
  expect(othersAt(one, missed('8m'), two)).toEqual([{ count: 2, newest: at('8m') }]);
  expect(othersAt(one, two, saw({ items: wild({ f: '10m' }) }, '11m'))).toEqual([false]);
});

test('an alert that becomes a count ends nothing and starts anew', () => {
  const items = wild({ a: '1m', b: '1m', c: '1m' });
  const before = runPolls(aWatch([onAlert({ id: 'many' })]), [START, saw({ items }, '1m')]);
  expect(before.sent).toEqual([[], ['many event', 'many event', 'many event']]);
  const more = { ...items, ...wild({ d: '2m', e: '2m' }) };
  const polls = [saw({ items: more }, '2m'), saw({ items: { ...more, ...wild({ f: '3m' }) } }, '3m')];
  expect(runPolls(aWatch([countAlert()]), polls, before.memory).sent).toEqual([[], ['many firing']]);
});

describe('a reload that changes what is counted', () => {
  const items = wild({ a: '1m', b: '2m', c: '3m' });
  const fired = runPolls(aWatch([countAlert({})]), [START, saw({ items }, '4m')]);
  const perMood = runPolls(aWatch([countAlert({ per: ['mood'] })]), [START, saw({ items }, '4m')]);
  const sum = { type: 'sum', path: 'level', least: new Amount(100n, 0), withinMs: 600_000 } as const;
  const ratio = { type: 'ratio', part: new Amount(5n, 1), of: null, min: 1, withinMs: 600_000 } as const;

  test.each<[string, Partial<CountAlert>]>([
    ['the sort', { fires: sum }],
    ['the items', { if: moodIs('calm') }],
    ['the groups', { per: ['mood'] }],
  ])('%s, begins anew, and ends what fires', (_name, change) => {
    const { sent, messages } = runPolls(
      aWatch([countAlert(change)]),
      [saw({ items }, '5m'), saw({ items }, '6m')],
      fired.memory,
    );
    expect(sent).toEqual([['many resolved'], []]);
    expect(messages[0]?.reason).toBe('rule changed');
  });

  test.each<[string, CountAlert['fires'], CountAlert['fires']]>([
    ['the field of a sum', sum, { ...sum, path: 'other' }],
    ['a sum into a ratio', sum, ratio],
    ['the items that a ratio is of', ratio, { ...ratio, of: moodIs('wild') }],
  ])('%s, begins anew though nothing fired', (_name, before, after) => {
    const counted = runPolls(aWatch([countAlert({ fires: before, if: null })]), [START, saw({ items }, '4m')]);
    const { memory } = runPolls(
      aWatch([countAlert({ fires: after, if: null })]),
      [saw({ items }, '5m')],
      counted.memory,
    );
    expect(Object.values(memory.alerts['many'] ?? {})).toMatchObject([{ type: 'group', tallies: [], matches: [] }]);
  });

  test('a limit or a span that changes, and another title, go on with what was counted', () => {
    const wider = countAlert({
      fires: { type: 'at-least', count: 2, withinMs: 1_200_000 },
      runbook: 'https://x.example',
    });
    const { sent } = runPolls(aWatch([wider]), [saw({ items }, '5m'), saw({ items }, '12m')], fired.memory);
    expect(sent).toEqual([[], []]);
  });

  test('a limit of items in a row that changes goes on with the row, and another condition begins anew', () => {
    const inBlocks = Object.fromEntries(
      Object.entries(items).map(([key, one], i) => [key, { ...one, block: 1000 + i }]),
    );
    const inARow = (count: number) => countAlert({ fires: { type: 'in-a-row', count } });
    const waits = runPolls(aWatch([inARow(4)]), [START, saw({ items: inBlocks }, '4m')]);
    expect(waits.sent).toEqual([[], []]);
    const poll = saw({ items: inBlocks }, '5m');
    const fires = runPolls(aWatch([inARow(3)]), [poll], waits.memory);
    expect(fires.sent).toEqual([['many firing']]);
    const calm = runPolls(
      aWatch([{ ...inARow(3), if: moodIs('calm') }]),
      [saw({ items: inBlocks }, '6m')],
      fires.memory,
    );
    expect(calm.sent).toEqual([['many resolved']]);
    expect(calm.messages[0]?.reason).toBe('rule changed');
  });

  test('groups of before fire for nobody when absence is watched, and one alert tells it', () => {
    const silent = countAlert({ fires: { type: 'none-for', ms: 600_000 } });
    const polls = ['5m', '14m', '15m', '16m'].map((when) => saw({ items }, when));
    expect(runPolls(aWatch([silent]), polls, perMood.memory).sent).toEqual([
      ['many resolved'],
      [],
      ['many firing'],
      [],
    ]);
  });
});
