import { expect } from '@jest/globals';
import { NO_USE, type PlanRow } from '../../../src/core/spending/plan.ts';
import { newBooks, underPlan } from '../../../src/explorer/spending/books.ts';
import type { StoredPlans } from '../../../src/store/contract/plans.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import { MOST_UNSETTLED, OPEN_MS } from '../../../src/core/alerts/overflow.ts';
import type { Outcome } from '../../../src/core/model/delivery.ts';
import {
  allOf,
  claim,
  commit,
  cover,
  decided,
  dispatch,
  LEASE_MS,
  owe,
  settle,
} from '../../support/store/store-calls.ts';
import { aDecision, aDelivery, aMemory, aTransition, NOON, transitionsOf, withMember } from '../builders.ts';
import { storiesAt, type Place } from '../story.ts';
import { fenceOf } from '../../support/store/fences.ts';
import { shiftOf } from '../../../src/dispatch/clock-jump.ts';

const SENT: Outcome = { type: 'sent', answer: '250 OK' };
const AGAIN: Outcome = { type: 'again', why: '503' };
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 86_400_000;
const A_PLAN = { credits: 100_000, per: 'month', resets: { type: 'day', day: 5 } } as const;
const plansIn = (store: Store): Promise<StoredPlans> =>
  store.plans((why) => {
    throw new Error(why);
  });
/** As a claim hands it out, of a delivery of `aDelivery`. */
export const FIRST_TRY = {
  attempt: 1,
  scheduled: 1,
  dueAt: NOON,
  isOutOfTurn: false,
  rule: 'treasury-low',
  maybeCopy: false,
  receipt: null,
  ownReceipts: new Map(),
  ageMs: 0,
} as const;

