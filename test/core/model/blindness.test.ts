import { expect, test } from '@jest/globals';
import { blindSince } from '../../../src/core/model/quality/blindness.ts';
import { NO_SIGHTINGS } from '../../../src/core/model/quality/field-sightings.ts';
import { dataSince } from '../../../src/core/model/quality/data-state.ts';
import type { DataState, Memory } from '../../../src/core/model/memory.ts';

const MINUTE = 60_000;

/** What is remembered after polls a minute apart, the first of them at minute 1. */
function after(...states: readonly DataState[]): Pick<Memory, 'data' | 'coveredUntil'> {
  let memory: Pick<Memory, 'data' | 'coveredUntil'> = { data: null, coveredUntil: null };
  for (const [i, state] of states.entries()) {
    const at = (i + 1) * MINUTE;
    // Stale and partial answers are looked at too.
    const isSeen = ['ok', 'stale', 'partial', 'nodata'].includes(state);
    memory = {
      data: dataSince(memory, { state, fields: NO_SIGHTINGS }, at),
      coveredUntil: isSeen ? at : memory.coveredUntil,
    };
  }
  return memory;
}

/** The minute since which it is blind, as seen at minute `now`. */
function blindAt(memory: ReturnType<typeof after> | undefined, now: number, from: number | null = 0): number | null {
  const since = blindSince(memory, {
    intervalMs: MINUTE,
    from: from === null ? null : from * MINUTE,
    now: now * MINUTE + 1,
  });
  return since === null ? null : since / MINUTE;
}

test('a watch is blind after five minutes without data that is ok, from when it last was', () => {
  const memory = after('ok', 'ok', 'error', 'error', 'error', 'error', 'error');
  expect([blindAt(memory, 6), blindAt(memory, 7)]).toEqual([null, 2]);
});

test('an outage whose reason changes with every poll is one outage', () => {
  expect(blindAt(after('ok', 'error', 'throttled', 'error', 'nodata', 'stale', 'partial'), 7)).toBe(1);
});

test('data that is ok again ends it', () => {
  const memory = after('ok', 'error', 'error', 'error', 'error', 'error', 'error', 'ok');
  expect(blindAt(memory, 8)).toBeNull();
  expect(memory.data?.lastOk).toBeNull();
});

test('a watch that never had data is blind from its first poll', () => {
  expect(blindAt(after('error', 'throttled', 'error', 'throttled', 'error', 'throttled', 'error'), 7)).toBe(1);
});

test('polls that end no more make it blind, though the last one was ok', () => {
  expect([blindAt(after('ok'), 6), blindAt(after('ok'), 7)]).toEqual([1, 1]);
  expect(blindAt(after('ok'), 5)).toBeNull();
});

test('time before the daemon was started does not count; where nobody watches, all that is remembered does', () => {
  const memory = after('ok', 'error');
  expect([blindAt(memory, 600, 598), blindAt(memory, 604, 598)]).toEqual([null, 598]);
  expect(blindAt(memory, 600, null)).toBe(1);
  expect(blindAt(undefined, 600, null)).toBeNull();
  expect(blindAt(undefined, 600, 0)).toBe(0);
});

test('three polls are waited for where they are further apart than five minutes', () => {
  const memory = after('ok', 'error');
  const hourly = { intervalMs: 60 * MINUTE, from: 0 };
  expect(blindSince(memory, { ...hourly, now: 181 * MINUTE })).toBeNull();
  expect(blindSince(memory, { ...hourly, now: 182 * MINUTE })).toBe(MINUTE);
});

test('what a former release remembers is told from when its state began', () => {
  const memory = { data: { state: 'error', since: MINUTE, lastOk: null, fields: {} }, coveredUntil: null } as const;
  expect(blindAt(memory, 7)).toBe(1);
});
