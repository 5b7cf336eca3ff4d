// Who is told of what polls decided: the dispatcher over a real state file, with senders that are let go by hand.
import { describe, expect, test } from '@jest/globals';
import type { Delivery, Message, Settlement } from '../../../src/core/model/delivery.ts';
import { ANNOUNCER } from '../../../src/core/model/ids.ts';
import { isBegin, nameOfTransition } from '../../../src/core/model/transition.ts';
import { deliveryId } from '../../../src/core/model/watch/identity.ts';
import type { MuteWindow } from '../../../src/dispatch/model.ts';
import { CAP_OF_PEOPLE } from '../../../src/dispatch/batches.ts';
import { routeRound } from '../../../src/dispatch/rounds/route-round.ts';
import { routingOf as routingTo } from '../../../src/dispatch/policy/match.ts';
import type { DispatchRules } from '../../../src/dispatch/rules.ts';
import { createDispatcher } from '../../../src/engine/dispatching/dispatcher.ts';
import type { DispatcherOptions } from '../../../src/engine/dispatching/state.ts';
import { nextTurn } from '../../../src/lib/clock.ts';
import { unansweredAnnouncements } from '../../../src/operators/announcements.ts';
import { openVolatileStore } from '../../../src/store/sqlite/open.ts';
import { MOST_UNSETTLED } from '../../../src/core/alerts/overflow.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { createMemoryDatabase } from '../../../src/store/sqlite/driver.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { aDecision, aTransition } from '../../store/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { claim, commit, rulesAtOnce } from '../../support/store/store-calls.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';
import { operate } from '../../support/store/operate.ts';
import { createClockJumps, type ClockJumps } from '../../../src/engine/upkeep/clock-jumps.ts';

const MINUTE = 60_000;
const SENT: Settlement = { state: 'sent', outcome: { type: 'sent', answer: '204' } };

/** Recipients by channel. */
type Channels = Readonly<Record<string, readonly string[]>>;

const CHANNELS: Channels = { ops: ['ops'], mail: ['ada@example.org', 'bob@example.org'] };

