// Each of these answers reaches the explorer client over a real connection. An error that nobody listens for would fail
// the test that runs, as it would have ended the daemon.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { Missed } from '../../src/core/model/watch/question.ts';
import { createOddServer, ODD_ANSWERS } from '../support/odd-answers.ts';
import { aToken, impatient, openExplorer } from './support/open.ts';

// Nothing but an endless answer waits for it.
const ENDLESS = { headersMs: 1000, totalMs: 1000 };

test.each(ODD_ANSWERS)('an explorer that answers with $name: $explorer', async (odd) => {
  await using server = await createOddServer(() => odd);
  {
    await using opened = openExplorer(server.origin, { clock: impatient(), ...(odd.isEndless && { limits: ENDLESS }) });
    expect(await endOf(opened.explorer.tickReader().one(aToken))).toBe(odd.explorer);
  }
  // What comes after the answer counts as well.
  await server.whenGone(1);
  await turn();
});

async function endOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return 'data';
  } catch (error) {
    if (error instanceof Missed) return error.reason;
    throw error;
  }
}
