import { expect, test } from '@jest/globals';
import { verdictOf, type VerdictFacts } from '../../src/query/overview/verdict.ts';

const CALM: VerdictFacts = {
  isWorking: true,
  critical: 0,
  warnings: 0,
  unheard: 0,
  storage: 'works',
  blind: 0,
  notJudged: 0,
  doubted: [],
  failingLoops: 0,
  unheld: 0,
  isRejected: false,
  isOwedLong: false,
  inHand: 0,
  unseen: 0,
};
const ALL: Partial<VerdictFacts> = { warnings: 1, blind: 1, isOwedLong: true, inHand: 1, unseen: 1 };

// Each row is true together with all rows below it: the first one wins.
test.each<[string, Partial<VerdictFacts>, string]>([
  ['a critical alert that nobody has in hand', { ...ALL, critical: 1 }, 'critical'],
  ['a critical message that reached nobody', { ...ALL, unheard: 1 }, 'critical'],
  ['a store that takes nothing', { ...ALL, storage: 'fails' }, 'critical'],
  ['a store that is full', { ...ALL, storage: 'full' }, 'critical'],
  ['a warning that nobody has in hand', ALL, 'warning'],
  ['a blind watch', { blind: 1, inHand: 1, unseen: 1 }, 'blind'],
  ['an explorer that refuses or stands still', { doubted: ['chain'], inHand: 1, unseen: 1 }, 'blind'],
  ['an item that no condition judged', { notJudged: 1, inHand: 1, unseen: 1 }, 'blind'],
  ['a loop of the daemon that fails again and again', { failingLoops: 1, inHand: 1, unseen: 1 }, 'blind'],
  ['a shard that no replica works on', { unheld: 1, inHand: 1, unseen: 1 }, 'blind'],
  ['a message that is owed for five minutes', { isOwedLong: true, inHand: 1, unseen: 1 }, 'blind'],
  ['an alert that is pending or in hand', { inHand: 1, unseen: 1 }, 'in-hand'],
  ['a watch that has had no answer since the start', { unseen: 1 }, 'starting'],
  ['nothing', {}, 'quiet'],
  ['that no daemon runs', { ...ALL, critical: 1, isWorking: false }, 'blind'],
])('%s decides whether somebody gets up', (_what, facts, verdict) => {
  expect(verdictOf({ ...CALM, ...facts })).toBe(verdict);
});
