import { describe, expect, test } from '@jest/globals';
import { NOTHING_CLOSED } from '../../../src/core/model/decision.ts';
import type { WatchId } from '../../../src/core/model/ids.ts';
import type { Watch } from '../../../src/core/model/watch/watch.ts';
import type { Read } from '../../../src/core/model/watch/question.ts';
import { blankMemory } from '../../../src/core/step.ts';
import { isHeadStale } from '../../../src/core/poll.ts';
import { isStop, observe } from '../../../src/engine/polling/observe.ts';
import { CommitUnansweredError, StorageError, type Store } from '../../../src/store/contract/store.ts';
import { NOBODY_TOLD } from '../../../src/engine/sending/unrecorded.ts';
import { adopt } from '../../support/engine/adopt.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { claim, commit, cover, dispatch } from '../../support/store/store-calls.ts';
import { aPoller } from '../../support/engine/poller.ts';
import { wordsOf } from '../../support/engine/run-polls.ts';
import { loadWatches } from '../../support/world.ts';

const RULES = `
watches:
  - { id: coins, kind: balance, of: treasury, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
`;

const signal = new AbortController().signal;
const watches: readonly Watch[] = loadWatches(RULES);

test('a decision is on disk before the sender hears of it', async () => {
  const { poller, seen, store, clock } = aPoller();
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(1);
  await dispatch(store, clock.now());
  expect((await store.survey()).outbox).toMatchObject([{ channel: 'screen', rows: 1 }]);
});

test('a defect around one watch is a missed poll of it, logged once: the others go on, and so does it the next time', async () => {
  const failing = { rule: 'coins' };
  const both =
    loadWatches(`${RULES}  - { id: other, kind: balance, of: vault, every: 1m, alerts: [{ id: low, while: balance < 1 }] }
`);
  const { poller, seen, log } = aPoller({
    hook: {
      onPoll({ watch }, read) {
        if (watch.rule === failing.rule) throw new Error('a bug');
        return { read, readDetails: (details) => details, settled: () => undefined };
      },
    },
  });
  await adopt(poller, both);
  await poller.poll(both, signal);
  expect(seen.polled).toHaveLength(2);
  await poller.poll(both, signal);
  expect(both.map(({ id }) => poller.readings.memoryOf(id)?.data?.state)).toEqual(['error', 'ok']);
  expect(log.lines.filter((line) => line === 'error watch:failed')).toHaveLength(1);
  failing.rule = '';
  await poller.poll(both, signal);
  expect([seen.polled.length, seen.skipped]).toEqual([6, 0]);
});

test('a watch that is still being polled is skipped and counted, never queued', async () => {
  const { poller, seen, gate } = aPoller();
  await adopt(poller, watches);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate.open = promise;
  const first = poller.poll(watches, signal);
  await poller.poll(watches, signal);
  expect([seen.skipped, seen.asked]).toEqual([1, 1]);
  resolve(undefined);
  await first;
  expect(seen.polled).toHaveLength(1);
});

describe('polls that nobody is told of wait for others to share the disk with', () => {
  const TEN_MINUTES = 600_000;
  const balances = (ids: readonly string[], condition: string): readonly Watch[] =>
    loadWatches(
      `watches:\n${ids.map((id) => `  - { id: ${id}, kind: balance, of: treasury, every: 1m, alerts: [{ id: a, while: ${condition} }] }`).join('\n')}`,
    );
  const silent = balances(['one', 'other'], 'balance > 1000');
  const told = balances(['low'], 'balance < 1');

  /** How many decisions each commit held. */
  async function sharing(silentWaitMs: number) {
    const store = createMemoryStore();
    const commits: number[] = [];
    const counted: Store = {
      ...store,
      async commit(decisions, at, fence) {
        commits.push(decisions.length);
        return store.commit(decisions, at, fence);
      },
    };
    const { poller, clock } = aPoller({ store: counted, silentWaitMs });
    await adopt(poller, [...silent, ...told]);
    return { poller, clock, commits };
  }

  test('one commit for all, and none waits for ever', async () => {
    const { poller, commits } = await sharing(1);
    await Promise.all(silent.map((watch) => poller.poll([watch], signal)));
    expect(commits).toEqual([2]);
  });

  test('an alert is not held up, and takes along what waits', async () => {
    const { poller, commits } = await sharing(TEN_MINUTES);
    const waiting = poller.poll(silent, signal);
    await poller.poll(told, signal);
    await waiting;
    expect(commits).toEqual([3]);
  });

  test('one that learned nothing has nothing to wait for', async () => {
    const { poller, clock, commits } = await sharing(TEN_MINUTES);
    await poller.poll([...silent, ...told], signal);
    await clock.advance(60_000);
    await poller.poll(silent, signal);
    expect(commits).toEqual([3]);
  });
});

