import { expect, test } from '@jest/globals';
import type { Message, Settlement } from '../../../src/core/model/delivery.ts';
import type { DeliveryBatch } from '../../../src/dispatch/model.ts';
import { WHOLE } from '../../../src/dispatch/shares.ts';
import { markedBefore, wholeDelivery } from '../../../src/store/large-deliveries.ts';
import type { DeliveryClaim, Claimed } from '../../../src/store/contract/deliveries.ts';
import { prune } from '../../../src/store/prune.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { addBatches } from '../../../src/store/tables/alerts/batches.ts';
import { addNotifications } from '../../../src/store/tables/alerts/notifications.ts';
import { informStates } from '../../../src/store/tables/alerts/recipient-states.ts';
import { dismiss, retry } from '../../../src/store/tables/deliveries/dead-deliveries.ts';
import {
  addRun,
  claimDeliveries,
  endLeases,
  expire,
  nextDue,
} from '../../../src/store/tables/deliveries/deliveries.ts';
import {
  backlog,
  deliveries,
  delivery,
  deliveriesOf,
  survey,
} from '../../../src/store/tables/deliveries/delivery-lists.ts';
import { settleDelivery, type SentSettlement } from '../../../src/store/tables/deliveries/settled-deliveries.ts';
import { aTransition, NOON } from '../builders.ts';
import { allOf } from '../../support/store/store-calls.ts';
import { onEachEngine } from './engines.ts';

const TARGET = { channel: 'ops', recipient: 'ops' };
const CLAIM: DeliveryClaim = {
  ...allOf('ops'),
  perRule: 100,
  limit: 100,
  at: NOON + 1,
  leaseMs: 60_000,
  outOfTurn: null,
};
const SENT: SentSettlement = { state: 'sent', outcome: { type: 'sent', answer: 'ok', receipt: 'r1' } };
const DEAD: Settlement = { state: 'dead', outcome: { type: 'rejected', why: 'no' } };
const WATCH = 'treasury-low[treasury]';

/** Deliveries about these messages, each with those of one list. */
async function owe(
  { write }: SqlDatabase,
  owed: Readonly<Record<string, readonly Partial<Message>[]>>,
  severity: DeliveryBatch['severity'] = 'critical',
): Promise<void> {
  await write('commit-due', async (sql) => {
    const transitions = Object.values(owed).flatMap((messages) => messages.map((message) => aTransition(message)));
    await addNotifications(sql, [{ watch: WATCH, transitions }], NOON);
    const batches = Object.entries(owed).map(([id, messages]): DeliveryBatch => {
      const members = messages.map(({ key = 'k', seq = 1 }) => ({
        key,
        seq,
        as: 'news' as const,
        renewed: null,
        heldAt: null,
        heldBy: null,
        present: null,
      }));
      return { id, groupId: id, kind: 'news', target: TARGET, severity, critical: null, members, dueAt: NOON };
    });
    await addBatches(sql, batches, WHOLE, NOON);
    for (const { key } of transitions.map(({ message }) => message))
      await sql.run(
        `INSERT INTO recipient_state (key, channel, recipient, wanted, wanted_at) VALUES ($1, 'ops', 'ops', 1, 1)
        ON CONFLICT (key, channel, recipient) DO NOTHING`,
        [key],
      );
  });
}

async function claimed(
  { write, sql }: SqlDatabase,
  claim: Partial<DeliveryClaim> = {},
  damages: unknown[] = [],
): Promise<Claimed[]> {
  const taken = await write('claim', (on) =>
    claimDeliveries(on, { ...CLAIM, ...claim }, (error) => damages.push(error)),
  );
  return Promise.all(taken.map((one) => wholeDelivery(sql, one)));
}

async function settle(database: SqlDatabase, id: string, attempt: number, settlement: Settlement): Promise<boolean> {
  const tried = { id, attempt };
  const after = settlement.state === 'sent' ? await markedBefore(database, tried, settlement, NOON + 5) : '';
  return database.write('settle', (sql) => settleDelivery(sql, tried, settlement, NOON + 5, after));
}

const idsOf = (all: readonly Claimed[]): string[] => all.map(({ delivery: { id } }) => id);