/** A state, and a daemon over it that routes at once. */
async function aDispatcher(
  channels = CHANNELS,
  change: (store: Store) => Store = (store) => store,
  { opened, more }: { readonly opened?: Store; readonly more?: Partial<DispatchRules> } = {},
) {
  const clock = createFakeClock();
  const log = createRecordingLog();
  const store = change(opened ?? (await openVolatileStore()));
  const owed: string[] = [];
  /** `named`: by watch, where its last begin led. */
  const inForce = { channels, named: new Map<string, readonly string[]>() };
  const rules = (): DispatchRules => ({
    ...rulesAtOnce(),
    recipientsOf: (channel) => inForce.channels[channel]?.map((recipient) => ({ channel, recipient })),
    ruleOf(watch) {
      const channels = inForce.named.get(watch);
      return channels === undefined ? null : { type: 'fixed', channels };
    },
    ...more,
  });
  const start = (replica?: ClockJumps) => {
    const onOwed = (all: ReadonlySet<string>): void => void owed.push(...all);
    const announce: DispatcherOptions['announce'] = (events, at) =>
      unansweredAnnouncements(events, { at, zone: 'UTC', notify: ['ops'] });
    const ownership = { ...ownershipOf(store), isShared: replica !== undefined };
    const jumps = replica ?? createClockJumps(clock);
    const dispatcher = createDispatcher({ store, ownership, rules, announce, onOwed, clock, jumps, log });
    const stop = new AbortController();
    const running = dispatcher.run(stop.signal);
    return {
      wake: () => {
        dispatcher.wake();
      },
      async [Symbol.asyncDispose]() {
        stop.abort();
        await running;
      },
    };
  };
  let watches = 0;
  const decided = async (message: Partial<Message>, notify: readonly string[] = ['ops', 'mail']): Promise<void> => {
    const watch = `w${++watches}`;
    const transition = aTransition(message, notify);
    if (isBegin(nameOfTransition(transition.message))) inForce.named.set(watch, notify);
    await commit(store, [aDecision(watch, { transitions: [transition] })], clock.now());
  };
  /** What goes out now on all channels, as `ada firing`; each is taken over, unless `end` says otherwise. */
  const sent = async (end: Settlement = SENT, channels = ['ops', 'mail', 'gone']): Promise<string[]> => {
    const all: string[] = [];
    for (const channel of channels)
      for (let some = await claim(store, channel, 10, clock.now()); some.length > 0;) {
        for (const { delivery, attempt } of some) {
          all.push(
            `${delivery.recipient.split('@')[0] ?? ''} ${delivery.members[0].message.type.replace('alert.', '')}`,
          );
          await store.settle({ id: delivery.id, attempt }, end, clock.now());
        }
        some = await claim(store, channel, 10, clock.now());
      }
    return all;
  };
  /** Routes all that was decided. */
  const route = async (): Promise<void> => {
    await using _daemon = start();
    await clock.whenSleeping(1);
  };
  return {
    clock,
    log,
    store,
    owed,
    inForce,
    start,
    decided,
    sent,
    route,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const DAY = 1440 * MINUTE;
const OPEN_EVENTS: Partial<DispatchRules> = {
  routingOf(labels) {
    const { options } = routingTo([], null, labels);
    return { channels: [], options: { ...options, escalate: [{ afterMs: DAY, notify: ['mail'] }] } };
  },
};

const FIRING: Partial<Message> = { key: 'low', type: 'alert.firing', seq: 1 };
const RESOLVED: Partial<Message> = { key: 'low', type: 'alert.resolved', seq: 2 };
const EVENT: Partial<Message> = { key: 'call', type: 'alert.event', seq: 1 };
const RETRACTED: Partial<Message> = { key: 'call', type: 'alert.retracted', seq: 2 };
const LATER: Settlement = { state: 'due', dueAt: 0, outcome: { type: 'again', why: '503' } };

test('news goes to every recipient of the channels that the rule names, as soon as it is committed', async () => {
  await using daemon = await aDispatcher();
  await using running = daemon.start();
  await daemon.clock.whenSleeping(1);
  await daemon.decided(FIRING);
  running.wake();
  await daemon.clock.whenSleeping(1);
  await daemon.clock.advance(0);
  expect(daemon.owed.toSorted()).toEqual(['mail', 'ops']);
  expect(await daemon.sent()).toEqual(['ops firing', 'ada firing', 'bob firing']);
  expect(await daemon.sent()).toEqual([]);
});

test('without a wake it is found within a minute', async () => {
  await using daemon = await aDispatcher();
  await using _running = daemon.start();
  await daemon.clock.whenSleeping(1);
  await daemon.decided(FIRING, ['ops']);
  await daemon.clock.advance(MINUTE - 1);
  expect(await daemon.sent()).toEqual([]);
  await daemon.clock.advance(1);
  expect(await daemon.sent()).toEqual(['ops firing']);
});

test('the end goes to those who were told of the begin, and to nobody else', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(FIRING, ['mail']);
  await daemon.route();
  await daemon.sent();
  await daemon.decided(RESOLVED, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ada resolved', 'bob resolved']);
});

test('who was told of an earlier episode alone hears nothing of the end of this one', async () => {
  await using daemon = await aDispatcher();
  const told: string[] = [];
  for (const [message, notify] of [
    [FIRING, ['mail']],
    [RESOLVED, []],
    [{ ...FIRING, episode: 2, seq: 3 }, ['ops']],
    [{ ...RESOLVED, episode: 2, seq: 4 }, []],
  ] as const) {
    await daemon.decided(message, notify);
    await daemon.route();
    told.push(...(await daemon.sent()));
  }
  expect(told).toEqual(['ada firing', 'bob firing', 'ada resolved', 'bob resolved', 'ops firing', 'ops resolved']);
});

test('a firing that is told anew, as when it is steady, is ended for all who heard either', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(FIRING, ['mail']);
  await daemon.decided({ ...FIRING, seq: 2 }, ['ops']);
  await daemon.decided({ ...RESOLVED, seq: 3 });
  await daemon.route();
  expect((await daemon.sent()).filter((said) => said.endsWith('resolved'))).toEqual([
    'ops resolved',
    'ada resolved',
    'bob resolved',
  ]);
});

test('what is retracted before anything was sent is never told; when it is back after all, it is', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(EVENT, ['ops']);
  await daemon.route();
  await daemon.decided(RETRACTED);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
  expect(await daemon.store.survey()).toEqual({ outbox: [], sent: 0, dead: 0 });
  await daemon.decided({ ...EVENT, type: 'alert.reinstated', seq: 3 }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops reinstated']);
});

test('what is back after all is told to whom the routes lead since, too', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(EVENT, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops event']);
  await daemon.decided(RETRACTED, ['mail', 'ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops retracted']);
  await daemon.decided({ ...EVENT, type: 'alert.reinstated', seq: 3 }, ['ops', 'mail']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops reinstated', 'ada reinstated', 'bob reinstated']);
});

test('what is retracted after a try that was refused is told to nobody', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(EVENT, ['ops']);
  await daemon.route();
  expect(await daemon.sent({ ...LATER, dueAt: daemon.clock.now() + MINUTE })).toEqual(['ops event']);
  await daemon.decided(RETRACTED);
  await daemon.route();
  await daemon.clock.advance(MINUTE);
  expect(await daemon.sent()).toEqual([]);
});

test('what is retracted after a try whose outcome is unknown is told and taken back, in this order', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(EVENT, ['ops']);
  await daemon.route();
  const unknown: Settlement = {
    ...LATER,
    dueAt: daemon.clock.now() + MINUTE,
    outcome: { type: 'unknown', why: 'reset' },
  };
  expect(await daemon.sent(unknown)).toEqual(['ops event']);
  await daemon.decided(RETRACTED);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
  await daemon.clock.advance(MINUTE);
  expect(await daemon.sent()).toEqual(['ops event', 'ops retracted']);
});

test('a try that begins while a retraction is decided is followed by it', async () => {
  let isFirst = true;
  await using daemon = await aDispatcher(CHANNELS, (store) => ({
    ...store,
    async commitDue(round, decision, ...rest) {
      // The sender was faster.
      if (decision.result.withdrawn.length > 0 && isFirst) {
        isFirst = false;
        await claim(store, 'ops', 1, Number.MAX_SAFE_INTEGER / 2);
      }
      return store.commitDue(round, decision, ...rest);
    },
  }));
  await daemon.decided(EVENT, ['ops']);
  await daemon.route();
  await daemon.decided(RETRACTED);
  await daemon.route();
  const id = deliveryId('call', { episode: 1, seq: 1 }, { channel: 'ops', recipient: 'ops' });
  await daemon.store.settle({ id, attempt: 1 }, SENT, daemon.clock.now());
  expect(await daemon.sent()).toEqual(['ops retracted']);
});

