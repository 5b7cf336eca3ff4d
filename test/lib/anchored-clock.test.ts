import { expect, test } from '@jest/globals';
import { createAnchoredClock } from '../../src/lib/anchored-clock.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const HOUR = 3_600_000;

test('a machine whose clock is an hour off decided in another hour than the others', async () => {
  const machine = createFakeClock(10 * HOUR);
  const clock = createAnchoredClock(machine);
  clock.anchor(9 * HOUR);
  expect(clock.now()).toBe(9 * HOUR);
  await machine.advance(5000);
  expect(clock.now()).toBe(9 * HOUR + 5000);
  await machine.setTo(20 * HOUR);
  expect(clock.now()).toBe(9 * HOUR + 5000);
});

test('an anchor that was a little late set the clock back, and a poll was taken to be before the last one', async () => {
  const machine = createFakeClock(0);
  const clock = createAnchoredClock(machine);
  clock.anchor(1000);
  await machine.advance(500);
  expect(clock.now()).toBe(1500);
  clock.anchor(1480);
  expect(clock.now()).toBe(1500);
  await machine.advance(10);
  expect(clock.now()).toBe(1500);
  await machine.advance(20);
  expect(clock.now()).toBe(1510);
});

test('a clock that was ahead for a while and is right again goes back at once: nobody polled until it had caught up', async () => {
  const machine = createFakeClock(0);
  const clock = createAnchoredClock(machine);
  clock.anchor(HOUR);
  await machine.advance(5000);
  clock.anchor(HOUR + 600_000);
  expect(clock.now()).toBe(HOUR + 600_000);
  await machine.advance(5000);
  clock.anchor(HOUR + 10_000);
  expect(clock.now()).toBe(HOUR + 10_000);
  await machine.advance(1000);
  expect(clock.now()).toBe(HOUR + 11_000);
});
