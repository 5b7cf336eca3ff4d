import { expect, test } from '@jest/globals';
import type { Outcome } from '../../../src/core/model/delivery.ts';
import type { Transition } from '../../../src/core/model/transition.ts';
import { NO_RULES } from '../../../src/app/in-force.ts';
import { createUnrecorded, type Unrecorded } from '../../../src/engine/sending/unrecorded.ts';
import type { DispatchRules } from '../../../src/dispatch/rules.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import { aTransition } from '../../store/builders.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const DAY = 86_400_000;
const critical = (key: string) => aTransition({ key, type: 'alert.firing', severity: 'critical' });

interface Scene {
  readonly unrecorded: Unrecorded;
  readonly clock: FakeClock;
  readonly sent: string[];
  outcome: Outcome;
  /** Instead of the outcome. */
  answer: Promise<Outcome> | null;
  /** Offered and told. */
  offer(...keys: readonly string[]): Promise<void>;
}

const GONE = (): Promise<never> => Promise.reject(new StorageError('the disk is gone'));

function scene(more: Partial<DispatchRules> = {}, openConditions: Store['openConditions'] = GONE): Scene {
  const clock = createFakeClock();
  const one: Scene = {
    clock,
    sent: [],
    outcome: { type: 'sent', answer: '200' },
    answer: null,
    unrecorded: createUnrecorded({
      // Not even to be read: then nothing is taken for silenced.
      store: { policy: GONE, openConditions },
      rules: () => ({ ...NO_RULES, recipientsOf: (channel) => [{ channel, recipient: channel }], ...more }),
      async send({ members: [{ message }] }, { unrecorded, maybeCopy }) {
        one.sent.push(`${message.key} ${unrecorded === true ? 'unrecorded' : ''}${maybeCopy ? ' maybe a copy' : ''}`);
        return one.answer ?? one.outcome;
      },
      clock,
      log: createRecordingLog(),
    }),
    async offer(...keys) {
      one.unrecorded.offer(keys.map(critical));
      await clock.advance(0);
    },
  };
  return one;
}

test('sends at most 100 begins while the disk is broken', async () => {
  const one = scene();
  const keys = Array.from({ length: 150 }, (_, n) => `k${n}`);
  for (let polls = 0; polls < 3; polls += 1) {
    await one.offer(...keys);
    await one.clock.advance(60_000);
  }
  expect(one.sent).toEqual(keys.slice(0, 100).map((key) => `${key} unrecorded`));
});

test('what the receiver did not take is tried with a later poll; what it took, or may have taken, is not', async () => {
  const one = scene();
  one.outcome = { type: 'again', why: '503' };
  await one.offer('k');
  await one.offer('k');
  expect(one.sent).toHaveLength(1);
  await one.clock.advance(15_000);
  one.outcome = { type: 'unknown', why: 'no answer' };
  await one.offer('k');
  await one.clock.advance(15_000);
  await one.offer('k');
  expect(one.sent).toHaveLength(2);
});

test('where the answer of the store was lost, another replica may send it too: it says that it may be a copy', async () => {
  const one = scene();
  one.outcome = { type: 'again', why: '503' };
  one.unrecorded.offer([critical('k')], true);
  await one.clock.advance(15_000);
  one.outcome = { type: 'sent', answer: '200' };
  // Later commits are refused for certain. The first one may be stored all the same.
  await one.offer('k', 'other');
  one.unrecorded.offer([critical('other'), ended('other')], true);
  await one.clock.advance(0);
  expect(one.sent).toEqual([
    'k unrecorded maybe a copy',
    'k unrecorded maybe a copy',
    'other unrecorded',
    'other unrecorded maybe a copy',
  ]);
});

test('a message that a limit held when the answer was lost says later that it may be a copy', async () => {
  const one = scene();
  const keys = Array.from({ length: 100 }, (_, n) => `k${n}`);
  await one.offer(...keys);
  one.unrecorded.offer([critical('late')], true);
  await one.clock.advance(0);
  expect(one.sent).toHaveLength(100);
  one.unrecorded.recorded(keys.map(critical));
  await one.offer('late');
  expect(one.sent.at(-1)).toBe('late unrecorded maybe a copy');
});

