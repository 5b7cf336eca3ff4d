import { describe, expect, test } from '@jest/globals';
import { whereCaught } from './caught.ts';
import { copyWith, runIn } from './copies.ts';
import { BUGS_OF_ALERTS } from './of-alerts.ts';
import { BUGS_OF_CONTRACTS } from './of-contracts.ts';
import { BUGS_OF_PEOPLE, RARE_BUGS_OF_PEOPLE } from './of-people.ts';
import { BUGS_OF_PLANS } from './of-plans.ts';
import { WIRE_BUGS } from './of-the-wire.ts';

const HALF_AN_HOUR = 1_800_000;

describe('within ten simulated days the oracle for alerts notices a bug alone:', () => {
  test.each(Object.entries({ ...BUGS_OF_ALERTS, ...BUGS_OF_CONTRACTS }))(
    '%s',
    async (name, bug) => {
      expect(await whereCaught('alerts', name, bug)).not.toEqual([]);
    },
    HALF_AN_HOUR,
  );
});

describe('within ten simulated days the oracle for people notices a bug alone:', () => {
  test.each(Object.entries(BUGS_OF_PEOPLE))(
    '%s',
    async (name, bug) => {
      expect(await whereCaught('people', name, bug)).not.toEqual([]);
    },
    HALF_AN_HOUR,
  );
});

const JEST = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testTimeout', '20000', '--forceExit'];
const OF_ANY_NAME = ['--testMatch', '**/*.{test,slow}.ts'];

describe.each([
  { of: 'the connection', bugs: WIRE_BUGS },
  { of: 'a plan', bugs: BUGS_OF_PLANS },
  { of: 'who is told', bugs: RARE_BUGS_OF_PEOPLE },
])('a bug of $of fails the test that is there for it:', ({ bugs }) => {
  test.each(Object.entries(bugs))(
    '%s',
    async (name, { tests, caughtBy }) => {
      using copy = copyWith(name);
      const { code, out } = await runIn(copy.folder, [...JEST, tests, ...OF_ANY_NAME, '--testNamePattern', caughtBy]);
      expect(code).toBe(1);
      expect(out).toContain(`✕ ${caughtBy}`);
    },
    HALF_AN_HOUR,
  );
});
