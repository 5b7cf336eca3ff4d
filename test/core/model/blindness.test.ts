import { expect, test } from '@jest/globals';
import { blindSince, overdueSince } from '../../../src/core/model/quality/blindness.ts';
import { nextTimeOf, phaseOf } from '../../../src/core/model/watch/schedule.ts';
import { cronSchedule } from '../../../src/rules/compile/schedule.ts';
import { aWatch } from '../../support/engine/watch.ts';
import { NO_SENDERS, NO_SIGHTINGS } from '../../../src/core/model/quality/sightings.ts';
import { dataSince } from '../../../src/core/poll.ts';
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
      data: dataSince(memory, { state, fields: NO_SIGHTINGS, senders: NO_SENDERS }, at),
      coveredUntil: isSeen ? at : memory.coveredUntil,
    };
  }
  return memory;
}

const every = (intervalMs: number, blindAfterMs = 2 * MINUTE) => ({
  ...aWatch([]),
  schedule: { type: 'every' as const, intervalMs },
  blindAfterMs,
});
/** It is due at so many seconds of each minute, as its question has it. */
const PHASE_S = phaseOf(every(MINUTE)) / 1000;

/** Since how many minutes and its phase it is blind, as seen at so many seconds of minute `now`. */
function blindAt(
  memory: ReturnType<typeof after> | undefined,
  now: number,
  { second = 0, from = 0 }: { second?: number; from?: number | null } = {},
): number | null {
  const since = blindSince(memory, {
    watch: every(MINUTE),
    from: from === null ? null : from * MINUTE,
    now: now * MINUTE + second * 1000 + 1,
  });
  return since === null ? null : (since - PHASE_S * 1000) / MINUTE;
}

test('a watch is blind once it missed three due times, from the first of them', () => {
  const memory = after('ok', 'ok', 'error', 'error', 'error');
  // The third poll has ten seconds to answer.
  expect(blindAt(memory, 4, { second: PHASE_S + 9 })).toBeNull();
  expect(blindAt(memory, 4, { second: PHASE_S + 10 })).toBe(2);
  expect(blindAt(memory, 50)).toBe(2);
});

test('an outage whose reason changes with every poll is one outage', () => {
  expect(blindAt(after('ok', 'error', 'throttled', 'error', 'nodata', 'stale', 'partial'), 7)).toBe(1);
});

test('data that is ok again ends it', () => {
  const memory = after('ok', 'error', 'error', 'error', 'error', 'error', 'error', 'ok');
  expect(blindAt(memory, 8)).toBeNull();
  expect(memory.data?.lastOk).toBeNull();
});

test('a watch that never had data is blind from the time after its first poll', () => {
  expect(blindAt(after('error', 'throttled', 'error', 'throttled', 'error', 'throttled', 'error'), 7)).toBe(1);
});

test('polls that end no more make it blind, though the last one was ok', () => {
  expect([blindAt(after('ok'), 3), blindAt(after('ok'), 5)]).toEqual([null, 1]);
});

test('time before the daemon was started does not count; where nobody watches, all that is remembered does', () => {
  const memory = after('ok', 'error');
  expect([blindAt(memory, 600, { from: 598 }), blindAt(memory, 602, { from: 598 })]).toEqual([null, 598]);
  expect(blindAt(memory, 600, { from: null })).toBe(1);
  expect(blindAt(undefined, 600, { from: null })).toBeNull();
  expect(blindAt(undefined, 600)).toBe(0);
});

test('an answer is overdue from the first due time that was missed until the watch is blind', () => {
  const memory = after('ok', 'error');
  const first = MINUTE + PHASE_S * 1000;
  const overdueAt = (now: number, from = 0): number | null => overdueSince(memory, { watch: every(MINUTE), from, now });
  expect([first + 20_000, first + 20_001, first + 2 * MINUTE + 10_000].map((now) => overdueAt(now))).toEqual([
    null,
    first,
    first,
  ]);
  expect(blindAt(memory, 4, { second: PHASE_S + 10 })).toBe(1);
  expect(overdueAt(4 * MINUTE + PHASE_S * 1000 + 10_001)).toBeNull();
  // Time in which it was paused does not count.
  expect(overdueAt(first + 30_000, first + 20_000)).toBeNull();
});

test.each([
  ['a fast one is blind two minutes after the first time that it missed', every(10_000), 2 * MINUTE],
  ['longer where its explorer says so', every(MINUTE, 10 * MINUTE), 10 * MINUTE],
  ['three times are waited for where they are further apart', every(60 * MINUTE), 2 * 60 * MINUTE + 10_000],
])('%s', (_name, watch, patienceMs) => {
  const watching = { watch, from: 0 };
  const first = nextTimeOf(watch, MINUTE) ?? 0;
  expect(blindSince(after('ok'), { ...watching, now: first + patienceMs })).toBeNull();
  expect(blindSince(after('ok'), { ...watching, now: first + patienceMs + 1 })).toBe(first);
});

test('one with office hours misses nothing at night, and three times in the morning', () => {
  const schedule = cronSchedule('*/5 9-17 * * *');
  if (!('type' in schedule)) throw new Error(schedule.complaint);
  const watch = { ...every(MINUTE), schedule };
  const [evening, morning] = [Date.parse('2026-01-01T17:55:01Z'), Date.parse('2026-01-02T09:00:00Z')];
  const memory = { data: { state: 'ok', since: 0, lastOk: null, fields: {} }, coveredUntil: evening } as const;
  const sinceAt = (now: number): number | null => blindSince(memory, { watch, from: 0, now });
  expect([evening + 35 * MINUTE, morning, morning + 10 * MINUTE].map(sinceAt)).toEqual([null, null, null]);
  expect(sinceAt(morning + 11 * MINUTE)).toBe(morning);
  const overdueAt = (now: number): number | null => overdueSince(memory, { watch, from: 0, now });
  expect([evening + 35 * MINUTE, morning + 20_000].map(overdueAt)).toEqual([null, null]);
  expect(overdueAt(morning + 20_001)).toBe(morning);
});

test('what a former release remembers is told from when its state began', () => {
  const memory = { data: { state: 'error', since: MINUTE, lastOk: null, fields: {} }, coveredUntil: null } as const;
  expect(blindAt(memory, 7)).toBe(1);
});
