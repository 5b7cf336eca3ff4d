import { describe, expect, test } from '@jest/globals';
import { BUGS, copyWith, runIn, type Ended } from './bugs.ts';

const MAIN = 'test/simulation/main.ts';
const HALF_AN_HOUR = 1_800_000;

/** Whole histories, one after the other in one process. */
const simulate = (folder: string, ...args: string[]): Promise<Ended> => runIn(folder, [MAIN, ...args]);

test(
  'six days: nothing lost, invented, doubled, wrongly taken back or falsely ended, and every gap is named',
  async () => {
    const halves = await Promise.all(['1', '11'].map((seed) => simulate('.', '--seed', seed, '--days', '3')));
    expect(halves.map(({ out }) => out.match(/nothing is wrong/g)?.length ?? out)).toEqual([1, 1]);
    expect(halves.map(({ code }) => code)).toEqual([0, 0]);
  },
  HALF_AN_HOUR,
);

describe('a bug is noticed within ten days:', () => {
  test.each(Object.entries(BUGS))(
    '%s',
    async (name, { caughtAs }) => {
      using copy = copyWith(name);
      const { code, out } = await untilCaught(copy.folder);
      expect(code).toBe(1);
      expect(caughtAs.filter((check) => out.includes(` ${check} `))).not.toEqual([]);
    },
    HALF_AN_HOUR,
  );
});

/** Most are noticed on the first day. A longer history begins like a shorter one. */
async function untilCaught(folder: string): Promise<Ended> {
  for (const days of ['1', '3']) {
    const ended = await simulate(folder, '--seed', '1', '--days', days, '--long');
    if (ended.code !== 0) return ended;
  }
  return simulate(folder, '--seed', '1', '--days', '10', '--long');
}
