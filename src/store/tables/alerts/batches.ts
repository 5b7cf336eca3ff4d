// Adds decided transitions to deliveries, and removes those that must not be sent any more.
import { isRow } from '../../../core/values/fields.ts';
import { RANK_OF } from '../../../core/model/delivery.ts';
import type { Recipient } from '../../../core/model/ids.ts';
import { deliveryId } from '../../../core/model/watch/identity.ts';
import type { DeliveryBatch, BatchMember, Key, Overtaken, Withdrawal } from '../../../dispatch/model.ts';
import type { DeliveryShare, DeliveryShares } from '../../../dispatch/shares.ts';
import type { Undeliverable, Unrouted } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { later, type SqlDialect } from '../../sql/dialect.ts';
import { bool, int, jsonOrNull, type Row } from '../../sql/rows.ts';
import { columns, insertion, list, type ListRow, type ListStatement, type Sql } from '../../sql/sql.ts';
import {
  type Fresh,
  freshOf,
  MAY_GO_OUT_OF_TURN,
  MAY_HAVE_ARRIVED,
  oldestFirst,
  onlyMember,
  outcomeText,
  ranOf,
  release,
  SHARE_OPEN_MS,
} from '../deliveries/delivery-rows.ts';
import { foldOverflow } from './overflow.ts';

/**
 * An existing delivery stays unchanged. If a channel has too many unsettled deliveries, events are folded into
 * summaries. False: a message that several commits write was sent before all of them.
 */
export async function addBatches(
  sql: Sql,
  batches: readonly DeliveryBatch[],
  shares: DeliveryShares,
  at: Instant,
): Promise<boolean> {
  const members = batches.flatMap((batch) => batch.members);
  const rows = await rowsOf(sql, members);
  const all = batches.map((batch) => {
    const share = shares.get(batch.id);
    return { share, fresh: freshOf(batch, share, at, (member) => rows.get(nameOf(member))) };
  });
  const whole = all.filter(({ share }) => share === undefined).map(({ fresh }) => fresh);
  await insert(sql, await foldOverflow(sql, oldestFirst(whole), at), at);
  for (const { share, fresh } of all) if (share !== undefined && !(await addShare(sql, fresh, share, at))) return false;
  return true;
}

const NOTIFICATION = list(
  { key: 'text', seq: 'int' },
  (row) => `
    SELECT n.key, n.seq, n.number, n.labels FROM notifications AS n ${row.also}
    WHERE n.key = ${row.key} AND n.seq = ${row.seq}`,
);

/** Number and rule of the notifications of these members. */
async function rowsOf(sql: Sql, members: readonly BatchMember[]): Promise<Map<string, Row>> {
  const rows = await sql.allOf(NOTIFICATION, members);
  return new Map(
    rows.map(({ key, seq, number, labels }) => [
      nameOf({ key: String(key), seq: Number(seq) }),
      { number, rule: ruleIn(labels) },
    ]),
  );
}

function nameOf({ key, seq }: Pick<BatchMember, 'key' | 'seq'>): string {
  return JSON.stringify([key, seq]);
}

function ruleIn(labels: unknown): unknown {
  const read = jsonOrNull(labels);
  return isRow(read) ? read['watch'] : null;
}

const OPEN_SHARE = `
  UPDATE deliveries SET due_at = $2, rule = CASE WHEN rule = $3::text THEN rule ELSE '' END
  WHERE id = $1 AND state = 'due' AND attempt = 0 RETURNING number`;

/**
 * Adds a part of a delivery that several commits write. Until the last part it is due a little later, so that no sender
 * claims it. If the last part never comes, it is sent with the members that it has. False: the delivery was sent before
 * this part.
 */
async function addShare(sql: Sql, fresh: Fresh, { isFirst, isLast }: DeliveryShare, at: Instant): Promise<boolean> {
  if (isFirst) {
    await insert(sql, [{ ...fresh, dueAt: at + SHARE_OPEN_MS }], at);
    return true;
  }
  const dueAt = isLast ? fresh.dueAt : at + SHARE_OPEN_MS;
  const open = await sql.first(OPEN_SHARE, [fresh.id, dueAt, fresh.rule]);
  if (open === undefined) return false;
  await addMembers(sql, [{ number: int(open, 'number'), fresh }], at);
  return true;
}

