// Bugs that are put into the sources on purpose: a run that does not notice one has a hole.
import { expect, jest, test } from '@jest/globals';
import { hasPostgres } from '../support/store/postgres-server.ts';
import { BUGS } from './bugs.ts';
import { run } from './run.ts';

jest.setTimeout(900_000);
/** Much of what a bug loses never comes. */
const LAST_MS = 40_000;

const postgresTest = hasPostgres ? test : test.skip;

postgresTest.each(Object.entries(BUGS))('%s is noticed', async (_name, { edits, under, faults = 3, caughtAs }) => {
  const { findings } = await run({ seed: 1, faults, kinds: under, lastMs: LAST_MS, edits, print: () => undefined });
  expect(findings.filter((finding) => caughtAs.test(finding))).not.toEqual([]);
});