test.each([
  ['of a try whose outcome is unknown', 'unknown'],
  ['that is being sent', 'under-way'],
] as const)('what fires and is over behind an end %s is told as one thing', async (_what, outcome) => {
  await using daemon = await aDispatcher();
  const { clock, store } = daemon;
  await daemon.decided(FIRING, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops firing']);
  await daemon.decided(RESOLVED, ['ops']);
  await daemon.route();
  const [end] = await claim(store, 'ops', 1, clock.now());
  if (end === undefined) throw new Error('no end');
  const tried = { id: end.delivery.id, attempt: end.attempt };
  const later: Settlement = { ...LATER, dueAt: clock.now() + MINUTE, outcome: { type: 'unknown', why: 'reset' } };
  if (outcome === 'unknown') await store.settle(tried, later, clock.now());
  await daemon.decided({ ...FIRING, seq: 3, episode: 2 }, ['ops']);
  await daemon.route();
  await daemon.decided({ ...RESOLVED, seq: 4, episode: 2 }, ['ops']);
  await daemon.route();
  if (outcome === 'under-way') await store.settle(tried, SENT, clock.now());
  await clock.advance(MINUTE);
  const sent = await daemon.sent();
  expect(sent).toEqual(outcome === 'unknown' ? ['ops resolved', 'ops resolved'] : ['ops resolved']);
});

test('what fires and is over before anything was sent is told as one thing', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(FIRING, ['ops']);
  await daemon.decided(RESOLVED, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops resolved']);
});

test('a summary is told to those of its members, and each of them hears the rest', async () => {
  await using daemon = await aDispatcher();
  const summary = { of: 'alert.event', count: 2, keys: ['a', 'b'] } as const;
  await daemon.decided({ key: 'both', type: 'alert.summary', summary }, ['ops']);
  await daemon.route();
  await daemon.sent();
  await daemon.decided({ ...RETRACTED, key: 'b' });
  await daemon.route();
  await daemon.decided({ key: 'again', type: 'alert.summary', summary: { ...summary, of: 'alert.retracted' } });
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops retracted', 'ops summary']);
});

test('a summary whose events are all retracted before anybody was sent it is told to nobody', async () => {
  await using daemon = await aDispatcher();
  const summary = { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] } as const;
  await daemon.decided({ key: 'all', type: 'alert.summary', summary }, ['ops', 'mail']);
  await daemon.route();
  const refused = { ...LATER, dueAt: daemon.clock.now() + MINUTE };
  expect((await daemon.sent(refused)).toSorted()).toEqual(['ada summary', 'bob summary', 'ops summary']);
  // Somebody is sent it after all, and is told the end.
  await daemon.clock.advance(MINUTE);
  expect(await daemon.sent(undefined, ['ops'])).toEqual(['ops summary']);
  const gone = { of: 'alert.retracted', count: 3, keys: ['a', 'b', 'c'] } as const;
  await daemon.decided({ key: 'gone', type: 'alert.summary', summary: gone });
  await daemon.route();
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
});

type Daemon = Awaited<ReturnType<typeof aDispatcher>>;

/** All that was decided is for this channel alone from now on; others are gone for good. */
async function moveTo(
  { inForce, clock, route }: Daemon,
  channel: string,
  recipients: readonly string[],
): Promise<void> {
  inForce.channels = { [channel]: recipients };
  for (const watch of inForce.named.keys()) inForce.named.set(watch, [channel]);
  await route();
  await clock.advance(31_000);
  await route();
}

test('a channel that takes a summary over is told which of its events are retracted, before and after', async () => {
  await using daemon = await aDispatcher();
  const summary = { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] } as const;
  await daemon.decided({ key: 'all', type: 'alert.summary', summary }, ['ops']);
  await daemon.route();
  expect(await daemon.sent({ ...LATER, dueAt: daemon.clock.now() + DAY })).toEqual(['ops summary']);
  await daemon.decided({ ...RETRACTED, key: 'a' });
  await daemon.route();
  await moveTo(daemon, 'mail', ['ada@example.org']);
  expect((await daemon.sent()).toSorted()).toEqual(['ada retracted', 'ada summary']);
  await daemon.decided({ ...RETRACTED, key: 'b' });
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ada retracted']);
  daemon.inForce.channels = { mail: ['ada@example.org'], ops: ['ops'] };
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
});

const ALL = { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] } as const;
const together = (...keys: string[]): Partial<Message> => ({
  key: `gone ${keys.join()}`,
  type: 'alert.summary',
  summary: { of: 'alert.retracted', count: keys.length, keys },
});

test('a channel that takes a summary over is told which of its events were retracted together', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  const later = { ...LATER, dueAt: daemon.clock.now() + DAY };
  expect(await daemon.sent(later)).toEqual(['ops summary']);
  await daemon.decided(together('a', 'b'), ['ops']);
  await daemon.route();
  expect(await daemon.sent(later)).toEqual(['ops summary']);
  await moveTo(daemon, 'mail', ['ada@example.org']);
  expect(await daemon.sent()).toEqual(['ada summary', 'ada summary']);
  await daemon.decided({ ...RETRACTED, key: 'c' });
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ada retracted']);
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect(await daemon.sent(undefined, ['mail'])).toEqual([]);
});

