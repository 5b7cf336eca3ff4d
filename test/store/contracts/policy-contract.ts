import { expect } from '@jest/globals';
import { type Message, type Outcome, targetKey } from '../../../src/core/model/delivery.ts';
import type { Transition } from '../../../src/core/model/transition.ts';
import type { OperatorRequest } from '../../../src/store/contract/operators.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { claim, commit, dispatch, dueQuery, route, settle } from '../../support/store/store-calls.ts';
import { fenceOf } from '../../support/store/fences.ts';
import { operate, type Act, type OperatedEnd } from '../../support/store/operate.ts';
import { aDecision, aTransition, NOON } from '../builders.ts';
import { storiesAt, type Place } from '../story.ts';
import { shiftOf } from '../../../src/dispatch/clock-jump.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function request(key: string, actor = 'alice'): OperatorRequest {
  return { key, asked: `digest of ${key}`, actor };
}

function silence(changes: Partial<Extract<Act, { type: 'silence' }>> = {}): Act {
  const matchers = { watch: 'coins', severity: ['!critical'] };
  return {
    type: 'silence',
    matchers,
    from: NOON,
    until: NOON + HOUR,
    untilResolved: false,
    comment: 'move',
    ...changes,
  };
}

function ack(seq: number, changes: Partial<Extract<Act, { type: 'ack' }>> = {}): Act {
  return {
    type: 'ack',
    replace: false,
    key: 'low',
    episode: 1,
    seq,
    severity: 'warning',
    until: NOON + DAY,
    comment: null,
    ...changes,
  };
}

const intervene = (store: Store, change: Act, key: string, at = NOON, actor = 'alice'): Promise<OperatedEnd> =>
  operate(store, change, request(key, actor), { at });

/** `kept`, or why it was refused. */
async function endOf(intervened: Promise<OperatedEnd>): Promise<string> {
  const end = await intervened;
  return end.type === 'refused' ? end.why : end.type;
}

/** An alert of the watch `w` comes to this transition. */
async function turn(store: Store, seq: number, changes: Partial<Message> = {}, at = NOON): Promise<void> {
  const transitions = [aTransition({ key: 'low', episode: 1, seq, type: 'alert.firing', ...changes })];
  const expects = (await store.recall(['w'])).get('w')?.version ?? 0;
  await commit(store, [aDecision('w', { expects, transitions })], at);
}

