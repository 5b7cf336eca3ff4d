import { describe, expect, test } from '@jest/globals';
import { advance, newCondition, type Truths } from '../../../src/core/alerts/conditions/condition-state.ts';
import type { Message } from '../../../src/core/model/delivery.ts';
import type { ConditionState } from '../../../src/core/model/memory.ts';
import { emissionOf } from '../../../src/core/alerts/emission.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;
/** One poll a minute; two minutes for each wait. */
const TIME = { at: NOW, coveredUntil: NOW - MINUTE, intervalMs: MINUTE };
const WAITS = { forMs: 2 * MINUTE, keepFiringForMs: 2 * MINUTE };
const NO_WAITS = { forMs: 0, keepFiringForMs: 0 };

type State = ConditionState['state'];

/** A condition that has waited for so many minutes. */
function at(state: State, waited = 0): ConditionState {
  const isWaiting = state === 'pending' || state === 'recovering';
  const since = isWaiting ? NOW - MINUTE : null;
  const output = state === 'pending' || state === 'firing';
  const heldMs = isWaiting ? (waited - 1) * MINUTE : 0;
  return { ...newCondition(0), state, output, since, heldMs, episode: 1, seq: 1 };
}

const T: Truths = { while: true, until: null };
const F: Truths = { while: false, until: null };
const X: Truths = { while: 'unknown', until: null };
/** Below the one threshold, not above the other. */
const BETWEEN: Truths = { while: false, until: false };
const CLEAR: Truths = { while: false, until: true };
const HALF_KNOWN: Truths = { while: false, until: 'unknown' };

type Row = readonly [before: ConditionState, truths: Truths, waits: typeof WAITS, transition: string, after: State];

const TABLE: readonly Row[] = [
  [at('inactive'), T, NO_WAITS, 'firing', 'firing'],
  [at('inactive'), T, WAITS, 'pending', 'pending'],
  [at('inactive'), F, WAITS, 'clear', 'inactive'],
  [at('inactive'), X, WAITS, 'unknown', 'inactive'],
  [at('inactive'), BETWEEN, WAITS, 'clear', 'inactive'],
  [at('inactive'), HALF_KNOWN, WAITS, 'clear', 'inactive'],
  [at('pending', 1), T, WAITS, 'still-pending', 'pending'],
  [at('pending', 2), T, WAITS, 'firing', 'firing'],
  [at('pending', 1), F, WAITS, 'dropped', 'inactive'],
  [at('pending', 1), X, WAITS, 'unknown', 'pending'],
  [at('pending', 1), BETWEEN, WAITS, 'dropped', 'inactive'],
  [at('pending', 1), HALF_KNOWN, WAITS, 'dropped', 'inactive'],
  [at('pending', 1), CLEAR, WAITS, 'dropped', 'inactive'],
  [at('firing'), T, WAITS, 'still-firing', 'firing'],
  [at('firing'), F, NO_WAITS, 'resolved', 'inactive'],
  [at('firing'), F, WAITS, 'recovering', 'recovering'],
  [at('firing'), X, NO_WAITS, 'unknown', 'firing'],
  [at('firing'), BETWEEN, NO_WAITS, 'still-firing', 'firing'],
  [at('firing'), CLEAR, NO_WAITS, 'resolved', 'inactive'],
  [at('firing'), HALF_KNOWN, NO_WAITS, 'unknown', 'firing'],
  [at('recovering', 1), T, WAITS, 'relapsed', 'firing'],
  [at('recovering', 1), F, WAITS, 'still-recovering', 'recovering'],
  [at('recovering', 2), F, WAITS, 'resolved', 'inactive'],
  [at('recovering', 2), X, WAITS, 'unknown', 'recovering'],
  [at('recovering', 1), BETWEEN, WAITS, 'still-recovering', 'recovering'],
];

const nameOf = (truths: Truths): string => `while ${truths.while}, until ${String(truths.until)}`;

test.each(TABLE.map(([before, truths, waits, transition, after]) => ({ before, truths, waits, transition, after })))(
  'the state table: $before.state, $before.heldMs, $truths, $waits.forMs: $transition',
  ({ before, truths, waits, transition, after }) => {
    const advanced = advance(waits, before, truths, TIME);
    expect([nameOf(truths), advanced.transition, advanced.after.state]).toEqual([nameOf(truths), transition, after]);
  },
);

test('an episode begins with each firing; every firing and every end has a number', () => {
  const fired = advance(NO_WAITS, at('inactive'), T, TIME).after;
  expect([fired.episode, fired.seq]).toEqual([2, 2]);
  const ended = advance(NO_WAITS, fired, F, TIME).after;
  expect([ended.episode, ended.seq]).toEqual([2, 3]);
  const relapsed = advance(WAITS, at('recovering', 1), T, TIME).after;
  expect([relapsed.episode, relapsed.seq]).toEqual([1, 1]);
});

