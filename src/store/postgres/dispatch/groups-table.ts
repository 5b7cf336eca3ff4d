// Groups: alerts that are told to one target together, and when that is decided next.
//
//   due_at   when the group is decided: now for news, else `wake_at`
//   wake_at  when what was decided already is to be decided again
//   news     the number of its oldest notification that was not decided yet: what happened first is told first
import { distinctTargets, targetKey } from '../../../core/model/watch/targets.ts';
import type { Recipient } from '../../../core/model/ids.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { DueGroup, DueRound, RecentlySent } from '../../../dispatch/rounds/due-round.ts';
import type { GroupTimer, Key } from '../../../dispatch/model.ts';
import type { GroupPlace } from '../../../dispatch/rounds/routing-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import { numberOrNull, owedIn, recipientOf, stateOf } from '../../rows/dispatch-rows.ts';
import type { DueQuery } from '../../dispatch-store.ts';
import {
  dueGroupOf,
  dueMemberOf,
  freshMembersOf,
  newsOfMember,
  NONE_READ,
  sentOf,
  sizeOf,
  withMembers,
  type Members,
} from '../../rows/due-rows.ts';
import type { Row } from '../../rows/rows.ts';
import { columns, jsonText, type Sql } from '../sql.ts';
import { notAfter } from './moved-clock.ts';
import { IS_ACTIVE, TRIED } from './states-table.ts';

const HOUR_MS = 3_600_000;
const COLUMNS = 'id, channel, recipient, version, closed_at, due_at, wake_at, news';

/** Something about them, which happened with that notification. */
export interface Woken {
  readonly group: GroupPlace;
  readonly notification: number | null;
}

/** They have news. */
export async function wake(sql: Sql, woken: readonly Woken[], at: Instant): Promise<void> {
  const groups = [...Map.groupBy(woken, ({ group }) => group.id).values()].flatMap((some) =>
    some.slice(0, 1).map(({ group }) => ({
      ...group,
      news: some.find(({ notification }) => notification !== null)?.notification ?? null,
    })),
  );
  if (groups.length === 0) return;
  await sql.run(
    `INSERT INTO dispatch_group AS old (id, channel, recipient, labels, due_at, news)
    SELECT id, channel, recipient, labels, $1, news
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[]) AS g (id, channel, recipient, labels, news)
    ON CONFLICT (id) DO UPDATE SET
      due_at = least(old.due_at, $1::bigint), news = coalesce(old.news, excluded.news), version = old.version + 1`,
    [
      at,
      ...columns(groups, [
        ({ id }) => id,
        ({ target }) => target.channel,
        ({ target }) => target.recipient,
        ({ labels }) => JSON.stringify(labels),
        ({ news }) => news,
      ]),
    ],
  );
}

/** Whatever they hold back is decided anew. */
export async function wakeHolding(sql: Sql, at: Instant): Promise<void> {
  await wakeThose(sql, 'held IS NOT NULL', [at]);
}

/** What an alert held back that is over now. */
export async function wakeHeldBy(sql: Sql, keys: readonly Key[], at: Instant): Promise<void> {
  if (keys.length > 0) await wakeThose(sql, `${jsonText('held', 'by')} = ANY($2::text[])`, [at, keys]);
}

async function wakeThose(sql: Sql, which: string, values: Parameters<Sql['run']>[1]): Promise<void> {
  await sql.run(
    `UPDATE dispatch_group SET due_at = $1::bigint, wake_at = $1::bigint, version = version + 1
    WHERE id IN (SELECT group_id FROM recipient_state WHERE (${IS_ACTIVE}) AND ${which})`,
    values,
  );
}

