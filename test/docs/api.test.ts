// docs/api.md names every call that there is, and no other.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { PROBLEMS } from '../../src/web/problem.ts';
import { DOCUMENT } from '../support/web/openapi.ts';

const TEXT = readFileSync('docs/api.md', 'utf8');

test('docs/api.md lists every call of the document', () => {
  const listed = [...TEXT.matchAll(/^\| `((?:GET|POST) \/api\/v1\S*)`/gm)].map(([, call]) => call);
  const calls = Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.toSorted()).toEqual([...calls, 'GET /api/v1/openapi.json'].toSorted());
});

test('docs/api.md explains every status that a problem has', () => {
  const [, problems = ''] = TEXT.split('## Problems');
  for (const { status } of Object.values(PROBLEMS)) expect(problems).toContain(String(status));
});
