// What docs/ says of fields, keys and metrics is what the code has.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { GENERATED } from './generated.ts';

/** Without what a formatter adds: the width of columns, and line breaks. */
function squeezed(text: string): string {
  return text
    .replace(/\| *:?-+:? */g, '|-')
    .replace(/\\([*_])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim();
}

test.each(Object.entries(GENERATED))('%s is fresh: run `npm run docs`', (file, page) => {
  expect(squeezed(readFileSync(file, 'utf8'))).toBe(squeezed(page()));
});
