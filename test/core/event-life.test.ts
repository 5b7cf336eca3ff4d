import { describe, expect, test } from '@jest/globals';
import { blankMemory, step } from '../../src/core/step.ts';
import type { Memory } from '../../src/core/memory.ts';
import type { EventAlert, Observation, Watch } from '../../src/core/model.ts';
import { aWatch, below, missed, onAlert, saw, stored } from '../support/watch.ts';

/** Runs the polls, with memory through the store in between, and returns what each of them said. */
function tell(watch: Watch, polls: readonly Observation[]): { said: string[][]; reasons: string[][]; memory: Memory } {
  let memory = blankMemory(watch);
  const said: string[][] = [];
  const reasons: string[][] = [];
  for (const poll of polls) {
    const decision = step(watch, memory, poll);
    said.push(decision.deliveries.map(({ message }) => message.alert));
    reasons.push(decision.reasons.map(({ type }) => type));
    memory = stored({ ...decision.memory, version: memory.version + 1 });
  }
  return { said, reasons, memory };
}

describe('new items', () => {
  const watch = aWatch([onAlert()]);

  test('the first poll is a quiet baseline that counts what would have matched', () => {
    const decision = step(watch, blankMemory(watch), saw({ items: { a: 'wild', b: 'calm', c: 'wild' } }, '0m'));
    expect(decision.deliveries).toEqual([]);
    expect(decision.reasons).toEqual([{ type: 'baseline', items: 3, matching: { wild: 2 } }]);
  });

  test('each is told once, whatever the order and however often it is read', () => {
    const polls = [
      saw({ items: {} }, '0m'),
      saw({ items: { a: 'wild', b: 'calm' } }, '1m'),
      saw({ items: { b: 'calm', a: 'wild' } }, '2m'),
      saw({ items: { a: 'wild', c: 'wild' } }, '3m'),
    ];
    expect(tell(watch, polls).said).toEqual([[], ['wild'], [], ['wild']]);
  });

  test('a missed poll changes nothing', () => {
    const polls = [saw({ items: {} }, '0m'), missed('1m'), saw({ items: { a: 'wild' } }, '2m'), missed('3m')];
    expect(tell(watch, polls).said).toEqual([[], [], ['wild'], []]);
  });

  test('before the first answer nothing is a baseline', () => {
    const polls = [missed('0m'), saw({ items: { a: 'wild' } }, '1m'), saw({ items: { a: 'wild', b: 'wild' } }, '2m')];
    expect(tell(watch, polls).said).toEqual([[], [], ['wild']]);
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
    expect(tell(watch, polls).said).toEqual([[], [], [], ['wild'], []]);
  });

  test('is let go in silence when it turns out not to match', () => {
    const polls = [start, saw({ items: { a: null } }, '1m'), saw({ items: { a: 'calm' } }, '2m')];
    const { said, memory } = tell(watch, polls);
    expect(said.flat()).toEqual([]);
    expect(memory.alerts).toEqual({});
  });

  test('is counted as undecided when it leaves the pages that are read', () => {
    const { reasons } = tell(watch, [start, saw({ items: { a: null } }, '1m'), saw({ items: {} }, '2m')]);
    expect(reasons[2]).toEqual(['undecided']);
  });

  test('is kept when a partial reading does not show it', () => {
    const polls = [
      start,
      saw({ items: { a: null } }, '1m'),
      saw({ items: {} }, '2m', { partial: 'page 2: timeout' }),
      saw({ items: { a: 'wild' } }, '3m'),
    ];
    expect(tell(watch, polls).said[3]).toEqual(['wild']);
  });

  test('was there at the baseline: never told', () => {
    const polls = [saw({ items: { a: null } }, '0m'), saw({ items: { a: 'wild' } }, '1m')];
    expect(tell(watch, polls).said.flat()).toEqual([]);
  });
});

describe('changes', () => {
  const changed = (change: Partial<EventAlert> = {}): Watch =>
    aWatch([onAlert({ id: 'moved', on: 'changed', if: null, ...change })]);
  const levels = (...all: (string | null)[]) => all.map((level, i) => saw({ level }, `${i}m`));

  test('the first known value is the baseline; each later difference is news, also back to an old value', () => {
    const { said } = tell(changed(), levels(null, '5', '5', '6', '5'));
    expect(said).toEqual([[], [], [], ['moved'], ['moved']]);
  });

  test('an unknown value in between is not a change, and the value before is the last known one', () => {
    const watch = changed({ if: below('100') });
    let memory = blankMemory(watch);
    const messages = levels('5', null, '7').flatMap((poll) => {
      const decision = step(watch, memory, poll);
      memory = stored({ ...decision.memory, version: memory.version + 1 });
      return decision.deliveries.map(({ message }) => message);
    });
    expect(messages.map(({ before }) => before)).toEqual([{ level: { text: '5' } }]);
  });

  test('only those that touch a field which `if` reads concern an alert', () => {
    const { said } = tell(changed({ if: { ...below('100'), reads: ['mood'] } }), levels('5', '6'));
    expect(said.flat()).toEqual([]);
  });
});

describe('restart and reload', () => {
  test('an alert added to a running watch starts from what the watch knows', () => {
    const before = aWatch([]);
    const first = step(before, blankMemory(before), saw({ items: { a: 'wild' } }, '0m'));
    const memory = stored({ ...first.memory, version: 1 });
    const after = aWatch([onAlert()]);
    expect(step(after, memory, saw({ items: { a: 'wild', b: 'wild' } }, '1m')).deliveries).toHaveLength(1);
  });

  test('a new watch on something else has its own ids', () => {
    const idOf = (watch: Watch): string | undefined => {
      const start = step(watch, blankMemory(watch), saw({ items: {} }, '0m'));
      return step(watch, start.memory, saw({ items: { a: 'wild' } }, '1m')).deliveries[0]?.id;
    };
    const one = idOf(aWatch([onAlert()]));
    expect(one).toBe(idOf(aWatch([onAlert()], { name: 'renamed' })));
    expect(one).not.toBe(idOf(aWatch([onAlert()], { id: 'gauge-2' })));
  });
});