test('a channel that takes a summary over is told of retractions that the former channel was sent', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  expect(await daemon.sent({ ...LATER, dueAt: daemon.clock.now() + DAY })).toEqual(['ops summary']);
  await daemon.decided(together('a', 'b'), ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await moveTo(daemon, 'mail', ['ada@example.org']);
  expect(await daemon.sent()).toEqual(['ada summary', 'ada summary']);
});

test('a channel that takes a summary over is told what became of its events, and the other channels nothing again', async () => {
  await using daemon = await aDispatcher();
  const later = { ...LATER, dueAt: daemon.clock.now() + DAY };
  const change = async (message: Partial<Message>): Promise<void> => {
    await daemon.decided(message, ['ops', 'mail']);
    await daemon.route();
    expect((await daemon.sent(undefined, ['mail'])).toSorted()).toEqual(['ada summary', 'bob summary']);
    expect(await daemon.sent(later, ['ops'])).toEqual(['ops summary']);
  };
  await change({ key: 'all', type: 'alert.summary', summary: ALL });
  await change(together('a', 'b'));
  const back = { of: 'alert.reinstated', count: 2, keys: ['a', 'b'] } as const;
  await change({ key: 'back', type: 'alert.summary', summary: back });
  daemon.inForce.channels = { gone: ['eve'], mail: CHANNELS['mail'] ?? [] };
  for (const watch of ['w1', 'w2', 'w3']) daemon.inForce.named.set(watch, ['gone', 'mail']);
  await daemon.route();
  await daemon.clock.advance(31_000);
  await daemon.route();
  expect(await daemon.sent(undefined, ['mail', 'gone'])).toEqual(['eve summary', 'eve summary', 'eve summary']);
});

test('a channel in the place of another one is told of no retraction of events that it was not told', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await daemon.decided(together('a', 'b'), ['ops']);
  await daemon.route();
  expect(await daemon.sent({ ...LATER, dueAt: daemon.clock.now() + DAY })).toEqual(['ops summary']);
  await moveTo(daemon, 'mail', ['ada@example.org']);
  expect(await daemon.sent()).toEqual([]);
});

test('a channel does not take over a summary whose events were all retracted together', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  const unknown: Settlement = {
    state: 'due',
    dueAt: daemon.clock.now() + DAY,
    outcome: { type: 'unknown', why: 'no answer' },
  };
  expect(await daemon.sent(unknown)).toEqual(['ops summary']);
  await daemon.decided(together('a', 'b', 'c'), ['ops']);
  await daemon.route();
  await moveTo(daemon, 'mail', ['ada@example.org']);
  await daemon.clock.advance(MINUTE);
  await daemon.route();
  expect(await daemon.sent(undefined, ['mail'])).toEqual([]);
});

/** So many messages wait for `ops` that events are folded. */
async function fillOutbox(database: SqlDatabase): Promise<void> {
  await database.write('commit-due', (sql) =>
    sql.run(`
      WITH RECURSIVE old (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM old WHERE n < ${MOST_UNSETTLED})
      INSERT INTO deliveries (id, channel, recipient, kind, rule, state, rank, attempt, due_at, created_at, runtime_at, maybe_copy)
      SELECT 'old-' || n, 'ops', 'ops', 'news', '', 'due', 1, 1, ${DAY * 365 * 100}, 0, 0, 0 FROM old`),
  );
}

test('events that were folded for a channel that the config lost are told on the one in its place, and so is their end', async () => {
  const database = createMemoryDatabase();
  await using daemon = await aDispatcher(undefined, undefined, { opened: createMemoryStore(database) });
  await daemon.store.survey();
  await fillOutbox(database);
  await daemon.decided({ ...EVENT, key: 'a' }, ['ops']);
  await daemon.decided({ ...EVENT, key: 'b' }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
  await moveTo(daemon, 'mail', ['ada@example.org']);
  expect(await daemon.sent()).toEqual(['ada summary']);
  await daemon.decided({ ...RETRACTED, key: 'b' });
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ada retracted']);
});

test('a folded event that is retracted before the summary is sent is told as retracted after it', async () => {
  const database = createMemoryDatabase();
  await using daemon = await aDispatcher(undefined, undefined, { opened: createMemoryStore(database) });
  await daemon.store.survey();
  await fillOutbox(database);
  await daemon.decided({ ...EVENT, key: 'a' }, ['ops']);
  await daemon.decided({ ...EVENT, key: 'b' }, ['ops']);
  await daemon.route();
  await daemon.decided({ ...RETRACTED, key: 'b' });
  await daemon.route();
  await daemon.clock.advance(MINUTE);
  expect(await daemon.sent()).toEqual(['ops summary', 'ops summary']);
});

/** Calls `mail` 15 minutes after an event. */
const calling: DispatchRules['routingOf'] = (labels) => {
  const { channels, options } = routingTo([], null, labels);
  return { channels, options: { ...options, escalate: [{ afterMs: 15 * MINUTE, notify: ['mail'] }] } };
};

test('a summary of events that nobody acknowledges is told to the next in line', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { routingOf: calling } });
  const summary = { of: 'alert.event', count: 2, keys: ['a', 'b'] } as const;
  await daemon.decided({ key: 'both', type: 'alert.summary', summary }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await daemon.clock.advance(15 * MINUTE);
  await daemon.route();
  expect((await daemon.sent()).toSorted()).toEqual(['ada summary', 'bob summary']);
});

