import { describe, expect, test } from '@jest/globals';
import type { Condition } from '../../../src/core/model/watch/condition.ts';
import type { EventAlert, Watch } from '../../../src/core/model/watch/watch.ts';
import { runPolls } from '../../support/engine/run-polls.ts';
import { aWatch, below, countAlert, missed, moodIs, onAlert, saw } from '../../support/engine/watch.ts';

describe('new items', () => {
  const watch = aWatch([onAlert()]);

  test('the first poll is a quiet baseline that counts what would have matched', () => {
    const [decision] = runPolls(watch, [saw({ items: { a: 'wild', b: 'calm', c: 'wild' } }, '0m')]).decisions;
    expect(decision?.transitions).toEqual([]);
    expect(decision?.reasons).toEqual([{ type: 'baseline', items: 3, matching: { wild: 2 } }]);
  });

  test('each is told once, whatever the order and however often it is read', () => {
    const polls = [
      saw({ items: {} }, '0m'),
      saw({ items: { a: 'wild', b: 'calm' } }, '1m'),
      saw({ items: { b: 'calm', a: 'wild' } }, '2m'),
      saw({ items: { a: 'wild', c: 'wild' } }, '3m'),
    ];
    expect(runPolls(watch, polls).sent).toEqual([[], ['wild event'], [], ['wild event']]);
  });

  test('a missed poll changes nothing', () => {
    const polls = [saw({ items: {} }, '0m'), missed('1m'), saw({ items: { a: 'wild' } }, '2m'), missed('3m')];
    expect(runPolls(watch, polls).sent).toEqual([[], [], ['wild event'], []]);
  });

  test('before the first answer nothing is a baseline', () => {
    const polls = [missed('0m'), saw({ items: { a: 'wild' } }, '1m'), saw({ items: { a: 'wild', b: 'wild' } }, '2m')];
    expect(runPolls(watch, polls).sent).toEqual([[], [], ['wild event']]);
  });
});

describe('an item whose condition is unknown', () => {
  const watch = aWatch([onAlert()]);
  const start = saw({ items: {} }, '0m');

  test('stays open, and is told once when it becomes true', () => {
    const polls = [
      start,
      saw({ items: { a: null } }, '1m'),
      saw({ items: { a: null } }, '2m'),
      saw({ items: { a: 'wild' } }, '3m'),
      saw({ items: { a: 'wild' } }, '4m'),
    ];
    expect(runPolls(watch, polls).sent).toEqual([[], [], [], ['wild event'], []]);
  });

  test('is let go in silence when it turns out not to match', () => {
    const polls = [start, saw({ items: { a: null } }, '1m'), saw({ items: { a: 'calm' } }, '2m')];
    const { sent, memory } = runPolls(watch, polls);
    expect(sent.flat()).toEqual([]);
    expect(memory.alerts).toEqual({});
  });

  test('is counted as undecided when it leaves the pages that are read', () => {
    const { reasons } = runPolls(watch, [start, saw({ items: { a: null } }, '1m'), saw({ items: {} }, '2m')]);
    expect(reasons[2]).toEqual(['undecided']);
  });

  test('waits for the next sweep in a list that is swept, and is undecided after its look-back', () => {
    const swept = aWatch([onAlert()], { kind: { ...watch.kind, coverage: () => ({ unread: [], sweptAt: null }) } });
    const polls = [start, saw({ items: { a: null, b: null } }, '1m'), saw({ items: {} }, '2m')];
    const later = [saw({ items: { a: 'wild' } }, '90m'), saw({ items: {} }, '421m')];
    const { sent, reasons } = runPolls(swept, [...polls, ...later]);
    expect(sent).toEqual([[], [], [], ['wild event'], []]);
    expect(reasons[2]).toEqual([]);
    expect(reasons[4]).toEqual(['undecided']);
  });

  test('is kept when a partial reading does not show it', () => {
    const polls = [
      start,
      saw({ items: { a: null } }, '1m'),
      saw({ items: {} }, '2m', { partial: 'page 2: timeout' }),
      saw({ items: { a: 'wild' } }, '3m'),
    ];
    expect(runPolls(watch, polls).sent[3]).toEqual(['wild event']);
  });

  test('is never sent if it is part of the baseline', () => {
    const polls = [saw({ items: { a: null } }, '0m'), saw({ items: { a: 'wild' } }, '1m')];
    expect(runPolls(watch, polls).sent.flat()).toEqual([]);
  });
});

describe('changes', () => {
  const changed = (change: Partial<EventAlert> = {}): Watch =>
    aWatch([onAlert({ id: 'moved', on: 'changed', if: null, ...change })]);
  const levels = (...all: (string | null)[]) => all.map((level, i) => saw({ level }, `${i}m`));

  test('the first known value is the baseline; each later difference is news, also back to an old value', () => {
    const { sent } = runPolls(changed(), levels(null, '5', '5', '6', '5'));
    expect(sent).toEqual([[], [], [], ['moved event'], ['moved event']]);
  });

  test('an unknown value in between is not a change, and the value before is the last known one', () => {
    const { messages } = runPolls(changed({ if: below('100') }), levels('5', null, '7'));
    expect(messages.map(({ before }) => before)).toEqual([{ level: { text: '5' } }]);
  });

  test('only those that touch a field which `if` reads concern an alert', () => {
    const { sent } = runPolls(changed({ if: { ...below('100'), reads: ['mood'] } }), levels('5', '6'));
    expect(sent.flat()).toEqual([]);
  });
});

