import { expect, test } from '@jest/globals';
import { BUG_NAMES, filesWith } from './copies.ts';
import { createTypeCheck } from './type-check.ts';

const mistakesIn = createTypeCheck();

// With a name that is not there any more it would be another bug: one that ends the process.
test.each(BUG_NAMES)('the bug "%s" finds its places once, and compiles', (name) => {
  expect(mistakesIn(filesWith(name))).toEqual([]);
});

test('what does not fit the other files, or is not there, is found', () => {
  const file = 'src/engine/bug.ts';
  const text =
    "import { aborted } from '../lib/clock.ts'; export const bug = gone; export const other: number = aborted;";
  const [missing = '', unfit = ''] = mistakesIn(new Map([[file, text]]));
  expect(missing).toBe(`${file}: Cannot find name 'gone'.`);
  expect(unfit).toContain('AbortSignal');
});
