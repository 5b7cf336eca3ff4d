import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SELF_CONDITIONS } from '../../src/engine/self/cause.ts';

test('docs/operations.md says when each alert of the daemon about itself fires', () => {
  const text = readFileSync('docs/operations.md', 'utf8');
  const rows = [...text.matchAll(/^\| `([a-z-]+)` +\|/gm)].map(([, name]) => name);
  expect(Object.keys(SELF_CONDITIONS).filter((name) => !rows.includes(name))).toEqual([]);
});