const DELIVERY = {
  ...columns('text', 'id', 'channel', 'recipient', 'kind', 'rule', 'state'),
  ...columns('int', 'rank', 'attempt', 'due_at', 'created_at', 'maybe_copy'),
  ...columns('text?', 'folds', 'outcome'),
  critical: 'json?',
  settled_at: 'int?',
} as const;
const inserted = (conflict: string): ListStatement<typeof DELIVERY> =>
  insertion('deliveries', DELIVERY, `ON CONFLICT (id) DO ${conflict} RETURNING id, number`, (row) => ({
    runtime_at: ranOf(row.channel),
  }));

const NEW = { state: 'due', attempt: 0, maybeCopy: 0, folds: null, outcome: null, settledAt: null } as const;

// A cancelled or given-up message that is pending again keeps its id, which the receiver may have seen. A repeat that
// was cancelled before its first try may be due again at the same time, so under the same id.
const ADD = inserted(`
  UPDATE SET state = 'due', attempt = 0, out_of_turn = 0, due_at = excluded.due_at,
    created_at = excluded.created_at, runtime_at = excluded.runtime_at, settled_at = NULL, outcome = NULL,
    dismissed_at = NULL, rank = excluded.rank, rule = excluded.rule, critical = excluded.critical
  WHERE deliveries.kind = 'news' AND deliveries.state IN ('cancelled', 'dead', 'merged')
    OR deliveries.kind = 'repeat' AND deliveries.state = 'cancelled'`);
const RECORD = inserted('NOTHING');

/** If one round has an id twice, only the first delivery with this id is inserted. */
async function insert(sql: Sql, fresh: readonly Fresh[], at: Instant): Promise<void> {
  const byId = new Map<string, Fresh>();
  for (const one of fresh) if (!byId.has(one.id)) byId.set(one.id, one);
  const rows = [...byId.values()].map((one) => ({ ...NEW, ...one, createdAt: at }));
  const added = await sql.allOf(ADD, rows);
  await addMembers(
    sql,
    added.flatMap((row) => {
      const one = byId.get(String(row['id']));
      return one === undefined ? [] : [{ number: int(row, 'number'), fresh: one }];
    }),
    at,
  );
}

/** A delivery that was written, by its number. */
interface WrittenDelivery {
  readonly number: number;
  readonly fresh: Pick<Fresh, 'channel' | 'recipient' | 'members'>;
}

const MEMBER = {
  ...columns('int', 'delivery', 'seq', 'position'),
  ...columns('int?', 'notification', 'held_at'),
  ...columns('text', 'key', 'sent_as'),
  ...columns('json?', 'present', 'renewed'),
} as const;
const ADD_MEMBER = insertion(
  'group_member',
  MEMBER,
  `ON CONFLICT (delivery, key, seq) DO UPDATE SET sent_as = excluded.sent_as, renewed = excluded.renewed,
    held_at = excluded.held_at, present = excluded.present, notification = excluded.notification`,
);

const FOLLOW = list(
  { delivery: 'int', key: 'text', channel: 'text', recipient: 'text' },
  (row) => `
    INSERT INTO delivery_order (delivery, earlier)
    SELECT ${row.delivery}, before.number FROM group_member AS member CROSS JOIN deliveries AS before ${row.also}
    WHERE member.key = ${row.key} AND before.number = member.delivery AND before.number < ${row.delivery}
      AND before.channel = ${row.channel} AND before.recipient = ${row.recipient}
      AND before.state IN ('due', 'sending')
    ON CONFLICT (delivery, earlier) DO NOTHING RETURNING earlier`,
);

const HASTEN = list(
  { number: 'int', at: 'int' },
  (row) => `
    UPDATE deliveries AS mine SET due_at = ${row.at} ${row.from}
    WHERE mine.number = ${row.number} AND mine.state = 'due' AND mine.attempt > 0 AND mine.due_at > ${row.at}
      AND ${MAY_GO_OUT_OF_TURN}`,
);

/**
 * Adds members. If one of the deliveries must follow an earlier one that waits for its next try, the earlier one is
 * tried at once.
 */