/** The promise of `Store` about silences and acknowledgements, as tests. Every engine keeps it. */
export function keepsItsPromiseAboutWhoIsTold(place: Place): void {
  const story = storiesAt(place);

  story('a silence outlives the process, until its end is moved or reached', async (store, takeOver) => {
    const made = { ...silence(), type: undefined, id: 's1', kind: 'silence', actor: 'alice', version: 1 };
    expect(await intervene(store, silence(), 's1')).toMatchObject({ type: 'kept', answer: { id: 's1', version: 1 } });
    const next = await takeOver();
    expect((await next.policy(NOON)).silences).toEqual([made]);
    expect((await next.policy(NOON + HOUR)).silences).toEqual([]);
    await intervene(next, { type: 'extend-silence', id: 's1', until: NOON + 2 * HOUR }, 'k2', NOON + 1);
    expect((await next.policy(NOON + HOUR)).silences).toEqual([{ ...made, until: NOON + 2 * HOUR, version: 2 }]);
    await intervene(next, { type: 'end-silence', id: 's1' }, 'k3', NOON + HOUR);
    expect((await next.policy(NOON + HOUR)).silences).toEqual([]);
  });

  story('what left a message before its first try is decided anew, and is sent under its id', async (store) => {
    await turn(store, 1);
    await dispatch(store, NOON);
    await intervene(store, silence({ matchers: { watch: 'treasury-low' } }), 's1');
    const [first] = await claim(store, 'ops', 1, NOON + MINUTE);
    const id = first?.delivery.id ?? '';
    const query = { silencesSince: NOON, withSources: true };
    const { members, policy } = await store.readFirstTry(id, query);
    expect(members).toMatchObject([{ key: 'low', seq: 1, episode: 1, transition: 'firing', isRepeat: false }]);
    expect(policy.silences).toMatchObject([{ id: 's1' }]);
    const held = [{ key: 'low', seq: 1, isRepeat: false }];
    expect(await store.putBack({ id, attempt: 2 }, held, NOON + MINUTE)).toBe('superseded');
    expect(await store.putBack({ id, attempt: 1 }, held, NOON + MINUTE)).toBe('kept');
    expect(await claim(store, 'ops', 1, NOON + MINUTE)).toEqual([]);
    await dispatch(store, NOON + MINUTE);
    expect(await claim(store, 'ops', 1, NOON + MINUTE)).toEqual([]);
    expect(await store.held()).toEqual(new Map([['silenced', 1]]));
    await dispatch(store, NOON + HOUR);
    const heldAt = NOON + MINUTE;
    expect(await claim(store, 'ops', 1, NOON + HOUR)).toMatchObject([
      { attempt: 1, maybeCopy: false, delivery: { id, members: [{ as: 'news', heldAt }] } },
    ]);
  });

  story(
    'a message that is cancelled with its channel counts for the cap only if it may have arrived',
    async (store) => {
      const ops = { channel: 'ops', recipient: 'ops' };
      await turn(store, 1);
      await turn(store, 1, { key: 'high', watch: 'w2' });
      await dispatch(store, NOON);
      const outcomes: readonly Outcome[] = [
        { type: 'again', why: 'busy' },
        { type: 'unknown', why: 'no answer' },
      ];
      const claimed = await claim(store, 'ops', 2, NOON);
      for (const [n, { delivery }] of claimed.entries()) {
        const [outcome] = outcomes.slice(n);
        if (outcome !== undefined) await settle(store, delivery.id, { state: 'due', outcome, dueAt: NOON }, NOON);
      }
      const counted = async (): Promise<number> => {
        const { sent } = await store.readDue({ ...dueQuery(NOON), counted: ['ops'] });
        return sent.flatMap(({ closed }) => closed).length;
      };
      await turn(store, 1, { key: 'next', watch: 'w3' });
      await route(store, NOON);
      expect(await counted()).toBe(2);
      await store.keepGone({}, [targetKey(ops)], NOON, fenceOf(store, 'service:test'));
      expect(await claim(store, 'ops', 2, NOON)).toEqual([]);
      expect(await counted()).toBe(1);
    },
  );

  story('a silence that is not there, or is over, is neither ended nor extended', async (store) => {
    await intervene(store, silence(), 's1');
    const end = (id: string, key: string, at: number): Promise<string> =>
      endOf(intervene(store, { type: 'end-silence', id }, key, at));
    expect(await end('s2', 'k1', NOON)).toBe('not-found');
    expect(await end('s1', 'k2', NOON + HOUR)).toBe('is-over');
    const extend: Act = { type: 'extend-silence', id: 's1', until: NOON + 9 * HOUR };
    expect(await endOf(intervene(store, extend, 'k3', NOON + HOUR))).toBe('is-over');
    await intervene(store, { type: 'pause', watch: 'coins', matchers: {}, until: NOON + HOUR, comment: '' }, 'p1');
    expect(await end('p1', 'k4', NOON)).toBe('not-found');
  });

  story('alerts of a paused watch were repeated: a pause is known by their labels too', async (store) => {
    const matchers = { watch: 'coins', explorer: 'mainnet', of: 'treasury' };
    const pause: Act = { type: 'pause', watch: 'coins[treasury]', matchers, until: NOON + HOUR, comment: 'x' };
    await intervene(store, pause, 'p1');
    expect((await store.policy(NOON)).silences).toMatchObject([
      { id: 'p1', kind: 'pause', matchers, until: NOON + HOUR },
    ]);
    expect(await store.pauses()).toMatchObject([{ id: 'p1', watch: 'coins[treasury]' }]);
    await intervene(store, { type: 'end-pause', watch: 'coins[treasury]' }, 'k2', NOON + 1);
    expect((await store.policy(NOON + 1)).silences).toEqual([]);
  });

  story('a decision went by silences that were others by then: each change has its own version', async (store) => {
    const versions = [(await store.policy(NOON)).version];
    const after = async (change: Act, key: string): Promise<void> => {
      await intervene(store, change, key, NOON + versions.length);
      versions.push((await store.policy(NOON)).version);
    };
    await turn(store, 1);
    await after(silence(), 's1');
    await after({ type: 'extend-silence', id: 's1', until: NOON + 2 * HOUR }, 'k2');
    await after({ type: 'end-silence', id: 's1' }, 'k3');
    await after(ack(1), 'a1');
    await after({ type: 'end-ack', key: 'low', episode: 1 }, 'k4');
    await after({ type: 'pause', watch: 'coins', matchers: {}, until: NOON + HOUR, comment: '' }, 'p1');
    await after({ type: 'end-pause', watch: 'coins' }, 'k5');
    expect(new Set(versions).size).toBe(8);
    expect(versions.toSorted((a, b) => a - b)).toEqual(versions);
    // What is refused or repeated changes nothing.
    await intervene(store, silence(), 's1', NOON + 9);
    await intervene(store, { type: 'end-silence', id: 's1' }, 'k9', NOON + 9);
    await intervene(store, { type: 'retry-channel', channel: 'ops' }, 'k10', NOON + 9);
    expect((await store.policy(NOON)).version).toBe(versions.at(-1));
  });

  story('a pause whose end was announced does not begin again when the clock is set back', async (store) => {
    const fence = fenceOf(store, 'service:test');
    const pause: Act = { type: 'pause', watch: 'coins', matchers: {}, until: NOON + HOUR, comment: '' };
    await intervene(store, pause, 'told');
    await store.announce('told', [], NOON + HOUR, fence);
    await intervene(store, { ...pause, watch: 'vault', until: NOON + 3 * HOUR }, 'lasts', NOON + HOUR);
    await store.moveClock(shiftOf([{ byMs: -HOUR }], NOON + 10 * MINUTE), fence);
    const until = Object.fromEntries((await store.pauses()).map((one) => [one.id, one.until]));
    expect(until).toEqual({ told: NOON + 10 * MINUTE, lasts: NOON + 3 * HOUR });
    expect((await store.announceable(NOON + 20 * MINUTE)).map(({ silence }) => silence.id)).toEqual(['lasts']);
  });

  story('an acknowledgement keeps its length when the clock is set', async (store) => {
    const set = async (byMs: number, now: number): Promise<readonly number[]> => {
      await store.moveClock(shiftOf([{ byMs }], now), fenceOf(store, 'service:test'));
      return (await store.policy(now)).acks.map(({ until }) => until);
    };
    const now = NOON + 10 * MINUTE;
    await turn(store, 1);
    await dispatch(store, NOON);
    await intervene(store, ack(1, { until: NOON + HOUR }), 'a1');
    expect(await set(DAY, now + DAY)).toEqual([NOON + DAY + HOUR]);
    // It was made after the clock was set, and before that was noticed.
    await intervene(store, ack(1, { replace: true, severity: 'critical', until: now + HOUR }), 'a2', now);
    expect(await set(2 * HOUR, now)).toEqual([now + HOUR]);
    expect(await set(-2 * HOUR, now)).toEqual([now + HOUR]);
    expect(await set(-30 * MINUTE, now - 20 * MINUTE)).toEqual([now + 40 * MINUTE]);
  });

  story('an alert that ends with its rule keeps the labels that the rule gave it', async (store) => {
    const team = { team: 'payments' };
    const labelled = async (seq: number, changes: Partial<Message>, labels: object): Promise<void> => {
      const one = aTransition({ key: 'low', episode: 1, seq, ...changes });
      const transitions = [{ ...one, labels: { ...one.labels, ...labels } }];
      const expects = (await store.recall(['w'])).get('w')?.version ?? 0;
      await commit(store, [aDecision('w', { expects, transitions })], NOON);
    };
    await labelled(1, { type: 'alert.firing' }, team);
    await route(store, NOON);
    await labelled(2, { type: 'alert.resolved', reason: 'rule removed' }, {});
    expect((await store.readRouting(9, NOON)).unrouted).toMatchObject([{ seq: 2, labels: team }]);
  });

  story('an event waits for its details for a time, and all that follows on it waits as long', async (store) => {
    const event = (key: string, seq: number, changes: Partial<Message>): Transition =>
      aTransition({ key, episode: 1, seq, severity: 'warning', ...changes });
    const asked = { details: { transaction: '0x1', parts: ['transaction'] } } as const;
    const happened = event('e1', 1, { type: 'alert.event' });
    const plain = event('e2', 1, { type: 'alert.event' });
    await commit(store, [aDecision('w', { transitions: [{ ...happened, ...asked }, plain] })], NOON);
    const gone = event('e1', 2, { type: 'alert.retracted' });
    await commit(store, [aDecision('w', { expects: 1, transitions: [gone] })], NOON + 1000);
    const toRoute = async (at: number): Promise<string[]> =>
      (await store.readRouting(9, at)).unrouted.map(({ key, seq }) => `${key}/${seq}`);
    expect(await toRoute(NOON + 1000)).toEqual(['e2/1']);
    await dispatch(store, NOON + 1000);
    expect([await toRoute(NOON + 2999), await store.nextRound()]).toEqual([[], NOON + 3000]);
    expect(await toRoute(NOON + 3000)).toEqual(['e1/1']);
    // The clock was set back.
    expect(await toRoute(NOON - HOUR)).toEqual(['e1/1']);
  });

  story(
    'a receiver with its own state: all that fires, and ends of what named its channel or was accepted',
    async (store) => {
      const begin = (key: string, notify: string): Transition =>
        aTransition({ key, episode: 1, seq: 1, type: 'alert.firing' }, [notify]);
      const end = (key: string, notify: readonly string[]): Transition =>
        aTransition({ key, episode: 1, seq: 2, type: 'alert.resolved' }, notify);
      const shown = async (): Promise<string[]> =>
        (await store.mirrored('am', NOON - DAY)).map(({ message, watch, accepted, isNamed }) =>
          [message.key, message.type, watch, accepted?.seq ?? '-', isNamed].join(' '),
        );
      const begun = [begin('own', 'am'), begin('late', 'ops'), begin('taken', 'ops'), begin('other', 'ops')];
      await commit(store, [aDecision('w', { transitions: begun })], NOON);
      await dispatch(store, NOON);
      const firing = [
        'own alert.firing w - true',
        ...['late', 'taken', 'other'].map((key) => `${key} alert.firing w - false`),
      ];
      expect(await shown()).toEqual(firing);
      await store.keepMirrored(
        'am',
        [{ key: 'taken', seq: 1, at: NOON, endsAt: NOON }],
        fenceOf(store, 'service:test'),
      );
      const ended = [end('own', ['am']), end('late', ['am']), end('taken', []), end('other', ['ops'])];
      await commit(store, [aDecision('w', { expects: 1, transitions: ended })], NOON + 1000);
      await dispatch(store, NOON + 1000);
      expect(await shown()).toEqual([
        'own alert.resolved w - true',
        'late alert.resolved w - false',
        'taken alert.resolved w 1 false',
      ]);
    },
  );

  story('details are added once, until the message is routed, and only by the holder of the fence', async (store) => {
    const happened = aTransition({ key: 'e1', episode: 1, seq: 1, type: 'alert.event', severity: 'critical' });
    const details = { transaction: null, parts: ['calls'] } as const;
    await commit(store, [aDecision('w', { transitions: [{ ...happened, details }] })], NOON);
    const linesOf = async (): Promise<unknown> => {
      const view = await store.reader();
      const [stored] = await view.notifications([{ key: 'e1', transition: null, until: NOON + DAY }]);
      return stored?.message.lines.flat();
    };
    const late = [...happened.message.lines.flat(), { text: 'No details: none came in time.' }];
    expect(await linesOf()).toEqual(late);
    const fence = fenceOf(store, 'service:test');
    const added = { ...happened.message, lines: [[{ text: 'paid' }]] };
    expect(await store.addDetails([added], { ...fence, epoch: fence.epoch - 1 })).toBe('fenced');
    expect(await linesOf()).toEqual(late);
    expect(await store.addDetails([added], fence)).toBe('kept');
    await store.addDetails([{ ...added, lines: [] }], fence);
    expect(await linesOf()).toEqual([{ text: 'paid' }]);
    await route(store, NOON);
    await store.addDetails([{ ...added, lines: [] }], fence);
    expect(await linesOf()).toEqual([{ text: 'paid' }]);
  });

  story('an event that was retracted and is back can be acknowledged again', async (store) => {
    await turn(store, 1, { type: 'alert.event' });
    expect(await endOf(intervene(store, ack(1), 'a1'))).toBe('kept');
    expect(await endOf(intervene(store, ack(1), 'a2'))).toBe('already-acknowledged');
    await turn(store, 2, { type: 'alert.retracted' });
    await turn(store, 3, { type: 'alert.reinstated' });
    expect((await store.policy(NOON)).acks).toEqual([]);
    expect(await endOf(intervene(store, ack(3), 'a3'))).toBe('kept');
    expect((await store.policy(NOON)).acks).toMatchObject([{ id: 'a3', seq: 3 }]);
  });

  story('an acknowledgement outlives the process, and is of one episode', async (store, takeOver) => {
    await turn(store, 1);
    const row = {
      id: 'a1',
      key: 'low',
      episode: 1,
      seq: 1,
      severity: 'warning',
      actor: 'alice',
      comment: 'on it',
      at: NOON,
      until: NOON + DAY,
    };
    const { severity: _severity, ...answer } = { ...row, at: '2026-01-01T12:00:00Z', until: '2026-01-02T12:00:00Z' };
    expect(await intervene(store, ack(1, { comment: 'on it' }), 'a1')).toEqual({ type: 'kept', answer });
    const next = await takeOver();
    expect((await next.policy(NOON)).acks).toEqual([row]);
    expect((await next.policy(NOON + DAY)).acks).toEqual([]);
    await turn(next, 2, { type: 'alert.resolved' }, NOON + 60_000);
    expect((await next.policy(NOON + 60_000)).acks).toEqual([]);
    await turn(next, 3, { episode: 2 }, NOON + 120_000);
    expect((await next.policy(NOON + 120_000)).acks).toEqual([]);
    expect(await endOf(intervene(next, { type: 'end-ack', key: 'low', episode: 1 }, 'k2', NOON + 120_000))).toBe(
      'is-over',
    );
  });

  story('a round knows the acknowledgements of its alerts as they are now, and no others', async (store) => {
    const [far, low, high] = ['far', 'low', 'high'].map((key, n) => ({ key, watch: `w${n}` }));
    await turn(store, 1, far);
    await dispatch(store, NOON);
    await turn(store, 1, low);
    await turn(store, 1, high);
    await route(store, NOON);
    const acksIn = async (at = NOON): Promise<string[]> => {
      const { policy } = await store.readDue(dueQuery(at));
      return policy.acks.map(({ key, severity, until }) => `${key} ${severity} ${(until - NOON) / HOUR}h`);
    };
    expect(await acksIn()).toEqual([]);
    await intervene(store, ack(1, { key: 'far' }), 'a1');
    expect(await acksIn()).toEqual([]);
    await intervene(store, ack(1), 'a2');
    expect(await acksIn()).toEqual(['low warning 24h']);
    const shorter: Act = ack(1, { replace: true, severity: 'critical', until: NOON + HOUR });
    await intervene(store, shorter, 'a3');
    expect(await acksIn()).toEqual(['low critical 1h']);
    expect(await acksIn(NOON + HOUR)).toEqual([]);
    await intervene(store, ack(1, { key: 'high' }), 'a4');
    const [first] = await claim(store, 'ops', 1, NOON);
    const { policy } = await store.readFirstTry(first?.delivery.id ?? '', { silencesSince: NOON, withSources: false });
    expect(policy.acks.map(({ key }) => key)).toEqual(['far']);
    let round = await store.readDue(dueQuery(NOON, 1));
    expect(round.policy.acks).toHaveLength(1);
    while (round.groups.some(({ unread }) => unread !== null))
      round = await store.readMembers(round, dueQuery(NOON, 1));
    expect(round.policy.acks.map(({ key }) => key).toSorted()).toEqual(['high', 'low']);
    await intervene(store, { type: 'end-ack', key: 'low', episode: 1 }, 'k5', NOON + 1);
    expect(await acksIn(NOON + 1)).toEqual(['high warning 24h']);
    await turn(store, 2, { ...high, type: 'alert.resolved' }, NOON + 2);
    expect(await acksIn(NOON + 2)).toEqual([]);
  });

  story('an operator acknowledged what had changed since: only what was looked at is acknowledged', async (store) => {
    expect(await endOf(intervene(store, ack(1), 'a1'))).toBe('not-found');
    await turn(store, 1);
    await turn(store, 2, { type: 'alert.resolved' });
    await turn(store, 3, { episode: 2 });
    expect(await endOf(intervene(store, ack(1), 'a2'))).toBe('stale-seq');
    expect(await endOf(intervene(store, ack(3), 'a3'))).toBe('not-found');
    expect(await endOf(intervene(store, ack(4, { episode: 2 }), 'a4'))).toBe('not-found');
    expect(await endOf(intervene(store, ack(3, { episode: 2 }), 'a5'))).toBe('kept');
    await turn(store, 4, { episode: 2, type: 'alert.resolved' });
    expect(await endOf(intervene(store, ack(4, { episode: 2 }), 'a6'))).toBe('is-over');
  });

  story('an event can be acknowledged for a day, and not after it was retracted', async (store) => {
    await turn(store, 1, { type: 'alert.event', episode: 0 });
    expect(await endOf(intervene(store, ack(1, { episode: 0 }), 'a1', NOON + DAY - 1))).toBe('kept');
    expect(await endOf(intervene(store, ack(1, { episode: 0 }), 'a2', NOON + DAY))).toBe('is-over');
    await turn(store, 2, { type: 'alert.retracted', episode: 0 }, NOON + DAY);
    expect((await store.policy(NOON + DAY)).acks).toEqual([]);
    expect(await endOf(intervene(store, ack(2, { episode: 0 }), 'a3', NOON + DAY))).toBe('is-over');
  });

  story('what fires for months can be acknowledged, though its first message is forgotten', async (store) => {
    await turn(store, 1);
    await dispatch(store, NOON);
    await store.prune({ settled: NOON + DAY, alerts: NOON + DAY, journal: NOON }, NOON + DAY);
    expect(await endOf(intervene(store, ack(1, { until: NOON + 2 * DAY }), 'a1', NOON + DAY))).toBe('kept');
    expect((await store.policy(NOON + DAY)).acks).toHaveLength(1);
  });

  story('open are conditions that fire, and events of a day', async (store) => {
    const open = async (at: number): Promise<string[]> =>
      (await store.openAlerts({ at })).map(({ key, seq, isEvent }) => `${key} ${seq}${isEvent ? ' event' : ''}`);
    await turn(store, 1);
    await turn(store, 1, { key: 'failed', type: 'alert.event', alert: 'failed' }, NOON + 1);
    await turn(store, 1, { key: 'moved', type: 'alert.event', alert: 'moved' }, NOON + 2);
    await turn(store, 1, { key: 'over' }, NOON + 3);
    await dispatch(store, NOON + 3);
    expect(await open(NOON + 3)).toEqual(['low 1', 'failed 1 event', 'moved 1 event', 'over 1']);
    const conditions = async () => (await store.openConditions()).map(({ key, watch }) => [key, watch]);
    expect(await conditions()).toEqual([
      ['low', 'w'],
      ['over', 'w'],
    ]);
    expect((await store.openAlerts({ at: NOON + 3 }))[0]).toMatchObject({
      watch: 'w',
      alert: 'low',
      severity: 'critical',
    });
    await turn(store, 2, { key: 'failed', type: 'alert.retracted', alert: 'failed' }, NOON + 4);
    await turn(store, 2, { key: 'over', type: 'alert.resolved' }, NOON + 4);
    await dispatch(store, NOON + 4);
    expect(await open(NOON + 4)).toEqual(['low 1', 'moved 1 event']);
    expect(await conditions()).toEqual([['low', 'w']]);
    expect(await open(NOON + 2 + DAY)).toEqual(['low 1']);
  });

  story(
    'an acknowledgement that stands is replaced only on purpose, and the end of the second ends both',
    async (store) => {
      await turn(store, 1);
      await intervene(store, ack(1, { until: NOON + HOUR }), 'a1');
      const second = { until: NOON + 9 * HOUR };
      expect(await endOf(intervene(store, ack(1, second), 'a0', NOON + 1, 'bob'))).toBe('already-acknowledged');
      expect((await store.policy(NOON + 1)).acks).toMatchObject([{ id: 'a1', actor: 'alice' }]);
      await intervene(store, ack(1, { ...second, replace: true }), 'a2', NOON + 1, 'bob');
      expect((await store.policy(NOON + 1)).acks).toMatchObject([{ id: 'a2', actor: 'bob', until: NOON + 9 * HOUR }]);
      const end: Act = { type: 'end-ack', key: 'low', episode: 1 };
      expect(await endOf(intervene(store, end, 'k3', NOON + 2))).toBe('kept');
      expect((await store.policy(NOON + 2)).acks).toEqual([]);
      expect(await endOf(intervene(store, end, 'k4', NOON + 3))).toBe('is-over');
      expect(await endOf(intervene(store, { ...end, key: 'high' }, 'k5', NOON + 3))).toBe('not-found');
    },
  );

  story('nobody knew who had silenced an alert: the journal names the operator', async (store) => {
    await turn(store, 1);
    await intervene(store, silence({ from: NOON + 60_000, untilResolved: true }), 's1');
    await intervene(store, { type: 'end-silence', id: 's1' }, 'k2', NOON + 5, 'bob');
    await intervene(store, ack(1), 'a1');
    const lines = await store.history({ subjects: ['s1', 'low'], limit: 10 });
    const matchers = { watch: 'coins', severity: ['!critical'] };
    const made = { matchers, comment: 'move', from: '2026-01-01T12:01:00Z', until_resolved: true };
    expect(lines.filter(({ kind }) => kind !== 'decided').map(({ kind, actor, data }) => [kind, actor, data])).toEqual([
      ['ack', 'alice', { id: 'a1', episode: 1, seq: 1, comment: null, until: '2026-01-02T12:00:00Z' }],
      ['silence', 'bob', { ...made, ended: true }],
      ['silence', 'alice', { ...made, until: '2026-01-01T13:00:00Z' }],
    ]);
  });

  story('silences and acknowledgements are forgotten two months after the deliveries of their time', async (store) => {
    const forget = async (days: number): Promise<void> =>
      store.prune({ settled: NOON + days * DAY, alerts: NOON, journal: NOON }, NOON);
    await turn(store, 1);
    await intervene(store, silence(), 's1');
    await intervene(store, ack(1, { until: NOON + HOUR }), 'a1');
    await forget(60);
    expect(await store.policy(NOON)).toMatchObject({ silences: [{ id: 's1' }], acks: [{ id: 'a1' }] });
    await forget(61);
    expect(await store.policy(NOON)).toMatchObject({ silences: [], acks: [] });
  });
}
