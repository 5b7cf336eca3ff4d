import { describe, expect, test } from '@jest/globals';
import type { EventProgress, Sighting } from '../../../src/core/alerts/events/event-progress.ts';
import { advanceEvent, beginEvent, FINAL_DEPTH } from '../../../src/core/alerts/events/event-state.ts';

const HEAD = 1000;

const MINUTE = 60_000;
const NOW = { at: 100 * MINUTE, head: HEAD, reach: HEAD };

/** An item so many blocks below the head; `turned`: for how many minutes it has been otherwise than told. */
function at(
  depth: number,
  state: EventProgress['state'],
  absent = 0,
  change: { turned?: number; retractions?: number } = {},
): EventProgress {
  const { turned, retractions = state === 'retracted' ? 1 : 0 } = change;
  const turnedAt = turned === undefined ? null : NOW.at - turned * MINUTE;
  return { state, block: HEAD - depth, absent, turnedAt, absentHead: null, retractions };
}

const seen = (as: 'same' | 'other' | 'no-match', depth: number): Sighting => ({
  type: 'seen',
  as,
  block: HEAD - depth,
});
const gone: Sighting = { type: 'absent', isProven: false };
const proven: Sighting = { type: 'absent', isProven: true };
const unread: Sighting = { type: 'unread' };
const incomplete: Sighting = { type: 'incomplete' };
const behind: Sighting = { type: 'behind' };
const FORGOTTEN = null;

describe('an item that matches for the first time', () => {
  test.each([
    ['no confirmations asked', { confirmations: 0 }, 0, 'confirmed', 'confirmed'],
    ['not deep enough', { confirmations: 12 }, 11, 'observed', 'observed'],
    ['deep enough', { confirmations: 12 }, 12, 'confirmed', 'confirmed'],
    ['provisional, not deep enough', { confirmations: 12, provisional: true }, 0, 'confirmed', 'confirmed'],
    ['final already', { confirmations: 12 }, FINAL_DEPTH, 'confirmed', FORGOTTEN],
    ['more confirmations than are final elsewhere', { confirmations: 100 }, 80, 'observed', 'observed'],
  ])('%s', (_name, rule, depth, transition, state) => {
    const { after, transition: was } = beginEvent({ provisional: false, ...rule }, HEAD - depth, HEAD);
    expect([was, after?.state ?? FORGOTTEN]).toEqual([transition, state]);
  });

  test.each([
    ['in no block', null, HEAD],
    ['where no head is known', 990, null],
  ])('%s it is not deep', (_name, block, head) => {
    expect(beginEvent({ confirmations: 1, provisional: false }, block, head).transition).toBe('observed');
    expect(beginEvent({ confirmations: 0, provisional: false }, block, head).transition).toBe('confirmed');
  });
});

type Row = readonly [before: EventProgress, sight: Sighting, transition: string, after: string | null];

