import { expect, test } from '@jest/globals';
import { followOtherReplicas } from '../../../src/engine/upkeep/other-replicas.ts';
import { StorageError } from '../../../src/store/contract/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { commit } from '../../support/store/store-calls.ts';
import { aDecision, aTransition } from '../../store/builders.ts';
import { operate, type Act } from '../../support/store/operate.ts';

const SECOND = 1000;

/** A replica that looks, over a store that another one writes to. */
async function aReplica() {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const store = createMemoryStore();
  const seen: string[] = [];
  const broken = { store: false, action: false };
  const others = { live: true };
  const act = async (key: string, change: Act): Promise<void> => {
    await operate(store, change, { key, asked: key, actor: 'alice' }, { at: clock.now() });
  };
  const pause = (key: string, watch: string): Promise<void> =>
    act(key, { type: 'pause', watch, matchers: { watch }, until: clock.now() + 60 * SECOND, comment: 'move' });
  await pause('before', 'vault');
  const stop = new AbortController();
  const running = followOtherReplicas(
    {
      store: {
        newsSince: (since) => (broken.store ? Promise.reject(new StorageError('cut')) : store.newsSince(since)),
      },
      hasOthers: () => others.live,
      onLook: () => seen.push('looks'),
      onTransitions: () => seen.push('transitions'),
      onChanged(changes) {
        if (broken.action) return Promise.reject(new StorageError('cut'));
        seen.push(...changes.map(({ action }) => action));
        return Promise.resolve();
      },
      clock,
      log,
    },
    stop.signal,
  );
  await clock.whenSleeping(1);
  return {
    clock,
    log,
    store,
    broken,
    others,
    act,
    pause,
    /** What it notices within so many seconds. */
    async seconds(count: number): Promise<string[]> {
      seen.length = 0;
      await clock.advance(count * SECOND);
      return [...seen];
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

test('an alert that one replica found waited for a minute in the other: it looks once a second', async () => {
  await using replica = await aReplica();
  expect(await replica.seconds(2)).toEqual(['looks', 'looks']);
  await commit(replica.store, [aDecision('w', { transitions: [aTransition()] })], replica.clock.now());
  expect(await replica.seconds(2)).toEqual(['looks', 'transitions', 'looks']);
});

test('does not query the changes of others while it is the only replica', async () => {
  await using replica = await aReplica();
  replica.others.live = false;
  // What the last of them stored before it left is found.
  expect(await replica.seconds(60)).toContain('looks');
  expect(await replica.seconds(600)).toEqual([]);
  replica.others.live = true;
  expect(await replica.seconds(2)).toEqual(['looks', 'looks']);
});

test('acts on each change of an operator once, on all replicas', async () => {
  await using replica = await aReplica();
  expect(await replica.seconds(1)).toEqual(['looks']);
  await replica.pause('k1', 'coins');
  await replica.act('k2', { type: 'retry-channel', channel: 'hook' });
  expect(await replica.seconds(1)).toEqual(['looks', 'pause', 'retry-channel']);
  expect(await replica.seconds(1200)).not.toContain('pause');
});

test('acts on a change as soon as the database answers', async () => {
  await using replica = await aReplica();
  replica.broken.action = true;
  await replica.pause('k1', 'coins');
  await replica.seconds(3);
  replica.broken.store = true;
  await replica.seconds(60);
  Object.assign(replica.broken, { store: false, action: false });
  expect(await replica.seconds(60)).toContain('pause');
  expect(replica.log.lines).toEqual(['error storage:failed', 'info storage:answers']);
});
