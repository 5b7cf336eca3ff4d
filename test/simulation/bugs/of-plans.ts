// Bugs of the plan, each noticed within two simulated days of one case.
import type { TestedBug } from './bug.ts';

const tests = 'test/simulation/plan-month/plan-month.slow.ts';
const BOOKS = 'src/explorer/spending/books.ts';
const ACCOUNT = 'src/explorer/spending/account.ts';
const PLANNER = 'src/core/spending/planner.ts';

/** Keyed by names for people. */
export const BUGS_OF_PLANS: Readonly<Record<string, TestedBug>> = {
  'warnings use what is kept back': {
    tests,
    caughtBy: 'credits last: a tenth is kept back',
    edits: [
      {
        file: ACCOUNT,
        find: 'keep: Math.max(0, reserve - Math.max(0, books.foreign)),',
        replace: 'keep: Math.min(0, reserve),',
      },
    ],
  },
  'the first header counts, and no other': {
    tests,
    caughtBy: 'credits last: others take 20,000 each day',
    edits: [
      {
        file: BOOKS,
        find: 'if (header === null || order < books.order) return charged;',
        replace: 'if (header === null || books.header !== null) return charged;',
      },
    ],
  },
  'after midnight, the day is planned with what was left of the last one': {
    tests,
    caughtBy: 'credits last: 142,000 wanted of 100,000',
    edits: [
      {
        file: BOOKS,
        find: '  if (plan !== null && books.refillingSince !== null) return plan.credits - spentIn(books);\n',
        replace: '',
      },
    ],
  },
  'others are expected to go on until midnight as they did in the last half hour': {
    tests,
    caughtBy: 'credits last: others take 15,000 in three hours of one day of the week',
    edits: [{ file: BOOKS, find: 'Math.min(left, FAST_REACH_MS)', replace: 'left' }],
  },
  'nothing is left to critical watches': {
    tests,
    caughtBy: 'credits last: refilled 90 seconds after midnight',
    edits: [{ file: ACCOUNT, find: 'return known - spend.price >= kept;', replace: 'return kept >= 0;' }],
  },
  'second pages count as a need of critical watches': {
    tests,
    caughtBy: 'credits last: a stranger fills twenty pages a minute at a critical address',
    edits: [
      {
        file: 'src/core/spending/plan.ts',
        find: "if (severity === 'critical') return { ...use, deep: added(use.deep, price, at, DEEP_MS) };",
        replace: "if (severity === 'critical') return { ...use, critical: charged(use.critical, price, 0, at) };",
      },
    ],
  },
  'one header is believed, whatever it says': {
    tests,
    caughtBy: 'credits last: two servers that differ by 400',
    edits: [
      {
        file: BOOKS,
        find: 'if (isAgreed || !(isHigher || isFall))',
        replace: 'if (isAgreed || isHigher || !isFall || isFall)',
      },
    ],
  },
  'info is stretched less than warnings where both are stretched far': {
    tests,
    caughtBy: 'credits last: others take 20,000 each day',
    edits: [
      { file: PLANNER, find: 'Math.max(x, Math.min(x * x, FIXED_UP_TO))', replace: 'Math.min(x * x, FIXED_UP_TO)' },
    ],
  },
  'a watch that the plan slows down is taken for blind': {
    tests: 'test/acceptance/plan.test.ts',
    caughtBy: 'people see the interval in force, and a watch that is asked less often is not blind',
    edits: [
      {
        file: 'src/engine/polling/poller.ts',
        find: 'paceOf: options.paceOf ?? paceOfRule,',
        replace: 'paceOf: paceOfRule,',
      },
    ],
  },
  'watches that ask the same at different intervals ask apart': {
    tests,
    caughtBy: 'credits last: a plan that suffices',
    edits: [
      {
        file: 'src/core/model/watch/schedule.ts',
        find: 'const second = fractionOf(explorer, path, JSON.stringify(params));',
        replace: 'const second = fractionOf(explorer, path, String(schedule.intervalMs));',
      },
    ],
  },
};