export async function addMembers(sql: Sql, deliveries: readonly WrittenDelivery[], at: Instant): Promise<void> {
  const members = deliveries.flatMap(({ number: delivery, fresh: { channel, recipient, members: some } }) =>
    some.map((member) => ({ ...member, delivery, channel, recipient, sentAs: member.as })),
  );
  await sql.each(ADD_MEMBER, members);
  // The first transition of an alert follows none.
  const later = members.filter(({ seq }) => seq > 1);
  const awaited = new Set((await sql.allOf(FOLLOW, later)).map((row) => int(row, 'earlier')));
  await sql.each(
    HASTEN,
    [...awaited].map((number) => ({ number, at })),
  );
}

/** Adds a delivery about one transition that was decided elsewhere. Null: it exists already. */
export async function record(
  sql: Sql,
  told: Omit<ListRow<typeof DELIVERY>, 'kind' | keyof typeof NEW> & Partial<ListRow<typeof DELIVERY>>,
  { key, seq, number: notification }: Pick<Unrouted, 'key' | 'seq' | 'number'>,
): Promise<number | null> {
  const delivery = { ...NEW, ...told, kind: 'news' };
  const [added] = await sql.allOf(RECORD, [delivery]);
  if (added === undefined) return null;
  const number = int(added, 'number');
  await addMembers(
    sql,
    [{ number, fresh: { ...delivery, members: [onlyMember(key, seq, notification)] } }],
    told.createdAt,
  );
  return number;
}

/** Adds a delivery that is given up at once, since its channel has no target. */
export async function addDead(sql: Sql, { channel, notification, why }: Undeliverable, at: Instant): Promise<void> {
  const target = { channel, recipient: channel };
  const id = deliveryId(notification.key, notification, target);
  const outcome = outcomeText({ type: 'rejected', why });
  const dead = { id, rank: RANK_OF[notification.severity], rule: '', critical: null, state: 'dead', outcome };
  await record(sql, { ...target, ...dead, dueAt: at, createdAt: at, settledAt: at }, notification);
}

const CANCEL_FOR = list(
  { channel: 'text', recipient: 'text', at: 'int' },
  (row) => `
    UPDATE deliveries AS mine SET state = 'cancelled', settled_at = ${row.at}
    ${row.from} WHERE mine.channel = ${row.channel} AND mine.recipient = ${row.recipient}
      AND mine.state = 'due' AND NOT EXISTS (
        SELECT 1 FROM group_member AS member JOIN notifications AS n ON n.number = member.notification
        WHERE member.delivery = mine.number AND member.sent_as = 'news' AND n.transition IN ('resolved', 'retracted'))`,
);

const MAY_KNOW = list(
  { channel: 'text', recipient: 'text', at: 'int' },
  (row) => `
    UPDATE recipient_state AS state SET maybe_notified = ${later('state.maybe_notified', 'cancelled.seq')}
    FROM (
      SELECT mine.channel, mine.recipient, member.key, max(member.seq) AS seq
      FROM deliveries AS mine JOIN group_member AS member ON member.delivery = mine.number ${row.also}
      WHERE mine.channel = ${row.channel} AND mine.recipient = ${row.recipient}
        AND mine.state = 'cancelled' AND mine.settled_at = ${row.at} AND mine.maybe_copy = 1
      GROUP BY mine.channel, mine.recipient, member.key) AS cancelled
    WHERE state.key = cancelled.key AND state.channel = cancelled.channel AND state.recipient = cancelled.recipient
      AND state.begun IS NOT NULL`,
);

/**
 * Cancels pending messages to these targets. Only messages with the end of an alert stay pending, in case the config
 * names the target again.
 */
export async function cancelFor(sql: Sql, targets: readonly Recipient[], at: Instant): Promise<void> {
  const rows = targets.map((target) => ({ ...target, at }));
  await sql.each(CANCEL_FOR, rows);
  await sql.each(MAY_KNOW, rows);
}

// Untried news of an alert whose begin was sent: it flapped and fires again, or an event is corrected.
const OVERTAKEN = (d: SqlDialect): string => `
  SELECT mine.number, member.seq FROM group_member AS member CROSS JOIN deliveries AS mine
    JOIN notifications AS n ON n.number = member.notification
  WHERE member.key = $1 AND mine.number = member.delivery
    AND mine.channel = $2 AND mine.recipient = $3 AND mine.state = 'due' AND mine.maybe_copy = 0
    AND (member.sent_as = 'repeat' OR mine.attempt = 0 AND n.transition IN ('firing', 'corrected'))
  ORDER BY mine.number ${d.forUpdate('mine')}`;

