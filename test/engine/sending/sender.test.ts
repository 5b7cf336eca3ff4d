import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { createSender, type Sender } from '../../../src/engine/sending/sender.ts';
import type { Delivery, Outcome } from '../../../src/core/model/delivery.ts';
import { openSqliteStore, openVolatileStore } from '../../../src/store/sqlite/open.ts';
import { LONGEST_LEASE_MS } from '../../../src/store/contract/deliveries.ts';
import { StorageError, type Store } from '../../../src/store/contract/store.ts';
import type { SendingPace } from '../../../src/notifiers/notifier.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { createMemoryStore } from '../../support/store/memory-store.ts';
import { allOf, claim, LEASE_MS, owe } from '../../support/store/store-calls.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { aDelivery } from '../../store/builders.ts';
import { fenceOf, ownershipOf } from '../../support/store/fences.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GIVE_UP = 6 * HOUR;
const SENT: Outcome = { type: 'sent', answer: '204' };
const RECIPIENTS = ['ops', ...['ada', 'bob', 'cy'].map((name) => `${name}@example.org`)];
const AGAIN: Outcome = { type: 'again', why: '503' };

describe('what is owed', () => {
  test('goes out at once, also what was committed before the sender began', async () => {
    const post = createOutbox();
    await post.owe(aDelivery({ id: 'before' }));
    await using sender = post.start();
    await post.owe(aDelivery({ id: 'after' }));
    sender.wake();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['before#1', 'after#1']);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 2 });
    expect(post.outcomes).toEqual([SENT, SENT]);
  });

  test('goes out within a minute even when nobody wakes the sender', async () => {
    const post = createOutbox();
    await using _sender = post.start();
    await post.clock.whenSleeping(1);
    await post.owe(aDelivery());
    await post.clock.advance(MINUTE);
    expect(post.arrived()).toEqual(['delivery-1#1']);
  });

  test('of another channel is left alone', async () => {
    const post = createOutbox();
    await post.owe(aDelivery({ id: 'mine' }), aDelivery({ id: 'gone', channel: 'removed-from-config' }));
    await using _sender = post.start();
    await post.clock.advance(7 * HOUR);
    expect(post.arrived()).toEqual(['mine#1']);
    expect((await post.store.survey()).outbox).toMatchObject([{ channel: 'removed-from-config', rows: 1 }]);
  });

  test('waits without a try while its recipient is not named, and goes out when the channel names it again', async () => {
    const post = createOutbox();
    await post.owe(aDelivery({ id: 'bob', recipient: 'bob@example.org' }));
    {
      await using _without = post.start('ops', undefined, ['ada@example.org']);
      await post.clock.advance(7 * 24 * HOUR);
    }
    expect(post.arrived()).toEqual([]);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 0 });
    await using _with = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['bob#1']);
  });

  test('is not sent when the check before its first byte outlasts the lease of the channel, and is due for the next owner', async () => {
    const post = createOutbox();
    let answer = (_may: boolean): void => undefined;
    post.check = () => new Promise((resolve) => (answer = resolve));
    await post.owe(aDelivery());
    {
      await using sender = post.start();
      await post.clock.advance(0);
      post.isHeld = false;
      answer(true);
      post.check = () => Promise.resolve(true);
      await sender.stop();
    }
    expect(post.arrived()).toEqual([]);
    expect(post.outcomes).toEqual([]);
    post.isHeld = true;
    await using _next = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['delivery-1#2']);
    expect(post.tries.map(({ maybeCopy }) => maybeCopy)).toEqual([false]);
  });

  test('is not claimed while the lease of the channel is over, and goes out a second after it was renewed', async () => {
    const post = createOutbox();
    post.isHeld = false;
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(post.arrived()).toEqual([]);
    post.isHeld = true;
    await post.clock.advance(SECOND);
    expect(post.arrived()).toEqual(['delivery-1#1']);
  });

  test('is not sent again once it was accepted', async () => {
    const post = createOutbox();
    await post.owe(aDelivery());
    await using sender = post.start();
    for (let hour = 0; hour < 3; hour++) {
      sender.wake();
      await post.clock.advance(HOUR);
    }
    expect(post.arrived()).toEqual(['delivery-1#1']);
  });

  test('is sent again under its id, with the next number, when its sending was cut off by a crash', async () => {
    const post = createOutbox();
    await post.owe(aDelivery());
    await claim(post.store, 'ops', 1, post.clock.now());
    await post.clock.advance(LEASE_MS);
    await using _sender = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['delivery-1#2']);
  });
});

test('sends at once, on a channel that is held again, a message whose former sender ended', async () => {
  const post = createOutbox();
  const sender = post.sender();
  const run = (): (() => Promise<void>) => {
    const stop = new AbortController();
    const done = sender.run(stop.signal, new AbortController().signal);
    return async () => {
      stop.abort();
      await done;
    };
  };
  const stop = run();
  await post.clock.advance(0);
  await stop();
  await post.owe(aDelivery());
  const beingSent = { ...allOf('ops'), perRule: 4, limit: 1, at: post.clock.now(), leaseMs: SECOND, outOfTurn: null };
  expect(await post.store.claim(beingSent, fenceOf(post.store, 'channel:ops'))).toHaveLength(1);
  await post.clock.advance(SECOND);
  const end = run();
  await post.clock.advance(0);
  expect(post.arrived()).toEqual(['delivery-1#2']);
  await end();
});

