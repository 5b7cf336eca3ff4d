// Whether a message may still go that waited for its first try.
import { expect, test } from '@jest/globals';
import type { Message, Settlement } from '../../../src/core/model/delivery.ts';
import type { DispatchRules } from '../../../src/dispatch/rules.ts';
import { createFirstTries } from '../../../src/engine/sending/may-send.ts';
import { openVolatileStore } from '../../../src/store/sqlite/open.ts';
import { aDecision, aTransition } from '../../store/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { operate } from '../../support/store/operate.ts';
import { claim, commit, dispatch, rulesAtOnce, settle } from '../../support/store/store-calls.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const FIRING: Partial<Message> = { key: 'low', type: 'alert.firing', seq: 1 };
const RESOLVED: Partial<Message> = { key: 'low', type: 'alert.resolved', seq: 2 };
const SENT: Settlement = { state: 'sent', outcome: { type: 'sent', answer: '204' } };
const REFUSED = { type: 'again', why: '503' } as const;

/** One channel, on which this happened first. */
async function aChannel(first: Partial<Message>, more: Partial<DispatchRules> = {}) {
  const clock = createFakeClock();
  const store = await openVolatileStore();
  let woken = 0;
  const rules = (): DispatchRules => ({ ...rulesAtOnce(), ...more });
  const mayGo = createFirstTries({ store, rules, clock, onPutBack: () => (woken += 1) });
  let version = 0;
  const happens = async (message: Partial<Message>): Promise<void> => {
    const transitions = [aTransition(message)];
    await commit(store, [aDecision('w', { expects: version, transitions })], clock.now());
    version += 1;
    await dispatch(store, clock.now());
  };
  await happens(first);
  return {
    clock,
    store,
    happens,
    mayGo,
    woken: () => woken,
    /** The first message that is due is tried, and this comes of it. */
    async settled(settlement: Settlement): Promise<void> {
      const [first] = await claim(store, 'ops', 1, clock.now());
      await settle(store, first?.delivery.id ?? '', settlement, clock.now());
    },
    silence: (ms: number) =>
      operate(
        store,
        {
          type: 'silence',
          matchers: { watch: 'treasury-low' },
          from: clock.now(),
          until: clock.now() + ms,
          untilResolved: false,
          comment: 'move',
        },
        { key: 's1', asked: 'digest of s1', actor: 'alice' },
        { at: clock.now() },
      ),
    /** By id, whether each message that is due may go. */
    async asked(): Promise<boolean[]> {
      const all: boolean[] = [];
      for (const one of await claim(store, 'ops', 10, clock.now())) all.push(await mayGo(one));
      return all;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

test('what waited for its first try is not sent in a silence that began meanwhile, but when it is over', async () => {
  await using channel = await aChannel(FIRING);
  const { clock, store } = channel;
  await channel.silence(10 * MINUTE);
  await clock.advance(MINUTE);
  expect(await channel.asked()).toEqual([false]);
  expect(channel.woken()).toBe(1);
  await dispatch(store, clock.now());
  expect(await channel.asked()).toEqual([]);
  await clock.advance(9 * MINUTE);
  await dispatch(store, clock.now());
  expect(await channel.asked()).toEqual([true]);
});

test('what began and ended before that first try is one thing, and no program hears of it', async () => {
  await using channel = await aChannel(FIRING);
  const { clock, store } = channel;
  await channel.silence(10 * MINUTE);
  await clock.advance(MINUTE);
  expect(await channel.asked()).toEqual([false]);
  await channel.happens(RESOLVED);
  await clock.advance(10 * MINUTE);
  await dispatch(store, clock.now());
  expect(await channel.asked()).toEqual([]);
});

test('what was closed within ten seconds goes, since a hold may be under way as well', async () => {
  await using channel = await aChannel(FIRING);
  await channel.silence(10 * MINUTE);
  await channel.clock.advance(10 * SECOND);
  expect(await channel.asked()).toEqual([true]);
});

test('what was tried before the silence is tried on', async () => {
  await using channel = await aChannel(FIRING);
  const { clock } = channel;
  await channel.settled({ state: 'due', outcome: REFUSED, dueAt: clock.now() });
  await channel.silence(10 * MINUTE);
  await clock.advance(MINUTE);
  expect(await channel.asked()).toEqual([true]);
});

test('the end of what was sent goes', async () => {
  await using channel = await aChannel(FIRING);
  const { clock } = channel;
  await channel.settled(SENT);
  await channel.happens(RESOLVED);
  await channel.silence(10 * MINUTE);
  await clock.advance(MINUTE);
  expect(await channel.asked()).toEqual([true]);
  expect(channel.woken()).toBe(0);
});

test('an end behind what is held back goes to who was sent the begin', async () => {
  await using channel = await aChannel(FIRING);
  const { clock, store } = channel;
  await channel.settled(SENT);
  await channel.happens({ ...FIRING, seq: 2, episode: 2, reason: 'steady for 30 minutes' });
  await channel.silence(10 * MINUTE);
  await clock.advance(MINUTE);
  const [again] = await claim(store, 'ops', 10, clock.now());
  await channel.happens({ ...RESOLVED, seq: 3, episode: 2 });
  expect(again && (await channel.mayGo(again))).toBe(false);
  await dispatch(store, clock.now());
  expect(await channel.asked()).toEqual([true]);
});

test('an end that waits for another try leaves no begin open behind it', async () => {
  await using channel = await aChannel(FIRING);
  const { clock } = channel;
  await channel.settled(SENT);
  await channel.happens(RESOLVED);
  await channel.settled({ state: 'due', outcome: REFUSED, dueAt: clock.now() + 5 * MINUTE });
  await channel.happens({ ...FIRING, seq: 3, episode: 2 });
  await channel.silence(10 * MINUTE);
  await clock.advance(5 * MINUTE);
  await channel.settled(SENT);
  expect(await channel.asked()).toEqual([false]);
  await channel.happens({ ...RESOLVED, seq: 4, episode: 2 });
  expect(await channel.asked()).toEqual([]);
});

test('a mute window that began meanwhile holds it, and nothing does without one', async () => {
  const always = { days: [], from: '00:00', to: '24:00', zone: 'UTC' };
  const { routingOf } = rulesAtOnce();
  const muted: Partial<DispatchRules> = {
    routingOf(labels) {
      const { options, ...routing } = routingOf(labels);
      return {
        ...routing,
        options: { ...options, mute: [{ ...always, days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] }] },
      };
    },
  };
  for (const [rules, may] of [
    [muted, false],
    [{}, true],
  ] as const) {
    await using channel = await aChannel(FIRING, rules);
    await channel.clock.advance(MINUTE);
    expect(await channel.asked()).toEqual([may]);
  }
});
