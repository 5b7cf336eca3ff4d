import { expect } from '@jest/globals';
import type { Settlement } from '../../../src/core/model/delivery.ts';
import type { OperatorRequest } from '../../../src/store/contract/operators.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { fenceOf } from '../../support/store/fences.ts';
import { allOf, claim, commit, owe, settle } from '../../support/store/store-calls.ts';
import { answerTo, operate, type Act, type OperatedEnd } from '../../support/store/operate.ts';
import { aDecision, aDelivery, aTransition, NOON } from '../builders.ts';
import { storiesAt, type Place } from '../story.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const request = (key: string, change: Partial<OperatorRequest> = {}): OperatorRequest => ({
  key,
  asked: `digest of ${key}`,
  actor: 'alice',
  ...change,
});
const pause = (watch: string, until = NOON + HOUR): Act => ({
  type: 'pause',
  watch,
  matchers: { watch },
  until,
  comment: 'moved',
});
const end = (watch: string): Act => ({ type: 'end-pause', watch });

/** The promise of `Store` to operators, as tests. Every engine keeps it. */
export function keepsItsPromiseToOperators(place: Place): void {
  const story = storiesAt(place);
  const intervene = (store: Store, change: Act, asked: OperatorRequest, at = NOON): Promise<OperatedEnd> =>
    operate(store, change, asked, { at });

  story('a pause outlives the process, until it is ended', async (store, takeOver) => {
    expect(await store.pauses()).toEqual([]);
    const row = { id: 'k1', watch: 'coins', from: NOON, until: NOON + HOUR, actor: 'alice', comment: 'moved' };
    const answer = { ...row, from: '2026-01-01T12:00:00Z', until: '2026-01-01T13:00:00Z' };
    expect(await intervene(store, pause('coins'), request('k1'))).toEqual({ type: 'kept', answer });
    const next = await takeOver();
    expect(await next.pauses()).toEqual([row]);
    const ended = { ...row, until: NOON + 1000 };
    expect(await intervene(next, end('coins'), request('k2'), NOON + 1000)).toEqual({
      type: 'kept',
      answer: { ...answer, until: '2026-01-01T12:00:01Z' },
    });
    expect(await next.pauses()).toEqual([ended]);
  });

  story('an operator who lost the answer made a second pause: the same key gives the same answer', async (store) => {
    const first = await intervene(store, pause('coins'), request('k1'));
    await intervene(store, end('coins'), request('k2'), NOON + 1);
    expect(await intervene(store, pause('coins', NOON + 2 * HOUR), request('k1'), NOON + 5)).toEqual(first);
    expect(await answerTo(store, request('k1'))).toEqual(first);
    expect(await answerTo(store, request('k3'))).toBeNull();
    expect(await store.pauses()).toHaveLength(1);
    expect(await store.pauses()).toMatchObject([{ until: NOON + 1 }]);
  });

  story(
    'a channel was tried again on the wrong replica: each sees what was changed on any, once stored',
    async (store) => {
      const before = await store.newsSince(NOON);
      expect(before.changes).toEqual([]);
      await intervene(store, pause('coins'), request('k1'));
      await intervene(store, { type: 'retry-channel', channel: 'hook' }, request('k2'), NOON + 1);
      const keys = async (since: number): Promise<string[]> =>
        (await store.newsSince(since)).changes.map(({ key }) => key);
      expect([await keys(NOON), await keys(NOON + 1), await keys(NOON + 2)]).toEqual([['k1', 'k2'], ['k2'], []]);
      const [, retried] = (await store.newsSince(NOON)).changes;
      expect(retried).toMatchObject({
        stored: { action: 'retry-channel', answer: { channel: 'hook', deliveries: 0 } },
      });

      const { newest } = await store.newsSince(NOON);
      await commit(store, [aDecision('w', { transitions: [aTransition()] })], NOON);
      expect((await store.newsSince(NOON)).newest).not.toBe(newest);
    },
  );

  story('another request under a key that was used changes nothing', async (store) => {
    await intervene(store, pause('coins'), request('k1'));
    const other = request('k1', { asked: 'digest of something else' });
    const refused = { type: 'refused', why: 'key-taken' };
    expect(await answerTo(store, other)).toEqual(refused);
    expect(await intervene(store, pause('vault'), other)).toEqual(refused);
    expect(await intervene(store, end('coins'), other)).toEqual(refused);
    expect(await store.pauses()).toMatchObject([{ watch: 'coins', until: NOON + HOUR }]);
  });

  story('answers are kept for a day, and the id of a pause is its own for as long as it is kept', async (store) => {
    await intervene(store, pause('coins', NOON + 3 * DAY), request('k1'));
    await intervene(store, end('other'), request('k2'));
    await intervene(store, pause('vault'), request('k3'), NOON + 2 * DAY);
    expect(await answerTo(store, request('k1'))).toBeNull();
    const again = await intervene(store, pause('coins'), request('k1'), NOON + 2 * DAY);
    expect(again).toEqual({ type: 'refused', why: 'key-taken' });
  });

  story('a second pause of the same name takes the place of the first', async (store) => {
    await intervene(store, pause('coins', NOON + 9 * HOUR), request('k1'));
    await intervene(store, pause('vault'), request('k2'));
    await intervene(store, pause('coins'), request('k3'), NOON + 60_000);
    const rows = (await store.pauses()).map(({ id, until }) => [id, until]);
    expect(new Map(rows as [string, number][])).toEqual(
      new Map([
        ['k1', NOON + 60_000],
        ['k2', NOON + HOUR],
        ['k3', NOON + HOUR],
      ]),
    );
  });

  story('what is not paused, or no longer, cannot be ended', async (store) => {
    const missing = { type: 'refused', why: 'not-found' };
    expect(await intervene(store, end('coins'), request('k1'))).toEqual(missing);
    await intervene(store, pause('coins'), request('k2'));
    expect(await intervene(store, end('coin'), request('k3'))).toEqual(missing);
    expect(await intervene(store, end('coins'), request('k4'), NOON + HOUR)).toEqual(missing);
    // Nothing was done, so nothing is answered from memory: it may be there at the next try.
    expect(await answerTo(store, request('k1'))).toBeNull();
  });

  story(
    'nobody knew who had paused the watch: the journal names the operator, once for a repeated request',
    async (store) => {
      await intervene(store, pause('coins'), request('k1'));
      await intervene(store, pause('coins'), request('k1'), NOON + 1);
      await intervene(store, end('vault'), request('k2'), NOON + 2);
      await intervene(store, end('coins'), request('k3', { actor: 'bob' }), NOON + 3);
      const lines = await store.history({ subjects: ['coins'], limit: 10 });
      expect(lines.map(({ kind, actor, data }) => [kind, actor, data])).toEqual([
        ['pause', 'bob', { id: 'k1', comment: 'moved', ended: true }],
        ['pause', 'alice', { id: 'k1', comment: 'moved', until: '2026-01-01T13:00:00Z' }],
      ]);
    },
  );

  story('pauses are forgotten two months after the deliveries of their time', async (store) => {
    await intervene(store, pause('coins'), request('k1'));
    await store.prune({ settled: NOON + 60 * DAY, alerts: NOON, journal: NOON }, NOON);
    expect(await store.pauses()).toHaveLength(1);
    await store.prune({ settled: NOON + 61 * DAY, alerts: NOON, journal: NOON }, NOON);
    expect(await store.pauses()).toEqual([]);
  });
}