test('who was called about a summary is told which of its events are retracted, one by one and together', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { routingOf: calling } });
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await daemon.clock.advance(15 * MINUTE);
  await daemon.route();
  expect((await daemon.sent()).toSorted()).toEqual(['ada summary', 'bob summary']);
  await daemon.decided({ ...RETRACTED, key: 'b' }, ['ops']);
  await daemon.route();
  expect((await daemon.sent()).toSorted()).toEqual(['ada retracted', 'bob retracted', 'ops retracted']);
  await daemon.decided(together('a', 'c'), ['ops']);
  await daemon.route();
  expect((await daemon.sent()).toSorted()).toEqual(['ada summary', 'bob summary', 'ops summary']);
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
});

test('an event that is retracted before the call about its summary is sent is told as retracted after it', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { routingOf: calling } });
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await daemon.clock.advance(15 * MINUTE);
  await daemon.route();
  await daemon.decided({ ...RETRACTED, key: 'b' }, ['ops']);
  await daemon.route();
  expect((await daemon.sent(undefined, ['mail'])).toSorted()).toEqual([
    'ada retracted',
    'ada summary',
    'bob retracted',
    'bob summary',
  ]);
});

test('who was to be called about a summary, and was refused it, is told of no retraction', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { routingOf: calling } });
  await daemon.decided({ key: 'all', type: 'alert.summary', summary: ALL }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  await daemon.clock.advance(15 * MINUTE);
  await daemon.route();
  const dead: Settlement = { state: 'dead', outcome: { type: 'rejected', why: '404' } };
  expect((await daemon.sent(dead)).toSorted()).toEqual(['ada summary', 'bob summary']);
  await daemon.decided({ ...RETRACTED, key: 'b' }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops retracted']);
});

test('events that were told as one and are all retracted, one by one or together, are open no more and call nobody in', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: OPEN_EVENTS });
  const summary = { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] } as const;
  await daemon.decided({ key: 'both', type: 'alert.summary', summary }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  const open = async (): Promise<string[]> =>
    (await daemon.store.openAlerts({ at: daemon.clock.now() })).map(({ key }) => key);
  const areShownRetracted = async (): Promise<boolean[]> =>
    (await (await daemon.store.reader()).events(0, 10)).map(({ isRetracted }) => isRetracted);
  await daemon.decided({ ...RETRACTED, key: 'b' });
  await daemon.route();
  expect(await open()).toEqual(['both']);
  expect(await areShownRetracted()).toEqual([false]);
  const rest = { of: 'alert.retracted', count: 2, keys: ['a', 'c'] } as const;
  await daemon.decided({ key: 'gone', type: 'alert.summary', summary: rest }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops retracted', 'ops summary']);
  expect(await open()).toEqual([]);
  expect(await areShownRetracted()).toEqual([true]);
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect(await daemon.sent()).toEqual([]);
});

test('events that are retracted together are open no more, and call nobody in', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: OPEN_EVENTS });
  for (const key of ['a', 'b', 'c']) await daemon.decided({ ...EVENT, key }, ['ops']);
  await daemon.route();
  await daemon.sent();
  const gone = { of: 'alert.retracted', count: 2, keys: ['a', 'b'] } as const;
  await daemon.decided({ key: 'gone', type: 'alert.summary', summary: gone }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
  const open = await daemon.store.openAlerts({ at: daemon.clock.now() });
  expect(open.map(({ key }) => key)).toEqual(['c']);
  await daemon.clock.advance(DAY);
  await daemon.route();
  expect((await daemon.sent()).toSorted()).toEqual(['ada event', 'bob event']);
});

test('the end of events that were told and are retracted together passes every mute', async () => {
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  const windows: MuteWindow[] = [];
  const routingOf: DispatchRules['routingOf'] = (labels) => {
    const { channels, options } = routingTo([], null, labels);
    return { channels, options: { ...options, mute: windows } };
  };
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { routingOf } });
  for (const key of ['a', 'b']) await daemon.decided({ ...EVENT, key }, ['ops']);
  await daemon.route();
  await daemon.sent();
  windows.push({ days, from: '00:00', to: '24:00', zone: 'UTC' });
  const gone = { of: 'alert.retracted', count: 2, keys: ['a', 'b'] } as const;
  await daemon.decided({ key: 'gone', type: 'alert.summary', summary: gone }, ['ops']);
  await daemon.decided({ ...EVENT, key: 'c' }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops summary']);
});

test('a repeat that was refused held up the end of its alert, and went out just before it', async () => {
  const routingOf: DispatchRules['routingOf'] = (labels) => {
    const { channels, options } = routingTo([], null, labels);
    return { channels, options: { ...options, repeatMs: 10 * MINUTE } };
  };
  await using daemon = await aDispatcher(CHANNELS, undefined, {
    more: { channelOf: () => ({ unit: 'group', cap: null }), routingOf },
  });
  await daemon.decided(FIRING, ['ops']);
  await daemon.decided({ ...FIRING, key: 'other' }, ['ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops firing']);
  await daemon.clock.advance(10 * MINUTE);
  await daemon.route();
  const refused: Settlement = { ...LATER, dueAt: daemon.clock.now() + 60 * MINUTE };
  expect(await daemon.sent(refused)).toEqual(['ops firing']);
  await daemon.clock.advance(MINUTE);
  await daemon.decided(RESOLVED);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops resolved']);
  // The alert that still fires is repeated all the same.
  await daemon.clock.advance(60 * MINUTE);
  const [left] = await claim(daemon.store, 'ops', 10, daemon.clock.now());
  expect(left?.delivery.members.map(({ message }) => message.key)).toEqual(['other']);
});