onEachEngine((open) => {
  test('hands out the most severe first, and of one alert only the earliest', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { b: [{ key: 'b' }] }, 'warning');
    await owe(database, { a: [{ key: 'a' }] });
    await owe(database, { a2: [{ key: 'a', seq: 2, type: 'alert.resolved' }] });
    const share = { ...allOf('ops'), perRule: 100 };
    expect(await nextDue(database.sql, share)).toBe(NOON);
    await database.write('ran', (sql) => addRun(sql, 'ops', 300));
    await database.write('ran', (sql) => addRun(sql, 'ops', 200));
    const [first, ...others] = await claimed(database);
    expect(idsOf(others)).toEqual(['b']);
    expect(first).toMatchObject({
      delivery: { id: 'a', more: [] },
      attempt: 1,
      maybeCopy: false,
      receipt: null,
      ageMs: 500,
    });
    expect(await nextDue(database.sql, share)).toBeNull();
    expect(await settle(database, 'a', 1, SENT)).toBe(true);
    expect(await settle(database, 'a', 1, SENT)).toBe(false);
    expect(await nextDue(database.sql, share)).toBe(NOON);
    const [next] = await claimed(database);
    expect([next?.delivery.id, next?.receipt]).toEqual(['a2', 'r1']);
    const state = await database.sql.first(
      `SELECT notified, notified_at, receipt FROM recipient_state WHERE key = 'a'`,
    );
    expect(state).toEqual({ notified: 1, notified_at: NOON + 5, receipt: 'r1' });
    expect(await deliveriesOf(database.sql, WATCH, 'low', 9)).toHaveLength(3);
  });

  test('a message about several alerts keeps the receipt of a message about an alert alone', async () => {
    await using opened = await open();
    const { database } = opened;
    const told = (receipt: string): Settlement => ({ state: 'sent', outcome: { type: 'sent', answer: '', receipt } });
    const receipts = async (): Promise<unknown[]> => {
      const all = await claimed(database);
      return all.map(({ receipt, ownReceipts }) => [receipt, Object.fromEntries(ownReceipts)]);
    };
    await owe(database, { a: [{ key: 'a' }] });
    expect(await receipts()).toEqual([[null, {}]]);
    await settle(database, 'a', 1, told('own'));
    await owe(database, { ab: [{ key: 'a', seq: 2 }, { key: 'b' }] });
    expect(await receipts()).toEqual([[null, { a: 'own' }]]);
    await settle(database, 'ab', 1, told('shared'));
    await owe(database, {
      both: [
        { key: 'a', seq: 3 },
        { key: 'b', seq: 2 },
      ],
    });
    expect(await receipts()).toEqual([[null, { a: 'own', b: 'shared' }]]);
    await settle(database, 'both', 1, told('shared again'));
    await owe(database, { over: [{ key: 'a', seq: 4, type: 'alert.resolved' }] });
    expect(await receipts()).toEqual([['own', {}]]);
  });

  test('sends no more of one rule at once than it may', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { a: [{ key: 'a' }], b: [{ key: 'b' }], c: [{ key: 'c' }] });
    expect(idsOf(await claimed(database, { perRule: 2 }))).toEqual(['a', 'b']);
    expect(await nextDue(database.sql, { ...allOf('ops'), perRule: 2 })).toBeNull();
    expect(await nextDue(database.sql, { ...allOf('ops'), perRule: 3 })).toBe(NOON);
  });

  test('a lease that ended makes a delivery due again, as one that may have arrived', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { a: [{ key: 'a' }], b: [{ key: 'b' }] });
    await claimed(database);
    const expired = (at: number): Promise<number> =>
      database.write('expire', (sql) => expire(sql, { channel: 'ops', held: ['b'], all: false, failing: [] }, at));
    expect(await expired(NOON + 2)).toBe(0);
    await database.write('expire', (sql) => endLeases(sql, 'other'));
    expect(await expired(NOON + 2)).toBe(0);
    await database.write('expire', (sql) => endLeases(sql, null));
    expect(await expired(NOON + 2)).toBe(1);
    const [again, ...none] = await claimed(database, { at: NOON + 2 });
    expect([again?.delivery.id, again?.attempt, again?.maybeCopy, none]).toEqual(['a', 2, true, []]);
    const later: Settlement = {
      state: 'due',
      dueAt: NOON + 900,
      outcome: { type: 'again', why: 'busy' },
    };
    expect(await settle(database, 'a', 1, later)).toBe(false);
    expect(await settle(database, 'a', 2, later)).toBe(true);
    expect((await claimed(database, { at: NOON + 900 })).map(({ maybeCopy }) => maybeCopy)).toEqual([true]);
  });

  test('one that cannot be read ends as dead, and the others go out', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { a: [{ key: 'a' }], b: [{ key: 'b' }] });
    await database.write('record', (sql) => sql.run(`UPDATE notifications SET message = '{' WHERE key = 'a'`));
    const damages: unknown[] = [];
    expect(idsOf(await claimed(database, {}, damages))).toEqual(['b']);
    expect(String(damages)).toMatch(/delivery a of watch treasury-low\[treasury\] is damaged/);
    expect(await survey(database.sql)).toEqual({
      outbox: [{ channel: 'ops', rows: 1, oldest: NOON, triedOften: 0 }],
      sent: 0,
      dead: 1,
    });
    expect((await backlog(database.sql, NOON)).dead).toEqual([{ channel: 'ops', rows: 1, oldest: NOON + 1 }]);
  });

  test('events that were folded into one are counted each, where a message counts them', async () => {
    await using opened = await open();
    const { database } = opened;
    const listed = Array.from({ length: 50 }, (_, n) => ({ key: `k${n}` }));
    const summary = { of: 'alert.event', count: 3, keys: ['a', 'b', 'c'] } as const;
    await owe(database, { large: [...listed, { key: 'one' }, { key: 'many', type: 'alert.summary', summary }] });
    expect((await delivery(database.sql, 'large'))?.more.map(({ count }) => count).toSorted()).toEqual([1, 3]);
  });

  test('thousands of members are read and settled in pages, and all are marked', async () => {
    await using opened = await open();
    const { database } = opened;
    const members = Array.from({ length: 1300 }, (_, n) => ({ key: `k${String(n).padStart(4, '0')}` }));
    await owe(database, { large: members });
    const [one] = await claimed(database);
    expect(one?.delivery.members.map(({ message }) => message.key)).toEqual(members.slice(0, 50).map(({ key }) => key));
    expect(one?.delivery.more).toHaveLength(1);
    expect(one?.delivery.more[0]).toMatchObject({
      watch: 'treasury-low',
      alert: 'low',
      severity: 'critical',
      count: 1250,
    });
    expect(one?.delivery.more[0]?.keys.toSorted()).toEqual(members.slice(50).map(({ key }) => key));
    expect((await delivery(database.sql, 'large'))?.more[0]?.count).toBe(1250);
    expect(await settle(database, 'large', 1, SENT)).toBe(true);
    const marked = `SELECT count(*) AS count FROM recipient_state WHERE notified = 1 AND receipt = 'r1' AND receipt_episode = 1`;
    expect(await database.sql.first(marked)).toEqual({ count: 1300 });
    await database.write('prune', (sql) => prune(sql, { settled: NOON + 6, alerts: 0, journal: 0 }, NOON + 6));
    expect(await delivery(database.sql, 'large')).toBeNull();
  });

  test('marks what the summaries in a delivery speak of', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { a: [{ key: 'a' }], b: [{ key: 'b' }] });
    const summary = { of: 'alert.firing' as const, count: 3, keys: ['a', 'b', 'a', 'unknown'] };
    await owe(database, { s: [{ key: 's', seq: 4, summary }] });
    await claimed(database);
    expect(await settle(database, 's', 1, SENT)).toBe(true);
    expect(await database.sql.all('SELECT key, notified FROM recipient_state ORDER BY key')).toEqual([
      { key: 'a', notified: 4 },
      { key: 'b', notified: 4 },
      { key: 's', notified: 4 },
    ]);
  });

  test('what a summary speaks of was sent to nobody if each try of the summary was refused', async () => {
    await using opened = await open();
    const { database } = opened;
    const summary = { of: 'alert.event' as const, count: 2, keys: ['a', 'b'] };
    await owe(database, { s: [{ key: 's', summary }] });
    const informed = [{ number: 1, keys: ['a', 'b'], target: TARGET }];
    await database.write('commit-routing', (sql) => informStates(sql, informed, NOON));
    const states = (): Promise<unknown> =>
      database.sql.all(`SELECT key, begun, maybe_notified FROM recipient_state WHERE key <> 's' ORDER BY key`);
    const told = ['a', 'b'].map((key) => ({ key, begun: 1, maybe_notified: 1 }));
    expect(await states()).toEqual(told);
    await claimed(database);
    await settle(database, 's', 1, DEAD);
    expect(await states()).toEqual(told.map((one) => ({ ...one, maybe_notified: 0 })));
  });

  test('one that was given up may have arrived, unless each try was refused', async () => {
    await using opened = await open();
    const { database } = opened;
    const unknown = { type: 'unknown' as const, why: 'no answer' };
    await owe(database, { refused: [{ key: 'a' }], unsure: [{ key: 'b' }], last: [{ key: 'c' }] });
    await database.write('probe', (sql) => sql.run('UPDATE recipient_state SET begun = 1'));
    await claimed(database);
    await settle(database, 'unsure', 1, { state: 'due', outcome: unknown, dueAt: NOON });
    await claimed(database);
    await settle(database, 'refused', 1, DEAD);
    await settle(database, 'unsure', 2, DEAD);
    await settle(database, 'last', 1, { state: 'dead', outcome: unknown });
    const states = await database.sql.all('SELECT key, notified, maybe_notified FROM recipient_state ORDER BY key');
    expect(states).toEqual([
      { key: 'a', notified: 0, maybe_notified: 0 },
      { key: 'b', notified: 0, maybe_notified: 1 },
      { key: 'c', notified: 0, maybe_notified: 1 },
    ]);
  });

  test.each(['alert.retracted', 'alert.resolved'] as const)(
    'a begin that was given up is not tried again after %s, of which this recipient would hear nothing',
    async (type) => {
      await using opened = await open();
      const { database } = opened;
      await owe(database, { a: [{ key: 'a' }], both: [{ key: 'b' }, { key: 'c' }] });
      await claimed(database);
      await settle(database, 'a', 1, DEAD);
      await settle(database, 'both', 1, DEAD);
      const transitions = ['a', 'b'].map((key) => aTransition({ key, type, seq: 2 }));
      await database.write('commit-due', (sql) => addNotifications(sql, [{ watch: WATCH, transitions }], NOON));
      const retried = (id: string): Promise<unknown> => database.write('intervene', (sql) => retry(sql, id, NOON + 7));
      // Until a round decides that nobody is told, the end may still follow.
      expect(await retried('a')).toMatchObject({ state: 'owed' });
      await claimed(database, { at: NOON + 8 });
      await settle(database, 'a', 2, DEAD);
      await database.write('probe', (sql) => sql.run("UPDATE recipient_state SET closed = 2 WHERE key IN ('a', 'b')"));
      expect(await retried('a')).toBe('is-over');
      // One of its two alerts goes on.
      expect(await retried('both')).toMatchObject({ state: 'owed' });
    },
  );

  test('a delivery that was given up is tried again, before what came after it', async () => {
    await using opened = await open();
    const { database } = opened;
    await owe(database, { a: [{ key: 'a' }], a2: [{ key: 'a', seq: 2 }] });
    expect(idsOf(await claimed(database))).toEqual(['a']);
    const retried = (id: string): Promise<unknown> => database.write('intervene', (sql) => retry(sql, id, NOON + 7));
    expect(await retried('a')).toBe('not-given-up');
    expect(await settle(database, 'a', 1, DEAD)).toBe(true);
    const filter = { channel: 'ops', before: null, limit: 5 };
    expect((await deliveries(database.sql, { ...filter, state: 'undismissed' })).map(({ id }) => id)).toEqual(['a']);
    const dismissed = await database.write('intervene', (sql) => dismiss(sql, 'a', NOON + 6));
    expect(dismissed).toEqual({ id: 'a', ...TARGET, state: 'dismissed' });
    expect(await deliveries(database.sql, { ...filter, state: 'undismissed' })).toEqual([]);
    expect(await retried('a')).toEqual({ id: 'a', ...TARGET, state: 'owed' });
    expect(await retried('none')).toBe('not-found');
    expect(await nextDue(database.sql, { ...allOf('ops'), perRule: 9 })).toBe(NOON + 7);
    expect(idsOf(await claimed(database, { at: NOON + 8 }))).toEqual(['a']);
    await settle(database, 'a', 2, DEAD);
    expect(idsOf(await claimed(database, { at: NOON + 8 }))).toEqual(['a2']);
    await settle(database, 'a2', 1, SENT);
    expect(await retried('a')).toBe('later-sent');
  });
});