const SENT: Settlement = { state: 'sent', outcome: { type: 'sent', answer: '250 OK' } };
const DEAD: Settlement = { state: 'dead', outcome: { type: 'rejected', why: '410' } };

/** The promise of `Store` about deliveries that were given up. */
export function keepsItsPromiseAboutWhatWasGivenUp(place: Place): void {
  const story = storiesAt(place);
  const intervene = (store: Store, change: Act, key: string, at = NOON): Promise<OperatedEnd> =>
    operate(store, change, request(key), { at });
  const taken = async (store: Store, at: number): Promise<string[]> =>
    (await claim(store, 'ops', 10, at)).map(({ delivery, attempt }) => `${delivery.id} ${attempt}`);
  /** A delivery of that seq of one alert, which ends so. */
  const told = async (store: Store, seq: number, end: Settlement | null): Promise<void> => {
    const type = seq === 1 ? 'alert.firing' : 'alert.resolved';
    const delivery = aDelivery({ id: `d${seq}`, key: 'low', seq, type });
    await owe(store, 'w', [delivery], NOON, { expects: seq - 1 });
    if (end === null) return;
    await claim(store, 'ops', 10, NOON);
    await settle(store, delivery.id, end, NOON);
  };

  story('what was given up is tried again under its id, as if it had just been decided', async (store) => {
    await told(store, 1, DEAD);
    await store.ran('ops', 9 * DAY);
    expect(await taken(store, NOON + HOUR)).toEqual([]);
    expect(await intervene(store, { type: 'retry', id: 'd1' }, 'k1', NOON + HOUR)).toEqual({
      type: 'kept',
      answer: { id: 'd1', channel: 'ops', recipient: 'ops', state: 'owed' },
    });
    const [again] = await claim(store, 'ops', 10, NOON + HOUR);
    expect([again?.delivery.id, again?.attempt, again?.ageMs]).toEqual(['d1', 2, 0]);
    expect(await store.survey()).toMatchObject({ dead: 0 });
  });

  story('all that was given up on a channel is due again together', async (store) => {
    await told(store, 1, DEAD);
    await told(store, 2, DEAD);
    const change = { type: 'retry-given-up', channel: 'ops' } as const;
    expect(await intervene(store, { ...change, channel: 'other' }, 'k0')).toEqual({
      type: 'refused',
      why: 'not-found',
    });
    expect(await intervene(store, change, 'k1')).toEqual({
      type: 'kept',
      answer: { channels: [{ channel: 'ops', deliveries: 2 }], left: 0 },
    });
    expect(await store.survey()).toMatchObject({ dead: 0, outbox: [{ channel: 'ops', rows: 2, triedOften: 0 }] });
    expect(await taken(store, NOON)).toEqual(['d1 2']);
  });

  story('what a later message overtook stays given up, and is dismissed with all others', async (store) => {
    await told(store, 1, DEAD);
    await told(store, 2, SENT);
    const all = { channel: null };
    expect(await intervene(store, { type: 'retry-given-up', ...all }, 'k1')).toEqual({
      type: 'refused',
      why: 'not-found',
    });
    expect(await intervene(store, { type: 'dismiss-given-up', ...all }, 'k2')).toEqual({
      type: 'kept',
      answer: { channels: [{ channel: 'ops', deliveries: 1 }], left: 0 },
    });
    expect(await store.survey()).toMatchObject({ dead: 0 });
  });

  story('a firing is not told after its end was: nobody would hear of that again', async (store) => {
    await told(store, 1, DEAD);
    await told(store, 2, SENT);
    const refused = { type: 'refused', why: 'later-sent' };
    expect(await intervene(store, { type: 'retry', id: 'd1' }, 'k1')).toEqual(refused);
    expect(await taken(store, NOON)).toEqual([]);
  });

  story(
    'what was given up to a recipient that the channel does not name any more is not tried again',
    async (store) => {
      await told(store, 1, DEAD);
      await store.keepRecipients('ops', ['another'], fenceOf(store, 'channel:ops'));
      const refused = { type: 'refused', why: 'not-named' };
      expect(await intervene(store, { type: 'retry', id: 'd1' }, 'k1')).toEqual(refused);
      expect(await store.survey()).toMatchObject({ dead: 1, outbox: [] });
      expect(await intervene(store, { type: 'dismiss', id: 'd1' }, 'k2')).toMatchObject({ type: 'kept' });
    },
  );

  story('what came after it and waits goes out after it again', async (store) => {
    await told(store, 1, DEAD);
    await told(store, 2, null);
    await intervene(store, { type: 'retry', id: 'd1' }, 'k1');
    expect(await taken(store, NOON)).toEqual(['d1 2']);
    await settle(store, 'd1', SENT, NOON);
    expect(await taken(store, NOON)).toEqual(['d2 1']);
  });

  story('what was sent, is owed or was never there cannot be tried again, nor dismissed', async (store) => {
    await told(store, 1, SENT);
    await told(store, 2, null);
    for (const type of ['retry', 'dismiss'] as const) {
      const why = async (delivery: string) => intervene(store, { type, id: delivery }, `${type} ${delivery}`);
      expect(await why('d1')).toEqual({ type: 'refused', why: 'not-given-up' });
      expect(await why('d2')).toEqual({ type: 'refused', why: 'not-given-up' });
      expect(await why('d3')).toEqual({ type: 'refused', why: 'not-found' });
    }
  });

  story('what an operator dismissed is counted no more, and can be tried again all the same', async (store) => {
    await told(store, 1, DEAD);
    expect(await store.survey()).toMatchObject({ dead: 1 });
    expect(await intervene(store, { type: 'dismiss', id: 'd1' }, 'k1')).toMatchObject({
      answer: { id: 'd1', state: 'dismissed' },
    });
    expect(await store.survey()).toMatchObject({ dead: 0 });
    await intervene(store, { type: 'retry', id: 'd1' }, 'k2');
    expect(await taken(store, NOON)).toEqual(['d1 2']);
    await settle(store, 'd1', DEAD, NOON, 2);
    expect(await store.survey()).toMatchObject({ dead: 1 });
  });

  story('who tried a message again, or dismissed it, is in the journal, once', async (store) => {
    await told(store, 1, DEAD);
    await intervene(store, { type: 'dismiss', id: 'd1' }, 'k1');
    for (let asked = 0; asked < 2; asked += 1) await intervene(store, { type: 'retry', id: 'd1' }, 'k2');
    await intervene(store, { type: 'retry', id: 'nowhere' }, 'k3');
    await intervene(store, { type: 'retry-channel', channel: 'ops' }, 'k4');
    const { version } = await store.policy(NOON);
    expect(version).toBe(0);
    const lines = (await store.history({ limit: 100 })).toReversed();
    const of = lines.filter(({ kind }) => kind === 'retried' || kind === 'dismissed');
    expect(of.map(({ kind, subject, actor, data }) => [kind, subject, actor, data])).toEqual([
      ['dismissed', 'd1', 'alice', { channel: 'ops', recipient: expect.any(String) }],
      ['retried', 'd1', 'alice', { channel: 'ops', recipient: expect.any(String) }],
      ['retried', 'channel:ops', 'alice', { deliveries: 0 }],
    ]);
  });

  story('what waits on a channel is due now, and on others it is not', async (store) => {
    const later: Settlement = { state: 'due', outcome: { type: 'again', why: '503' }, dueAt: NOON + HOUR };
    await told(store, 1, later);
    const other = aDelivery({ id: 'other', channel: 'night', key: 'other' });
    await owe(store, 'x', [other], NOON);
    await claim(store, 'night', 10, NOON);
    await settle(store, 'other', later, NOON);
    expect(await intervene(store, { type: 'retry-channel', channel: 'ops' }, 'k1', NOON + 1)).toEqual({
      type: 'kept',
      answer: { channel: 'ops', deliveries: 1 },
    });
    expect(await taken(store, NOON + 1)).toEqual(['d1 2']);
    expect(await store.nextDue({ ...allOf('night'), perRule: 4 })).toBe(NOON + HOUR);
  });

  story(
    'a sample that was asked for twice is written down once, with who sent it and how it was received',
    async (store) => {
      const tries = [{ recipient: 'ops', outcome: 'again', answer: '503' }] as const;
      const sample: Act = { type: 'sample', channel: 'ops', tries };
      const kept = { type: 'kept', answer: { channel: 'ops', tries } };
      for (let asked = 0; asked < 2; asked += 1) expect(await intervene(store, sample, 'k1')).toEqual(kept);
      const lines = (await store.history({ limit: 10 })).filter(({ kind }) => kind === 'sampled');
      expect(lines).toMatchObject([
        { subject: 'channel:ops', actor: 'alice', data: { channel: 'ops', text: 'ops: again: 503' } },
      ]);
    },
  );

  story(
    'what a silence would have held back is counted by labels, without the end of what began before',
    async (store) => {
      const low = { key: 'low', alert: 'low', episode: 1 } as const;
      const high = { key: 'high', alert: 'high', severity: 'critical' } as const;
      await owe(store, 'w', [aDelivery({ id: 'd1', ...low, seq: 1, type: 'alert.firing' })], NOON - DAY);
      await owe(store, 'w', [aDelivery({ id: 'd2', ...low, seq: 2, type: 'alert.resolved' })], NOON, { expects: 1 });
      await owe(store, 'w', [aDelivery({ id: 'd3', ...high, seq: 1, type: 'alert.firing' })], NOON, { expects: 2 });
      await owe(store, 'w', [aDelivery({ id: 'd4', ...high, seq: 2, type: 'alert.resolved' })], NOON + 1, {
        expects: 3,
      });
      const reader = await store.reader();
      const to = [{ channel: 'ops', recipient: 'ops' }];
      expect(await reader.notifiedSince(NOON - HOUR)).toMatchObject([
        { labels: { alert: 'high', severity: 'critical' }, count: 2, to },
      ]);
      expect(await reader.notifiedSince(NOON + HOUR)).toEqual([]);
      const all = await reader.notifiedSince(NOON - 2 * DAY);
      expect(all.map(({ labels, count }) => [labels['alert'], count]).toSorted()).toEqual([
        ['high', 2],
        ['low', 2],
      ]);
    },
  );

  story('when a watch was first polled is known, whatever was seen of it since', async (store) => {
    await owe(store, 'w', [], NOON);
    await owe(store, 'w', [], NOON + 1, { expects: 1 });
    const reader = await store.reader();
    expect(await reader.firstPolls(['w', 'x'])).toEqual(new Map([['w', NOON]]));
    expect(await reader.unknownSpans(NOON - DAY, null)).toEqual([]);
  });
}
