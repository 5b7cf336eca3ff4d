import { expect, test } from '@jest/globals';
import { edited } from '../simulation/bugs/copies.ts';
import { createTypeCheck } from '../simulation/bugs/type-check.ts';
import { BUGS } from './bugs.ts';
import { FORMER, SHORT_TIMES } from './run.ts';

const mistakesIn = createTypeCheck();

const CHANGES = [
  ...Object.entries(BUGS).map(([name, { edits }]) => ({ name, edits })),
  { name: 'short times', edits: SHORT_TIMES },
  { name: 'a release before', edits: [...SHORT_TIMES, ...FORMER] },
];

test.each(CHANGES)('the change "$name" of the sources finds its places once, and compiles', ({ name, edits }) => {
  expect(mistakesIn(edited(name, edits))).toEqual([]);
});
