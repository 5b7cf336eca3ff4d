import { expect, test } from '@jest/globals';
import { createSweepShare } from '../../../src/explorer/spending/sweep-share.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

function pagesTaken(share: ReturnType<typeof createSweepShare>): number {
  let pages = 0;
  while (share.take(40)) pages += 1;
  return pages;
}

test('without a plan, one page in ten is one that is read again', () => {
  const share = createSweepShare({ clock: createFakeClock(), creditsPerMs: null });
  expect(pagesTaken(share)).toBe(0);
  for (let i = 0; i < 100; i += 1) share.asked(40);
  expect(pagesTaken(share)).toBe(10);
});

test('with a plan, a tenth of it, however much is asked', async () => {
  const clock = createFakeClock();
  const share = createSweepShare({ clock, creditsPerMs: 100_000 / 86_400_000 });
  let pages = 0;
  for (let hour = 0; hour < 24; hour += 1) {
    await clock.advance(3_600_000);
    for (let i = 0; i < 1000; i += 1) share.asked(40);
    pages += pagesTaken(share);
  }
  expect(pages).toBeGreaterThan(240);
  expect(pages).toBeLessThanOrEqual(250);
});

test('a long rest is not followed by a storm', async () => {
  const clock = createFakeClock();
  const share = createSweepShare({ clock, creditsPerMs: 1 });
  await clock.advance(30 * 86_400_000);
  expect(pagesTaken(share)).toBe(50);
});