test('messages whose claim was kept, though its answer was lost, were sent by nobody for five minutes, and held up their rule', async () => {
  const post = createOutbox();
  const claimOf = post.store.claim.bind(post.store);
  const claims = jest.spyOn(post.store, 'claim');
  const isLost = async (...given: Parameters<Store['claim']>): Promise<never> => {
    await claimOf(...given);
    throw new StorageError('the connection was reset');
  };
  await post.owe(aDelivery({ id: 'before', watch: 'one' }));
  await using sender = post.start();
  await post.clock.advance(0);
  for (const [n, id] of ['lost', 'lost too', 'third'].entries()) {
    if (n < 2) claims.mockImplementationOnce(isLost);
    await post.owe(aDelivery({ id, watch: 'two' }));
    sender.wake();
    await post.clock.advance(0);
  }
  await post.clock.advance(10 * SECOND);
  expect(post.arrived()).toEqual(['before#1', 'lost#1', 'lost too#1', 'third#1']);
  expect(post.tries.map(({ maybeCopy }) => maybeCopy)).toEqual([false, false, false, false]);
  expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 4 });
});

describe('a try', () => {
  test('is told what the receiver called the message before, so that it can be changed or answered', async () => {
    const post = createOutbox();
    post.answer = () => ({ ...SENT, receipt: 'message 7' });
    await post.owe(aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 }));
    await using _sender = post.start();
    await post.clock.advance(MINUTE);
    expect(post.tries.map(({ id, receipt }) => [id, receipt])).toEqual([
      ['firing', null],
      ['resolved', 'message 7'],
    ]);
  });

  test('is told that it may be a copy when nobody knows whether the one before arrived, and at no other time', async () => {
    const post = createOutbox();
    const ends: Outcome[] = [AGAIN, { type: 'unknown', why: 'no answer' }, AGAIN, SENT];
    post.answer = (_delivery, attempt) => ends[attempt - 1] ?? SENT;
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(post.tries.map(({ maybeCopy }) => maybeCopy)).toEqual([false, false, true, true]);
  });
});

describe('a storm of one rule', () => {
  /** The receiver answers again. */
  async function letGo(post: ReturnType<typeof createOutbox>, gates: ReadonlyMap<string, (outcome: Outcome) => void>) {
    post.answer = () => SENT;
    for (const open of gates.values()) open(SENT);
    await post.clock.advance(0);
  }

  const storm = Array.from({ length: 50 }, (_, n) =>
    aDelivery({ id: `storm-${n}`, watch: 'storm[a]', severity: 'warning' }),
  );

  test('leaves room for what another rule has to say, though its receiver does not answer', async () => {
    const post = createOutbox();
    const gates = post.hold();
    await post.owe(...storm);
    await using sender = post.start();
    await post.clock.advance(MINUTE);
    expect(post.arrived()).toEqual(['storm-0#1', 'storm-1#1']);
    await post.owe(aDelivery({ id: 'news', watch: 'other' }));
    sender.wake();
    await post.clock.advance(0);
    expect([...gates.keys()]).toEqual(['storm-0', 'storm-1', 'news']);
    await letGo(post, gates);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 51 });
  });

  test('is not asked for again and again while it has its share', async () => {
    const post = createOutbox();
    const gates = post.hold();
    await post.owe(...storm);
    const claims = jest.spyOn(post.store, 'claim');
    await using _sender = post.start();
    await post.clock.advance(10 * MINUTE);
    expect(claims.mock.calls.length).toBeLessThan(3);
    await letGo(post, gates);
  });

  test('lets what is more severe go first', async () => {
    const post = createOutbox();
    const gates = post.hold();
    await post.owe(...storm);
    await post.owe(aDelivery({ id: 'critical', watch: 'storm[b]', severity: 'critical' }));
    await using _sender = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['critical#1', 'storm-0#1']);
    await letGo(post, gates);
  });
});

