import { afterEach, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../src/lib/clock.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('who sleeps while the clock is set back by a day does not sleep for a day', async () => {
  const now = Date.now.bind(Date);
  const wall = jest.spyOn(Date, 'now');
  const sleep = systemClock.sleep(20);
  wall.mockImplementation(() => now() - 86_400_000);
  await sleep;
  expect(systemClock.now()).toBeLessThan(now());
});
