import { expect, test } from '@jest/globals';
import { runIn } from './bugs/copies.ts';
import type { Meets } from './open/entry.ts';
import { OPEN } from './open/list.ts';
import { FEWEST_MEETINGS, readMeetings } from './scenes/meetings.ts';

const HALF_AN_HOUR = 1_800_000;
const HISTORIES = 20;
const DAYS = 5;

test(
  '200 days over accounts, and as many over contracts: nothing lost, invented, doubled, wrongly taken back or falsely ended, and every gap is named',
  async () => {
    const halves = await Promise.all([1, 1 + HISTORIES].map(simulate));
    expect(halves.map(({ out }) => out.match(/nothing is wrong/g)?.length ?? out)).toEqual([
      2 * HISTORIES,
      2 * HISTORIES,
    ]);
    expect(halves.map(({ code }) => code)).toEqual([0, 0]);
    const met = readMeetings(halves.map(({ out }) => out).join('\n'));
    expect([...met].filter(([, count]) => count < FEWEST_MEETINGS)).toEqual([]);
  },
  HALF_AN_HOUR,
);

test('each entry of the open list is met somewhere in the 200 days, or in a history of its own', () => {
  const unmet = OPEN.filter(({ met }) => met !== null && met.under === undefined && !isSimulated(met));
  expect(unmet.map(({ name }) => name)).toEqual([]);
});

function isSimulated({ seed, days }: Meets): boolean {
  return seed >= 1 && seed <= 2 * HISTORIES && days <= DAYS;
}

const RARE = OPEN.flatMap(({ name, met }) =>
  met?.under === undefined ? [] : [{ name, seed: met.seed, days: met.days, under: met.under }],
);

// A table without a row is an error of its own.
for (const { name, seed, days, under } of RARE)
  test(
    `it is still open that ${name}`,
    async () => {
      const args = ['--seed', String(seed), '--days', String(days), '--faults', String(under), '--long'];
      const { out } = await runIn('.', ['test/simulation/main.ts', ...args]);
      expect(out).toContain(`${name}: `);
    },
    HALF_AN_HOUR,
  );

/** One history after the other in one process, so that each core has one. */
function simulate(seed: number) {
  const args = ['--seed', String(seed), '--count', String(HISTORIES), '--days', String(DAYS)];
  return runIn('.', ['test/simulation/main.ts', ...args]);
}
