// A silence that lasts until what it matches is resolved, beside commits that the dispatcher has not read yet.
import { expect, test } from '@jest/globals';
import { keepPolicy } from '../../src/operators/upkeep.ts';
import { openVolatileStore } from '../../src/store/sqlite/open.ts';
import { aDecision, aTransition } from '../store/builders.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { fenceOf } from '../support/store/fences.ts';
import { operate } from '../support/store/operate.ts';
import { commit, dispatch } from '../support/store/store-calls.ts';

const LOOK_MS = 10_000;
const HOUR = 3_600_000;

test('a silence until resolved outlasts what fires and is not routed yet, and ends with it, reading no message before', async () => {
  const clock = createFakeClock();
  await using store = await openVolatileStore();
  let reads = 0;
  const counted = {
    ...store,
    openAlerts: (of: Parameters<typeof store.openAlerts>[0]) => {
      reads += 1;
      return store.openAlerts(of);
    },
  };
  const turn = async (seq: number, type: 'alert.firing' | 'alert.resolved'): Promise<void> => {
    const transitions = [aTransition({ key: 'low', watch: 'vault', seq, type })];
    expect(await commit(store, [aDecision('vault', { expects: seq - 1, transitions })], clock.now())).toEqual(['kept']);
  };
  await turn(1, 'alert.firing');
  const from = clock.now();
  const lasting = {
    matchers: { watch: 'vault' },
    from,
    until: from + HOUR,
    untilResolved: true,
    comment: 'a known move',
  };
  await operate(store, { type: 'silence', ...lasting }, { key: 's', asked: 's', actor: 'ada' }, { at: from });

  const stop = new AbortController();
  const kept = keepPolicy(
    {
      store: counted,
      fence: () => fenceOf(store, 'service:dispatch'),
      clock,
      storage: () => ({ answered: () => undefined, failed: () => LOOK_MS }),
      watches: () => [],
      notify: () => [],
      timeZone: () => 'UTC',
      onChanged: () => undefined,
    },
    stop.signal,
  );
  const silences = async (): Promise<number> => (await store.policy(clock.now())).silences.length;
  await clock.whenSleeping(1);
  expect([await silences(), reads]).toEqual([1, 1]);

  await dispatch(store, clock.now());
  await clock.advance(LOOK_MS);
  await clock.whenSleeping(1);
  expect([await silences(), reads]).toEqual([1, 1]);

  await turn(2, 'alert.resolved');
  await dispatch(store, clock.now());
  await clock.advance(LOOK_MS);
  await clock.whenSleeping(1);
  expect([await silences(), reads]).toEqual([0, 2]);
  stop.abort();
  await kept;
});
