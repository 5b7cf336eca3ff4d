import { expect, test } from '@jest/globals';
import { runIn } from './bugs.ts';
import { OPEN } from './open.ts';
import { FEWEST_MEETINGS, readMeetings } from './scenes/meetings.ts';

const HALF_AN_HOUR = 1_800_000;
const HISTORIES = 20;
const DAYS = '5';

test(
  '200 days: nothing lost, invented, doubled, wrongly taken back or falsely ended, and every gap is named',
  async () => {
    const halves = await Promise.all([1, 1 + HISTORIES].map(simulate));
    expect(halves.map(({ out }) => out.match(/nothing is wrong/g)?.length ?? out)).toEqual([HISTORIES, HISTORIES]);
    expect(halves.map(({ code }) => code)).toEqual([0, 0]);
    const met = readMeetings(halves.map(({ out }) => out).join('\n'));
    expect([...met].filter(([, count]) => count < FEWEST_MEETINGS)).toEqual([]);
  },
  HALF_AN_HOUR,
);

const RARE = OPEN.flatMap(({ name, met }) => (met === null || met.under === null ? [] : [{ name, ...met }]));

test.each(RARE)(
  'it is still open that $name',
  async ({ name, seed, days, under }) => {
    const args = ['--seed', String(seed), '--days', String(days), '--faults', String(under), '--long'];
    const { out } = await runIn('.', ['test/simulation/main.ts', ...args]);
    expect(out).toContain(`${name}: `);
  },
  HALF_AN_HOUR,
);

/** One history after the other in one process, so that each core has one. */
function simulate(seed: number) {
  const args = ['--seed', String(seed), '--count', String(HISTORIES), '--days', DAYS];
  return runIn('.', ['test/simulation/main.ts', ...args]);
}