/**
 * Drops repeats that wait for another try and certainly have not arrived, and untried news. Their rows are locked, so
 * no sender claims them meanwhile.
 */
export async function dropOvertaken(sql: Sql, { target, key }: Overtaken, at: Instant): Promise<void> {
  for (const row of await sql.all(OVERTAKEN, [key, target.channel, target.recipient]))
    await leave(sql, int(row, 'number'), { key, from: int(row, 'seq'), as: 'cancelled' }, at);
}

const UNTRIED = (d: SqlDialect): string => `
  SELECT mine.number, CASE WHEN ${MAY_HAVE_ARRIVED} THEN 1 ELSE 0 END AS may_be_there
  FROM group_member AS member CROSS JOIN deliveries AS mine
  WHERE member.key = $1 AND member.seq >= $2 AND mine.number = member.delivery
    AND mine.channel = $3 AND mine.recipient = $4 AND mine.state IN ('due', 'sending')
  ORDER BY mine.number ${d.forUpdate('mine')}`;

/**
 * Takes the alert out of pending deliveries. False: one of them may have arrived, and nothing is changed. Their rows
 * are locked, so no try begins before the end of the transaction.
 */
export async function withdraw(sql: Sql, withdrawal: Withdrawal, at: Instant): Promise<boolean> {
  const { target, key, from } = withdrawal;
  const rows = await sql.all(UNTRIED, [key, from, target.channel, target.recipient]);
  if (rows.some((row) => bool(row, 'may_be_there'))) return false;
  for (const number of new Set(rows.map((row) => int(row, 'number')))) await leave(sql, number, withdrawal, at);
  return true;
}

const UNTRIED_OF = (d: SqlDialect): string => `
  SELECT DISTINCT member.key FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
  WHERE ${d.among('member.key', '$1', 'text')} AND mine.channel = $2 AND mine.recipient = $3
    AND mine.state = 'due' AND mine.maybe_copy = 0`;

/** Takes these alerts out of the deliveries to a recipient that cannot have arrived. */
export async function withdrawUntried(
  sql: Sql,
  { keys, target }: { readonly keys: readonly Key[]; readonly target: Recipient },
  at: Instant,
): Promise<void> {
  const found = await sql.all(UNTRIED_OF, [keys, target.channel, target.recipient]);
  for (const { key } of found) await withdraw(sql, { target, key: String(key), from: 1, as: 'cancelled' }, at);
}

const IS_LEFT = 'SELECT 1 FROM group_member WHERE delivery = $1 AND NOT (key = $2 AND seq >= $3) LIMIT 1';
const END = 'UPDATE deliveries SET state = $2, settled_at = $3 WHERE number = $1';
const TAKE_OUT = 'DELETE FROM group_member WHERE delivery = $1 AND key = $2 AND seq >= $3';

const ABOUT_KEY = 'SELECT delivery FROM group_member WHERE key = $2';
const UNTIE = `
  DELETE FROM delivery_order
  WHERE (delivery = $1 AND earlier IN (${ABOUT_KEY}) OR earlier = $1 AND delivery IN (${ABOUT_KEY})) AND NOT EXISTS (
    SELECT 1 FROM group_member AS mine JOIN group_member AS other ON other.key = mine.key
    WHERE mine.delivery = delivery_order.delivery AND other.delivery = delivery_order.earlier)`;

/**
 * Takes an alert out of a delivery, which ends with its last member. A delivery waits for an earlier one only while
 * both are about the same alert.
 */
async function leave(
  sql: Sql,
  delivery: number,
  { key, from, as }: Pick<Withdrawal, 'key' | 'from' | 'as'>,
  at: Instant,
): Promise<void> {
  if ((await sql.first(IS_LEFT, [delivery, key, from])) === undefined) {
    await sql.run(END, [delivery, as, at]);
    await release(sql, delivery);
    return;
  }
  await sql.run(TAKE_OUT, [delivery, key, from]);
  await sql.run(UNTIE, [delivery, key]);
}