/** Up to `limit` groups that are due, and all that are due of a target on one of the counted channels. */
export async function dueGroups(
  sql: Sql,
  { at, limit, members, counted, isFull }: DueQuery,
): Promise<Pick<DueRound, 'groups' | 'sent'>> {
  const first = await sql.all(
    `SELECT ${COLUMNS} FROM dispatch_group WHERE due_at <= $1 ORDER BY due_at, news NULLS FIRST, id LIMIT $2`,
    [at, limit],
  );
  const isWhole = new Set(counted);
  const targets = distinctTargets(first.map(recipientOf).filter(({ channel }) => isWhole.has(channel)));
  const all = [...(await groupsOf(sql, targets, at)), ...first.filter(({ channel }) => !isWhole.has(String(channel)))];
  const sent: RecentlySent[] = [];
  for (const target of targets) sent.push(await sentTo(sql, target, at));
  const full = new Set(sent.filter(isFull).map(({ target }) => targetKey(target)));
  const groups: DueGroup[] = [];
  let room = members;
  for (const row of all) {
    const group = await groupOf(sql, row, { isFull: full.has(targetKey(recipientOf(row))), at, limit: room });
    groups.push(group);
    room -= sizeOf(group);
  }
  return { groups, sent };
}

async function groupsOf(sql: Sql, targets: readonly Recipient[], at: Instant): Promise<readonly Row[]> {
  if (targets.length === 0) return [];
  return sql.all(
    `SELECT ${COLUMNS}
    FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS target (channel, recipient, place)
      JOIN dispatch_group USING (channel, recipient)
    WHERE due_at <= $1 ORDER BY place, due_at, news NULLS FIRST, id`,
    [at, ...columns(targets, [({ channel }) => channel, ({ recipient }) => recipient])],
  );
}

/** What is new alone, where the rest waits for its time and nothing of it is hurried by what is new. */
async function groupOf(
  sql: Sql,
  row: Row,
  { isFull, at, limit }: { readonly isFull: boolean; readonly at: Instant; readonly limit: number },
): Promise<DueGroup> {
  if (limit <= 0) return dueGroupOf(row, NONE_READ, null);
  const id = String(row['id']);
  const wakeAt = numberOrNull(row['wake_at']);
  const isResting = wakeAt !== null && wakeAt > at;
  const fresh = isResting
    ? freshMembersOf(await membersOf(sql, id, { which: 'fresh', after: '', limit }), isFull)
    : null;
  return dueGroupOf(row, fresh ?? (await membersOf(sql, id, { which: 'all', after: '', limit })), fresh && wakeAt);
}

/** The same groups, with up to `limit` more of their members. */
export async function readMembers(sql: Sql, groups: readonly DueGroup[], limit: number): Promise<DueGroup[]> {
  const all: DueGroup[] = [];
  let room = limit;
  for (const group of groups) {
    const { id, unread } = group;
    const isRead = unread === null || room <= 0;
    const more = isRead
      ? group
      : withMembers(group, await membersOf(sql, id, { which: 'all', after: unread, limit: room }));
    all.push(more);
    room -= sizeOf(more) - sizeOf(group);
  }
  return all;
}

interface Part {
  readonly which: 'all' | 'fresh';
  readonly after: Key;
  readonly limit: number;
}

async function membersOf(sql: Sql, id: string, { which, after, limit }: Part): Promise<Members> {
  const rows = await sql.all(
    `SELECT state.*, ${TRIED}, newest.watch, newest.alert, newest.labels, newest.transition, newest.episode, newest.seq,
      newest.at, alerts.is_open, alerts.is_event
    FROM recipient_state AS state
      LEFT JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
      LEFT JOIN alerts ON alerts.key = state.key
    WHERE state.group_id = $1 AND (${IS_ACTIVE})${which === 'fresh' ? ' AND wanted > decided' : ''} AND state.key > $2
    ORDER BY state.key LIMIT $3`,
    [id, after, limit],
  );
  const unread = rows.length < limit ? null : String(rows.at(-1)?.['key']);
  return { ...readMembersIn(rows, await newsBetween(sql, rows)), unread };
}

type Between = ReadonlyMap<Row, readonly Row[]>;

/** Of each state of which more than one transition was not told, those transitions. */
async function newsBetween(sql: Sql, rows: readonly Row[]): Promise<Between> {
  const several = rows.filter((row) => Number(row['wanted']) > Number(row['closed']) + 1);
  if (several.length === 0) return new Map();
  const news = await sql.all(
    `SELECT place, n.seq, n.episode, n.transition, n.at
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS state (key, closed, wanted, place)
      JOIN notifications AS n ON n.key = state.key AND n.seq > state.closed AND n.seq <= state.wanted
    ORDER BY place, n.seq`,
    columns(several, [(row) => String(row['key']), (row) => Number(row['closed']), (row) => Number(row['wanted'])]),
  );
  const byPlace = Map.groupBy(news, ({ place }) => Number(place));
  return new Map(several.map((row, index) => [row, byPlace.get(index + 1) ?? []]));
}