describe('a receiver that took nothing for hours', () => {
  const DOWN: Outcome = { type: 'again', why: 'not connected' };

  test('is tried every 30 s, and is sent all that waits, critical first, within seconds of its return', async () => {
    const post = createOutbox();
    post.answer = () => DOWN;
    const many = (['info', 'warning', 'critical'] as const).flatMap((severity) =>
      Array.from({ length: 4 }, (_, n) => aDelivery({ id: `${severity}-${n}`, key: `${severity}-${n}`, severity })),
    );
    await post.owe(...many);
    await using _sender = post.start();
    await post.clock.advance(5 * HOUR);
    const before = post.tries.length;
    await post.clock.advance(10 * MINUTE);
    // All of them wait for an hour by their own schedules.
    expect(post.tries.length - before).toBeLessThanOrEqual(20 + many.length);
    expect(post.tries.length - before).toBeGreaterThanOrEqual(19);
    post.answer = () => SENT;
    await post.clock.advance(31 * SECOND);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 12 });
    const sent = post.tries.slice(-11).map(({ id }) => id.replace(/-.*/, ''));
    expect(sent.filter((severity) => severity === 'critical').length).toBeGreaterThanOrEqual(3);
    expect(sent.lastIndexOf('critical')).toBeLessThan(sent.indexOf('info'));
  });

  test('is not tried out of turn with what it may have taken, nor before the time that it named', async () => {
    const post = createOutbox();
    post.answer = ({ id }) =>
      id === 'unknown' ? { type: 'unknown', why: 'no answer' } : { type: 'again', why: '429', afterMs: 10 * MINUTE };
    await post.owe(...['unknown', 'asked', 'asked-too', 'asked-last'].map((id) => aDelivery({ id, key: id })));
    await using _sender = post.start();
    await post.clock.advance(9 * MINUTE);
    const triesOf = (id: string): number => post.tries.filter((one) => one.id === id).length;
    // 5 s, 30 s, 2 and 5 min.
    expect(triesOf('unknown')).toBeLessThanOrEqual(5);
    expect([triesOf('asked'), triesOf('asked-too'), triesOf('asked-last')]).toEqual([1, 1, 1]);
  });

  test('keeps nothing from another recipient of the channel, and has its turns with others that fail', async () => {
    const post = createOutbox();
    const failing = new Set(['ada@example.org', 'bob@example.org']);
    post.answer = ({ recipient }) => (failing.has(recipient) ? DOWN : SENT);
    await post.owe(
      ...['ada', 'bob', 'cy'].map((name) => aDelivery({ id: name, key: name, recipient: `${name}@example.org` })),
    );
    await using _sender = post.start();
    await post.clock.advance(3 * HOUR);
    failing.delete('bob@example.org');
    await post.clock.advance(MINUTE);
    expect(await post.store.survey()).toMatchObject({ dead: 0, sent: 2 });
    failing.delete('ada@example.org');
    await post.clock.advance(MINUTE);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 3 });
  });
});

describe('a channel whose service takes a hundred messages in a minute', () => {
  async function sendsCriticalNext(post: ReturnType<typeof createOutbox>, sender: Running): Promise<void> {
    await post.owe(aDelivery({ id: 'drained', key: 'drained', severity: 'critical', watch: 'coins' }));
    sender.wake();
    await post.clock.advance(0);
    expect(post.tries.at(-1)?.id).toBe('drained');
  }

  test.each(['warning', 'critical'] as const)(
    'sends a critical alert at once in a storm of %s events',
    async (severity) => {
      const post = createOutbox();
      await post.owe(
        ...Array.from({ length: 500 }, (_, n) =>
          aDelivery({ id: `event-${n}`, key: `event-${n}`, severity, watch: 'storm' }),
        ),
      );
      await using sender = post.start('ops', { most: 100, inMs: MINUTE });
      await post.clock.advance(SECOND);
      expect(post.tries).toHaveLength(50);
      await sendsCriticalNext(post, sender);
      await post.clock.advance(MINUTE);
      expect(post.tries).toHaveLength(101);
      await post.clock.advance(10 * MINUTE);
      expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 501 });
    },
  );

  test('keeps a fifth for critical alerts in a storm of many rules', async () => {
    const post = createOutbox();
    await post.owe(
      ...Array.from({ length: 300 }, (_, n) =>
        aDelivery({ id: `event-${n}`, key: `event-${n}`, severity: 'warning', watch: `storm-${n % 6}` }),
      ),
    );
    await using sender = post.start('ops', { most: 100, inMs: MINUTE });
    await post.clock.advance(SECOND);
    expect(post.tries).toHaveLength(80);
    await sendsCriticalNext(post, sender);
  });
});