test('a channel that the config lost meanwhile is said, and holds up nobody', async () => {
  await using daemon = await aDispatcher();
  await daemon.decided(FIRING, ['gone', 'ops']);
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops firing']);
  expect(daemon.log.lines).toEqual(['error delivery:dead']);
  expect(await daemon.store.survey()).toMatchObject({ dead: 1, outbox: [] });
});

test('what was committed before the process died is routed by the next one, under the same ids', async () => {
  await using undisturbed = await aDispatcher();
  await using killed = await aDispatcher();
  for (const daemon of [undisturbed, killed]) {
    await daemon.decided(FIRING);
    await daemon.decided(EVENT, ['ops']);
  }
  await undisturbed.route();
  {
    // It reads, and dies before it writes.
    await killed.store.readRouting(100, killed.clock.now());
  }
  await killed.clock.advance(3 * MINUTE);
  await killed.route();
  const idsOf = async ({ store, clock }: typeof killed): Promise<string[]> => {
    const all = await Promise.all(['ops', 'mail'].map((channel) => claim(store, channel, 10, clock.now())));
    return all.flat().map(({ delivery }) => delivery.id);
  };
  expect(await idsOf(killed)).toEqual(await idsOf(undisturbed));
});

test('a storage that does not answer is said once, and loses nothing', async () => {
  const disk = { isBroken: true };
  await using daemon = await aDispatcher(CHANNELS, (store) => ({
    ...store,
    commitRouting: (...args) =>
      disk.isBroken ? Promise.reject(new StorageError('the disk is full')) : store.commitRouting(...args),
  }));
  await daemon.decided(FIRING, ['ops']);
  await using _running = daemon.start();
  await daemon.clock.whenSleeping(1);
  await daemon.clock.advance(10 * MINUTE);
  expect(daemon.log.lines).toEqual(['error storage:failed']);
  disk.isBroken = false;
  await daemon.clock.advance(MINUTE);
  expect(await daemon.sent()).toEqual(['ops firing']);
  await daemon.clock.whenSleeping(1);
  expect(daemon.log.lines).toEqual(['error storage:failed', 'info storage:answers']);
});

test('a damaged notification is said, and is not looked at for ever', async () => {
  const database = createMemoryDatabase();
  const opened = createMemoryStore(database);
  await using daemon = await aDispatcher(CHANNELS, undefined, {
    opened,
    more: { channelOf: () => ({ unit: 'group', cap: null }) },
  });
  await daemon.decided(EVENT, ['ops']);
  await daemon.decided({ ...EVENT, key: 'other' }, ['ops']);
  const { decided, route, sent, store, log } = daemon;
  await commitRoutingAlone(store, daemon.clock.now());
  await database.sql.run(`UPDATE notifications SET labels = '{' WHERE key = 'call'`);
  await route();
  expect(await sent()).toEqual(['ops event']);
  expect(log.lines).toEqual(['error notification:damaged']);
  await daemon.clock.advance(60 * 24 * 60 * MINUTE);
  const now = daemon.clock.now();
  await store.prune({ settled: now, alerts: now, journal: now }, now);
  await route();
  expect(await database.sql.first('SELECT count(*) AS rows FROM recipient_state')).toEqual({ rows: 0 });
  expect(await database.sql.first('SELECT count(*) AS rows FROM notifications')).toEqual({ rows: 0 });
  await decided({ ...EVENT, key: 'third' }, ['ops']);
  await route();
  expect(log.lines).toEqual(['error notification:damaged']);
});

test('a message that was taken back before any try takes no place of those that may be sent', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, {
    // One of three places belongs to summaries.
    more: { channelOf: () => ({ unit: 'group', cap: { burst: 3, perHour: 30 } }), counted: ['ops'] },
  });
  for (const message of [FIRING, RESOLVED, { ...FIRING, key: 'other' }]) {
    await daemon.decided(message, ['ops']);
    await daemon.route();
    await daemon.clock.advance(MINUTE);
  }
  await daemon.route();
  expect(await daemon.sent()).toEqual(['ops resolved', 'ops firing']);
});

test('what happened in the last second of a silence was told, since the silence was over when it was decided', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, {
    more: { channelOf: () => ({ unit: 'group', cap: null }) },
  });
  const { store, clock } = daemon;
  const [from, until] = [clock.now(), clock.now() + MINUTE];
  await operate(
    store,
    { type: 'silence', matchers: {}, from, until, untilResolved: false, comment: 'maintenance' },
    { key: 'silence', asked: 'silence', actor: 'ada' },
    { at: from },
  );
  await clock.advance(MINUTE - 1000);
  await daemon.decided(EVENT, ['ops']);
  await daemon.decided(FIRING, ['ops']);
  await clock.advance(2000);
  await daemon.decided({ ...EVENT, key: 'later' }, ['ops']);
  await daemon.route();
  const all = await claim(store, 'ops', 10, clock.now());
  expect(all.map(({ delivery: { kind, members } }) => [kind, ...members.map(({ message }) => message.key)])).toEqual([
    ['silence_summary', 'call'],
    ['news', 'low', 'later'],
  ]);
  expect(all[1]?.delivery.members.map(({ heldAt }) => heldAt)).toEqual([until - 1000, null]);
});