test('a poll that learned nothing writes nothing; its coverage is flushed apart', async () => {
  const { poller, seen, store, clock } = aPoller();
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  const versionOf = async () => [...(await store.recall()).values()].map(({ version }) => version);
  const before = await versionOf();
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect(seen.polled).toEqual([true, false]);
  expect(await versionOf()).toEqual(before);
  await poller.flush();
  expect([...(await store.recall()).values()][0]?.coveredUntil).toBe(clock.now());
});

test('polls that see the same write times alone, and values and health once these are others or lost', async () => {
  const stored = createMemoryStore();
  const written: (readonly string[])[] = [];
  const store: Store = {
    ...stored,
    cover(coverage, fence) {
      for (const { snapshot, health } of coverage.values())
        written.push([...(snapshot === undefined ? [] : ['values']), ...(health === undefined ? [] : ['health'])]);
      return stored.cover(coverage, fence);
    },
  };
  const { poller, seen, clock } = aPoller({ store });
  const [watch] = watches;
  if (watch === undefined) throw new Error('there is no watch');
  await adopt(poller, watches);
  const polls = async (wei: string) => {
    seen.wei = wei;
    await poller.poll(watches, signal);
    await poller.flush();
    const { snapshot, health } = (await stored.diagnostics()).get(watch.id) ?? {};
    expect(snapshot?.at).toBe(clock.now());
    expect(health?.['low']?.evaluatedAt).toBe(clock.now());
    await clock.advance(60_000);
  };
  for (let n = 0; n < 3; n++) await polls('5000000000000000000');
  // The value before it is another one at the second poll.
  expect(written).toEqual([['values', 'health'], ['values'], []]);
  for (let n = 0; n < 3; n++) await polls('6000000000000000000');
  expect(written.slice(3)).toEqual([['values'], ['values'], []]);
  await polls('0');
  expect(written.slice(6)).toEqual([['values', 'health']]);
  await stored.forget([watch.id]);
  seen.wei = '5000000000000000000';
  await poller.poll(watches, signal);
  await clock.advance(60_000);
  await polls('5000000000000000000');
  expect(written.slice(7)).toEqual([['values', 'health']]);
});

test('a clock that was set back is said, and blinds no watch', async () => {
  const { poller, seen, store, log, clock } = aPoller();
  seen.wei = '0';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  const [memory] = [...(await store.recall()).values()];
  expect(memory?.coveredUntil).toBe(clock.now());
  await cover(store, new Map([[watches[0]?.id ?? '', { until: clock.now() + 3_600_000 }]]));
  const { poller: next, seen: later, log: lines } = aPoller({ store, clock });
  later.wei = '5000000000000000000';
  await adopt(next, watches);
  await next.poll(watches, signal);
  expect(lines.lines).toEqual(['warn clock:went-back']);
  expect(later.transitions).toBe(1);
  expect(log.lines).toEqual([]);
});

test('a clock that was set back by as long as the watch waits shows the time of its last poll again, which is judged', async () => {
  const { poller, seen, log, clock } = aPoller();
  seen.wei = '0';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(1);
  const at = clock.now();
  seen.wei = '5000000000000000000';
  await poller.poll(watches, signal);
  expect(clock.now()).toBe(at);
  expect(seen.transitions).toBe(2);
  expect(log.lines).toEqual([]);
});