describe('what is not accepted', () => {
  test('is tried again when it is due, not before, until it is accepted', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt < 4 ? AGAIN : SENT);
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(3 * SECOND);
    expect(post.arrived()).toEqual(['delivery-1#1']);
    await post.clock.advance(10 * MINUTE);
    expect(post.arrived()).toEqual(['delivery-1#1', 'delivery-1#2', 'delivery-1#3', 'delivery-1#4']);
    const [first = 0, second = 0, third = 0, fourth = 0] = post.tries.map(({ at }) => at);
    expect(within(second - first, 5 * SECOND) && within(third - second, 30 * SECOND)).toBe(true);
    // By its own schedule after two minutes: a receiver that failed three times is tried every 30 s.
    expect(fourth - third).toBe(30 * SECOND);
  });

  test('does not wait for a day because the clock was set back by one', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt < 5 ? AGAIN : SENT);
    await post.owe(aDelivery({ id: 'one' }), aDelivery({ id: 'two' }));
    await using _sender = post.start();
    await post.clock.advance(MINUTE);
    await post.clock.setTo(post.clock.now() - 24 * HOUR);
    await post.clock.advance(HOUR);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 2 });
  });

  test('does not hold up for a day what else waits when the clock was set back, and is tried no more often for it', async () => {
    const post = createOutbox();
    const unknown: Outcome = { type: 'unknown', why: 'no answer' };
    const answered = (attempt: number): Outcome => (attempt === 1 ? AGAIN : SENT);
    post.answer = ({ id }, attempt) => (id === 'unknown' ? unknown : answered(attempt));
    await post.owe(aDelivery({ id: 'unknown' }), aDelivery({ id: 'two' }), aDelivery({ id: 'three' }));
    await using _sender = post.start();
    await post.clock.advance(SECOND);
    await post.clock.setTo(post.clock.now() - 24 * HOUR);
    await post.clock.advance(10 * MINUTE);
    expect(await post.store.survey()).toMatchObject({ outbox: [{ rows: 1 }], dead: 0, sent: 2 });
    expect(post.arrived().filter((one) => one.startsWith('unknown')).length).toBeLessThan(7);
  });

  test('waits as long as the receiver asked for', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt === 1 ? { ...AGAIN, afterMs: 17 * SECOND } : SENT);
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(post.tries.map(({ at }) => at - post.began)).toEqual([0, 17 * SECOND]);
  });

  test('waits as long as the receiver asked for, also where it did so at a try outside of the schedule', async () => {
    const post = createOutbox();
    post.answer = () => (post.clock.now() - post.began < 40 * MINUTE ? AGAIN : { ...AGAIN, afterMs: 4 * MINUTE });
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(55 * MINUTE);
    const since = post.tries.map(({ at }) => at - post.began).filter((at) => at >= 40 * MINUTE);
    expect(since[0]).toBeLessThan(41 * MINUTE);
    expect(since.map((at, n) => at - (since[n - 1] ?? at))).toEqual([0, 4 * MINUTE, 4 * MINUTE, 4 * MINUTE]);
  });

  test('is given up after the stated time, with a last try at its end', async () => {
    const post = createOutbox();
    post.answer = () => AGAIN;
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(9 * HOUR);
    expect(post.tries.at(-1)?.at).toBe(post.began + GIVE_UP);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 1, sent: 0 });
    expect(post.lines('error')).toEqual(['delivery:dead']);
    expect(post.dead).toEqual(['ops']);
  });

  test('is dead when the receiver rejected it three times within the hour, tries without an answer not counted', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt < 3 ? AGAIN : { type: 'rejected', why: '400 unknown field' });
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(2 * HOUR);
    expect(post.arrived()).toHaveLength(5);
    const [, , first = 0, second = 0, third = 0] = post.tries.map(({ at }) => at);
    expect(within(second - first, 5 * MINUTE) && within(third - second, 25 * MINUTE)).toBe(true);
    expect(await post.store.survey()).toMatchObject({ dead: 1 });
    expect(post.dead).toEqual(['ops']);
  });

  test('is taken by a receiver that rejected it only while it was being changed', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt < 3 ? { type: 'rejected', why: '400 unknown field' } : SENT);
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  test('is tried after 1, 5, then every 15 minutes by a receiver that is gone, and all of it at once after a reload', async () => {
    const post = createOutbox();
    post.answer = () => ({ type: 'again', why: '410 archived', auth: true, atLeastMs: 15 * MINUTE });
    await post.owe(aDelivery({ id: 'first' }));
    await using sender = post.start();
    await post.clock.advance(HOUR);
    const waits = post.tries.slice(1).map(({ at }, n) => at - (post.tries[n]?.at ?? 0));
    expect(waits.slice(0, 2)).toEqual([MINUTE, 5 * MINUTE]);
    expect(post.tries.length).toBeLessThan(9);
    expect(post.lines('error')).toEqual(['channel:refused']);
    post.answer = () => SENT;
    sender.resume();
    await post.clock.advance(0);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  test('is given up once each, and what is still tried is not counted with it', async () => {
    const post = createOutbox();
    post.answer = ({ id }) => (id === 'refused' ? { type: 'rejected', why: '410 gone' } : AGAIN);
    await post.owe(aDelivery({ id: 'refused' }), aDelivery({ id: 'waits' }));
    await using _sender = post.start();
    await post.clock.advance(GIVE_UP - MINUTE);
    expect(post.dead).toEqual(['ops']);
    await post.clock.advance(HOUR);
    expect(post.dead).toEqual(['ops', 'ops']);
  });

  test('is given up only when that is on record: else the next start tries it again', async () => {
    const post = createOutbox();
    post.answer = () => ({ type: 'rejected', why: '550 no such user' });
    await post.owe(aDelivery());
    const settle = jest.spyOn(post.store, 'settle').mockRejectedValue(new StorageError('disk I/O error'));
    const sender = post.start();
    await post.clock.advance(MINUTE);
    expect(post.dead).toEqual([]);
    await sender.abandon();
    settle.mockRestore();
    expect(post.dead).toEqual([]);
    expect(await post.store.expire('ops', post.clock.now() + LONGEST_LEASE_MS, [])).toBe(1);
  });

  test('warns once per reason, however many deliveries share it', async () => {
    const post = createOutbox();
    post.answer = () => AGAIN;
    await post.owe(...Array.from({ length: 20 }, (_, n) => aDelivery({ id: `d${n}` })));
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(post.lines('warn')).toEqual(['delivery:again']);
  });

  test('of many recipients, the one who is refused is named', async () => {
    const post = createOutbox();
    post.answer = ({ recipient }) => (recipient === 'bob@example.org' ? AGAIN : SENT);
    await post.owe(...['ada', 'bob'].map((name) => aDelivery({ id: name, recipient: `${name}@example.org` })));
    await using _sender = post.start();
    await post.clock.advance(0);
    expect(post.log.fields[post.log.lines.indexOf('warn delivery:again')]).toMatchObject({
      channel: 'ops',
      recipient: 'bob@example.org',
    });
  });

  test('is tried again when the sender throws, and the log says so', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => {
      if (attempt === 1) throw new Error('a bug');
      return SENT;
    };
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(MINUTE);
    expect(post.arrived()).toEqual(['delivery-1#1', 'delivery-1#2']);
    expect(post.lines('error')).toEqual(['delivery:threw']);
  });
});

