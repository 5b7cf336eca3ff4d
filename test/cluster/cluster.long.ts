// Whole daemons as processes on a real database, under the faults of a seed: `npm run nemesis` runs more of them.
import { expect, jest, test } from '@jest/globals';
import { hasPostgres } from '../support/store/postgres-server.ts';
import { EVERY_FAULT } from './faults/catalogue.ts';
import { run } from './run.ts';

const MINUTE = 60_000;
/** So many faults take about as long. */
const TWO_MINUTES = 14;
jest.setTimeout(15 * MINUTE);

const postgresTest = hasPostgres ? test : test.skip;
const print = (): void => undefined;

postgresTest('replicas that were killed, frozen and cut off lost an alert, told one twice, or both asked', async () => {
  const { findings, figures } = await run({ seed: 1, faults: TWO_MINUTES, kinds: EVERY_FAULT, print });
  expect(findings).toEqual([]);
  expect(figures.told).toBeGreaterThan(100);
});
