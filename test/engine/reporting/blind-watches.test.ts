import { expect, test } from '@jest/globals';
import { blankMemory } from '../../../src/core/step.ts';
import type { Memory } from '../../../src/core/model/memory.ts';
import { NO_SIGHTINGS } from '../../../src/core/model/quality/sightings.ts';
import type { MissReason } from '../../../src/core/model/observation.ts';
import { reportBlind } from '../../../src/engine/reporting/blind-report.ts';
import { causesOf, showCause } from '../../../src/core/model/quality/blind-cause.ts';
import { createBlindWatches } from '../../../src/engine/reporting/blind-watches.ts';
import { isOverdue, nextTimeOf, phaseOf } from '../../../src/core/model/watch/schedule.ts';
import { adopt } from '../../support/engine/adopt.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { aPoller } from '../../support/engine/poller.ts';
import { loadWatches } from '../../support/world.ts';

const rule = (id: string): string =>
  `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }\n`;
const [one, two] = [loadWatches(`watches:\n${rule('one')}`), loadWatches(`watches:\n${rule('one')}${rule('two')}`)];

/** The poller, who is blind, and what the log says of it, over an explorer that answers or does not. */
async function aStory(watches = one, pace = { ms: 60_000 }) {
  const made = aPoller({
    onPolled: (watch, observation) => {
      blindWatches.polled(watch, observation);
    },
  });
  const { clock, poller, seen, log } = made;
  const blindWatches = createBlindWatches({
    clock,
    paceOf: () => pace.ms,
    storage: () => 'works',
    pausedUntil: () => null,
    memoryOf: poller.readings.memoryOf,
  });
  let current = watches;
  const load = async (next: typeof watches): Promise<void> => {
    current = next;
    await adopt(poller, next);
    blindWatches.adopt(next);
  };
  await load(watches);
  const stop = new AbortController();
  const running = reportBlind({ clock, log, blind: () => blindWatches.blind() }, stop.signal);
  /** So many polls, a minute apart: with an answer, or none for this reason. */
  const polls = async (count: number, missed: MissReason | null = null): Promise<void> => {
    seen.wei = missed === null ? '5' : '';
    seen.reason = missed ?? 'timeout';
    for (; count > 0; count -= 1) {
      await clock.advance(60_000);
      await poller.poll(current, stop.signal);
    }
  };
  return {
    ...made,
    blindWatches,
    load,
    polls,
    blind: () => causesOf(blindWatches.blind()).map(showCause),
    said: () => log.lines.filter((line) => line.includes('watch:blind')),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test('a watch whose first poll a plan put off was blind before it was due', async () => {
  await using story = await aStory(one, { ms: 400_000 });
  const { clock, blindWatches, blind } = story;
  await clock.advance(600_000);
  expect([blind(), blindWatches.overdue().length]).toEqual([[], 1]);
  await clock.advance(700_000);
  expect(blind()).toEqual(['chain: no-poll since 2026-01-01T00:06:40Z: one']);
});

test('a watch that is blind since the head stands still stays so when its interval becomes longer, until it is polled', async () => {
  const clock = createFakeClock();
  const pace = { ms: 60_000 };
  const memoryAt = (at: number, state: 'ok' | 'stale'): Memory[] =>
    one.map((watch) => ({
      ...blankMemory(watch),
      paceMs: pace.ms,
      coveredUntil: at,
      data: { state, since: at, lastOk: state === 'ok' ? null : at, fields: NO_SIGHTINGS },
    }));
  let [memory] = memoryAt(clock.now(), 'stale');
  const blindWatches = createBlindWatches({
    clock,
    paceOf: () => pace.ms,
    storage: () => 'works',
    pausedUntil: () => null,
    memoryOf: () => memory,
  });
  const blind = (): string[] => causesOf(blindWatches.blind()).map(showCause);
  blindWatches.adopt(one);
  await clock.advance(1_200_000);
  const since = blind();
  expect(since).toEqual([expect.stringContaining('chain: stale')]);
  pace.ms = 3_600_000;
  await clock.advance(60_000);
  expect(blind()).toEqual(since);
  [memory] = memoryAt(clock.now(), 'ok');
  await clock.advance(3_000_000);
  expect(blind()).toEqual([]);
});

test('a reload that gives a watch other due times adds none that it has missed', async () => {
  const clock = createFakeClock();
  const reads = (call: string): typeof one =>
    loadWatches(`watches:
  - { id: one, kind: read, of: vault, every: 15m, read: { limit: { call: '${call}() view returns (uint256)' } }, alerts: [{ id: low, while: limit < 1 }] }
`);
  const placesOf = ([watch]: typeof one): number => (watch === undefined ? 0 : phaseOf(watch));
  // The due times of the first are as late within the quarter of an hour as they can be, those of the second early.
  const calls = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(reads).toSorted((a, b) => placesOf(b) - placesOf(a));
  const [late = [], early = []] = [calls[0], calls.at(-1)];
  const [watch] = late;
  if (watch === undefined) throw new Error('the rule makes one watch');
  await clock.setTo(nextTimeOf(watch, clock.now()) ?? 0);
  const at = clock.now();
  const memory: Memory = {
    ...blankMemory(watch),
    paceMs: watch.schedule.intervalMs,
    coveredUntil: at,
    data: { state: 'ok', since: at, lastOk: null, fields: NO_SIGHTINGS },
  };
  const blindWatches = createBlindWatches({
    clock,
    storage: () => 'works',
    pausedUntil: () => null,
    memoryOf: () => memory,
  });
  blindWatches.adopt(late);
  await clock.advance(44 * 60_000);
  blindWatches.adopt(early);
  const third = nextTimeOf(early[0] ?? watch, clock.now()) ?? 0;
  await clock.advance(third - clock.now() + 5000);
  expect(blindWatches.blind()).toEqual([]);
  await clock.advance(10_000);
  expect(causesOf(blindWatches.blind()).map(showCause)).toEqual([expect.stringContaining('one')]);
});

test('an explorer that does not answer makes its watches blind, said once, every hour again, and when it is over', async () => {
  await using story = await aStory(two);
  const { polls, blind, said, log } = story;
  await polls(2);
  await polls(2, 'timeout');
  expect([blind(), said()]).toEqual([[], []]);
  await polls(5, 'timeout');
  expect(blind()).toEqual(['chain: timeout since 2026-01-01T00:02:22.800Z: one, two']);
  expect(said()).toEqual(['warn watch:blind']);
  expect(log.fields[log.lines.indexOf('warn watch:blind')]).toMatchObject({
    explorer: 'chain',
    reason: 'timeout',
    since: '2026-01-01T00:02:22.800Z',
    watches: 2,
    names: 'one, two',
  });
  await polls(55, 'timeout');
  expect(said()).toHaveLength(1);
  await polls(120, 'timeout');
  expect(said()).toHaveLength(3);
  await polls(2);
  expect(blind()).toEqual([]);
  expect(said().slice(3)).toEqual(['info watch:blind-no-more']);
  await polls(600);
  expect(said()).toHaveLength(4);
});

test('another reason is said at once; one that alternates fills no log', async () => {
  await using story = await aStory();
  const { polls, said, blind } = story;
  await polls(1);
  await polls(8, 'timeout');
  await polls(3, 'server-error');
  expect(said()).toEqual(['warn watch:blind', 'warn watch:blind']);
  for (let i = 0; i < 20; i += 1) await polls(1, i % 2 === 0 ? 'timeout' : 'server-error');
  expect(said()).toHaveLength(2);
  expect(blind()).toEqual(['chain: server-error since 2026-01-01T00:01:22.800Z: one']);
});

test('a poll that never ends makes its watch blind', async () => {
  await using story = await aStory();
  const { clock, gate, poller, polls, blind } = story;
  await polls(1);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate.open = promise;
  const hanging = poller.poll(one, new AbortController().signal);
  await clock.advance(360_000);
  expect(blind()).toEqual(['chain: no-poll since 2026-01-01T00:01:22.800Z: one']);
  resolve(undefined);
  await hanging;
  expect(blind()).toEqual([]);
});

test('a watch of which no poll has ended yet is known; one that is added has three times of its own', async () => {
  await using story = await aStory();
  const { blindWatches, polls, load, blind } = story;
  const unpolled = (): string[] => blindWatches.unpolled().map(({ name }) => name);
  expect(unpolled()).toEqual(['one']);
  await polls(30, 'timeout');
  expect(unpolled()).toEqual([]);
  await load(two);
  expect(unpolled()).toEqual(['two']);
  await polls(3, 'timeout');
  expect(blind()).toEqual(['chain: timeout since 2026-01-01T00:01:22.800Z: one']);
  await polls(2, 'timeout');
  expect(blind()).toEqual(['chain: timeout since 2026-01-01T00:01:22.800Z: one, two']);
  await load([]);
  expect([blind(), unpolled()]).toEqual([[], []]);
});

test('a clock that is set back a day does not hide for a day that a watch is blind', async () => {
  await using story = await aStory();
  const { clock, polls, blind } = story;
  await polls(1);
  await clock.setTo(clock.now() - 86_400_000);
  await polls(8, 'timeout');
  expect(blind()).toHaveLength(1);
});

test('office hours: no due time is missed at night, and a start or reload then has nobody polled or waited for', async () => {
  const office = (cron: string): typeof one =>
    loadWatches(
      `watches: [{ id: office, kind: balance, of: treasury, cron: '${cron}', alerts: [{ id: low, while: balance < 1 }] }]`,
    );
  const watches = office('*/5 9-17 * * *');
  await using story = await aStory(watches);
  const { clock, seen, poller, blindWatches, load, blind } = story;
  const unpolled = (): number => blindWatches.unpolled().length;
  const isPolledAtOnce = (): boolean => isOverdue(watches[0] ?? raise(), null, clock.now());
  // Midnight.
  expect([unpolled(), isPolledAtOnce(), blind()]).toEqual([0, false, []]);
  await clock.setTo(Date.parse('2026-01-01T09:01:00Z'));
  expect([unpolled(), isPolledAtOnce(), blind()]).toEqual([1, true, []]);
  seen.wei = '5';
  await clock.setTo(Date.parse('2026-01-01T17:55:00Z'));
  await poller.poll(watches, new AbortController().signal);
  await clock.setTo(Date.parse('2026-01-01T18:30:00Z'));
  expect([unpolled(), isPolledAtOnce(), blind()]).toEqual([0, false, []]);
  // By these times it would have missed three already, which it was never told to keep.
  await load(office('*/5 * * * *'));
  expect(blind()).toEqual([]);
  await clock.setTo(Date.parse('2026-01-01T18:44:00Z'));
  expect(blind()).toEqual([]);
  await clock.setTo(Date.parse('2026-01-01T18:46:00Z'));
  expect(blind()).toEqual(['chain: no-poll since 2026-01-01T18:35:00Z: office']);
  // It stays blind by its next times.
  await load(office('*/2 * * * *'));
  expect(blind()).toEqual(['chain: no-poll since 2026-01-01T18:32:00Z: office']);
});

function raise(): never {
  throw new Error('there is no watch');
}

test('many watches are counted, and some of them named', () => {
  const many = loadWatches(`watches:\n${Array.from({ length: 12 }, (_, i) => rule(`w${i}`)).join('')}`);
  const blind = many.map((watch) => ({ watch, since: 0, reason: 'dns' as const, fields: [] }));
  expect(causesOf(blind).map(showCause)).toEqual([
    'chain: dns since 1970-01-01T00:00:00Z: w0, w1, w2, w3, w4, w5, w6, w7, w8, w9 and 2 more',
  ]);
});

test('a plan that slows a watch down does not end its blindness', async () => {
  const pace = { ms: 60_000 };
  await using story = await aStory(one, pace);
  await story.polls(2);
  await story.polls(6, 'timeout');
  expect(story.blind()).toHaveLength(1);
  pace.ms = 20 * 60_000;
  await story.clock.advance(60_000);
  expect(story.blind()).toHaveLength(1);
});