test('a clock that was set back by a day does not make a wait a day longer: `for`, cooldown, window', async () => {
  const rules = loadWatches(`
watches:
  - id: coins
    kind: balance
    of: treasury
    every: 1m
    alerts:
      - { id: low, while: balance < 1, for: 5m }
      - { id: again, while: balance < 1, cooldown: 10m }
      - { id: drop, while: 'delta("3m") < 0' }
`);
  const { poller, seen, clock, store } = aPoller();
  const said: string[] = [];
  const poll = async (wei: string, polls = 1): Promise<void> => {
    for (; polls > 0; polls -= 1) {
      seen.wei = wei;
      await clock.advance(60_000);
      await poller.poll(rules, signal);
    }
    await dispatch(store, clock.now());
    for (const { delivery, attempt } of await claim(store, 'screen', 100, clock.now() + 86_400_000)) {
      said.push(wordsOf(delivery.members[0].message));
      await store.settle(
        { id: delivery.id, attempt },
        { state: 'sent', outcome: { type: 'sent', answer: '' } },
        clock.now(),
      );
    }
  };
  await adopt(poller, rules);
  await poll('2000000000000000000', 4);
  await poll('0');
  await poll('2000000000000000000', 4);
  await poll('0', 2);
  expect(said.toSorted()).toEqual(['again firing', 'again resolved', 'drop firing', 'drop firing', 'drop resolved']);
  await clock.setTo(clock.now() - 86_400_000);
  await poll('0', 6);
  expect(said.slice(5).toSorted()).toEqual(['again firing', 'drop resolved', 'low firing']);
});

test('a head that was read by a clock that was ahead is asked for anew: confirmations go on', async () => {
  const [watch] = loadWatches(`
watches:
  - { id: calls, kind: internal-transactions, of: treasury, every: 1m, alerts: [{ id: any, on: new, confirmations: 3 }] }
`);
  if (watch === undefined) throw new Error('no watch');
  const now = Date.UTC(2026, 0, 1);
  const asked: string[] = [];
  const page: Read['page'] = async ({ operation }) => {
    asked.push(operation);
    return { rows: [], next: null };
  };
  const read: Read = { page, pageAgain: page, one: () => Promise.reject(new Error('not asked for')) };
  for (const readAt of [now - 1, now + 86_400_000]) {
    const head = { height: 5n, timestamp: readAt, readAt, staleAfterMs: 1 };
    await observe(watch, blankMemory(watch), {
      read,
      now: () => now,
      head: () => head,
      canAskHead: true,
      endsPoll: isStop,
    });
  }
  expect(asked.filter((operation) => operation === 'blocks')).toHaveLength(1);
});

test('a head that seemed to stand still to a clock that was ahead blinds nobody when that is set right', () => {
  const now = Date.UTC(2026, 0, 1);
  const head = { height: 5n, timestamp: now, readAt: now + 86_400_000, staleAfterMs: 180_000 };
  expect(isHeadStale({ head, at: head.readAt })).toBe(true);
  expect(isHeadStale({ head, at: now })).toBe(false);
});

test('when the storage fails nothing is acknowledged, one line says so, and the next poll decides the same', async () => {
  const inner = createMemoryStore();
  let isDown = true;
  const store: Store = {
    ...inner,
    commit: (...args) => (isDown ? Promise.reject(new StorageError('disk full')) : inner.commit(...args)),
  };
  const { poller, seen, log, clock } = aPoller({ store });
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(0);
  isDown = false;
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(1);
  expect(log.lines.filter((line) => line.includes('storage'))).toEqual([
    'error storage:failed',
    'info storage:works-again',
  ]);
});

