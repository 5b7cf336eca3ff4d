// For how long a real event loop stood still.
import { expect, test } from '@jest/globals';
import { watchLoopDelay } from '../../src/lib/loop-delay.ts';

function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a stop that begins right after the last look is seen by the next one, once', () => {
  using delay = watchLoopDelay();
  delay.longestMs();
  standStill(400);
  expect(delay.longestMs()).toBeGreaterThanOrEqual(290);
  expect(delay.longestMs()).toBeLessThan(290);
});

test('a stop between two looks of the timer is seen afterwards', async () => {
  using delay = watchLoopDelay();
  standStill(400);
  await new Promise((resolve) => setImmediate(resolve));
  standStill(1);
  expect(delay.longestMs()).toBeGreaterThanOrEqual(290);
});
