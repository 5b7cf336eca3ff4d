import { expect, test } from '@jest/globals';
import { chainLogOf } from './chain/chain-log.ts';
import { drawHistory, endOf, scriptOf, START } from './history.ts';
import { occurrencesByDay } from './occurrence-counts.ts';
import { OVER } from './over.ts';

test.each([1, 7, 20])('seed %i: each day something happens at least twenty times for each kind of watch', (seed) => {
  const history = OVER.contracts(drawHistory(seed, 3, ['reorg']));
  const end = endOf(history);
  const days = occurrencesByDay(chainLogOf(scriptOf(history), end), { from: START, to: end });
  expect(days).toHaveLength(3);
  for (const counts of days)
    for (const [kind, count] of Object.entries(counts)) expect([kind, count >= 20]).toEqual([kind, true]);
});