/** The promise of `Store`, as tests. Every engine keeps it. `place`: where the stores that it opens keep what they keep. */
export function keepsThePromise(place: Place): void {
  const story = storiesAt(place);

  story('nothing is remembered and nothing is owed at first', async (store) => {
    expect(await store.recall()).toEqual(new Map());
    expect(await store.recall(['w'])).toEqual(new Map());
    expect(await claim(store, 'ops', 10, NOON)).toEqual([]);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBeNull();
    expect(await store.survey()).toEqual({ outbox: [], dead: 0, sent: 0 });
    expect(await store.expire('ops', NOON, [])).toBe(0);
  });

  story('what is owed and what was given up since a moment is counted by channel', async (store) => {
    const [a, b] = [aDelivery({ id: 'a' }), aDelivery({ id: 'b' })];
    const other = aDelivery({ id: 'c', channel: 'mail' });
    await owe(store, 'w', [a, b, other], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'a', { state: 'dead', outcome: AGAIN }, NOON + SECOND);
    const owed = [
      { channel: 'mail', rows: 1, oldest: NOON, triedOften: 0 },
      { channel: 'ops', rows: 1, oldest: NOON, triedOften: 0 },
    ];
    const dead = [{ channel: 'ops', rows: 1, oldest: NOON + SECOND }];
    expect(await store.backlog(NOON + SECOND)).toEqual({ owed, dead });
    expect(await store.backlog(NOON + 2 * SECOND)).toEqual({ owed, dead: [] });
  });

  story('a committed memory comes back as it was, one version on', async (store) => {
    expect(await commit(store, [aDecision('w')], NOON)).toEqual(['kept']);
    expect(await store.recall(['w', 'unheard-of'])).toEqual(new Map([['w', aMemory({ version: 1 })]]));
  });

  story('whose memory there is is known until it is forgotten', async (store) => {
    expect(await store.remembered()).toEqual([]);
    await commit(store, [aDecision('w'), aDecision('x')], NOON);
    expect((await store.remembered()).toSorted()).toEqual(['w', 'x']);
    await store.forget(['w']);
    expect(await store.remembered()).toEqual(['x']);
  });

  story('the next decision replaces the memory, kind of alert and all', async (store) => {
    await commit(store, [aDecision('w')], NOON);
    const memory = aMemory({ checksum: 'c2', state: null, alerts: {}, coveredUntil: null });
    expect(await commit(store, [aDecision('w', { expects: 1, memory })], NOON)).toEqual(['kept']);
    expect((await store.recall()).get('w')).toEqual({ ...memory, version: 2 });
  });

  story('blocks of explorers come back as they were kept; those below a height are dropped', async (store) => {
    const block = (height: number, hash: string, seen = NOON) => ({ height, hash, firstSeen: NOON, lastSeen: seen });
    expect(await store.chainBlocks(['a', 'b'])).toEqual(
      new Map([
        ['a', []],
        ['b', []],
      ]),
    );
    const fence = fenceOf(store, 'explorer:a');
    await store.keepChainBlocks(
      'a',
      [block(1, '0x1'), block(2, '0x2'), block(2, '0x3')],
      { from: 1, anchor: null },
      fence,
    );
    await store.keepChainBlocks('b', [block(1, '0x9')], { from: 1, anchor: null }, fence);
    await store.keepChainBlocks(
      'a',
      [block(2, '0x2', NOON + SECOND), block(3, '0x4')],
      { from: 2, anchor: null },
      fence,
    );
    const blocks = await store.chainBlocks(['a', 'b']);
    expect(blocks.get('a')?.toSorted((x, y) => (x.hash < y.hash ? -1 : 1))).toEqual([
      block(2, '0x2', NOON + SECOND),
      block(2, '0x3'),
      block(3, '0x4'),
    ]);
    expect(blocks.get('b')).toEqual([block(1, '0x9')]);
    await store.keepChainBlocks('a', [block(9, '0x5')], { from: 9, anchor: 2 }, fence);
    const heights = (await store.chainBlocks(['a'])).get('a')?.map(({ height }) => height);
    expect(heights?.toSorted()).toEqual([2, 2, 9]);
  });

  story(
    'plans come back as they were kept, under the same salt, until nothing changed for 40 days',
    async (store, takeOver) => {
      const row: PlanRow = {
        books: { ...newBooks(NOON), highest: 100_000 },
        use: NO_USE,
        prices: { address: { falls: [20], price: null } },
      };
      const { salt, rows } = await plansIn(store);
      expect([salt.length > 30, rows.size]).toEqual([true, 0]);
      const fence = fenceOf(store, 'explorer:a');
      expect(await store.keepPlans(new Map([['old', row]]), NOON, fence)).toBe('kept');
      await store.keepPlans(new Map([['one', row]]), NOON, fence);
      const next = { ...row, books: { ...underPlan(row.books, A_PLAN, NOON), header: -5.5 } };
      await store.keepPlans(new Map([['one', next]]), NOON + DAY, fence);
      expect((await plansIn(store)).rows).toEqual(
        new Map([
          ['old', row],
          ['one', next],
        ]),
      );
      const ages = { settled: 0, alerts: 0, journal: 0 };
      await store.prune(ages, NOON + 40 * DAY);
      expect((await plansIn(store)).rows.size).toBe(2);
      await store.prune(ages, NOON + 40 * DAY + 1);
      expect([...(await plansIn(store)).rows.keys()]).toEqual(['one']);
      const other = await takeOver();
      expect(await plansIn(other)).toEqual({ salt, rows: new Map([['one', next]]) });
    },
  );

  story('what a decision says is committed with it, and handed out exactly so', async (store) => {
    const delivery = aDelivery();
    await owe(store, 'w', [delivery], NOON);
    expect(await claim(store, 'ops', 10, NOON)).toEqual([{ ...FIRST_TRY, delivery }]);
  });

  story('a decision that rests on an older memory leaves nothing behind', async (store) => {
    await commit(store, [aDecision('w', { state: 'first' })], NOON);
    expect(await owe(store, 'w', [aDelivery()], NOON, { state: 'late' })).toEqual(['superseded']);
    expect((await store.recall()).get('w')).toMatchObject({ version: 1, state: 'first' });
    expect(await claim(store, 'ops', 10, NOON)).toEqual([]);
  });

  story('a decision on a memory that is gone, or not there yet, is superseded', async (store) => {
    expect(await owe(store, 'w', [aDelivery()], NOON, { expects: 4 })).toEqual(['superseded']);
    expect(await store.survey()).toMatchObject({ outbox: [] });
  });

  story('of two committers with one version one is kept, with one set of deliveries', async (store) => {
    const first = aDecision('w', { state: 1, transitions: ['a', 'b'].map((key) => aTransition({ key })) });
    const second = aDecision('w', { state: 2, transitions: ['a', 'c'].map((key) => aTransition({ key })) });
    const results = await Promise.all([commit(store, [first], NOON), commit(store, [second], NOON)]);
    expect(results.flat().toSorted()).toEqual(['kept', 'superseded']);
    await dispatch(store, NOON);
    const keys = keysOf(await claim(store, 'ops', 10, NOON));
    expect(keys).toEqual(results[0].includes('kept') ? ['a', 'b'] : ['a', 'c']);
  });

  story('one superseded decision does not harm the others of its commit', async (store) => {
    await commit(store, [aDecision('x')], NOON);
    const decisions = [
      aDecision('w', { transitions: [aTransition({ key: 'w1' })] }),
      aDecision('x', { transitions: [aTransition({ key: 'x1' })] }),
      aDecision('w', { transitions: [aTransition({ key: 'w2' })] }),
      aDecision('y', { transitions: [aTransition({ key: 'y1' })] }),
    ];
    expect(await commit(store, decisions, NOON)).toEqual(['kept', 'superseded', 'superseded', 'kept']);
    await dispatch(store, NOON);
    expect(keysOf(await claim(store, 'ops', 10, NOON))).toEqual(['w1', 'y1']);
  });

  story('a delivery id that is there already is not owed twice, not even once it was sent', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'delivery-1', { state: 'sent', outcome: SENT }, NOON);
    expect(await owe(store, 'w', [aDelivery()], NOON, { expects: 1 })).toEqual(['kept']);
    expect(await store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  story('a poll that learned nothing writes no memory and keeps its version', async (store) => {
    await commit(store, [aDecision('w', { state: 'known' })], NOON);
    const quiet = aDecision('w', { expects: 1, hasChanged: false, state: 'unwritten' });
    expect(await commit(store, [quiet, aDecision('new', { hasChanged: false })], NOON)).toEqual(['kept', 'kept']);
    const remembered = await store.recall();
    expect([...remembered.keys()]).toEqual(['w']);
    expect(remembered.get('w')).toMatchObject({ version: 1, state: 'known' });
    expect(await commit(store, [{ ...quiet, expects: 7 }], NOON)).toEqual(['superseded']);
  });

  story('runs that are over are stored beside the memory, and leave when no window reaches them', async (store) => {
    const run = (since: number, until: number, keptFrom = 0) => ({
      path: 'level',
      since,
      until,
      value: `${since}`,
      keptFrom,
    });
    const closed = (runs: readonly ReturnType<typeof run>[], change = {}) => ({
      runs,
      dropped: [],
      shiftedMs: 0,
      ...change,
    });
    expect(await store.samples('w')).toEqual({});
    await commit(store, [aDecision('w', { closed: closed([run(10, 20), run(30, 40)]) }), aDecision('x')], NOON);
    const other = { ...run(10, 90), path: 'price' };
    await commit(store, [aDecision('w', { expects: 1, closed: closed([run(50, 60), other]) })], NOON);
    expect(await commit(store, [aDecision('w', { closed: closed([run(1, 2)]) })], NOON)).toEqual(['superseded']);
    const level = [10, 30, 50].map((since) => [since, since + 10, `${since}`]);
    expect(await store.samples('w')).toEqual({ level, price: [[10, 90, '10']] });
    expect(await store.samples('x')).toEqual({});
    expect(await store.samplesAfter({ watch: 'w', path: 'level' }, 20, 1)).toEqual([level[1]]);
    expect(await store.samplesAfter({ watch: 'w', path: 'level' }, 20, 64)).toEqual(level.slice(1));
    const reader = await store.reader();
    const [of, unknown] = [
      { watch: 'w', path: 'level' },
      { watch: 'other', path: 'level' },
    ];
    expect(await reader.runsAfter([unknown, of, of], 20, 64)).toEqual([[], level.slice(1), level.slice(1)]);
    expect(await reader.runsAfter([of, of], 20, 1)).toEqual([[level[1]], []]);
    expect(await reader.runsAfter([], 20, 64)).toEqual([]);
    await commit(store, [aDecision('w', { expects: 2, closed: closed([run(70, 80, 41)]) })], NOON);
    expect((await store.samples('w'))['level']?.map(([since]) => since)).toEqual([50, 70]);
    await commit(
      store,
      [aDecision('w', { expects: 3, closed: closed([], { shiftedMs: 5, dropped: ['price'] }) })],
      NOON,
    );
    expect(await store.samples('w')).toEqual({
      level: [
        [45, 55, '50'],
        [65, 75, '70'],
      ],
    });
    await store.forget(['w']);
    expect(await store.samples('w')).toEqual({});
  });

  story('coverage moves apart from memory, and ids without memory are ignored', async (store) => {
    await commit(store, [aDecision('w'), aDecision('x')], NOON);
    await cover(
      store,
      new Map([
        ['w', { until: NOON + SECOND }],
        ['x', { until: null }],
        ['unheard-of', { until: NOON }],
      ]),
    );
    const remembered = await store.recall();
    expect(remembered.get('w')).toEqual(aMemory({ version: 1, coveredUntil: NOON + SECOND }));
    expect(remembered.get('x')).toEqual(aMemory({ version: 1, coveredUntil: null }));
    expect(remembered.size).toBe(2);
    expect(await store.covered()).toEqual(new Map([['w', NOON + SECOND]]));
  });

  story('what was looked at and how the rules do is kept beside memory, each until it is said anew', async (store) => {
    const snapshot = { at: NOON, view: { balance: '5', symbol: "o'dd" }, before: null, isStale: false };
    const record = { since: NOON, evaluatedAt: NOON, trueAt: null, falseAt: NOON, unknownSince: null, evaluations: 1 };
    const health = { low: { ...record, condition: 'c' } };
    await commit(store, [aDecision('w')], NOON);
    await cover(store, new Map([['w', { until: NOON, snapshot }]]));
    await cover(store, new Map([['w', { until: NOON + SECOND, health }]]));
    await cover(store, new Map([['unheard-of', { until: NOON, snapshot }]]));
    await commit(store, [aDecision('w', { expects: 1, state: 'next' })], NOON);
    expect(await store.diagnostics()).toEqual(new Map([['w', { snapshot, health }]]));
    expect(await store.diagnostics(['w', 'x'])).toEqual(await store.diagnostics());
    expect((await store.recall()).get('w')).toMatchObject({ version: 2, state: 'next' });
    await store.forget(['w']);
    expect(await store.diagnostics()).toEqual(new Map());
  });

  story('polls that see the same move times alone, and what is read is as of the last of them', async (store) => {
    const snapshot = { at: NOON, view: { balance: '5' }, before: null, isStale: false };
    const record = { since: NOON, evaluatedAt: NOON, trueAt: null, falseAt: NOON, unknownSince: null, evaluations: 1 };
    const health = { low: { ...record, condition: 'c' }, seen: { ...record, condition: 'd', evaluatedAt: null } };
    const [at, later] = [NOON + SECOND, NOON + 2 * SECOND];
    await commit(store, [aDecision('w')], NOON);
    await cover(store, new Map([['w', { until: NOON, seenAt: NOON, evaluatedAt: NOON, snapshot, health }]]));
    await cover(store, new Map([['w', { until: at, seenAt: at, evaluatedAt: at }]]));
    const moved = { ...health, low: { ...health.low, evaluatedAt: at, falseAt: at } };
    expect((await store.diagnostics()).get('w')).toEqual({ snapshot: { ...snapshot, at }, health: moved });
    await cover(store, new Map([['w', { until: later, seenAt: null }]]));
    await commit(store, [aDecision('w', { expects: 1 })], NOON);
    expect((await store.diagnostics(['w'])).get('w')).toEqual({ snapshot: { ...snapshot, at }, health: moved });
    const others = { snapshot: { ...snapshot, at: later }, health };
    await cover(store, new Map([['w', { until: later, seenAt: later, evaluatedAt: NOON, ...others }]]));
    expect((await store.diagnostics()).get('w')).toEqual(others);
  });

  story('a forgotten watch starts anew, and what it owes is still owed', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    await commit(store, [aDecision('x')], NOON);
    await store.forget(['w', 'unheard-of']);
    expect([...(await store.recall()).keys()]).toEqual(['x']);
    expect(await claim(store, 'ops', 10, NOON)).toHaveLength(1);
    expect(await commit(store, [aDecision('w')], NOON)).toEqual(['kept']);
    expect((await store.recall(['w'])).get('w')?.coveredUntil).toBe(NOON);
  });

  story('a claim takes what is due on its channel, the longest due first, up to its limit', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'old' })], NOON);
    const later = [
      aDelivery({ id: 'young' }),
      aDelivery({ id: 'else', channel: 'mail' }),
      aDelivery({ id: 'younger' }),
    ];
    await owe(store, 'x', later, NOON + SECOND);
    expect(await claim(store, 'ops', 10, NOON - 1)).toEqual([]);
    expect(idsOf(await claim(store, 'ops', 2, NOON + SECOND))).toEqual(['old', 'young']);
    expect(idsOf(await claim(store, 'ops', 2, NOON + SECOND))).toEqual(['younger']);
    expect(idsOf(await claim(store, 'ops', 2, NOON + SECOND))).toEqual([]);
  });

  story('a claim takes the most severe first, however much has waited for longer', async (store) => {
    const events = Array.from({ length: 30 }, (_, n) => aDelivery({ id: `event-${n}`, severity: 'info' }));
    await owe(store, 'w', events, NOON);
    const later = [
      aDelivery({ id: 'warning', severity: 'warning' }),
      aDelivery({ id: 'critical', severity: 'critical' }),
      aDelivery({ id: 'next critical', severity: 'critical' }),
    ];
    await owe(store, 'x', later, NOON + SECOND);
    expect(idsOf(await claim(store, 'ops', 2, NOON))).toEqual(['event-0', 'event-1']);
    expect(idsOf(await claim(store, 'ops', 1, NOON + SECOND))).toEqual(['critical']);
    expect(idsOf(await claim(store, 'ops', 4, NOON + SECOND))).toEqual([
      'next critical',
      'warning',
      'event-2',
      'event-3',
    ]);
  });

  story('severity passes nothing of its own alert and recipient', async (store) => {
    const deliveries = [
      aDelivery({ id: 'first', key: 'k', seq: 1, severity: 'info' }),
      aDelivery({ id: 'second', key: 'k', seq: 2, severity: 'critical' }),
      aDelivery({ id: 'other', severity: 'warning' }),
    ];
    await owe(store, 'w', deliveries, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['other', 'first']);
    await settle(store, 'first', { state: 'due', outcome: AGAIN, dueAt: NOON + SECOND }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual([]);
    expect(idsOf(await claim(store, 'ops', 10, NOON + SECOND))).toEqual(['first']);
    await settle(store, 'first', { state: 'sent', outcome: SENT }, NOON + SECOND, 2);
    expect(idsOf(await claim(store, 'ops', 10, NOON + SECOND))).toEqual(['second']);
  });

  story('the next due time is the soonest, of whatever severity', async (store) => {
    const severities = ['critical', 'warning', 'info'] as const;
    await owe(
      store,
      'w',
      severities.map((severity) => aDelivery({ id: severity, severity })),
      NOON,
    );
    await claim(store, 'ops', 3, NOON);
    for (const [n, id] of severities.entries())
      await settle(store, id, { state: 'due', outcome: AGAIN, dueAt: NOON + (9 - n) * SECOND }, NOON);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBe(NOON + 7 * SECOND);
  });

  story(
    'those to a recipient that the channel does not name are neither claimed nor counted, until it names them',
    async (store) => {
      await owe(
        store,
        'w',
        [aDelivery({ id: 'ada', recipient: 'ada' }), aDelivery({ id: 'bob', recipient: 'bob' })],
        NOON,
      );
      const fence = fenceOf(store, 'channel:ops');
      expect(await store.namingChannels()).toEqual(['ops']);
      expect(await store.keepRecipients('ops', ['ada'], fence)).toBe('kept');
      const share = { ...allOf('ops'), perRule: 4 };
      expect((await store.survey()).outbox).toMatchObject([{ channel: 'ops', rows: 1 }]);
      expect((await store.backlog(NOON)).owed).toMatchObject([{ channel: 'ops', rows: 1 }]);
      expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['ada']);
      expect(await store.nextDue(share)).toBeNull();
      await store.keepRecipients('other', [], fence);
      await store.keepRecipients('ops', ['bob', 'cy'], fence);
      expect(await store.nextDue(share)).toBe(NOON);
      expect(await store.namingChannels()).toEqual(['ops']);
      expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['bob']);
    },
  );

  story('those to a recipient that is not named do not make the channel one that fails', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'bob', recipient: 'bob' })], NOON);
    for (const attempt of [1, 2, 3]) {
      await claim(store, 'ops', 1, NOON);
      await settle(store, 'bob', { state: 'due', outcome: AGAIN, dueAt: NOON }, NOON, attempt);
    }
    const reader = await store.reader();
    expect([await store.refusing('ops'), (await reader.lastTried('ops'))?.id]).toEqual([['bob'], 'bob']);
    await store.keepRecipients('ops', ['ada'], fenceOf(store, 'channel:ops'));
    expect([await store.refusing('ops'), await reader.lastTried('ops')]).toEqual([[], null]);
  });

  story(
    'those to a recipient that is not named again are dropped when they are too old, and no others',
    async (store) => {
      await owe(
        store,
        'w',
        [aDelivery({ id: 'ada', recipient: 'ada' }), aDelivery({ id: 'bob', recipient: 'bob' })],
        NOON,
      );
      await store.keepRecipients('ops', ['ada'], fenceOf(store, 'channel:ops'));
      const prune = (at: number) => store.prune({ settled: NOON + MINUTE, alerts: at, journal: NOON }, NOON);
      await prune(NOON);
      expect(await (await store.reader()).delivery('bob')).toMatchObject({ state: 'due', isNamed: false });
      await prune(NOON + SECOND);
      expect(await (await store.reader()).delivery('bob')).toBeNull();
      expect(await (await store.reader()).delivery('ada')).toMatchObject({ state: 'due', isNamed: true });
    },
  );

  story('of one key and recipient one is in flight at a time, in order of seq', async (store) => {
    const firing = aDelivery({ id: 'firing', key: 'k', seq: 1 });
    const resolved = aDelivery({ id: 'resolved', key: 'k', seq: 2 });
    await owe(store, 'w', [firing, resolved], NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['firing']);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual([]);
    await settle(store, 'firing', { state: 'due', outcome: AGAIN, dueAt: NOON + 5 * SECOND }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual([]);
    expect(idsOf(await claim(store, 'ops', 10, NOON + 5 * SECOND))).toEqual(['firing']);
    await settle(store, 'firing', { state: 'sent', outcome: SENT }, NOON + 6 * SECOND, 2);
    expect(idsOf(await claim(store, 'ops', 10, NOON + 6 * SECOND))).toEqual(['resolved']);
  });

  story('a message waits for one about an alert that both tell of, and no longer than both do', async (store) => {
    const later = withMember(aDelivery({ id: 'later', key: 'k', seq: 2 }), { key: 'other', seq: 1 });
    await owe(store, 'w', [aDelivery({ id: 'first', key: 'k', seq: 1 }), later], NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['first']);
    await settle(store, 'first', { state: 'due', outcome: AGAIN, dueAt: NOON + 5 * SECOND }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual([]);
    const target = { channel: 'ops', recipient: 'ops' };
    await decided(store, { withdrawn: [{ target, key: 'k', from: 2, as: 'merged' }] }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['later']);
  });

  story('the end of an alert waits no more for a repeat that the alert has left', async (store) => {
    const repeat = withMember(aDelivery({ id: 'repeat', key: 'other', seq: 1 }), { key: 'k', seq: 1 }, 'repeat');
    await owe(store, 'w', [repeat, aDelivery({ id: 'end', key: 'k', seq: 2, type: 'alert.resolved' })], NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['repeat']);
    await settle(store, 'repeat', { state: 'due', outcome: AGAIN, dueAt: NOON + 5 * SECOND }, NOON);
    await decided(store, { overtaken: [{ target: { channel: 'ops', recipient: 'ops' }, key: 'k' }] }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['end']);
  });

  story('the end of an alert takes the place of untried news behind the begin', async (store) => {
    const begin = aDelivery({ id: 'begin', key: 'k', seq: 1 });
    await owe(store, 'w', [begin, aDelivery({ id: 'again', key: 'k', seq: 2 })], NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['begin']);
    await settle(store, 'begin', { state: 'due', outcome: AGAIN, dueAt: NOON + 5 * SECOND }, NOON);
    await decided(store, { overtaken: [{ target: { channel: 'ops', recipient: 'ops' }, key: 'k' }] }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON + 5 * SECOND))).toEqual(['begin']);
    await settle(store, 'begin', { state: 'sent', outcome: SENT }, NOON + 6 * SECOND, 2);
    expect(idsOf(await claim(store, 'ops', 10, NOON + 6 * SECOND))).toEqual([]);
  });

  story('a firing that was given up lets its resolve go', async (store) => {
    const deliveries = [aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 })];
    await owe(store, 'w', deliveries, NOON);
    await claim(store, 'ops', 10, NOON);
    await settle(store, 'firing', { state: 'dead', outcome: AGAIN }, NOON);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['resolved']);
  });

  story('the same key waits neither for another recipient nor for another channel', async (store) => {
    const deliveries = [
      aDelivery({ id: 'a', key: 'k', recipient: 'ada@example.org', channel: 'mail' }),
      aDelivery({ id: 'b', key: 'k', recipient: 'bob@example.org', channel: 'mail' }),
      aDelivery({ id: 'c', key: 'k' }),
    ];
    await owe(store, 'w', deliveries, NOON);
    expect(idsOf(await claim(store, 'mail', 10, NOON))).toEqual(['a', 'b']);
    expect(idsOf(await claim(store, 'ops', 10, NOON))).toEqual(['c']);
  });

  story('a delivery that waits for its next try waits no longer where the clock is set back', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'soon', key: 'soon' }), aDelivery({ id: 'late', key: 'late' })], NOON);
    await claim(store, 'ops', 2, NOON);
    await settle(store, 'soon', { state: 'due', outcome: AGAIN, dueAt: NOON + 5 * MINUTE }, NOON);
    await settle(store, 'late', { state: 'due', outcome: AGAIN, dueAt: NOON + 60 * MINUTE }, NOON);
    const due = async (now: number): Promise<readonly string[]> => idsOf(await claim(store, 'ops', 2, now));
    const now = NOON - 30 * MINUTE;
    await store.moveClock(shiftOf([{ byMs: -40 * MINUTE }], now), fenceOf(store, 'service:test'));
    expect(await due(now)).toEqual(['soon']);
    expect(await due(now + 49 * MINUTE)).toEqual([]);
    expect(await due(now + 50 * MINUTE)).toEqual(['late']);
  });

  story('what is tried again keeps its id and counts its tries', async (store) => {
    const delivery = aDelivery();
    await owe(store, 'w', [delivery], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, delivery.id, { state: 'due', outcome: AGAIN, dueAt: NOON + SECOND }, NOON);
    const claimed = await claim(store, 'ops', 1, NOON + SECOND);
    expect(claimed).toEqual([{ ...FIRST_TRY, delivery, attempt: 2, scheduled: 2, dueAt: NOON + SECOND }]);
  });

  story(
    'a try is due at once when a later message waits for it, and within five minutes from then on',
    async (store) => {
      const about = (id: string, seq: number) => aDelivery({ id, key: id.slice(0, 1), seq });
      await owe(store, 'w', [about('a1', 1), about('b1', 1), about('c1', 1), about('d1', 1)], NOON);
      await claim(store, 'ops', 10, NOON);
      const dueAt = NOON + 3600 * SECOND;
      await settle(store, 'a1', { state: 'due', outcome: AGAIN, dueAt }, NOON);
      await settle(store, 'b1', { state: 'due', outcome: { type: 'rejected', why: '400' }, dueAt }, NOON);
      await settle(store, 'c1', { state: 'due', outcome: { type: 'unknown', why: 'no answer' }, dueAt }, NOON);
      await settle(store, 'd1', { state: 'due', outcome: AGAIN, dueAt }, NOON);
      await owe(store, 'x', [about('a2', 2), about('b2', 2), about('c2', 2)], NOON + SECOND);
      expect(idsOf(await claim(store, 'ops', 10, NOON + SECOND))).toEqual(['a1']);
      await settle(store, 'a1', { state: 'due', outcome: AGAIN, dueAt }, NOON + SECOND, 2);
      await store.expire('ops', NOON + SECOND, [], { failing: ['ops'] });
      await store.expire('mail', NOON + SECOND, []);
      expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBe(dueAt);
      await store.expire('ops', NOON + SECOND, []);
      await store.expire('ops', NOON + 9 * SECOND, []);
      expect(await claim(store, 'ops', 10, NOON + 300 * SECOND)).toEqual([]);
      expect(idsOf(await claim(store, 'ops', 10, NOON + 301 * SECOND))).toEqual(['a1', 'b1', 'c1']);
      expect(idsOf(await claim(store, 'ops', 10, dueAt))).toEqual(['d1']);
    },
  );

  story('what nobody waits for any more waits as long as before', async (store) => {
    const about = (id: string, seq: number) => aDelivery({ id, key: 'k', seq });
    await owe(store, 'w', [about('first', 1)], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(
      store,
      'first',
      { state: 'due', outcome: { type: 'rejected', why: '400' }, dueAt: NOON + 3600 * SECOND },
      NOON,
    );
    await owe(store, 'x', [about('second', 2)], NOON);
    await decided(
      store,
      { withdrawn: [{ target: { channel: 'ops', recipient: 'ops' }, key: 'k', from: 2, as: 'cancelled' }] },
      NOON,
    );
    await store.expire('ops', NOON, []);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBe(NOON + 3600 * SECOND);
  });

  story('what is owed grows older while the sender of its channel runs, and at no other time', async (store) => {
    await store.ran('ops', 9 * SECOND);
    await owe(store, 'w', [aDelivery({ id: 'a' })], NOON);
    await store.ran('mail', 60 * SECOND);
    await store.ran('ops', 5 * SECOND);
    const later = [aDelivery({ id: 'b' }), aDelivery({ id: 'c', channel: 'mail' })];
    await owe(store, 'x', later, NOON + 100 * SECOND);
    await store.ran('ops', 2 * SECOND);
    expect(await claim(store, 'ops', 10, NOON + 100 * SECOND)).toMatchObject([
      { delivery: { id: 'a' }, ageMs: 7 * SECOND },
      { delivery: { id: 'b' }, ageMs: 2 * SECOND },
    ]);
    expect(await claim(store, 'mail', 10, NOON + 100 * SECOND)).toMatchObject([{ ageMs: 0 }]);
  });

  story(
    "what is being sent is nobody else's until its lease ends; then it is due again under its id",
    async (store) => {
      await owe(store, 'w', [aDelivery({ id: 'a' }), aDelivery({ id: 'b' })], NOON);
      await claim(store, 'ops', 1, NOON);
      expect(await store.expire('ops', NOON + LEASE_MS - 1, [])).toBe(0);
      expect(await store.expire('ops', NOON + LEASE_MS, ['a'])).toBe(0);
      expect(await store.expire('mail', NOON + LEASE_MS, [])).toBe(0);
      expect(await store.expire('ops', NOON + LEASE_MS, [])).toBe(1);
      expect(await store.expire('ops', NOON + LEASE_MS, [])).toBe(0);
      expect(await claim(store, 'ops', 10, NOON + LEASE_MS)).toMatchObject([
        { delivery: { id: 'b' }, attempt: 1 },
        { delivery: { id: 'a' }, attempt: 2 },
      ]);
    },
  );

  story('a claim whose answer was lost is taken back: what nobody sends is due, and was never tried', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'a' }), aDelivery({ id: 'b' })], NOON);
    await owe(store, 'v', [aDelivery({ id: 'c', channel: 'mail', watch: 'other' })], NOON);
    await claim(store, 'ops', 2, NOON);
    await claim(store, 'mail', 1, NOON);
    const lost = { channel: 'ops', held: ['a'], isOutOfTurn: false };
    const fence = fenceOf(store, 'channel:ops');
    expect(await store.unclaim(lost, { ...fence, epoch: fence.epoch + 1 })).toBe(0);
    expect(await store.unclaim(lost, fence)).toBe(1);
    expect(await store.unclaim(lost, fence)).toBe(0);
    expect(await claim(store, 'ops', 9, NOON)).toMatchObject([{ delivery: { id: 'b' }, attempt: 1, maybeCopy: false }]);
    expect(await store.settle({ id: 'c', attempt: 1 }, { state: 'sent', outcome: SENT }, NOON)).toBe('settled');
  });

  story('a message that was claimed out of its turn is due at its time when the answer was lost', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'a' })], NOON);
    await claim(store, 'ops', 1, NOON);
    const dueAt = NOON + 60 * SECOND;
    await settle(store, 'a', { state: 'due', outcome: AGAIN, dueAt }, NOON);
    const ofTurn = { ...allOf('ops'), limit: 1, at: NOON, leaseMs: LEASE_MS, outOfTurn: aDelivery().recipient };
    const fence = fenceOf(store, 'channel:ops');
    const taken = await store.claim(ofTurn, fence);
    expect(taken).toMatchObject([{ attempt: 2, scheduled: 1 }]);
    expect(await store.unclaim({ channel: 'ops', held: [], isOutOfTurn: true }, fence)).toBe(1);
    expect(await claim(store, 'ops', 9, NOON)).toEqual([]);
    expect(await claim(store, 'ops', 9, dueAt)).toMatchObject([{ attempt: 2, scheduled: 2 }]);
  });

  story(
    'what a former process had begun to send is not taken back: nobody knows whether it arrived',
    async (store, takeOver) => {
      await owe(store, 'w', [aDelivery()], NOON);
      await claim(store, 'ops', 1, NOON);
      const next = await takeOver();
      expect(await next.unclaim({ channel: 'ops', held: [], isOutOfTurn: false }, fenceOf(next, 'channel:ops'))).toBe(
        0,
      );
      await next.expire('ops', NOON, []);
      expect(await claim(next, 'ops', 1, NOON)).toMatchObject([{ attempt: 2, maybeCopy: true }]);
    },
  );

  story('a lease that a clock set back would make longer than any has ended', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    await claim(store, 'ops', 1, NOON);
    expect(await store.expire('ops', NOON - 3600 * SECOND, [])).toBe(1);
  });

  story(
    'a wait that a clock set back would make longer than any is over, and others last as long as ever',
    async (store) => {
      const yesterday = NOON - 86_400 * SECOND;
      await owe(store, 'w', [aDelivery({ id: 'a' })], NOON);
      await owe(store, 'v', [aDelivery({ id: 'b', watch: 'other' })], yesterday);
      const share = { ...allOf('ops'), perRule: 2 };
      await claim(store, 'ops', 1, yesterday);
      const again = { type: 'again', why: '503' } as const;
      const dueAt = yesterday + 400 * SECOND;
      await store.settle({ id: 'b', attempt: 1 }, { state: 'due', outcome: again, dueAt }, yesterday);
      expect(await store.expire('mail', yesterday, [])).toBe(0);
      expect(await store.nextDue(share)).toBe(dueAt);
      expect(await store.expire('ops', yesterday, [])).toBe(0);
      expect(await store.nextDue(share)).toBe(yesterday);
      expect(await claim(store, 'ops', 10, yesterday)).toMatchObject([{ delivery: { id: 'a' } }]);
    },
  );

  story('what was owed while the clock was ahead waits no longer than until the next look', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'a' })], NOON + 600 * SECOND);
    // As one whose other members are still being written.
    await owe(store, 'v', [aDelivery({ id: 'b', watch: 'other' })], NOON + 9 * SECOND);
    expect(await store.expire('ops', NOON, [])).toBe(0);
    expect(await claim(store, 'ops', 2, NOON)).toMatchObject([{ delivery: { id: 'a' }, attempt: 1 }]);
  });

  story('what was being sent when the process ended is due again at once', async (store, takeOver) => {
    await owe(store, 'w', [aDelivery()], NOON);
    await claim(store, 'ops', 1, NOON);
    const next = await takeOver();
    expect(await next.expire('ops', NOON, [])).toBe(1);
    expect(await claim(next, 'ops', 1, NOON)).toMatchObject([{ attempt: 2 }]);
  });

  story(
    'a try that has lost its lease to another one ends nothing, unless the message was taken over',
    async (store) => {
      const deliveries = [aDelivery({ id: 'refused' }), aDelivery({ id: 'taken' })];
      await owe(store, 'w', deliveries, NOON);
      for (const at of [NOON, NOON + LEASE_MS]) {
        await store.expire('ops', at, []);
        await claim(store, 'ops', 10, at);
      }
      expect(await settle(store, 'refused', { state: 'dead', outcome: AGAIN }, NOON)).toBe('superseded');
      expect(await settle(store, 'taken', { state: 'sent', outcome: SENT }, NOON)).toBe('settled');
      expect(await settle(store, 'taken', { state: 'sent', outcome: SENT }, NOON, 2)).toBe('superseded');
      expect(await settle(store, 'refused', { state: 'dead', outcome: AGAIN }, NOON, 2)).toBe('settled');
      expect(await store.survey()).toEqual({ outbox: [], dead: 1, sent: 1 });
    },
  );

  story('a process that was taken over writes nothing more, and is told so', async (store, takeOver) => {
    await owe(store, 'w', [aDelivery()], NOON, { state: 'former' });
    const [sending] = await claim(store, 'ops', 1, NOON);
    const next = await takeOver();
    const late = aDecision('w', { expects: 1, state: 'late', transitions: transitionsOf([aDelivery({ id: 'late' })]) });
    expect(await commit(store, [late, aDecision('x')], NOON)).toEqual(['fenced', 'fenced']);
    expect(await cover(store, new Map([['w', { until: NOON + SECOND }]]))).toBe('fenced');
    expect(await claim(store, 'ops', 10, NOON)).toEqual([]);
    expect(await commit(next, [aDecision('w', { expects: 1, state: 'next' })], NOON)).toEqual(['kept']);
    expect((await next.recall()).get('w')).toMatchObject({ version: 2, state: 'next', coveredUntil: NOON });
    // Whoever takes a message over has it.
    expect(
      await store.settle({ id: 'delivery-1', attempt: sending?.attempt ?? 0 }, { state: 'sent', outcome: SENT }, NOON),
    ).toBe('settled');
    expect(await next.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  story('ten thousand to a recipient that is not named put no event of another into a summary', async (store) => {
    await store.keepRecipients('ops', ['ada'], fenceOf(store, 'channel:ops'));
    for (let from = 0; from < MOST_UNSETTLED; from += 1000) {
      const some = Array.from({ length: 1000 }, (_, n) => aDelivery({ id: `bob-${from + n}`, recipient: 'bob' }));
      await owe(store, `w${from || ''}`, some, NOON);
    }
    const event = (id: string) => aDelivery({ id, recipient: 'ada', type: 'alert.event', title: `call ${id}` });
    await owe(store, 'x', [event('a'), event('b')], NOON);
    expect(idsOf(await claim(store, 'ops', 3, NOON))).toEqual(['a', 'b']);
  });

  story(
    'with ten thousand waiting, further events of an alert go into one summary that names them all',
    async (store) => {
      const backlog = Array.from({ length: MOST_UNSETTLED - 1 }, (_, n) =>
        aDelivery({ id: `old-${n}`, severity: 'info' }),
      );
      // By a thousand: on a busy machine one commit of all takes longer than a statement may.
      for (let from = 0; from < backlog.length; from += 1000)
        await owe(store, `w${from || ''}`, backlog.slice(from, from + 1000), NOON);
      const event = (id: string) => aDelivery({ id, type: 'alert.event', title: `call ${id}` });
      await owe(store, 'x', [event('last')], NOON);
      const more = [event('a'), event('b'), aDelivery({ id: 'fires', type: 'alert.firing' })];
      await owe(store, 'y', more, NOON);
      await owe(store, 'z', [event('c'), aDelivery({ id: 'gone', type: 'alert.retracted' })], NOON);
      expect(await store.survey()).toMatchObject({ outbox: [{ channel: 'ops', rows: MOST_UNSETTLED + 3 }] });
      // What is open takes events in before it goes out.
      expect(idsOf(await claim(store, 'ops', 3, NOON))).toEqual(['last', 'fires', 'old-0']);
      const [events, retracted] = await claim(store, 'ops', 2, NOON + OPEN_MS);
      expect(events?.delivery.members[0].message).toMatchObject({
        type: 'alert.summary',
        title: '3 more low events of treasury-low[treasury]',
        summary: { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] },
      });
      expect(retracted?.delivery.members[0].message.summary).toEqual({
        of: 'alert.retracted',
        count: 1,
        keys: ['gone'],
      });
      // What was tried stays as it is.
      await owe(store, 'w', [event('d')], NOON + OPEN_MS, { expects: 1 });
      const [next] = await claim(store, 'ops', 1, NOON + 2 * OPEN_MS);
      expect(next?.delivery.members[0].message.summary).toEqual({ of: 'alert.event', count: 1, keys: ['d'] });
      expect(next?.delivery.id).not.toBe(events?.delivery.id);
    },
  );

  story('what a receiver called a message goes with the next one of the alert, until it fires anew', async (store) => {
    const about = (id: string, seq: number, more: { episode?: number; key?: string; recipient?: string } = {}) =>
      aDelivery({ id, key: 'k', seq, ...more });
    const begins = [
      about('first', 1),
      about('of another', 1, { key: 'other' }),
      about('for bob', 1, { recipient: 'bob' }),
    ];
    await owe(store, 'w', begins, NOON);
    const receiptsOf = async (at: number): Promise<string[]> => {
      const claimed = await claim(store, 'ops', 10, at);
      return claimed.map(({ delivery, receipt }) => `${delivery.id}: ${receipt ?? 'none'}`).toSorted();
    };
    expect(await receiptsOf(NOON)).toEqual(['first: none', 'for bob: none', 'of another: none']);
    const told = (receipt: string) => ({ state: 'sent', outcome: { type: 'sent', answer: '', receipt } }) as const;
    await settle(store, 'first', told('message 7'), NOON);
    await settle(store, 'for bob', { state: 'sent', outcome: SENT }, NOON);
    await owe(store, 'w', [about('second', 2), about('bob again', 2, { recipient: 'bob' })], NOON, { expects: 1 });
    expect(await receiptsOf(NOON)).toEqual(['bob again: none', 'second: message 7']);
    // A try that is not accepted leaves it as it is.
    await settle(store, 'second', { state: 'due', outcome: AGAIN, dueAt: NOON }, NOON);
    expect(await receiptsOf(NOON)).toEqual(['second: message 7']);
    await settle(store, 'second', { state: 'sent', outcome: SENT }, NOON, 2);
    await owe(store, 'w', [about('third', 3)], NOON, { expects: 2 });
    expect(await receiptsOf(NOON)).toEqual(['third: message 7']);
    await settle(store, 'third', told('message 9'), NOON);
    await owe(store, 'w', [about('anew', 4, { episode: 2 })], NOON, { expects: 3 });
    expect(await receiptsOf(NOON)).toEqual(['anew: none']);
  });

  story('a try may be a copy after one of which nobody knows whether it arrived, and not before', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    const tries: boolean[] = [];
    const next = async (outcome: Outcome): Promise<void> => {
      const [claimed] = await claim(store, 'ops', 1, NOON);
      tries.push(claimed?.maybeCopy ?? false);
      await settle(store, 'delivery-1', { state: 'due', outcome, dueAt: NOON }, NOON, claimed?.attempt);
    };
    await next(AGAIN);
    await next({ type: 'rejected', why: '400' });
    await next({ type: 'unknown', why: 'no answer' });
    await next(AGAIN);
    await next(AGAIN);
    expect(tries).toEqual([false, false, false, true, true]);
  });

  story('what was being sent when its process ended may be a copy', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    expect(await claim(store, 'ops', 1, NOON)).toMatchObject([{ maybeCopy: false }]);
    await store.expire('ops', NOON + LEASE_MS, []);
    expect(await claim(store, 'ops', 1, NOON + LEASE_MS)).toMatchObject([{ attempt: 2, maybeCopy: true }]);
  });

  story('settling what is not being sent changes nothing', async (store) => {
    await owe(store, 'w', [aDelivery()], NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'delivery-1', { state: 'sent', outcome: SENT }, NOON);
    await settle(store, 'delivery-1', { state: 'due', outcome: AGAIN, dueAt: NOON }, NOON);
    await settle(store, 'unheard-of', { state: 'sent', outcome: SENT }, NOON);
    expect(await store.survey()).toEqual({ outbox: [], dead: 0, sent: 1 });
  });

  story('the next due time is that of a delivery that a claim would hand out', async (store) => {
    const deliveries = [aDelivery({ id: 'firing', key: 'k', seq: 1 }), aDelivery({ id: 'resolved', key: 'k', seq: 2 })];
    await owe(store, 'w', deliveries, NOON);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBe(NOON);
    expect(await store.nextDue({ ...allOf('mail'), perRule: 4 })).toBeNull();
    await claim(store, 'ops', 10, NOON);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBeNull();
    await settle(store, 'firing', { state: 'due', outcome: AGAIN, dueAt: NOON + SECOND }, NOON);
    expect(await store.nextDue({ ...allOf('ops'), perRule: 4 })).toBe(NOON + SECOND);
  });

  story('the survey counts what is owed per channel, from the oldest on, and how the rest ended', async (store) => {
    await owe(store, 'w', [aDelivery({ id: 'a' }), aDelivery({ id: 'b' })], NOON);
    const later = [aDelivery({ id: 'c' }), aDelivery({ id: 'd', channel: 'mail' })];
    await owe(store, 'x', later, NOON + SECOND);
    await claim(store, 'ops', 2, NOON + SECOND);
    await settle(store, 'a', { state: 'dead', outcome: AGAIN }, NOON + SECOND);
    expect(await store.survey()).toEqual({
      outbox: [
        { channel: 'mail', rows: 1, oldest: NOON + SECOND, triedOften: 0 },
        { channel: 'ops', rows: 2, oldest: NOON, triedOften: 0 },
      ],
      dead: 1,
      sent: 0,
    });
  });

  story('pruning drops what has ended before, and nothing that is owed', async (store) => {
    const deliveries = ['sent', 'dead', 'kept', 'due'].map((id) => aDelivery({ id }));
    await owe(store, 'w', deliveries, NOON);
    await claim(store, 'ops', 3, NOON);
    await settle(store, 'sent', { state: 'sent', outcome: SENT }, NOON);
    await settle(store, 'dead', { state: 'dead', outcome: AGAIN }, NOON);
    await settle(store, 'kept', { state: 'sent', outcome: SENT }, NOON + SECOND);
    await store.prune({ settled: NOON + SECOND, alerts: NOON, journal: NOON }, NOON);
    expect(await store.survey()).toEqual({
      outbox: [{ channel: 'ops', rows: 1, oldest: NOON, triedOften: 0 }],
      dead: 0,
      sent: 1,
    });
  });
}

function keysOf(claimed: Awaited<ReturnType<typeof claim>>): string[] {
  return claimed.map(({ delivery }) => delivery.members[0].message.key);
}

function idsOf(claimed: Awaited<ReturnType<typeof claim>>): string[] {
  return claimed.map(({ delivery }) => delivery.id);
}
