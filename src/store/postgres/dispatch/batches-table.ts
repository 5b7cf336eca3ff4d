// Puts what was decided into deliveries, and takes out of them what is not to be said any more.
import { isRow } from '../../../core/values/fields.ts';
import { RANK_OF } from '../../../core/model/delivery.ts';
import { deliveryId } from '../../../core/model/watch/identity.ts';
import type { DeliveryBatch, BatchMember, Key, NeedlessRepeat, Withdrawal } from '../../../dispatch/model.ts';
import type { DeliveryShare, DeliveryShares } from '../../../dispatch/shares.ts';
import type { Undeliverable } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { freshOf, oldestFirst, SHARE_OPEN_MS, type Fresh } from '../../rows/fresh-delivery.ts';
import { jsonOrNull, type Row } from '../../rows/rows.ts';
import { outcomeText } from '../../rows/delivery-rows.ts';
import { columns, type Sql } from '../sql.ts';
import { ranOf } from '../deliveries/deliveries-table.ts';
import { foldOverflow } from './overflow-table.ts';

/**
 * One that is there already is left as it is. Where a channel has too much to get rid of, events are folded. False: what an
 * earlier commit wrote of a message went out meanwhile.
 */
export async function addBatches(
  sql: Sql,
  batches: readonly DeliveryBatch[],
  shares: DeliveryShares,
  at: Instant,
): Promise<boolean> {
  if (batches.length === 0) return true;
  const rows = await rowsOf(
    sql,
    batches.flatMap(({ members }) => members),
  );
  const all = batches.map((batch) => {
    const share = shares.get(batch.id);
    return { share, fresh: freshOf(batch, share, at, (member) => rows.get(nameOf(member))) };
  });
  const whole = all.filter(({ share }) => share === undefined).map(({ fresh }) => fresh);
  await insert(sql, await foldOverflow(sql, oldestFirst(whole), at), at);
  for (const { share, fresh } of all) if (share !== undefined && !(await addShare(sql, fresh, share, at))) return false;
  return true;
}

/**
 * Until the last of its commits, such a delivery falls due a little later: nobody sends it meanwhile, and where the last
 * commit never comes it goes out with the members that it has. False: the rest of the message went out.
 */
async function addShare(sql: Sql, fresh: Fresh, { isFirst, isLast }: DeliveryShare, at: Instant): Promise<boolean> {
  if (isFirst) {
    await insert(sql, [{ ...fresh, dueAt: at + SHARE_OPEN_MS }], at);
    return true;
  }
  const open = await sql.first(
    `UPDATE deliveries SET due_at = $2, rule = CASE WHEN rule = $3 THEN rule ELSE '' END
    WHERE id = $1 AND state = 'due' AND attempt = 0 RETURNING number`,
    [fresh.id, isLast ? fresh.dueAt : at + SHARE_OPEN_MS, fresh.rule],
  );
  if (open === undefined) return false;
  await addMembers(
    sql,
    fresh.members.map((member) => ({ ...member, delivery: Number(open['number']) })),
  );
  return true;
}

function nameOf({ key, seq }: Pick<BatchMember, 'key' | 'seq'>): string {
  return JSON.stringify([key, seq]);
}

/** Number and rule of the notifications of these members. */
async function rowsOf(sql: Sql, members: readonly BatchMember[]): Promise<Map<string, Row>> {
  const rows = await sql.all(
    `SELECT key, seq, number, labels FROM notifications
    WHERE (key, seq) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))`,
    columns(members, [({ key }) => key, ({ seq }) => seq]),
  );
  return new Map(
    rows.map(({ key, seq, number, labels }) => [
      nameOf({ key: String(key), seq: Number(seq) }),
      { number, rule: ruleIn(labels) },
    ]),
  );
}

function ruleIn(labels: unknown): unknown {
  const read = jsonOrNull(labels);
  return isRow(read) ? read['watch'] : null;
}

async function insert(sql: Sql, fresh: readonly Fresh[], at: Instant): Promise<void> {
  if (fresh.length === 0) return;
  const added = await sql.all(
    `INSERT INTO deliveries (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at, folds, rule)
    SELECT id, channel, recipient, kind, rank, 'due', due_at, $1, ${ranOf('one.channel')}, folds, rule
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::text[], $9::text[])
      WITH ORDINALITY AS one (id, channel, recipient, kind, rank, due_at, folds, rule, place)
    ORDER BY place
    ON CONFLICT (id) DO NOTHING RETURNING id, number`,
    [
      at,
      ...columns(fresh, [
        ({ id }) => id,
        ({ channel }) => channel,
        ({ recipient }) => recipient,
        ({ kind }) => kind,
        ({ rank }) => rank,
        ({ dueAt }) => dueAt,
        ({ folds }) => folds,
        ({ rule }) => rule,
      ]),
    ],
  );
  const numbers = new Map(added.map(({ id, number }) => [String(id), Number(number)]));
  // The same id twice in one round is one delivery, with the members of the first.
  const first = [...new Map(fresh.toReversed().map((one) => [one.id, one])).values()];
  await addMembers(
    sql,
    first.flatMap((one) => {
      const delivery = numbers.get(one.id);
      return delivery === undefined ? [] : one.members.map((member) => ({ ...member, delivery }));
    }),
  );
}

