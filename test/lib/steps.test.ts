import { expect, test } from '@jest/globals';
import { eachInSteps, finishInSlices, type Steps } from '../../src/lib/steps.ts';

test('long computations that begin together let timers run between their steps', async () => {
  const busy = (ms: number): void => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  const counts = Array.from({ length: 20 }, (_, i) => i);
  const computing = (): Steps<number[]> =>
    eachInSteps(counts, (count) => {
      busy(3);
      return count;
    });
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  const results = await Promise.all([1, 2, 3].map(() => finishInSlices(computing())));
  clearInterval(timer);
  expect(results).toEqual([counts, counts, counts]);
  // Three times 60 ms of work, and a turn after two steps at the most.
  expect(ticks).toBeGreaterThanOrEqual(25);
});