const MESSAGE = {} as Message;
const RULE = { cooldownMs: 10 * MINUTE, forMs: 0, keepFiringForMs: 0 };

describe('what is told of a change', () => {
  const quiet = at('inactive');
  const firing: ConditionState = { ...at('firing'), firing: MESSAGE };
  const flapping: ConditionState = { ...firing, flapping: NOW - MINUTE };
  const cooling: ConditionState = { ...at('firing'), cooldownUntil: NOW + 1 };
  const cooled: ConditionState = { ...at('firing'), cooldownUntil: NOW };
  const twice = [NOW - 50 * MINUTE, NOW - 20 * MINUTE];

  test.each([
    ['the first firing', at('firing'), 'firing', 'firing', null],
    ['a firing within the cooldown waits', cooling, 'firing', 'nothing', 'cooldown'],
    ['and is told when the cooldown is over', cooled, 'still-firing', 'firing', null],
    ['but not before', cooling, 'still-firing', 'nothing', null],
    ['also while it is recovering', { ...at('recovering', 1), cooldownUntil: NOW }, 'recovering', 'firing', null],
    ['a firing that was told is not told again', firing, 'still-firing', 'nothing', null],
    ['an end', { ...quiet, firing: MESSAGE }, 'resolved', 'resolved', null],
    ['the end of what was not told', quiet, 'resolved', 'nothing', 'cooldown'],
    ['the third firing within an hour', { ...at('firing'), firings: twice }, 'firing', 'flapping', 'flapping'],
    ['of which two were longer ago', { ...at('firing'), firings: [1, 2] }, 'firing', 'firing', null],
    ['a firing while it flaps', flapping, 'firing', 'nothing', 'flapping'],
    ['an end while it flaps', { ...flapping, state: 'inactive' as const }, 'resolved', 'nothing', 'flapping'],
    ['nothing new while it flaps', flapping, 'still-firing', 'nothing', null],
    ['half an hour of calm, firing', { ...firing, flapping: NOW - 30 * MINUTE }, 'still-firing', 'steady', null],
    [
      'half an hour of calm, clear',
      { ...quiet, firing: MESSAGE, flapping: NOW - 30 * MINUTE },
      'clear',
      'steady',
      null,
    ],
    ['less than that', { ...firing, flapping: NOW - 29 * MINUTE }, 'still-firing', 'nothing', null],
    ['nothing is known', { ...firing, flapping: 0 }, 'unknown', 'nothing', null],
    ['nothing happened', quiet, 'clear', 'nothing', null],
    ['it waits', at('pending', 1), 'pending', 'nothing', null],
    ['it waits on', at('pending', 1), 'still-pending', 'nothing', null],
    ['it was over before it fired', quiet, 'dropped', 'nothing', null],
    ['it recovers', { ...at('recovering', 1), firing: MESSAGE }, 'recovering', 'nothing', null],
    ['it recovers on', { ...at('recovering', 1), firing: MESSAGE }, 'still-recovering', 'nothing', null],
    ['it relapses', firing, 'relapsed', 'nothing', null],
  ] as const)('%s', (_name, state, transition, tell, held) => {
    const telling = emissionOf(RULE, state, transition, NOW);
    expect([telling.emits, telling.suppressedBy]).toEqual([tell, held]);
  });

  test('an end that is told begins the cooldown, and one while it flaps', () => {
    for (const ending of [
      { ...quiet, firing: MESSAGE },
      { ...flapping, state: 'inactive' as const },
    ]) {
      expect(emissionOf(RULE, ending, 'resolved', NOW).after.cooldownUntil).toBe(NOW + 10 * MINUTE);
      expect(emissionOf({ ...RULE, cooldownMs: 0 }, ending, 'resolved', NOW).after.cooldownUntil).toBeNull();
    }
  });

  test('the end of what the cooldown held back does not prolong it', () => {
    const cooled = { ...quiet, cooldownUntil: NOW + MINUTE };
    expect(emissionOf(RULE, cooled, 'resolved', NOW).after.cooldownUntil).toBe(NOW + MINUTE);
  });

  test('what came and went untold is counted', () => {
    expect(emissionOf(RULE, quiet, 'resolved', NOW).after.flaps).toBe(1);
    expect(emissionOf(RULE, { ...flapping, flaps: 2 }, 'resolved', NOW).after.flaps).toBe(3);
  });
});