describe('an item that takes too much to judge', () => {
  const limit = 'a text is longer than 4096 characters';
  const hidden: Condition = { ...moodIs('wild'), evaluate: () => 'unknown', limitOf: () => limit };
  const polls = [saw({ items: {} }, '0m'), saw({ items: { a: 'calm' } }, '1m'), saw({ items: { a: 'calm' } }, '2m')];

  test('is told once, with the reason', () => {
    const { sent, messages } = runPolls(aWatch([onAlert({ if: hidden })]), polls);
    expect(sent).toEqual([[], ['wild event'], []]);
    expect(messages.map(({ reason }) => reason)).toEqual([`could not be judged: ${limit}`]);
  });

  test('says so as well when it waited for its confirmations', () => {
    const read = (at: string, head: number) =>
      saw({ items: { a: { mood: 'calm', block: 100 } }, range: { from: 90, head } }, at);
    const { messages } = runPolls(aWatch([onAlert({ if: hidden, confirmations: 3 })]), [
      saw({ items: {}, range: { from: 90, head: 99 } }, '0m'),
      read('1m', 100),
      read('2m', 110),
    ]);
    expect(messages.map(({ reason }) => reason)).toEqual([`could not be judged: ${limit}`]);
  });

  test('counts towards at_least, and does not end an absence', () => {
    const counted = aWatch([countAlert({ if: hidden, fires: { type: 'at-least', count: 1, withinMs: 600_000 } })]);
    expect(runPolls(counted, polls).messages.map(({ type }) => type)).toEqual(['alert.firing']);
    const absent = aWatch([countAlert({ if: hidden, fires: { type: 'none-for', ms: 60_000 } })]);
    expect(runPolls(absent, polls).messages.map(({ type }) => type)).toEqual(['alert.firing']);
  });

  test('is never sent if it is part of the baseline', () => {
    const { sent } = runPolls(aWatch([onAlert({ if: hidden })]), [saw({ items: { a: 'calm' } }, '0m')]);
    expect(sent.flat()).toEqual([]);
  });
});

describe('more items than a poll has steps for', () => {
  /** Each takes as many steps as four polls have for an alert that is alone. */
  const costly: Condition = {
    ...moodIs('wild'),
    evaluate: ({ view }, budget) => {
      if (budget !== undefined) budget.left -= 16_000_000;
      return moodIs('wild').evaluate({ view, before: null, history: null, at: 0 });
    },
  };
  const watch = aWatch([onAlert({ if: costly })]);
  const start = saw({ items: {} }, '0m');

  test('are judged at the next polls, one after the other, and each is told once', () => {
    const items = { a: 'wild', b: 'calm', c: 'wild' };
    const polls = [start, ...['1m', '2m', '3m', '4m'].map((at) => saw({ items }, at))];
    const { sent, memory } = runPolls(watch, polls);
    expect(sent).toEqual([[], ['wild event'], [], ['wild event'], []]);
    expect(Object.keys(memory.alerts['wild'] ?? {})).toEqual([]);
  });

  test('are said to be not judged when they leave the pages that are read before their turn', () => {
    const flood = saw({ items: { a: 'calm', b: 'wild', c: 'wild' } }, '1m');
    const { sent, reasons } = runPolls(watch, [start, flood, saw({ items: {} }, '2m'), saw({ items: {} }, '3m')]);
    expect(sent.flat()).toEqual([]);
    expect(reasons.map((all) => all.filter((type) => type === 'not-judged').length)).toEqual([0, 0, 2, 0]);
  });

  test('stay open while not all pages are read, a thousand at most', () => {
    const items = Object.fromEntries(Array.from({ length: 1300 }, (_, i) => [`i${i}`, 'calm']));
    const { reasons, memory } = runPolls(watch, [start, saw({ items }, '1m', { partial: 'page 2: timeout' })]);
    expect(Object.keys(memory.alerts['wild'] ?? {})).toHaveLength(1000);
    expect(reasons[1]?.filter((type) => type === 'not-judged')).toHaveLength(299);
  });

  test('leave the other alerts of the watch their own part', () => {
    const both = aWatch([onAlert({ if: costly }), onAlert({ id: 'cheap', if: moodIs('wild') })]);
    const { sent } = runPolls(both, [start, saw({ items: { a: 'calm', b: 'calm', c: 'wild' } }, '1m')]);
    expect(sent[1]).toEqual(['cheap event']);
  });

  test('fire nothing that waits for their absence', () => {
    const absent = aWatch([countAlert({ if: costly, fires: { type: 'none-for', ms: 120_000 } })]);
    const { sent, reasons } = runPolls(absent, [
      start,
      saw({ items: { a: 'calm', b: 'wild' } }, '1m'),
      saw({ items: { a: 'calm', b: 'wild' } }, '1m30s'),
      saw({ items: { a: 'calm', b: 'wild' } }, '2m30s'),
    ]);
    expect(sent.flat()).toEqual([]);
    expect(reasons.flat()).not.toContain('not-judged');
  });
});

describe('restart and reload', () => {
  test('an alert added to a running watch starts from what the watch knows', () => {
    const { memory } = runPolls(aWatch([]), [saw({ items: { a: 'wild' } }, '0m')]);
    const later = runPolls(aWatch([onAlert()]), [saw({ items: { a: 'wild', b: 'wild' } }, '1m')], memory);
    expect(later.sent).toEqual([['wild event']]);
  });

  test('a new watch on something else has its own ids', () => {
    const idOf = (watch: Watch): string | undefined => {
      const { decisions } = runPolls(watch, [saw({ items: {} }, '0m'), saw({ items: { a: 'wild' } }, '1m')]);
      return decisions[1]?.transitions[0]?.message.key;
    };
    const one = idOf(aWatch([onAlert()]));
    expect(one).toBe(idOf(aWatch([onAlert()], { name: 'renamed' })));
    expect(one).not.toBe(idOf(aWatch([onAlert()], { id: 'gauge-2' })));
  });
});