// Twelve confirmations are asked for in every row.
const TABLE: readonly Row[] = [
  // observed: nothing was told yet
  [at(3, 'observed'), seen('same', 4), 'none', 'observed'],
  [at(3, 'observed'), seen('other', 4), 'none', 'observed'],
  [at(3, 'observed'), seen('same', 12), 'confirmed', 'confirmed'],
  [at(3, 'observed'), seen('other', 12), 'confirmed', 'confirmed'],
  [at(3, 'observed'), seen('no-match', 4), 'dropped', FORGOTTEN],
  [at(3, 'observed'), gone, 'none', 'observed'],
  [at(3, 'observed', 1), gone, 'dropped', 'dropped'],
  [at(3, 'observed'), proven, 'dropped', 'dropped'],
  [at(3, 'observed', 1), seen('same', 4), 'none', 'observed'],
  [at(3, 'observed'), unread, 'none', 'observed'],
  [at(3, 'observed'), behind, 'behind', 'observed'],
  [at(12, 'observed'), behind, 'confirmed', 'confirmed'],
  [at(12, 'observed'), unread, 'confirmed', 'confirmed'],
  [at(FINAL_DEPTH, 'observed'), unread, 'confirmed', FORGOTTEN],
  [at(3, 'observed'), incomplete, 'none', 'observed'],
  [at(FINAL_DEPTH, 'observed'), incomplete, 'confirmed', 'confirmed'],
  [at(FINAL_DEPTH, 'observed'), behind, 'confirmed', 'confirmed'],
  // dropped: gone before it was told; it may come back
  [at(3, 'dropped', 2), seen('same', 1), 'observed', 'observed'],
  [at(3, 'dropped', 2), seen('other', 1), 'observed', 'observed'],
  [at(3, 'dropped', 2), seen('same', 12), 'confirmed', 'confirmed'],
  [at(3, 'dropped', 2), seen('no-match', 1), 'none', FORGOTTEN],
  [at(3, 'dropped', 2), gone, 'none', 'dropped'],
  [at(3, 'dropped', 2), proven, 'none', 'dropped'],
  [at(3, 'dropped', 2), behind, 'behind', 'dropped'],
  [at(3, 'dropped', 2), unread, 'none', 'dropped'],
  [at(12, 'dropped', 2), unread, 'none', 'dropped'],
  [at(FINAL_DEPTH, 'dropped', 2), unread, 'none', 'dropped'],
  [at(10 * FINAL_DEPTH, 'dropped', 2), unread, 'sealed', FORGOTTEN],
  // confirmed: told
  [at(12, 'confirmed'), seen('same', 13), 'none', 'confirmed'],
  [at(12, 'confirmed'), seen('other', 13), 'corrected', 'confirmed'],
  [at(12, 'confirmed'), seen('no-match', 13), 'retracted', 'retracted'],
  [at(12, 'confirmed'), gone, 'suspect', 'suspect'],
  [at(12, 'confirmed'), proven, 'retracted', 'retracted'],
  [at(12, 'confirmed', 0, { retractions: 1 }), proven, 'retracted', 'retracted'],
  [at(12, 'confirmed'), unread, 'none', 'confirmed'],
  [at(12, 'confirmed'), behind, 'behind', 'confirmed'],
  [at(12, 'confirmed'), seen('same', FINAL_DEPTH), 'sealed', FORGOTTEN],
  [at(12, 'confirmed'), seen('other', FINAL_DEPTH), 'corrected', FORGOTTEN],
  [at(FINAL_DEPTH, 'confirmed'), unread, 'sealed', FORGOTTEN],
  [at(FINAL_DEPTH, 'confirmed'), incomplete, 'none', 'confirmed'],
  [at(10 * FINAL_DEPTH, 'confirmed'), incomplete, 'sealed', FORGOTTEN],
  [at(FINAL_DEPTH, 'confirmed'), behind, 'behind', 'confirmed'],
  [at(10 * FINAL_DEPTH, 'confirmed'), behind, 'sealed', FORGOTTEN],
  // suspect: gone, perhaps for a moment
  [at(12, 'suspect', 1), seen('same', 12), 'back', 'confirmed'],
  [at(12, 'suspect', 1), seen('other', 12), 'corrected', 'confirmed'],
  [at(12, 'suspect', 1), seen('no-match', 12), 'retracted', 'retracted'],
  [at(12, 'suspect', 1), gone, 'none', 'suspect'],
  [at(12, 'suspect', 2), gone, 'retracted', 'retracted'],
  [at(12, 'suspect', 1), proven, 'retracted', 'retracted'],
  [at(12, 'suspect', 5, { retractions: 1, turned: 9 }), gone, 'none', 'suspect'],
  [at(12, 'suspect', 5, { retractions: 1, turned: 10 }), gone, 'retracted', 'retracted'],
  [at(12, 'suspect', 1, { retractions: 1, turned: 10 }), gone, 'none', 'suspect'],
  [at(12, 'suspect', 1), unread, 'none', 'suspect'],
  [at(12, 'suspect', 1), behind, 'behind', 'suspect'],
  [at(FINAL_DEPTH, 'suspect', 1), unread, 'none', 'suspect'],
  [at(10 * FINAL_DEPTH, 'suspect', 1), unread, 'sealed', FORGOTTEN],
  // retracted: it may come back
  [at(12, 'retracted', 2), seen('same', 12), 'none', 'retracted'],
  [at(12, 'retracted', 2, { turned: 9 }), seen('same', 12), 'none', 'retracted'],
  [at(12, 'retracted', 2, { turned: 10 }), seen('same', 12), 'reinstated', 'confirmed'],
  [at(12, 'retracted', 2, { turned: 10 }), seen('other', 12), 'reinstated', 'confirmed'],
  [at(12, 'retracted', 2, { turned: 10 }), seen('same', FINAL_DEPTH), 'reinstated', FORGOTTEN],
  [at(12, 'retracted', 2, { turned: 9 }), unread, 'none', 'retracted'],
  [at(12, 'retracted', 2, { turned: 10 }), unread, 'reinstated', 'confirmed'],
  [at(FINAL_DEPTH, 'retracted', 2, { turned: 10 }), unread, 'reinstated', FORGOTTEN],
  [at(FINAL_DEPTH, 'retracted', 2, { turned: 10 }), incomplete, 'reinstated', 'confirmed'],
  [at(12, 'retracted', 2), seen('no-match', 12), 'none', 'retracted'],
  [at(12, 'retracted', 2), gone, 'none', 'retracted'],
  [at(12, 'retracted', 2, { turned: 10 }), gone, 'none', 'retracted'],
  [at(12, 'retracted', 2), proven, 'none', 'retracted'],
  [at(12, 'retracted', 2), behind, 'behind', 'retracted'],
  [at(12, 'retracted', 2), unread, 'none', 'retracted'],
  [at(FINAL_DEPTH, 'retracted', 2), unread, 'none', 'retracted'],
  [at(10 * FINAL_DEPTH, 'retracted', 2), unread, 'sealed', FORGOTTEN],
  [at(10 * FINAL_DEPTH, 'retracted', 2), gone, 'sealed', FORGOTTEN],
];