test('a watch whose memory another program wrote is not blind until a restart: the same observation is decided again', async () => {
  const { poller, seen, store, log, clock } = aPoller();
  const other = aPoller({ store, clock });
  seen.wei = other.seen.wei = '5000000000000000000';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  await adopt(other.poller, watches);
  await clock.advance(60_000);
  other.seen.wei = '6000000000000000000';
  await other.poller.poll(watches, signal);
  await clock.advance(60_000);
  seen.wei = '0';
  await poller.poll(watches, signal);
  expect([seen.recalled, seen.transitions]).toEqual([['superseded'], 2]);
  await dispatch(store, clock.now());
  expect((await store.survey()).outbox).toMatchObject([{ rows: 1 }]);
  expect(log.lines).toEqual(['info watch:memory-recalled']);
});

test('a state file that was put back is taken as it is, and the next poll goes on from there', async () => {
  const { poller, seen, store, clock } = aPoller();
  seen.wei = '5000000000000000000';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  await store.forget(watches.map(({ id }) => id));
  for (const wei of ['0', '0', '0']) {
    seen.wei = wei;
    await clock.advance(60_000);
    await poller.poll(watches, signal);
  }
  expect(seen.recalled).toEqual(['superseded']);
  await dispatch(store, clock.now());
  expect((await store.survey()).outbox).toMatchObject([{ rows: 1 }]);
});

test.each([
  { error: new StorageError('the disk is full'), mayBeKept: false },
  { error: new CommitUnansweredError('the line was cut'), mayBeKept: true },
])(
  'what the store did not keep is offered at once, with whether it may be kept: $mayBeKept',
  async ({ error, mayBeKept }) => {
    const offered: boolean[] = [];
    const unrecorded = { ...NOBODY_TOLD, offer: (_: unknown, may = false) => void offered.push(may) };
    const store = { ...createMemoryStore(), commit: () => Promise.reject(error) };
    const { poller } = aPoller({ store, unrecorded });
    await adopt(poller, watches);
    await poller.poll(watches, signal);
    expect(offered).toEqual([mayBeKept]);
  },
);

test('a commit that was kept although the store answered with an error is neither lost nor told twice', async () => {
  const inner = createMemoryStore();
  const disk = { breaksAfter: true };
  const store: Store = {
    ...inner,
    async commit(...args) {
      const ends = await inner.commit(...args);
      if (disk.breaksAfter) throw new StorageError('the disk went away');
      return ends;
    },
  };
  const { poller, seen, clock } = aPoller({ store });
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(0);
  disk.breaksAfter = false;
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect([seen.recalled, seen.transitions]).toEqual([['rejected'], 1]);
  await dispatch(store, clock.now());
  expect((await store.survey()).outbox).toMatchObject([{ rows: 1 }]);
  seen.wei = '5000000000000000000';
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  await dispatch(store, clock.now());
  // Nothing was sent meanwhile: what fired and is over is one message.
  expect(seen.transitions).toBe(2);
  expect((await store.survey()).outbox).toMatchObject([{ rows: 1 }]);
});

test('an explorer that is down is one line, and one when it is back', async () => {
  const { poller, seen, log, clock } = aPoller();
  await adopt(poller, watches);
  for (const wei of ['', '', '', '5', '5']) {
    seen.wei = wei;
    await clock.advance(60_000);
    await poller.poll(watches, signal);
  }
  expect(log.lines.filter((line) => line.includes('explorer:'))).toEqual([
    'warn explorer:no-answer',
    'info explorer:answers-again',
  ]);
});

test('what is read for a watch that a reload took out has no effect', async () => {
  const { poller, seen, gate, store } = aPoller();
  await adopt(poller, watches);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate.open = promise;
  const polling = poller.poll(watches, signal);
  await adopt(poller, []);
  resolve(undefined);
  await polling;
  expect(seen.polled).toEqual([]);
  expect((await store.recall()).size).toBe(0);
});