describe('order and pace', () => {
  test('a resolve never overtakes its firing, whose tries it waits for', async () => {
    const post = createOutbox();
    post.answer = ({ id }, attempt) => (id === 'firing' && attempt < 3 ? AGAIN : SENT);
    await post.owe(aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 }));
    await using _sender = post.start();
    await post.clock.advance(HOUR);
    expect(post.arrived()).toEqual(['firing#1', 'firing#2', 'firing#3', 'resolved#1']);
  });

  describe('a begin that waits behind the end of the episode before, which the receiver does not take,', () => {
    const end = aDelivery({ id: 'end', key: 'k', seq: 2, type: 'alert.resolved' });
    const begin = aDelivery({ id: 'begin', key: 'k', seq: 3, episode: 2 });
    const REJECTED: Outcome = { type: 'rejected', why: '400' };

    test('goes out as soon as that is given up, after three tries in five minutes each', async () => {
      const post = createOutbox();
      post.answer = ({ id }) => (id === 'end' ? REJECTED : SENT);
      await post.owe(end);
      await using sender = post.start();
      await post.clock.advance(7 * MINUTE);
      expect(post.arrived()).toEqual(['end#1', 'end#2']);
      await post.owe(begin);
      sender.wake();
      await post.clock.advance(4 * MINUTE);
      expect(post.arrived()).toEqual(['end#1', 'end#2']);
      await post.clock.advance(2 * MINUTE);
      expect(post.arrived()).toEqual(['end#1', 'end#2', 'end#3', 'begin#1']);
      expect(await post.store.survey()).toEqual({ outbox: [], dead: 1, sent: 1 });
    });

    test('goes out at once after it, if the receiver takes it now', async () => {
      const post = createOutbox();
      post.answer = ({ id }) => (id === 'end' ? AGAIN : SENT);
      await post.owe(end);
      await using sender = post.start();
      await post.clock.advance(2 * HOUR);
      // What is taken sets the end due, which fails once more, and waits for an hour.
      await post.owe(aDelivery({ id: 'other', key: 'other' }));
      sender.wake();
      await post.clock.advance(10 * MINUTE);
      const before = post.arrived();
      expect(before.slice(-2)).toEqual(['other#1', expect.stringMatching('end#')]);
      post.answer = () => SENT;
      await post.owe(begin);
      sender.wake();
      await post.clock.advance(SECOND);
      expect(post.arrived().slice(before.length)).toEqual([expect.stringMatching('end#'), 'begin#1']);
    });

    test('waits for at most six minutes after a receiver that did not answer for hours', async () => {
      const post = createOutbox();
      post.answer = () => ({ type: 'unknown', why: 'no answer' });
      await post.owe(end);
      await using sender = post.start();
      await post.clock.advance(2 * HOUR);
      const before = post.tries.length;
      post.answer = () => SENT;
      await post.owe(begin);
      sender.wake();
      await post.clock.advance(6 * MINUTE);
      expect(post.tries.slice(before).map(({ id }) => id)).toEqual(['end', 'begin']);
    });

    test.each([
      ['refuses who calls', { type: 'again', why: '401', auth: true, atLeastMs: 15 * MINUTE }, 21],
      ['named a time', { type: 'again', why: '429', afterMs: 40 * MINUTE }, 7],
    ] as const)('makes the end wait no less where the receiver %s', async (_what, outcome, count) => {
      const post = createOutbox();
      post.answer = () => outcome;
      await post.owe(end, begin);
      await using _sender = post.start();
      await post.clock.advance(4 * HOUR);
      expect(post.tries).toHaveLength(count);
      expect(post.tries.map(({ id }) => id)).not.toContain('begin');
    });
  });

  test('one critical alert behind 2,850 events leaves as soon as a place is free', async () => {
    await using store = await openVolatileStore();
    const post = createOutbox(store);
    const gates = post.hold();
    await post.owe(
      ...Array.from({ length: 2850 }, (_, n) => aDelivery({ id: `event-${n}`, watch: `w${n % 2}`, severity: 'info' })),
    );
    await using sender = post.start();
    await post.clock.advance(0);
    await post.owe(aDelivery({ id: 'critical', watch: 'other', severity: 'critical' }));
    sender.wake();
    gates.get('event-2')?.(SENT);
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['event-0#1', 'event-1#1', 'event-2#1', 'event-3#1', 'critical#1']);
    for (const open of gates.values()) open(SENT);
    post.answer = () => SENT;
  });

  test('a delivery that waits for another does not make the sender spin', async () => {
    const post = createOutbox();
    post.answer = () => ({ ...AGAIN, afterMs: HOUR });
    await post.owe(aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 }));
    const claim = jest.spyOn(post.store, 'claim');
    await using _sender = post.start();
    await post.clock.advance(10 * MINUTE);
    expect(claim.mock.calls.length).toBeLessThan(15);
  });

  test('no more are in flight than are allowed, and a freed slot is used at once', async () => {
    const post = createOutbox();
    const gates = post.hold();
    await post.owe(...['a', 'b', 'c', 'd', 'e'].map((id) => aDelivery({ id, watch: id })));
    await using _sender = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toEqual(['a#1', 'b#1', 'c#1', 'd#1']);
    gates.get('b')?.(SENT);
    await post.clock.advance(0);
    expect(post.arrived().slice(4)).toEqual(['e#1']);
    for (const open of gates.values()) open(SENT);
  });

  test('a dead channel delays no other', async () => {
    const post = createOutbox();
    const gates = post.hold('dead');
    await post.owe(
      ...Array.from({ length: 9 }, (_, n) => aDelivery({ id: `dead-${n}`, watch: `w${n % 2}`, channel: 'dead' })),
    );
    await post.owe(aDelivery({ id: 'alive' }));
    await using _dead = post.start('dead');
    await using _alive = post.start();
    await post.clock.advance(0);
    expect(post.arrived()).toContain('alive#1');
    expect(await post.store.survey()).toMatchObject({ sent: 1 });
    await post.clock.advance(MINUTE);
    expect(gates.size).toBe(4);
    for (const [id, open] of gates) open({ ...AGAIN, why: id });
  });
});

