import { expect, test } from '@jest/globals';
import { createSoleOwnership } from '../../../src/cluster/ownership.ts';
import { createHeldLoops } from '../../../src/engine/upkeep/held-loops.ts';
import { aborted } from '../../../src/lib/clock.ts';
import { createShards } from '../../support/engine/moving-ownership.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const FENCE = { key: 'service:dispatch', slot: 0, owner: 'me', epoch: 1 };
const SHARD = 'service:dispatch';

/** A loop that notes when it runs, and ends when it is told to, or a while later. */
function aLoop(endsAfterMs = 0) {
  const clock = createFakeClock();
  const ownership = createShards().replica();
  const { whileHeld, follower } = createHeldLoops(ownership, clock);
  ownership.follow(follower);
  const log: string[] = [];
  const run = async (signal: AbortSignal): Promise<void> => {
    log.push('runs');
    await aborted(signal);
    log.push('is told to end');
    await clock.sleep(endsAfterMs);
    log.push('ended');
  };
  return { clock, ownership, log, whileHeld, run };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('only the replica that holds the service runs its loop, and starts it again at each claim', async () => {
  const { ownership, log, whileHeld, run } = aLoop();
  const stop = new AbortController();
  const running = whileHeld(SHARD, run)(stop.signal);
  await turn();
  expect(log).toEqual([]);

  await ownership.claim('service:journal');
  await turn();
  expect(log).toEqual([]);

  await ownership.claim(SHARD);
  await turn();
  expect(log).toEqual(['runs']);

  await ownership.release(SHARD);
  expect(log).toEqual(['runs', 'is told to end', 'ended']);
  await ownership.claim(SHARD);
  await turn();
  ownership.lost(SHARD);
  await turn();
  expect(log).toEqual(['runs', 'is told to end', 'ended', 'runs', 'is told to end', 'ended']);

  stop.abort();
  await running;
});

test('a loop that was opened after its shard was claimed runs at once', async () => {
  const { ownership, log, whileHeld, run } = aLoop();
  await ownership.claim(SHARD);
  const stop = new AbortController();
  const running = whileHeld(SHARD, run)(stop.signal);
  await turn();
  expect(log).toEqual(['runs']);
  stop.abort();
  await running;
  expect(log).toEqual(['runs', 'is told to end', 'ended']);
});

test('a receiver that hangs does not keep the shard from the next replica for longer than two seconds', async () => {
  const { clock, ownership, log, whileHeld, run } = aLoop(60_000);
  const stop = new AbortController();
  const running = whileHeld(SHARD, run)(stop.signal);
  await ownership.claim(SHARD);
  await turn();
  const releasing = ownership.release(SHARD);
  await clock.advance(2000);
  await releasing;
  expect(log).toEqual(['runs', 'is told to end']);

  // What is claimed again meanwhile begins when the former run has ended, and not beside it.
  await ownership.claim(SHARD);
  await clock.advance(57_999);
  expect(log).toEqual(['runs', 'is told to end']);
  await clock.advance(1);
  expect(log).toEqual(['runs', 'is told to end', 'ended', 'runs']);
  stop.abort();
  await clock.advance(60_000);
  await running;
});

test('a loop that fails says so to its supervisor, and runs again when it is started again', async () => {
  const { ownership, whileHeld } = aLoop();
  await ownership.claim(SHARD);
  let runs = 0;
  const loop = whileHeld(SHARD, async (signal) => {
    runs += 1;
    if (runs === 1) throw new TypeError('a defect');
    if (runs === 2) return;
    await aborted(signal);
  });
  const stop = new AbortController();
  await expect(loop(stop.signal)).rejects.toThrow('a defect');
  await expect(loop(stop.signal)).rejects.toThrow('it ended by itself');
  const running = loop(stop.signal);
  stop.abort();
  await running;
  expect(runs).toBe(3);
});

test('where one process has the state for itself, its loops run as they are', () => {
  const { clock, run } = aLoop();
  const sole = createSoleOwnership({ isShared: false, fence: FENCE });
  expect(createHeldLoops(sole, clock).whileHeld(SHARD, run)).toBe(run);
});