test('an outage of another week is told again, and lesser alerts wait for the state file', async () => {
  const one = scene();
  await one.offer('k');
  await one.clock.advance(DAY + 1000);
  await one.offer('k');
  expect(one.sent).toHaveLength(2);
  one.unrecorded.offer([aTransition({ key: 'low', type: 'alert.firing', severity: 'warning' })]);
  await one.clock.advance(0);
  expect(one.sent).toHaveLength(2);
});

const ended = (key: string) => aTransition({ key, seq: 2, type: 'alert.resolved', severity: 'critical' });

test('the end of what was told is told once, and that of what nobody heard of is not', async () => {
  const one = scene();
  await one.offer('k');
  one.outcome = { type: 'again', why: '503' };
  await one.offer('refused');
  one.outcome = { type: 'sent', answer: '200' };
  for (let polls = 0; polls < 3; polls += 1) {
    one.unrecorded.offer([critical('k'), ended('k')]);
    one.unrecorded.offer([critical('refused'), ended('refused')]);
    one.unrecorded.offer([critical('short'), ended('short')]);
    await one.clock.advance(60_000);
  }
  expect(one.sent).toEqual(['k unrecorded', 'refused unrecorded', 'k unrecorded']);
  const told = await one.unrecorded.withTold([critical('k'), ended('k'), critical('refused'), ended('refused')]);
  expect(told.map((each) => each.told?.length)).toEqual([1, 1, undefined, undefined]);
  one.unrecorded.recorded(told);
  expect((await one.unrecorded.withTold([critical('k')]))[0]?.told).toBeUndefined();
});

test('a hundred events and a hundred alerts of the daemon itself leave room for a condition and its end', async () => {
  const one = scene();
  const offer = async (...all: readonly Transition[]): Promise<void> => {
    one.unrecorded.offer(all);
    await one.clock.advance(0);
  };
  const many = (of: (n: number) => Transition): Transition[] => Array.from({ length: 101 }, (_, n) => of(n));
  await offer(...many((n) => aTransition({ key: `e${n}`, type: 'alert.event', severity: 'critical' })));
  await offer(
    ...many((n) => aTransition({ key: `s${n}`, type: 'alert.firing', severity: 'critical', kind: 'chainwarden' })),
  );
  expect(one.sent).toHaveLength(200);
  await offer(critical('k'));
  await offer(critical('k'), ended('k'));
  expect(one.sent.slice(200)).toEqual(['k unrecorded', 'k unrecorded']);
});

test('what is on its way is waited for before it is recorded, with the time of its answer', async () => {
  const one = scene();
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  one.answer = promise;
  await one.offer('k');
  const recording = one.unrecorded.withTold([critical('k')]);
  await one.clock.advance(20_000);
  resolve({ type: 'unknown', why: 'no answer' });
  expect(await recording).toMatchObject([{ told: [{ at: one.clock.now(), outcome: { type: 'unknown' } }] }]);
});

const INHIBITING: Partial<DispatchRules> = {
  inhibit: [{ when: { watch: 'head' }, mute: { watch: 'treasury' }, equal: ['explorer'], events: 'summary' }],
  startedAt: 0,
};
const head = () => aTransition({ key: 'stalled', watch: 'head', type: 'alert.firing', severity: 'critical' });
const low = () => aTransition({ key: 'low', watch: 'treasury', type: 'alert.firing', severity: 'critical' });

test('a chain that stood still paged for every balance while the disk was full', async () => {
  const one = scene({ ...INHIBITING, startedAt: -Infinity });
  one.unrecorded.offer([head()]);
  await one.clock.advance(0);
  one.unrecorded.offer([low()]);
  await one.clock.advance(0);
  expect(one.sent).toEqual(['stalled unrecorded']);
  // It is offered no more, so it may be over.
  await one.clock.advance(121_000);
  one.unrecorded.offer([low()]);
  await one.clock.advance(0);
  expect(one.sent).toEqual(['stalled unrecorded', 'low unrecorded']);
});

test('an alert on record inhibits what is told from memory, as far as the state file can be read', async () => {
  const { message, labels } = head();
  const stored = { key: message.key, watch: message.watch, labels, openedAt: message.at };
  const one = scene({ ...INHIBITING, coveredUntil: () => one.clock.now() }, () => Promise.resolve([stored]));
  one.unrecorded.offer([low(), aTransition({ key: 'k', type: 'alert.firing', severity: 'critical', watch: 'other' })]);
  await one.clock.advance(0);
  expect(one.sent).toEqual(['k unrecorded']);
});