describe('a storage that does not answer', () => {
  test('is said once per cause, is not pressed, and loses nothing', async () => {
    const post = createOutbox();
    await post.owe(aDelivery());
    const claim = jest.spyOn(post.store, 'claim').mockRejectedValue(new StorageError('database or disk is full'));
    await using sender = post.start();
    for (let tries = 0; tries < 10; tries++) {
      sender.wake();
      await post.clock.advance(MINUTE);
    }
    expect(claim.mock.calls.length).toBeLessThan(40);
    expect(post.lines('error')).toEqual(['storage:failed']);
    claim.mockRestore();
    await post.clock.advance(MINUTE);
    expect(post.arrived()).toEqual(['delivery-1#1']);
    expect(post.lines('info')).toEqual(['storage:answers']);
  });

  test('when an outcome cannot be recorded, it is kept until it can, and nothing is sent twice meanwhile', async () => {
    const post = createOutbox();
    await post.owe(aDelivery());
    const settle = jest.spyOn(post.store, 'settle').mockRejectedValue(new StorageError('disk I/O error'));
    await using _sender = post.start();
    await post.clock.advance(10 * MINUTE);
    expect(post.lines('error')).toEqual(['storage:failed']);
    settle.mockRestore();
    await post.clock.advance(MINUTE);
    expect(post.arrived()).toEqual(['delivery-1#1']);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  test('when an outcome can be recorded only after its lease has ended, it is not sent by the same sender again', async () => {
    const post = createOutbox();
    await post.owe(aDelivery({ id: 'first' }));
    const settle = jest.spyOn(post.store, 'settle').mockRejectedValue(new StorageError('disk I/O error'));
    await using _sender = post.start();
    await post.clock.advance(LONGEST_LEASE_MS);
    await post.owe(aDelivery({ id: 'second' }));
    await post.clock.advance(10 * MINUTE);
    expect(post.arrived()).toEqual(['first#1', 'second#1']);
    settle.mockRestore();
    await post.clock.advance(MINUTE);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 2 });
  });
});

test('what a daemon left in the middle of a send goes out after the restart, under the same id', async () => {
  using directory = aDirectory();
  {
    await using store = await openSqliteStore(directory);
    const post = createOutbox(store);
    post.hold();
    await post.owe(aDelivery({ id: 'first', key: 'k', seq: 1 }), aDelivery({ id: 'second', key: 'k', seq: 2 }));
    const sender = post.start();
    await post.clock.advance(0);
    const stopped = sender.abandon();
    await post.clock.advance(SECOND);
    await stopped;
    expect(post.arrived()).toEqual(['first#1']);
  }
  await using store = await openSqliteStore(directory);
  const post = createOutbox(store);
  await using _sender = post.start();
  await post.clock.advance(0);
  expect(post.arrived()).toEqual(['first#2', 'second#1']);
  expect(post.lines('info')[0]).toBe('outbox:recovered');
});

