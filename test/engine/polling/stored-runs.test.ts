// Windows over runs that lie in the store say what they would say over a memory that holds all of its runs itself.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { historyOf, withClosedApart, withStored } from '../../../src/core/alerts/history.ts';
import { MEASURES, type WindowSpan } from '../../../src/core/model/watch/condition.ts';
import type { Memory, Samples } from '../../../src/core/model/memory.ts';
import type { Observation } from '../../../src/core/model/observation.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import { blankMemory, step } from '../../../src/core/step.ts';
import { type HeldRuns, keepRuns, runsBefore } from '../../../src/engine/polling/beside-memory.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { commit } from '../../support/store/store-calls.ts';
import { aWatch } from '../../support/engine/watch.ts';

const MINUTE = 60_000;

/** A poll: minutes since the one before, what it saw, and what became of it. */
interface Poll {
  readonly wait: number;
  /** Null: unknown; `missed`: no answer came. */
  readonly level: string | null;
  /** `lost`: the store did not keep it. `restart`: it was kept, and the process ended. */
  readonly end: 'kept' | 'lost' | 'restart';
}

function observationAt(at: number, level: string | null): Observation {
  if (level === 'missed') return { type: 'missed', at, paceMs: 0, reason: 'timeout', detail: 'no answer' };
  return { type: 'seen', at, paceMs: 0, head: null, chain: 'not-asked', seen: { level }, partial: null };
}

function answers(samples: Samples, spans: readonly WindowSpan[], history: ReturnType<typeof historyOf>): string[] {
  return spans
    .flatMap((span) =>
      MEASURES.map((measure) => `${span.ms / MINUTE} ${measure} ${String(history({ ...span, measure }))}`),
    )
    .concat(Object.keys(samples));
}

/** What windows say in each poll: over runs apart, and over a memory that holds them all. */
async function bothWays(windows: readonly WindowSpan[], polls: readonly Poll[]) {
  const watch: Watch = aWatch([], { windows });
  const store = createMemoryStore();
  const held: { runs: HeldRuns | null } = { runs: null };
  let [whole, apart]: [Memory, Memory] = [blankMemory(watch), blankMemory(watch)];
  const said: { apart: string[]; whole: string[] }[] = [];
  let at = 0;
  for (const { wait, level, end } of polls) {
    at += wait * MINUTE;
    const observation = observationAt(at, level);
    const time = { at, coveredUntil: whole.coveredUntil, intervalMs: MINUTE };
    const past = await runsBefore(held, { watch, memory: apart, at, shiftedMs: 0 }, store);
    const ofWhole = step(watch, whole, observation).memory;
    const first = step(watch, apart, observation, past);
    said.push({
      whole: answers(ofWhole.history, windows, historyOf(ofWhole.history, time)),
      apart: answers(first.memory.history, windows, historyOf(first.memory.history, time, past)),
    });
    if (end === 'lost') continue;
    const decision = withClosedApart(watch, apart, first);
    await commit(store, [decision], at);
    keepRuns(held, decision, at);
    whole = ofWhole;
    apart = { ...decision.memory, version: apart.version + (decision.hasChanged ? 1 : 0) };
    if (end === 'restart') held.runs = null;
  }
  return {
    said,
    whole,
    apart: withStored(apart, await store.samples(watch.id)),
    stored: await store.samples(watch.id),
  };
}

const level = (most: number) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0, max: most }).map(String) },
    { weight: 1, arbitrary: fc.constantFrom(null, 'missed') },
  );
const pollsOf = (most: number, length: number): fc.Arbitrary<Poll[]> =>
  fc.array(
    fc.record({
      wait: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.integer({ min: 2, max: 9 }) },
      ),
      level: level(most),
      end: fc.oneof({ weight: 9, arbitrary: fc.constant('kept' as const) }, fc.constantFrom('lost', 'restart')),
    }),
    { minLength: 1, maxLength: length, size: 'max' },
  );
