import { expect, test } from '@jest/globals';
import { runIn } from './bugs.ts';

const HALF_AN_HOUR = 1_800_000;
const HISTORIES = 20;
const DAYS = '5';

test(
  '200 days: nothing lost, invented, doubled, wrongly taken back or falsely ended, and every gap is named',
  async () => {
    const halves = await Promise.all([1, 1 + HISTORIES].map(simulate));
    expect(halves.map(({ out }) => out.match(/nothing is wrong/g)?.length ?? out)).toEqual([HISTORIES, HISTORIES]);
    expect(halves.map(({ code }) => code)).toEqual([0, 0]);
  },
  HALF_AN_HOUR,
);

/** One history after the other in one process, so that each core has one. */
function simulate(seed: number) {
  const args = ['--seed', String(seed), '--count', String(HISTORIES), '--days', DAYS];
  return runIn('.', ['test/simulation/main.ts', ...args]);
}
