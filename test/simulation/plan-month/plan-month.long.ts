import { expect, test } from '@jest/globals';
import { CASES, faultsOf, liveCase } from './cases.ts';

test.each(Object.keys(CASES))(
  'credits last a month: %s',
  async (name) => {
    expect(faultsOf(await liveCase(name, 30))).toEqual([]);
  },
  1_800_000,
);
