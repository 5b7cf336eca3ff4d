import { expect, test } from '@jest/globals';
import {
  isOld,
  mergedHealth,
  UNKNOWN_HEALTH,
  watchesIn,
  type BlindGroup,
  type ExplorerHealth,
  type HealthSummary,
} from '../../../src/core/model/quality/health-summary.ts';

const AT = Date.UTC(2026, 0, 1);

function health(parts: Partial<HealthSummary>): HealthSummary {
  return { ...UNKNOWN_HEALTH, at: AT, startedAt: AT, isRunning: true, ...parts };
}

function group(explorer: string, watches: number, since = AT): BlindGroup {
  return { explorer, reason: 'timeout', since, watches, rules: 1, names: [`${explorer}-${watches}`], fields: [] };
}

function explorer(name: string, polled: number, height: string | null): ExplorerHealth {
  const state = height === null ? 'unknown' : 'fresh';
  return {
    name,
    polled,
    head: { height, at: height && AT, state, since: null } as ExplorerHealth['head'],
    plan: null,
    paced: null,
    credits: null,
  };
}

test('of replicas the worst counts, and each explorer is as the replica says that polls it', () => {
  const one = health({
    at: AT + 5000,
    blind: [group('a', 2)],
    notJudged: 1,
    unseen: 1,
    explorers: [explorer('a', 2, '9'), explorer('b', 0, null)],
  });
  const other = health({
    startedAt: AT - 1,
    storage: 'full',
    blind: [group('b', 5, AT - 1), group('a', 1)],
    notJudged: 2,
    failingLoops: ['loop sender: failed'],
    rejected: { since: AT, why: 'no', place: null },
    heartbeatAt: AT,
    explorers: [explorer('a', 0, null), explorer('b', 5, '7')],
  });
  const all = mergedHealth(one, [other]);
  expect(all).toEqual(mergedHealth(other, [one]));
  expect(all).toMatchObject({
    at: AT,
    startedAt: AT - 1,
    isRunning: true,
    storage: 'full',
    notJudged: 3,
    unseen: 1,
    failingLoops: ['loop sender: failed'],
    rejected: { why: 'no' },
    heartbeatAt: AT,
    blind: [
      { explorer: 'b', watches: 5 },
      { explorer: 'a', watches: 3, names: expect.arrayContaining(['a-2', 'a-1']) },
    ],
    explorers: [
      { name: 'a', head: { height: '9' } },
      { name: 'b', head: { height: '7' } },
    ],
  });
  expect(watchesIn(all.blind)).toBe(8);
  expect(mergedHealth(one, [])).toBe(one);
});

test('a row is old after 90 seconds, also one of a clock that was ahead', () => {
  expect([90_000, 90_001, -90_000, -90_001].map((ms) => isOld({ at: AT }, AT + ms))).toEqual([
    false,
    true,
    false,
    true,
  ]);
});
