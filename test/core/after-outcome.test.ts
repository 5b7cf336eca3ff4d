import { describe, expect, test } from '@jest/globals';
import { afterOutcome } from '../../src/core/after-outcome.ts';
import type { Outcome } from '../../src/core/model/delivery.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const CREATED = Date.UTC(2026, 0, 1);
const AGAIN: Outcome = { type: 'again', why: '503 Service Unavailable' };
const UNKNOWN: Outcome = { type: 'unknown', why: 'no answer' };

const ended = (changes: Partial<Parameters<typeof afterOutcome>[0]> = {}): ReturnType<typeof afterOutcome> =>
  afterOutcome({
    id: 'd',
    attempt: 1,
    rejections: 0,
    ageMs: 0,
    outcome: AGAIN,
    at: CREATED,
    giveUpAfterMs: 3 * DAY,
    ...changes,
  });

function waitAfter(attempt: number, changes: Partial<Parameters<typeof afterOutcome>[0]> = {}): number {
  const settlement = ended({ attempt, ...changes });
  if (settlement.state !== 'due') throw new Error(`expected another try, got ${settlement.state}`);
  return settlement.dueAt - CREATED;
}

test('what was accepted is sent', () => {
  const sent: Outcome = { type: 'sent', answer: '250 OK' };
  expect(ended({ outcome: sent })).toEqual({ state: 'sent', outcome: sent });
  expect(ended({ outcome: sent, attempt: 90, ageMs: 4 * DAY })).toEqual({ state: 'sent', outcome: sent });
});

describe('what was rejected', () => {
  const outcome: Outcome = { type: 'rejected', why: '400 unknown field' };

  test('is tried again after 5 and after another 25 minutes, give or take a fifth, and is dead then', () => {
    const first = waitAfter(1, { outcome, rejections: 1 });
    const second = waitAfter(2, { outcome, rejections: 2 });
    expect([first > 4 * MINUTE, first < 6 * MINUTE, second > 20 * MINUTE, second < 30 * MINUTE]).not.toContain(false);
    expect(ended({ outcome, attempt: 3, rejections: 3 })).toEqual({ state: 'dead', outcome });
  });

  test('has its three tries however often it was tried before, and whatever its age', () => {
    const old = { outcome, attempt: 90, ageMs: 4 * DAY };
    expect(ended({ ...old, rejections: 1 }).state).toBe('due');
    expect(ended({ ...old, rejections: 3 }).state).toBe('dead');
  });
});

describe('waits grow from try to try, give or take a fifth', () => {
  test.each([
    [1, 5 * SECOND],
    [2, 30 * SECOND],
    [3, 2 * MINUTE],
    [4, 5 * MINUTE],
    [5, 15 * MINUTE],
    [6, 30 * MINUTE],
    [7, HOUR],
    [8, HOUR],
    [500, HOUR],
  ])('after try %i about %i ms', (attempt, wait) => {
    const waits = Array.from({ length: 200 }, (_, n) => waitAfter(attempt, { id: `delivery-${n}` }));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.8 * wait);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.2 * wait);
    // Spread over the whole range, so that what failed together does not come back together.
    expect(Math.min(...waits)).toBeLessThan(0.85 * wait);
    expect(Math.max(...waits)).toBeGreaterThan(1.15 * wait);
  });

  test('the same try of the same delivery always waits the same', () => {
    expect(waitAfter(3)).toBe(waitAfter(3));
    expect(waitAfter(7)).not.toBe(waitAfter(8));
  });

  test('a try without an answer is tried again like any other, and keeps its outcome', () => {
    expect(waitAfter(2, { outcome: UNKNOWN })).toBe(waitAfter(2));
    expect(ended({ outcome: UNKNOWN })).toMatchObject({ state: 'due', outcome: UNKNOWN });
  });
});

describe('a receiver may name its own time, between a second and an hour', () => {
  test.each([
    [90 * SECOND, 90 * SECOND],
    [0, SECOND],
    [-5, SECOND],
    [2 * DAY, HOUR],
  ])('%i ms becomes %i ms', (afterMs, wait) => {
    expect(waitAfter(1, { outcome: { ...AGAIN, afterMs } })).toBe(wait);
  });
});

test('a channel may ask for a shortest wait; the waits grow all the same, so a closed door is not knocked at for days', () => {
  const outcome: Outcome = { ...AGAIN, atLeastMs: MINUTE };
  expect([1, 2].map((attempt) => waitAfter(attempt, { outcome }))).toEqual([MINUTE, MINUTE]);
  for (const attempt of [3, 4, 5, 6, 7, 100]) expect(waitAfter(attempt, { outcome })).toBe(waitAfter(attempt));
});

describe('the give-up time', () => {
  test('the last try is at that time itself, not an hour before', () => {
    expect(ended({ attempt: 80, ageMs: 3 * DAY - MINUTE })).toMatchObject({ state: 'due', dueAt: CREATED + MINUTE });
  });

  test.each([AGAIN, UNKNOWN, { ...AGAIN, afterMs: MINUTE }])('a try that ends then in %j is dead', (outcome) => {
    expect(ended({ attempt: 81, ageMs: 3 * DAY, outcome })).toEqual({ state: 'dead', outcome });
  });

  test.each([
    [1, 'due'],
    [11, 'due'],
    [12, 'dead'],
  ])('of a delivery that is a week old, try %i leaves it %s', (attempt, state) => {
    const settlement = ended({ attempt, ageMs: 7 * DAY });
    expect(settlement.state).toBe(state);
    // Not hurried either: a receiver that has just come back is not asked twelve times at once.
    if (settlement.state === 'due') expect(settlement.dueAt).toBe(CREATED + waitAfter(attempt));
  });

  test('a channel that is given up within the hour still gets its twelve tries', () => {
    expect(triesOf({ giveUpAfterMs: HOUR })).toHaveLength(12);
  });

  test('over three days of failure there are tries until the end, and then none', () => {
    const tries = triesOf({});
    expect(tries.at(-1)).toBe(3 * DAY);
    expect(tries.length).toBeGreaterThan(60);
    expect(tries.length).toBeLessThan(100);
  });
});

/** The ages at which something is tried that nobody ever accepts. */
function triesOf(changes: { giveUpAfterMs?: number }): number[] {
  const tries: number[] = [];
  for (let ageMs = 0, attempt = 1; ; attempt++) {
    tries.push(ageMs);
    const settlement = ended({ ...changes, attempt, ageMs });
    if (settlement.state !== 'due') return tries;
    expect(settlement.dueAt).toBeGreaterThan(CREATED);
    ageMs += settlement.dueAt - CREATED;
  }
}