test('memory that this release cannot read is a new baseline, said aloud', async () => {
  const { poller, seen, store, log } = aPoller();
  const [watch] = watches;
  if (watch === undefined) throw new Error('no watch');
  const memory = {
    version: 0,
    checksum: watch.checksum,
    state: { from: 'the future' },
    alerts: {},
    history: {},
    data: null,
    coveredUntil: null,
    paceMs: null,
  };
  const none = {
    transitions: [],
    reasons: [],
    now: null,
    snapshot: null,
    firing: [],
    truths: {},
    needs: null,
    askAgainMs: null,
    closed: NOTHING_CLOSED,
  };
  const decision = { watchId: watch.id, expects: 0, memory, hasChanged: true, ...none };
  await commit(store, [decision], 0);
  await adopt(poller, watches);
  expect(log.lines).toEqual(['warn watch:memory-unreadable']);
  await poller.poll(watches, signal);
  expect(seen.polled).toEqual([true]);
});

test('what could not be flushed is flushed the next time, the look with it', async () => {
  const memory = createMemoryStore();
  const disk = { isFull: true };
  const store: Store = {
    ...memory,
    cover: (...args) => (disk.isFull ? Promise.reject(new StorageError('full')) : memory.cover(...args)),
  };
  const { poller } = aPoller({ store });
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  await expect(poller.flush()).rejects.toThrow(StorageError);
  disk.isFull = false;
  await poller.flush();
  expect([...(await memory.diagnostics()).values()]).toMatchObject([
    { snapshot: { view: { raw: '5' } }, health: { low: {} } },
  ]);
});

test('a watch that was taken out and put back while it was polled is heard from then on', async () => {
  const { poller, seen, gate, clock } = aPoller();
  seen.wei = '5000000000000000000';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate.open = promise;
  await clock.advance(60_000);
  const polling = poller.poll(watches, signal);
  await adopt(poller, []);
  await adopt(poller, watches);
  resolve(undefined);
  await polling;
  seen.wei = '0';
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(1);
});

test.each(['recall', 'diagnostics'] as const)('watches whose %s the storage refuses change nothing', async (method) => {
  const inner = createMemoryStore();
  const disk = { isBroken: false };
  const store: Store = {
    ...inner,
    [method]: (ids?: string[]) => (disk.isBroken ? Promise.reject(new StorageError('broken')) : inner[method](ids)),
  };
  const { poller, seen, clock } = aPoller({ store });
  seen.wei = '5000000000000000000';
  await adopt(poller, watches);
  await poller.poll(watches, signal);
  disk.isBroken = true;
  await expect(adopt(poller, loadWatches(RULES.replace('coins', 'others')))).rejects.toThrow(StorageError);
  seen.wei = '0';
  await clock.advance(60_000);
  await poller.poll(watches, signal);
  expect(seen.transitions).toBe(1);
});

test('a watch whose explorer is missing is a missed poll that is counted and logged, not silence', async () => {
  const outcomes: unknown[] = [];
  const { poller, clock, log } = aPoller({
    readerOf: () => undefined,
    onPolled: (_watch, observation) => outcomes.push(observation.type === 'missed' && observation.reason),
  });
  await adopt(poller, watches);
  for (const _poll of [1, 2]) {
    await clock.advance(60_000);
    await poller.poll(watches, signal);
  }
  expect(outcomes).toEqual(['no-explorer', 'no-explorer']);
  expect(log.lines).toEqual(['warn explorer:no-answer']);
  expect(log.fields[0]).toMatchObject({ explorer: 'chain', detail: 'the explorer chain is not open' });
});

test('a storage that another program holds is not waited for again by each watch of a refused commit', async () => {
  const refused: WatchId[] = [];
  const { poller, clock, log } = aPoller({
    store: {
      ...createMemoryStore(),
      commit(decisions) {
        clock.stall(5000);
        refused.push(...decisions.map(({ watchId }) => watchId));
        return Promise.reject(new StorageError('database is locked'));
      },
    },
  });
  const rule = RULES.replace(/^\s*watches:\n/, '');
  const three = loadWatches(`watches:\n${['a', 'b', 'c'].map((id) => rule.replace('coins', id)).join('')}`);
  await adopt(poller, three);
  await poller.poll(three, signal);
  // How many commits they share depends on how fast the machine decides them; each is in one only.
  expect(refused.toSorted()).toEqual(three.map(({ id }) => id).toSorted());
  expect(log.lines).toEqual(['error storage:failed']);
});
