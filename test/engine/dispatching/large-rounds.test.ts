// Two thousand alerts of one rule that are owed before any of them was decided: one mail, decided and written over many
// turns of the event loop.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { aDecision, aTransition } from '../../store/builders.ts';
import { claim, commit, rulesAtOnce } from '../../support/store/store-calls.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import type { Delivery, Settlement } from '../../../src/core/model/delivery.ts';
import type { DispatchRules } from '../../../src/dispatch/rules.ts';
import { createDispatcher } from '../../../src/engine/dispatching/dispatcher.ts';
import { nextTurn } from '../../../src/lib/clock.ts';
import { createMemoryDatabase } from '../../../src/store/sqlite/driver.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { openSqliteStore, openVolatileStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { ownershipOf } from '../../support/store/fences.ts';
import { operate } from '../../support/store/operate.ts';
import { createClockJumps } from '../../../src/engine/upkeep/clock-jumps.ts';

const EVENTS = 2000;
const MOST_IN_TURN = 500;
const MINUTE = 60_000;
/** Of how many alerts somebody was told. */
const TOLD = 'SELECT count(*) AS told FROM recipient_state WHERE notified = 1';
const SENT: Settlement = { state: 'sent', outcome: { type: 'sent', answer: '250' } };

const RULES: DispatchRules = {
  ...rulesAtOnce(),
  recipientsOf: () => [{ channel: 'mail', recipient: 'ada@example.org' }],
  channelOf: () => ({ unit: 'group', cap: null }),
  ruleOf: () => ({ type: 'fixed', channels: ['mail'] }),
};

async function aStorm(clock: FakeClock, opened?: Store): Promise<Store> {
  const store = opened ?? (await openVolatileStore());
  const transitions = Array.from({ length: EVENTS }, (_, n) =>
    aTransition({ key: `call-${n}`, watch: 'vault', type: 'alert.event', seq: 1 }, ['mail']),
  );
  await commit(store, [aDecision('vault', { transitions })], clock.now());
  return store;
}

/** Until nothing is left to be decided now. */
async function dispatch(store: Store, clock: FakeClock): Promise<void> {
  const stop = new AbortController();
  const log = createRecordingLog();
  const options = {
    rules: () => RULES,
    announce: () => [],
    onOwed: () => undefined,
    clock,
    jumps: createClockJumps(clock),
    log,
  };
  const running = createDispatcher({ ...options, store, ownership: ownershipOf(store) }).run(stop.signal);
  await clock.whenSleeping(1);
  stop.abort();
  await running;
}

async function sent(store: Store, clock: FakeClock): Promise<Delivery[]> {
  const claimed = await claim(store, 'mail', 10, clock.now());
  for (const { delivery, attempt } of claimed) await store.settle({ id: delivery.id, attempt }, SENT, clock.now());
  return claimed.map(({ delivery }) => delivery);
}

function missing(): never {
  throw new Error('no delivery is due');
}

function keysOf({ members, more }: Delivery): string[] {
  return [...members.map(({ message }) => message.key), ...more.flatMap(({ keys }) => keys)];
}

/** How many turns of the event loop went by meanwhile. */
async function turnsOf(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  const ended = work.finally(() => {
    over.abort();
  });
  let turns = 0;
  for (; !over.signal.aborted; turns += 1) await nextTurn();
  await ended;
  return turns;
}

/** Commits of decisions, before each of which something may happen; those that say false never reach the store. */
function withCommits(store: Store, before: (members: number, count: number) => Promise<boolean>): Store {
  let count = 0;
  return {
    ...store,
    async commitDue(round, ...rest) {
      const members = round.groups.reduce((sum, group) => sum + group.members.length, 0);
      count += 1;
      if (!(await before(members, count))) throw new Error('the process is gone');
      return store.commitDue(round, ...rest);
    },
  };
}

test('twenty thousand events that were decided at once held everything else up for half a second', async () => {
  const clock = createFakeClock();
  await using store = await aStorm(clock);
  const [written, read]: [number[], number[]] = [[], []];
  const watched: Store = {
    ...withCommits(store, async (members) => {
      written.push(members);
      // What is not complete does not go out.
      expect(await claim(store, 'mail', 10, clock.now())).toEqual([]);
      return true;
    }),
    async readMembers(round, query) {
      read.push(query.members);
      return store.readMembers(round, query);
    },
  };
  await dispatch(watched, clock);
  expect(written).toEqual([500, 500, 500, 500]);
  expect(read).toEqual([MOST_IN_TURN, MOST_IN_TURN, MOST_IN_TURN, MOST_IN_TURN]);
  const mails = await sent(store, clock);
  expect(mails.map((mail) => new Set(keysOf(mail)).size)).toEqual([EVENTS]);
});

