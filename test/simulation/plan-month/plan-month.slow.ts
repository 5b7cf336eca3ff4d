// Two days of each case; a month of each in plan-month.long.ts.
import { expect, test } from '@jest/globals';
import { CASES, faultsOf, liveCase } from './cases.ts';

test.each(Object.keys(CASES))('credits last: %s', async (name) => {
  expect(faultsOf(await liveCase(name, 2))).toEqual([]);
});
