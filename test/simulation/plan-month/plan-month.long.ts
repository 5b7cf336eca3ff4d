import { expect, test } from '@jest/globals';
import { CASES, faultsOf, liveCase } from './cases.ts';

test.each(Object.keys(CASES))(
  'credits last a month: %s',
  async (name) => {
    expect(faultsOf(await liveCase(name, Math.max(30, CASES[name]?.period ?? 0)))).toEqual([]);
  },
  1_800_000,
);
