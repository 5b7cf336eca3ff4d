import { expect, test } from '@jest/globals';
import { createPauses } from '../../src/app/in-force.ts';
import type { Pause } from '../../src/core/model/watch/pause.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const COINS = { name: 'coins', rule: 'coins' };

function aPause(id: string, until: number, watch = 'coins'): Pause {
  return { id, watch, from: NOON, until, actor: 'alice', comment: '' };
}

test('a pause that is over does not begin again when the clock is set back, and a new one does', async () => {
  const clock = createFakeClock(NOON);
  let stored = [aPause('first', NOON + 10 * MINUTE)];
  const pauses = createPauses({ store: { pauses: () => Promise.resolve(stored) }, clock });
  await pauses.read();
  expect(pauses.of(COINS)?.id).toBe('first');
  await clock.advance(10 * MINUTE);
  expect(pauses.of({ name: 'vault', rule: 'vault' })).toBeNull();
  clock.stall(-9 * MINUTE);
  expect(pauses.of(COINS)).toBeNull();
  expect(pauses.until(COINS)).toBe(NOON + 10 * MINUTE);
  stored = [...stored, aPause('second', NOON + 5 * MINUTE)];
  await pauses.read();
  expect(pauses.of(COINS)?.id).toBe('second');
});

test('a pause that an operator ends is over at once, also within the millisecond of a check', async () => {
  const clock = createFakeClock(NOON);
  let stored = [aPause('first', NOON + 10 * MINUTE)];
  const pauses = createPauses({ store: { pauses: () => Promise.resolve(stored) }, clock });
  await pauses.read();
  expect(pauses.of(COINS)?.id).toBe('first');
  stored = [aPause('first', NOON)];
  await pauses.read();
  expect(pauses.of(COINS)).toBeNull();
});