const RULE = { confirmations: 12, provisional: false };

test.each(TABLE)('%j, then %j: %s, %s', (before, sight, transition, after) => {
  const advanced = advanceEvent(RULE, before, sight, NOW);
  expect([advanced.transition, advanced.after?.state ?? FORGOTTEN]).toEqual([transition, after]);
});

test('mined again in another block, it is the same item, in its new place', () => {
  const { after, transition } = advanceEvent(RULE, at(12, 'suspect', 1), seen('same', 2), NOW);
  expect([transition, after]).toEqual(['back', at(2, 'confirmed')]);
});

test('where nothing changed, the very same object comes back: nothing is written', () => {
  for (const sight of [seen('same', 12), unread]) {
    const before = at(12, 'confirmed');
    expect(advanceEvent(RULE, before, sight, NOW).after).toBe(before);
  }
});

test('an item whose block the explorer has not read again is not final, however far the head is', () => {
  const before = at(FINAL_DEPTH, 'confirmed');
  const below = { ...NOW, reach: HEAD - FINAL_DEPTH - 1 };
  expect(advanceEvent(RULE, before, unread, below).after).toBe(before);
  expect(advanceEvent(RULE, at(10 * FINAL_DEPTH, 'confirmed'), unread, { ...NOW, reach: 1 }).after).toBe(FORGOTTEN);
  const again = { ...NOW, head: HEAD + 3, reach: HEAD + 3 };
  const first = advanceEvent(RULE, before, gone, again).after ?? before;
  const second = advanceEvent(RULE, first, gone, again).after ?? before;
  expect(advanceEvent(RULE, second, gone, again).transition).toBe('retracted');
});

test('what goes again before it has been there for ten minutes begins its ten minutes anew', () => {
  const returning = at(12, 'retracted', 2, { turned: 9 });
  const { after } = advanceEvent(RULE, returning, gone, NOW);
  expect(after).toEqual(at(12, 'retracted', 2));
});

test('every state meets every sight in the table', () => {
  const met = new Set(TABLE.map(([{ state }, sight]) => `${state} ${sight.type === 'seen' ? sight.as : sight.type}`));
  for (const state of ['observed', 'dropped', 'confirmed', 'suspect', 'retracted'])
    for (const sight of ['same', 'other', 'no-match', 'absent', 'unread', 'behind'])
      expect(met).toContain(`${state} ${sight}`);
});
