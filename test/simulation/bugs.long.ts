import { describe, expect, test } from '@jest/globals';
import { BUGS, copyWith, runIn, WIRE_BUGS, type Ended } from './bugs.ts';
import type { FaultKind } from './faults/kinds.ts';

const HALF_AN_HOUR = 1_800_000;

describe('a bug is noticed within ten simulated days:', () => {
  test.each(Object.entries(BUGS))(
    '%s',
    async (name, { caughtAs, under }) => {
      using copy = copyWith(name);
      const { code, out } = await untilCaught(copy.folder, under);
      expect(code).toBe(1);
      expect(caughtAs.filter((check) => out.includes(` ${check} `))).not.toEqual([]);
    },
    HALF_AN_HOUR,
  );
});

/** Most are noticed on the first day. A longer history begins like a shorter one. */
async function untilCaught(folder: string, under: readonly FaultKind[] | undefined): Promise<Ended> {
  const faults = under === undefined ? [] : ['--faults', under.join(',')];
  const simulate = (days: string): Promise<Ended> =>
    runIn(folder, ['test/simulation/main.ts', '--seed', '1', '--days', days, '--long', ...faults]);
  for (const days of ['1', '3']) {
    const ended = await simulate(days);
    if (ended.code !== 0) return ended;
  }
  return simulate('10');
}

const JEST = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testTimeout', '20000', '--forceExit'];

describe('a bug of the connection fails the test that is there for it:', () => {
  test.each(Object.entries(WIRE_BUGS))(
    '%s',
    async (name, { tests, caughtBy }) => {
      using copy = copyWith(name);
      const { code, out } = await runIn(copy.folder, [...JEST, tests, '--testNamePattern', caughtBy]);
      expect(code).toBe(1);
      expect(out).toContain(`✕ ${caughtBy}`);
    },
    HALF_AN_HOUR,
  );
});