describe('what is old, but could not be tried', () => {
  const DAY = 24 * HOUR;

  test('after four days of standstill one bad answer does not give it up', async () => {
    using directory = aDirectory();
    const first = await live(directory, async (post) => {
      post.answer = () => AGAIN;
      await post.owe(aDelivery());
      await post.clock.advance(HOUR);
    });
    const second = await live(
      directory,
      async (post) => {
        post.answer = (_delivery, attempt) => (attempt === first.tries.length + 1 ? AGAIN : SENT);
        await post.clock.advance(MINUTE);
        expect(post.dead).toEqual([]);
        await post.clock.advance(2 * HOUR);
        expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
      },
      first.clock.now() + 4 * DAY,
    );
    expect(second.tries.map(({ id }) => id)).toEqual(['delivery-1', 'delivery-1']);
  });

  test('a clock that was ten days ahead for an hour does not give it up, nor hold it back', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt < 9 ? AGAIN : SENT);
    await post.owe(aDelivery());
    await using _sender = post.start();
    await post.clock.advance(5 * MINUTE);
    await post.clock.setTo(post.clock.now() + 10 * DAY);
    await post.clock.advance(HOUR);
    expect(post.dead).toEqual([]);
    await post.clock.setTo(post.clock.now() - 10 * DAY);
    await post.clock.advance(4 * HOUR);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  test('what was owed under a clock that ran days behind is not old when the clock is put right', async () => {
    const post = createOutbox();
    post.answer = (_delivery, attempt) => (attempt === 1 ? AGAIN : SENT);
    await post.owe(aDelivery());
    await post.clock.setTo(post.clock.now() + 5 * DAY);
    await using _sender = post.start();
    await post.clock.advance(MINUTE);
    expect(await post.store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  test('days in which its channel was not in the config do not count', async () => {
    const post = createOutbox();
    post.answer = () => AGAIN;
    await post.owe(aDelivery());
    {
      await using _sender = post.start();
      await post.clock.advance(GIVE_UP - HOUR);
    }
    await using _other = post.start('mail');
    await post.clock.advance(4 * DAY);
    const before = post.tries.length;
    await using _back = post.start();
    await post.clock.advance(30 * MINUTE);
    expect(post.tries.length).toBeGreaterThan(before);
    expect(post.dead).toEqual([]);
    await post.clock.advance(HOUR);
    expect(post.dead).toEqual(['ops']);
  });

  test('what waited behind another for longer than the give-up time is still tried twelve times', async () => {
    const post = createOutbox();
    post.answer = () => AGAIN;
    await post.owe(aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 }));
    await using _sender = post.start();
    await post.clock.advance(DAY);
    expect(post.dead).toEqual(['ops', 'ops']);
    const triesOf = (id: string): number => post.tries.filter((one) => one.id === id).length;
    expect(triesOf('firing')).toBeGreaterThanOrEqual(12);
    expect(triesOf('resolved')).toBeGreaterThanOrEqual(12);
  });

  test('the age is written down once a minute, not with each look', async () => {
    const post = createOutbox();
    const ran = jest.spyOn(post.store, 'ran');
    await using sender = post.start();
    for (let second = 0; second <= 600; second++) {
      sender.wake();
      await post.clock.advance(SECOND);
    }
    expect(ran.mock.calls.length).toBe(10);
    expect(ran.mock.calls.reduce((sum, [, ms]) => sum + ms, 0)).toBe(10 * MINUTE);
  });

  test('a channel to which nothing is owed writes no more than that, however often it looks', async () => {
    const post = createOutbox();
    const [claims, expires] = [jest.spyOn(post.store, 'claim'), jest.spyOn(post.store, 'expire')];
    await using sender = post.start();
    for (let second = 0; second <= 600; second++) {
      sender.wake();
      await post.clock.advance(SECOND);
    }
    expect(claims).not.toHaveBeenCalled();
    expect(expires.mock.calls.length).toBeLessThanOrEqual(11);
  });

  test('alerts go out after the first minute of a daemon whose clock counts parts of milliseconds', async () => {
    const clock = createFakeClock();
    const store = await openVolatileStore();
    const post = createOutbox(store, { ...clock, monotonic: () => clock.monotonic() * 1.000_012_3 });
    await using sender = post.start();
    await clock.advance(2 * MINUTE);
    await post.owe(aDelivery({ id: 'late' }));
    sender.wake();
    await clock.advance(SECOND);
    expect(post.arrived()).toEqual(['late#1']);
    expect(post.lines('error')).toEqual([]);
  });
});

describe('stopping', () => {
  test('what is in flight ends, and nothing new begins', async () => {
    const post = createOutbox();
    const gates = post.hold();
    await post.owe(...['a', 'b', 'c', 'd', 'e'].map((id) => aDelivery({ id, watch: id })));
    const sender = post.start();
    await post.clock.advance(0);
    const stopped = sender.stop();
    await post.clock.advance(0);
    for (const open of gates.values()) open(SENT);
    await stopped;
    expect(post.arrived()).toEqual(['a#1', 'b#1', 'c#1', 'd#1']);
    expect(await post.store.survey()).toMatchObject({ sent: 4, outbox: [{ rows: 1 }] });
    expect(post.clock.sleepers).toBe(0);
  });

  test('at the end of the budget a send is told to end, and its outcome is recorded', async () => {
    const post = createOutbox();
    post.answer = (_delivery, _attempt, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          resolve({ type: 'unknown', why: 'the daemon stopped' });
        });
      });
    await post.owe(aDelivery());
    const sender = post.start();
    await post.clock.advance(0);
    await sender.abandon();
    expect(await post.store.survey()).toMatchObject({ sent: 0, outbox: [{ rows: 1 }] });
    expect(await post.store.nextDue({ ...allOf('ops'), perRule: 4 })).toBeGreaterThan(post.clock.now());
    expect(post.lines('warn')).toEqual(['delivery:unknown']);
  });

  test('a send that does not end even then is left for the next start', async () => {
    const post = createOutbox();
    post.hold();
    await post.owe(aDelivery());
    const sender = post.start();
    await post.clock.advance(0);
    const stopped = sender.abandon();
    await post.clock.advance(SECOND);
    await stopped;
    expect(post.lines('warn')).toEqual(['sender:abandoned']);
    expect(await post.store.expire('ops', post.clock.now() + LONGEST_LEASE_MS, [])).toBe(1);
  });

  test('a sender that is told to stop before it began sends nothing', async () => {
    const post = createOutbox();
    await post.owe(aDelivery());
    const over = AbortSignal.abort();
    await post.sender().run(over, over);
    expect(post.arrived()).toEqual([]);
  });
});

function aDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-sender-'));
  return {
    /** A state file, made when it is opened. */
    file: join(directory, 'state.db'),
    [Symbol.dispose]: () => {
      rmSync(directory, { recursive: true });
    },
  };
}

/** One run of the daemon over a state file, stopped in good order. */
async function live(
  directory: { readonly file: string },
  work: (post: ReturnType<typeof createOutbox>) => Promise<void>,
  startedAt?: number,
) {
  await using store = await openSqliteStore(directory);
  const post = createOutbox(store, createFakeClock(startedAt));
  await using _sender = post.start();
  await work(post);
  return post;
}

interface Try {
  readonly id: string;
  readonly attempt: number;
  readonly at: number;
  readonly maybeCopy: boolean;
  readonly receipt: string | null;
}

type Answer = (delivery: Delivery, attempt: number, signal: AbortSignal) => Outcome | Promise<Outcome>;

interface Running extends AsyncDisposable {
  wake(): void;
  resume(): void;
  stop(): Promise<void>;
  abandon(): Promise<void>;
}

/** An outbox, a clock, a receiver that a test can script, and senders between them. */
function createOutbox(store: Store = createMemoryStore(), clock: FakeClock = createFakeClock()) {
  const tries: Try[] = [];
  const outcomes: Outcome[] = [];
  const dead: string[] = [];
  const log = createRecordingLog();
  let watches = 0;

  const post = {
    clock,
    store,
    tries,
    outcomes,
    dead,
    began: clock.now(),
    answer: (() => SENT) as Answer,
    isHeld: true,
    check: () => Promise.resolve(true),
    log,
    lines: (level: string) =>
      log.lines.filter((line) => line.startsWith(`${level} `)).map((line) => line.slice(level.length + 1)),
    arrived: () => tries.map(({ id, attempt }) => `${id}#${attempt}`),
    async owe(...deliveries: Delivery[]): Promise<void> {
      await owe(store, `w${++watches}`, deliveries, clock.now());
    },
    /** From now on sends wait until the test lets them go, by delivery id. */
    hold(channel = 'ops'): Map<string, (outcome: Outcome) => void> {
      const gates = new Map<string, (outcome: Outcome) => void>();
      post.answer = (delivery) =>
        delivery.channel === channel ? new Promise((resolve) => gates.set(delivery.id, resolve)) : SENT;
      return gates;
    },
    sender: (channel = 'ops', pace?: SendingPace, recipients = RECIPIENTS): Sender =>
      createSender({
        pace,
        recipients,
        store,
        ownership: { ...ownershipOf(store), holds: () => post.isHeld },
        channel,
        notifier: {
          async send(delivery, attempt, signal) {
            const { number, maybeCopy, receipt } = attempt;
            tries.push({ id: delivery.id, attempt: number, at: clock.now(), maybeCopy, receipt });
            return post.answer(delivery, attempt.number, signal);
          },
        },
        mayGo: () => post.check(),
        isToldUnrecorded: () => false,
        giveUpAfterMs: GIVE_UP,
        clock,
        log,
        onOutcome: (outcome) => outcomes.push(outcome),
        onDead: () => dead.push(channel),
      }),
    start(channel?: string, pace?: SendingPace, recipients?: string[]): Running {
      const sender = post.sender(channel, pace, recipients);
      const stop = new AbortController();
      const abandon = new AbortController();
      const done = sender.run(stop.signal, abandon.signal);
      const running: Running = {
        wake: () => {
          sender.wake();
        },
        resume: () => {
          sender.resume();
        },
        async stop() {
          stop.abort();
          await done;
        },
        async abandon() {
          stop.abort();
          abandon.abort();
          await done;
        },
        [Symbol.asyncDispose]: () => running.stop(),
      };
      return running;
    },
  };
  return post;
}

function within(wait: number, about: number): boolean {
  return wait >= 0.8 * about && wait <= 1.2 * about;
}
