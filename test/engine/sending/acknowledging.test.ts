// An operator acknowledges; a PagerDuty that takes what its published schema allows hears of it, over a real state file.
import { setImmediate as afterIo } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Message } from '../../../src/core/model/delivery.ts';
import { createAckPasser } from '../../../src/engine/sending/acknowledging.ts';
import { createSender } from '../../../src/engine/sending/sender.ts';
import { openVolatileStore } from '../../../src/store/sqlite/open.ts';
import { aMessage, someTools } from '../../notifiers/samples.ts';
import { serve, serviceNamed } from '../../notifiers/services.ts';
import { aDecision } from '../../store/builders.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { createWebhookSink, status, type Answer } from '../../support/sinks.ts';
import { dispatch } from '../../support/store/store-calls.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';
import { operate, type Act } from '../../support/store/operate.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP_MS = 15_000;
const Event = z.object({ event_action: z.string(), dedup_key: z.string() });

async function aStory(answer?: Answer) {
  const service = serviceNamed('pagerduty');
  const sink = answer === undefined ? await serve(service) : { ...(await createWebhookSink(answer)), refused: [] };
  const clock = createFakeClock();
  const log = createRecordingLog();
  const store = await openVolatileStore();
  const notifier = service.open(sink.origin, someTools(), 10_000);
  const { acknowledge } = notifier;
  if (acknowledge === undefined) throw new Error('PagerDuty keeps acknowledgements');
  const common = { channel: 'pager', store, ownership: ownershipOf(store), clock, log };
  const begin = () => {
    const stop = new AbortController();
    const passer = createAckPasser({ ...common, acknowledge, onOutcome: () => undefined });
    const sender = createSender({
      ...common,
      recipients: ['pager'],
      notifier,
      giveUpAfterMs: HOUR,
      mayGo: () => Promise.resolve(true),
      isToldUnrecorded: () => false,
      onOutcome: ({ type }) => {
        if (type === 'sent') passer.wake();
      },
      onDead: () => undefined,
    });
    const running = Promise.all([passer.run(stop.signal), sender.run(stop.signal, new AbortController().signal)]);
    return { passer, sender, end: () => (stop.abort(), running) };
  };
  let life = begin();
  let version = 0;
  let requests = 0;

  /** So much time, in steps: calls on the wire have the time that they need. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left >= 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      for (let turn = 0; turn < 20; turn += 1) await afterIo();
    }
  }

  async function happensNow(): Promise<void> {
    life.sender.wake();
    life.passer.wake();
    await pass(0);
  }

  async function intervene(change: Act): Promise<string> {
    const key = `request-${(requests += 1)}`;
    const act = { at: clock.now() };
    const { type } = await operate(store, change, { key, asked: key, actor: 'ada' }, act);
    await happensNow();
    return type;
  }

  return {
    clock,
    log,
    refused: sink.refused,
    pass,
    async happens(changes: Partial<Message>): Promise<void> {
      const message = aMessage({ at: clock.now(), since: clock.now(), summary: null, ...changes });
      const labels = { watch: message.watch, severity: message.severity };
      const transitions = [{ message, labels, notify: ['pager'] }];
      const decision = aDecision('coins', { expects: version++, transitions });
      await store.commit([decision], clock.now(), fenceOf(store, 'service:x'));
      await dispatch(store, clock.now());
      await happensNow();
    },
    ack: (seq: number) =>
      intervene({
        ...LOW,
        type: 'ack',
        replace: true,
        seq,
        severity: 'critical',
        comment: null,
        until: clock.now() + HOUR,
      }),
    unack: () => intervene({ ...LOW, type: 'end-ack' }),
    /** Once there are so many: `trigger low`, `acknowledge low`. */
    async heard(count: number): Promise<string[]> {
      await sink.calls.reached(count);
      await pass(0);
      return sink.calls.all.map(({ body }) => {
        const { event_action: action, dedup_key: key } = Event.parse(JSON.parse(body));
        return `${action} ${key}`;
      });
    },
    async restart(): Promise<void> {
      await life.end();
      life = begin();
      await happensNow();
    },
    async [Symbol.asyncDispose]() {
      await life.end();
      await notifier[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await sink[Symbol.asyncDispose]();
    },
  };
}

const LOW = { key: 'low', episode: 1 } as const;
const FIRING: Partial<Message> = { ...LOW, type: 'alert.firing', seq: 1 };
const RESOLVED: Partial<Message> = { ...LOW, type: 'alert.resolved', seq: 2 };
const EVENT: Partial<Message> = { ...LOW, type: 'alert.event', seq: 1 };
const DAY = 24 * HOUR;

test('what was acknowledged here went on paging the next person in PagerDuty', async () => {
  await using story = await aStory();
  await story.happens(FIRING);
  await story.heard(1);
  expect(await story.ack(1)).toBe('kept');
  expect(await story.heard(2)).toEqual(['trigger low', 'acknowledge low']);
  await story.pass(10 * MINUTE);
  await story.happens(RESOLVED);
  expect(await story.heard(3)).toEqual(['trigger low', 'acknowledge low', 'resolve low']);
  expect(story.refused).toEqual([]);
});

