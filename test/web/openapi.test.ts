// The document of the API changes on purpose only: clients are generated from it. `UPDATE=1 npm test -- test/web/openapi.test.ts`
// writes the file again.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { DOCUMENT } from '../support/web/openapi.ts';

const FILE = 'test/web/fixtures/openapi.json';

test('the document of the API is the one that was written down, in the same order', () => {
  const text = `${JSON.stringify(DOCUMENT, null, 1)}\n`;
  if (process.env['UPDATE'] === '1') writeFileSync(FILE, text);
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'));
});