function readMembersIn(rows: readonly Row[], between: Between): Omit<Members, 'unread'> {
  const read = rows.map((row) => ({
    row,
    member: dueMemberOf(
      row,
      () => newsOfMember(row, () => between.get(row) ?? []),
      () => ({ ...stateOf(row), owed: owedIn(row) }),
    ),
  }));
  return {
    members: read.flatMap(({ member }) => member ?? []),
    damaged: read.filter(({ member }) => member === null).map(({ row }) => String(row['key'])),
  };
}

/** What was made for the target within the hour. */
async function sentTo(sql: Sql, target: Recipient, at: Instant): Promise<RecentlySent> {
  const rows = await sql.all(
    `SELECT kind, created_at FROM deliveries WHERE channel = $1 AND recipient = $2 AND created_at > $3
      AND state NOT IN ('cancelled', 'merged')`,
    [target.channel, target.recipient, at - HOUR_MS],
  );
  return sentOf(target, rows);
}

/** False: one of them has changed since it was read. Where `isKept` is false, a group that waits for nothing goes. */
export async function keepGroups(
  sql: Sql,
  groups: readonly { readonly group: DueGroup; readonly timer: GroupTimer; readonly isKept: boolean }[],
): Promise<boolean> {
  if (groups.length === 0) return true;
  const changed = await sql.first(
    `WITH g AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bool[])
        AS g (id, version, closed_at, wake_at, goes)),
    gone AS (
      DELETE FROM dispatch_group AS old USING g WHERE g.goes AND (old.id, old.version) = (g.id, g.version) RETURNING 1),
    kept AS (
      UPDATE dispatch_group AS old SET
        closed_at = g.closed_at, due_at = g.wake_at, wake_at = g.wake_at, news = NULL, version = old.version + 1
      FROM g WHERE NOT g.goes AND (old.id, old.version) = (g.id, g.version) RETURNING 1)
    SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM kept) AS changed`,
    columns(groups, [
      ({ group }) => group.id,
      ({ group }) => group.version,
      ({ timer }) => timer.closedAt,
      ({ timer }) => timer.wakeAt,
      ({ timer, isKept }) => timer.wakeAt === null && !isKept,
    ]),
  );
  return Number(changed?.['changed']) === groups.length;
}

/** False: one of them has changed since it was read. */
export async function areAsRead(sql: Sql, groups: readonly DueGroup[]): Promise<boolean> {
  if (groups.length === 0) return true;
  const row = await sql.first(
    `SELECT count(*) AS same FROM dispatch_group
    WHERE (id, version) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))`,
    columns(groups, [({ id }) => id, ({ version }) => version]),
  );
  return Number(row?.['same']) === groups.length;
}

/** All that waits is decided anew. */
export async function moveGroups(sql: Sql, { now }: ClockShift): Promise<void> {
  await sql.run(
    `UPDATE dispatch_group SET closed_at = ${notAfter('closed_at', '$1')}, due_at = $1::bigint, wake_at = $1::bigint,
      version = version + 1
    WHERE due_at IS NOT NULL OR closed_at > $1::bigint`,
    [now],
  );
}

export async function nextGroup(sql: Sql): Promise<Instant | null> {
  return numberOrNull(
    (await sql.first('SELECT min(due_at) AS at FROM dispatch_group WHERE due_at IS NOT NULL'))?.['at'],
  );
}

/** Those without members. */
export async function pruneGroups(sql: Sql, before: Instant): Promise<void> {
  await sql.run(
    `DELETE FROM dispatch_group AS old WHERE due_at IS NULL AND coalesce(closed_at, 0) < $1
      AND NOT EXISTS (SELECT FROM recipient_state WHERE group_id = old.id AND (${IS_ACTIVE}))`,
    [before],
  );
}