type Member = Fresh['members'][number] & { readonly delivery: number };

async function addMembers(sql: Sql, members: readonly Member[]): Promise<void> {
  if (members.length === 0) return;
  await sql.run(
    `INSERT INTO group_member (delivery, key, seq, notification, told_as, held_at, position, present)
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::int[],
      $8::text[])
    ON CONFLICT DO NOTHING`,
    columns(members, [
      ({ delivery }) => delivery,
      ({ key }) => key,
      ({ seq }) => seq,
      ({ notification }) => notification,
      ({ as }) => as,
      ({ heldAt }) => heldAt,
      ({ position }) => position,
      ({ present }) => (present === null ? null : JSON.stringify(present)),
    ]),
  );
  // The first of an alert follows nothing.
  const later = members.filter(({ seq }) => seq > 1).map(({ delivery }) => delivery);
  if (later.length > 0) await follow(sql, later);
}

async function follow(sql: Sql, deliveries: readonly number[]): Promise<void> {
  await sql.run(
    `INSERT INTO delivery_order (delivery, earlier)
    SELECT DISTINCT mine.number, earlier.number
    FROM deliveries AS mine
      JOIN group_member AS member ON member.delivery = mine.number AND member.seq > 1
      JOIN group_member AS before ON before.key = member.key AND before.delivery < mine.number
      JOIN deliveries AS earlier ON earlier.number = before.delivery
        AND earlier.channel = mine.channel AND earlier.recipient = mine.recipient
    WHERE mine.number = ANY($1::bigint[]) AND earlier.state IN ('due', 'sending')
    ON CONFLICT DO NOTHING`,
    [deliveries],
  );
}

/** It ends at once: there is no such channel. */
export async function addDead(sql: Sql, { channel, notification }: Undeliverable, at: Instant): Promise<void> {
  const { number, key, seq, episode, severity } = notification;
  const id = deliveryId(key, { episode, seq }, { channel, recipient: channel });
  const why = `the config has no channel ${channel} any more`;
  const added = await sql.first(
    `INSERT INTO deliveries
      (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at, settled_at, outcome)
    VALUES ($1, $2, $2, 'news', $3, 'dead', $4, $4, ${ranOf('$2')}, $4, $5) ON CONFLICT (id) DO NOTHING RETURNING number`,
    [id, channel, RANK_OF[severity], at, outcomeText({ type: 'rejected', why })],
  );
  if (added === undefined) return;
  const member = { key, seq, as: 'news', heldAt: null, present: null, notification: number, position: 0 } as const;
  await addMembers(sql, [{ ...member, delivery: Number(added['number']) }]);
}

/** Of what waits for another try, and was not taken over as far as anybody knows. Nobody claims it meanwhile. */
export async function dropRepeats(sql: Sql, { target, key }: NeedlessRepeat, at: Instant): Promise<void> {
  const rows = await sql.all(
    `SELECT mine.number, member.seq FROM group_member AS member JOIN deliveries AS mine ON mine.number = member.delivery
    WHERE member.key = $1 AND member.told_as = 'repeat' AND mine.channel = $2 AND mine.recipient = $3
      AND mine.state IN ('due', 'parked') AND NOT mine.maybe_copy
    ORDER BY mine.number FOR UPDATE OF mine`,
    [key, target.channel, target.recipient],
  );
  for (const { number, seq } of rows) await leave(sql, Number(number), key, Number(seq), 'cancelled', at);
}

/** False: a try of it has begun. Until the end of the transaction none begins. */
export async function withdraw(sql: Sql, { target, key, from, as }: Withdrawal, at: Instant): Promise<boolean> {
  const rows = await sql.all(
    `SELECT mine.number, mine.attempt FROM deliveries AS mine
    WHERE mine.number IN (SELECT delivery FROM group_member WHERE key = $1 AND seq >= $2)
      AND mine.channel = $3 AND mine.recipient = $4 AND mine.state IN ('due', 'sending', 'parked')
    ORDER BY mine.number FOR UPDATE`,
    [key, from, target.channel, target.recipient],
  );
  if (rows.some(({ attempt }) => attempt !== 0)) return false;
  for (const { number } of rows) await leave(sql, Number(number), key, from, as, at);
  return true;
}

/** It ends with its last member. */
async function leave(
  sql: Sql,
  delivery: number,
  key: Key,
  from: number,
  as: Withdrawal['as'],
  at: Instant,
): Promise<void> {
  const left = await sql.first(
    'SELECT FROM group_member WHERE delivery = $1 AND NOT (key = $2 AND seq >= $3) LIMIT 1',
    [delivery, key, from],
  );
  if (left === undefined) {
    await sql.run('UPDATE deliveries SET state = $2, settled_at = $3 WHERE number = $1', [delivery, as, at]);
    await sql.run('DELETE FROM delivery_order WHERE earlier = $1', [delivery]);
  } else
    await sql.run('DELETE FROM group_member WHERE delivery = $1 AND key = $2 AND seq >= $3', [delivery, key, from]);
}