test('an alert that nobody has to answer calls for no round of its own', async () => {
  const called: string[] = [];
  await using daemon = await aDispatcher(CHANNELS, (store) => ({
    ...store,
    commitCalls(round, ...rest) {
      called.push(...round.alerts.map(({ key }) => key));
      return store.commitCalls(round, ...rest);
    },
  }));
  await daemon.decided(FIRING, ['ops']);
  await daemon.route();
  expect(called).toEqual([]);
  expect(await daemon.store.nextRound()).toBeNull();
});

test('two thousand events at once are routed in rounds, between which other work runs', async () => {
  await using daemon = await aDispatcher();
  const transitions = Array.from({ length: 2000 }, (_, n) => aTransition({ ...EVENT, key: `call-${n}` }, ['ops']));
  await commit(daemon.store, [aDecision('many', { transitions })], daemon.clock.now());
  let turns = 0;
  const over = new AbortController();
  const routing = daemon.route().finally(() => {
    over.abort();
  });
  for (; !over.signal.aborted; turns += 1) await nextTurn();
  await routing;
  expect(turns).toBeGreaterThanOrEqual(19);
  expect((await daemon.store.survey()).outbox).toMatchObject([{ channel: 'ops', rows: 2000 }]);
});

test('transitions with many recipients are written a few at a time, and each one whole', async () => {
  const written: number[] = [];
  const mail = Array.from({ length: 90 }, (_, n) => `person-${n}@example.org`);
  await using daemon = await aDispatcher({ mail }, (store) => ({
    ...store,
    commitRouting(round, result, ...rest) {
      written.push(result.owing.length);
      return store.commitRouting(round, result, ...rest);
    },
  }));
  for (const key of ['a', 'b', 'c', 'd', 'e']) await daemon.decided({ ...EVENT, key }, ['mail']);
  await daemon.route();
  expect(written.every((count) => count === 90 || count === 180)).toBe(true);
  expect((await daemon.store.survey()).outbox).toMatchObject([{ channel: 'mail', rows: 5 * 90 }]);
});

test('folds 20,000 events of a minute into summaries that count all of them', async () => {
  const [POLLS, PER_POLL] = [20, 1000];
  const database = createMemoryDatabase();
  const opened = createMemoryStore(database);
  await using daemon = await aDispatcher({ mail: ['ada@example.org'] }, undefined, {
    opened,
    more: { channelOf: () => ({ unit: 'group', cap: CAP_OF_PEOPLE }), counted: ['mail'] },
  });
  const { clock, store } = daemon;
  const told: Delivery[] = [];
  const take = async (): Promise<void> => {
    await clock.advance(0);
    // A round of thousands takes many turns, and no minute passes within it.
    while (((await store.nextRound()) ?? Infinity) <= clock.now()) await nextTurn();
    for (const { delivery, attempt } of await claim(store, 'mail', 100, clock.now())) {
      told.push(delivery);
      await store.settle({ id: delivery.id, attempt }, SENT, clock.now());
    }
  };
  await using running = daemon.start();
  for (let poll = 0; poll < POLLS; poll += 1) {
    const transitions = Array.from({ length: PER_POLL }, (_, n) =>
      aTransition({ ...EVENT, key: `${poll}-${n}`, watch: `rule-${n % 20}` }, ['mail']),
    );
    await commit(store, [aDecision(`w${poll}`, { transitions })], clock.now());
    running.wake();
    await clock.advance(3000);
    await take();
  }
  for (let minute = 0; minute < 60; minute += 1) {
    await clock.advance(MINUTE);
    await take();
  }
  const counts = told.map(({ members, more }) => members.length + more.reduce((sum, { count }) => sum + count, 0));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(POLLS * PER_POLL);
  const keys = told.flatMap(({ members, more }) => [
    ...members.map(({ message }) => message.key),
    ...more.flatMap((some) => some.keys),
  ]);
  expect(new Set(keys).size).toBe(POLLS * PER_POLL);
  // What is not listed is counted by rule, and a mail has never heard of the ids of watches.
  const rules = new Set(told.flatMap(({ more }) => more.map(({ watch }) => watch)));
  expect([...rules].toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `rule-${n}`).toSorted());
  // The first of each of twenty critical alerts, and one summary.
  expect(told.length).toBeLessThanOrEqual(21);
  // One row for each event, what its recipient knows of it, and its place in a message.
  const rowsOf = async (table: string): Promise<unknown> =>
    (await database.sql.first(`SELECT count(*) AS rows FROM ${table}`))?.['rows'];
  for (const table of ['notifications', 'recipient_state', 'group_member'])
    expect(await rowsOf(table)).toBe(POLLS * PER_POLL);
  expect(await rowsOf('deliveries')).toBe(told.length);
  const bytes = Number((await database.sql.first('PRAGMA page_count'))?.['page_count']) * 4096;
  expect(bytes / (POLLS * PER_POLL)).toBeLessThan(4096);
});

/** Who is told is on record, and nothing is decided yet. */
async function commitRoutingAlone(store: Store, at: number): Promise<void> {
  const round = await store.readRouting(100, at);
  await store.commitRouting(round, routeRound(round, rulesAtOnce()), at, fenceOf(store, 'service:test'));
}