const spans = (most: number): fc.Arbitrary<WindowSpan[]> =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 3 })
    .map((all) => all.map((minutes) => ({ path: 'level', ms: minutes * MINUTE })));

describe('over any series, with holes, ties, unknowns, lost commits and restarts, windows apart say the same', () => {
  test.each([
    ['short ones', 40, 5, 60, 150],
    // Longer than what is held of a window's beginning.
    ['long ones', 400, 3, 600, 12],
    ['long ones of which every value is another', 300, 1_000_000, 600, 6],
  ])('%s', async (_name, back, most, length, numRuns) => {
    await fc.assert(
      fc.asyncProperty(spans(back), pollsOf(most, length), async (windows, polls) => {
        const { said, whole, apart } = await bothWays(windows, polls);
        for (const one of said) expect(one.apart).toEqual(one.whole);
        expect(answersNow(apart, windows)).toEqual(answersNow(whole, windows));
      }),
      { numRuns },
    );
  });

  test('of values that only rise or only fall', async () => {
    for (const sign of [1, -1]) {
      const polls = Array.from({ length: 500 }, (_, n): Poll => ({ wait: 1, level: String(sign * n), end: 'kept' }));
      const { said } = await bothWays([{ path: 'level', ms: 200 * MINUTE }], polls);
      for (const one of said) expect(one.apart).toEqual(one.whole);
      expect(said.at(-1)?.apart).toContain(`200 delta ${sign * 200}`);
    }
  });
});

function answersNow({ history, coveredUntil }: Memory, windows: readonly WindowSpan[]): string[] {
  const at = coveredUntil ?? 0;
  return answers(history, windows, historyOf(history, { at, coveredUntil, intervalMs: MINUTE }));
}

test('a poll writes what is new, however long the window is, and what no window reaches any more goes', async () => {
  const polls = Array.from({ length: 300 }, (_, n): Poll => ({ wait: 1, level: String(n % 7), end: 'kept' }));
  const { apart, stored } = await bothWays([{ path: 'level', ms: 60 * MINUTE }], polls);
  expect(stored['level']?.length).toBeLessThanOrEqual(65);
  expect(apart.history['level']?.length).toBe((stored['level']?.length ?? 0) + 1);
});

test('what was stored of something else, or of a path that was not looked back over meanwhile, is gone', async () => {
  const store = createMemoryStore();
  const held: { runs: HeldRuns | null } = { runs: null };
  const window = { path: 'level', ms: 60 * MINUTE };
  let memory: Memory | null = null;
  const poll = async (watch: Watch, minute: number, value: string): Promise<string> => {
    const before: Memory = memory ?? blankMemory(watch);
    const at = minute * MINUTE;
    const past = await runsBefore(held, { watch, memory: before, at, shiftedMs: 0 }, store);
    const first = step(watch, before, observationAt(at, value), past);
    const time = { at, coveredUntil: before.coveredUntil, intervalMs: MINUTE };
    const decision = withClosedApart(watch, before, first);
    await commit(store, [decision], at);
    keepRuns(held, decision, at);
    memory = { ...decision.memory, version: before.version + 1 };
    return String(historyOf(decision.memory.history, time, past)({ ...window, ms: 2 * MINUTE, measure: 'delta' }));
  };
  const watch = aWatch([], { windows: [window, { path: 'level', ms: 2 * MINUTE }] });
  for (const minute of [1, 2, 3]) await poll(watch, minute, String(minute));
  expect(Object.keys(await store.samples(watch.id))).toEqual(['level']);
  expect(await poll(watch, 4, '9')).toBe('7');
  await poll({ ...watch, windows: [], sampled: [] }, 5, '10');
  expect(await store.samples(watch.id)).toEqual({});
  expect(await poll(watch, 6, '11')).toBe('undefined');
  await poll(watch, 7, '12');
  await poll({ ...watch, checksum: 'another' }, 8, '1');
  expect(await store.samples(watch.id)).toEqual({});
});