test('an acknowledgement is passed on once, also over a restart; one that is made anew is passed on again', async () => {
  await using story = await aStory();
  await story.happens(FIRING);
  await story.heard(1);
  await story.ack(1);
  await story.heard(2);
  await story.restart();
  await story.pass(5 * MINUTE);
  expect(await story.unack()).toBe('kept');
  await story.pass(MINUTE);
  expect(await story.heard(2)).toEqual(['trigger low', 'acknowledge low']);
  expect(await story.ack(1)).toBe('kept');
  expect(await story.heard(3)).toEqual(['trigger low', 'acknowledge low', 'acknowledge low']);
});

test('an alert that PagerDuty was not told of yet is acknowledged there right after it is', async () => {
  let isDown = true;
  await using story = await aStory((response, call) => {
    status(isDown ? 503 : 202)(response, call);
  });
  await story.happens(FIRING);
  await story.heard(1);
  await story.ack(1);
  expect(await story.heard(1)).toEqual(['trigger low']);
  isDown = false;
  await story.pass(MINUTE);
  expect(await story.heard(3)).toEqual(['trigger low', 'trigger low', 'acknowledge low']);
});

test('an acknowledgement that PagerDuty does not take is tried again, and its failure is said once', async () => {
  let isDown = false;
  await using story = await aStory((response, call) => {
    status(isDown ? 503 : 202)(response, call);
  });
  await story.happens(FIRING);
  await story.heard(1);
  isDown = true;
  await story.ack(1);
  await story.heard(2);
  await story.pass(STEP_MS);
  await story.heard(3);
  isDown = false;
  await story.pass(STEP_MS);
  expect(await story.heard(4)).toEqual(['trigger low', ...Array<string>(3).fill('acknowledge low')]);
  await story.pass(5 * MINUTE);
  expect(await story.heard(4)).toHaveLength(4);
  expect(story.log.lines.filter((line) => line.includes('acknowledgement'))).toEqual([
    'warn acknowledgement:failing',
    'info acknowledgement:passed-on',
  ]);
});

test('of an alert that is over nothing is acknowledged', async () => {
  await using story = await aStory();
  await story.happens(FIRING);
  await story.heard(1);
  await story.happens(RESOLVED);
  expect(await story.ack(2)).toBe('refused');
  await story.pass(MINUTE);
  expect(await story.heard(2)).toEqual(['trigger low', 'resolve low']);
});

test('an event that somebody acknowledges is over, since it has no end of its own', async () => {
  await using story = await aStory();
  await story.happens(EVENT);
  await story.heard(1);
  expect(await story.ack(1)).toBe('kept');
  expect(await story.heard(2)).toEqual(['trigger low', 'resolve low']);
  await story.restart();
  story.clock.stall(2 * DAY);
  await story.pass(2 * MINUTE);
  expect(await story.heard(2)).toHaveLength(2);
  expect(story.refused).toEqual([]);
});

test('the incident of an event that nobody acknowledges was open for ever: it is over a day later, also after a restart', async () => {
  await using story = await aStory();
  await story.happens(EVENT);
  await story.heard(1);
  story.clock.stall(DAY - HOUR);
  await story.pass(2 * MINUTE);
  expect(await story.heard(1)).toEqual(['trigger low']);
  await story.restart();
  story.clock.stall(2 * HOUR);
  await story.pass(2 * MINUTE);
  expect(await story.heard(2)).toEqual(['trigger low', 'resolve low']);
  await story.restart();
  story.clock.stall(2 * HOUR);
  await story.pass(2 * MINUTE);
  expect(await story.heard(2)).toHaveLength(2);
});

test('what an event was corrected to a day later is open for a day more; what was retracted is over already', async () => {
  await using story = await aStory();
  await story.happens(EVENT);
  story.clock.stall(DAY - HOUR);
  await story.happens({ ...EVENT, type: 'alert.corrected', seq: 2 });
  story.clock.stall(2 * HOUR);
  await story.pass(2 * MINUTE);
  expect(await story.heard(2)).toEqual(['trigger low', 'trigger low']);
  await story.happens({ ...EVENT, type: 'alert.retracted', seq: 3 });
  await story.heard(3);
  story.clock.stall(2 * DAY);
  await story.pass(2 * MINUTE);
  expect(await story.heard(3)).toEqual(['trigger low', 'trigger low', 'resolve low']);
});

test('a condition that fires for days stays open until it is over', async () => {
  await using story = await aStory();
  await story.happens(FIRING);
  await story.heard(1);
  story.clock.stall(10 * DAY);
  await story.pass(2 * MINUTE);
  expect(await story.heard(1)).toEqual(['trigger low']);
});