test('a daemon that was killed while it wrote a large mail forgot the events that it had not written, or told some twice', async () => {
  const clock = createFakeClock();
  await using store = await aStorm(clock);
  const dying = withCommits(store, (_members, count) => Promise.resolve(count <= 2));
  const stop = new AbortController();
  const options = {
    rules: () => RULES,
    announce: () => [],
    onOwed: () => undefined,
    clock,
    jumps: createClockJumps(clock),
    log: createRecordingLog(),
  };
  const running = createDispatcher({ ...options, store: dying, ownership: ownershipOf(store) }).run(stop.signal);
  await clock.whenSleeping(1);
  stop.abort();
  await running;
  expect(await sent(store, clock)).toEqual([]);
  await dispatch(store, clock);
  const [rest] = await sent(store, clock);
  await clock.advance(MINUTE);
  const [begun] = await sent(store, clock);
  const keys = [rest, begun].flatMap((mail) => (mail === undefined ? [] : keysOf(mail)));
  expect([keys.length, new Set(keys).size]).toEqual([EVENTS, EVENTS]);
});

test('sends a mail about twenty thousand events without a long turn of the event loop', async () => {
  const clock = createFakeClock();
  await using store = await aStorm(clock);
  await dispatch(store, clock);
  const claiming = claim(store, 'mail', 10, clock.now());
  expect(await turnsOf(claiming)).toBeGreaterThanOrEqual(4);
  const [{ delivery, attempt } = missing()] = await claiming;
  expect(new Set(keysOf(delivery)).size).toBe(EVENTS);
  const settling = store.settle({ id: delivery.id, attempt }, SENT, clock.now());
  expect(await turnsOf(settling)).toBeGreaterThanOrEqual(3);
  expect(await settling).toBe('settled');
});

test('a daemon that was killed while it noted who was told of a large mail took it for sent, or forgot some of them', async () => {
  const clock = createFakeClock();
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-large-'));
  const first = createMemoryDatabase();
  const store = createMemoryStore(first);
  await dispatch(await aStorm(clock, store), clock);
  const [{ delivery, attempt } = missing()] = await claim(store, 'mail', 10, clock.now());
  const settling = store.settle({ id: delivery.id, attempt }, SENT, clock.now());
  while ((await first.sql.first(TOLD))?.['told'] === 0) await nextTurn();
  // What is on disk at that moment is all that the next process has.
  await first.sql.run(`VACUUM INTO '${join(directory, 'state.db')}'`);
  await settling;

  using second = new DatabaseSync(join(directory, 'state.db'));
  const told = (): unknown => second.prepare(TOLD).get();
  expect(told()).toEqual({ told: 500 });
  await using next = await openSqliteStore({ file: join(directory, 'state.db') });
  expect(await next.expire('mail', clock.now(), [])).toBe(1);
  const [again = missing()] = await claim(next, 'mail', 10, clock.now());
  expect([again.delivery.id, again.maybeCopy]).toEqual([delivery.id, true]);
  await next.settle({ id: delivery.id, attempt: again.attempt }, SENT, clock.now());
  expect(told()).toEqual({ told: EVENTS });
  rmSync(directory, { recursive: true });
});

test('a silence that was made while a large mail was written was ignored by the rest of it', async () => {
  const clock = createFakeClock();
  await using store = await aStorm(clock);
  const matchers = { watch: 'vault' };
  const silence = {
    type: 'silence',
    matchers,
    from: clock.now(),
    until: clock.now() + MINUTE,
    untilResolved: false,
  } as const;
  const request = { key: 'request-1', asked: 'a silence', actor: 'ada' };
  const silencing = withCommits(store, async (_members, count) => {
    if (count === 3)
      await operate(store, { ...silence, comment: 'enough' }, request, {
        at: clock.now(),
      });
    return true;
  });
  await dispatch(silencing, clock);
  await clock.advance(20_000);
  const mails = await sent(store, clock);
  expect(mails.map((mail) => keysOf(mail).length)).toEqual([1000]);
  expect((await store.held()).get('silenced')).toBe(1000);
});