test('an event that nobody acknowledged in seven days is open no more, which people are told once', async () => {
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: OPEN_EVENTS });
  daemon.inForce.named.set(ANNOUNCER, ['ops']);
  await daemon.decided({ ...EVENT, key: 'one' }, ['ops']);
  await daemon.decided({ ...EVENT, key: 'two' }, ['ops']);
  await daemon.decided({ ...EVENT, key: 'seen' }, ['ops']);
  await daemon.route();
  await daemon.sent();
  const until = daemon.clock.now() + 8 * DAY;
  const by = { request: { key: 'a', asked: 'a', actor: 'alice' }, at: daemon.clock.now() };
  await operate(
    daemon.store,
    { type: 'ack', key: 'seen', episode: 1, seq: 1, severity: 'critical', until, comment: null, replace: false },
    by.request,
    { at: by.at },
  );
  await daemon.clock.advance(7 * DAY - 1);
  await daemon.route();
  expect(await daemon.sent()).toEqual(expect.arrayContaining(['ada event', 'bob event']));
  await daemon.clock.advance(1);
  // A restart between the decision and the message changes nothing.
  await daemon.route();
  await daemon.route();
  const told = await claim(daemon.store, 'ops', 10, daemon.clock.now());
  expect(told.map(({ delivery }) => delivery.members[0].message.title)).toEqual([
    'nobody acknowledged 2 events of treasury-low/low within 7 days: they are not open any more',
  ]);
  await daemon.clock.advance(8 * DAY);
  await daemon.route();
  expect(await claim(daemon.store, 'ops', 10, daemon.clock.now())).toEqual([]);
});

const CALLS_AFTER_A_QUARTER: Partial<DispatchRules> = {
  routingOf(labels) {
    const { channels, options } = routingTo([], null, labels);
    return { channels, options: { ...options, escalate: [{ afterMs: 15 * MINUTE, notify: ['mail'] }] } };
  },
};

describe('the clock that two replicas share is set', () => {
  test.each([
    { how: 'an hour ahead', set: [60], left: 8 },
    { how: 'three minutes ahead twice', set: [3, 3], left: 7 },
    { how: 'an hour back', set: [-60], left: 9 },
    { how: 'an hour ahead and back', set: [60, -60], left: 9 },
  ])('$how, and a step is due as it was, whoever dispatches then', async ({ set, left }) => {
    await using daemon = await aDispatcher(CHANNELS, undefined, { more: CALLS_AFTER_A_QUARTER });
    const { clock, decided, sent, start } = daemon;
    const replicas = [createClockJumps(clock), createClockJumps(clock)];
    const dispatchesFor = async (ms: number, replica = replicas[0]): Promise<void> => {
      await using _running = start(replica);
      await clock.whenSleeping(1);
      await clock.advance(ms);
      for (const one of replicas) one.all();
    };
    await decided(FIRING, ['ops']);
    await dispatchesFor(MINUTE);
    expect(await sent()).toEqual(['ops firing']);
    for (const minutes of set) {
      for (const one of replicas) one.all();
      await clock.setTo(clock.now() + minutes * MINUTE);
      await dispatchesFor(MINUTE);
    }
    await dispatchesFor(5 * MINUTE, replicas[1]);
    await dispatchesFor(left * MINUTE - 1000, replicas[1]);
    expect(await sent()).toEqual([]);
    await dispatchesFor(1000, replicas[1]);
    expect(await sent()).toEqual(['ada firing', 'bob firing']);
  });

  test('while the one that dispatches reads what is due, and nobody is called early', async () => {
    const reading = { setTo: null as number | null };
    await using daemon = await aDispatcher(
      CHANNELS,
      (store) => ({
        ...store,
        async readCalls(...query) {
          if (reading.setTo !== null) await daemon.clock.setTo(reading.setTo);
          reading.setTo = null;
          return store.readCalls(...query);
        },
      }),
      { more: CALLS_AFTER_A_QUARTER },
    );
    const { clock, decided, sent, start } = daemon;
    await decided(FIRING, ['ops']);
    await daemon.route();
    expect(await sent()).toEqual(['ops firing']);
    reading.setTo = clock.now() + 60 * MINUTE;
    await using _running = start(createClockJumps(clock));
    await clock.whenSleeping(1);
    await clock.advance(14 * MINUTE);
    expect(await sent()).toEqual([]);
    await clock.advance(MINUTE);
    expect(await sent()).toEqual(['ada firing', 'bob firing']);
  });
});

test('a claim that nobody was told of yet goes to the channels of claims when the daemon starts again', async () => {
  const ruleOf: DispatchRules['ruleOf'] = (_watch, _alert, labels) => {
    const isClaim = labels['claim'] === 'true';
    const severity = isClaim ? 'warning' : 'critical';
    return { type: 'rule', channels: isClaim ? ['ops'] : ['mail'], labels: { ...labels, severity }, severity };
  };
  await using daemon = await aDispatcher(CHANNELS, undefined, { more: { ruleOf } });
  const { store, clock, route, sent } = daemon;
  const { message } = aTransition({ ...EVENT, severity: 'warning' }, ['ops']);
  const claim = { message, labels: { watch: 'w1', alert: 'low', severity: 'warning', claim: 'true' }, notify: ['ops'] };
  await commit(store, [aDecision('w1', { transitions: [claim] })], clock.now());
  await route();
  await route();
  expect(await sent()).toEqual(['ops event']);
});
