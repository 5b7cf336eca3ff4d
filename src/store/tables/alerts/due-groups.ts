// Reads the groups that are due for a round.
import { z } from 'zod';
import type { Recipient } from '../../../core/model/ids.ts';
import { distinctTargets, targetKey } from '../../../core/model/delivery.ts';
import type { Key, PendingTransition } from '../../../dispatch/model.ts';
import type { DueGroup, DueMember, DueRound, RecentlySent } from '../../../dispatch/rounds/due-round.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { DueQuery } from '../../contract/dispatch.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { int, intOrNull, ints, jsonOrNull, texts, type Row } from '../../sql/rows.ts';
import { list, type Sql } from '../../sql/sql.ts';
import { deliveryKind, MAY_HAVE_ARRIVED } from '../deliveries/delivery-rows.ts';
import { labelsOf, recipientOf, severityIn, TRANSITIONS } from './notifications.ts';
import { IS_ACTIVE, NEWEST_TRIED, stateOf } from './recipient-states.ts';

const HOUR_MS = 3_600_000;
const COLUMNS = 'id, g.channel, g.recipient, version, closed_at, due_at, wake_at, news';

// SQLite uses a partial index only if the query repeats its condition.
const FIRST = `
  SELECT ${COLUMNS} FROM dispatch_group AS g WHERE due_at IS NOT NULL AND due_at <= $1
  ORDER BY due_at, news NULLS FIRST, id LIMIT $2 + 0`;

/**
 * Up to `limit` groups that are due. If one of them has a target on a counted channel, all due groups of this target
 * are added.
 */
export async function dueGroups(
  sql: Sql,
  { at, limit, members, counted, isFull }: DueQuery,
): Promise<Pick<DueRound, 'groups' | 'sent'>> {
  const first = await sql.all(FIRST, [at, limit]);
  const isWhole = new Set(counted);
  const targets = distinctTargets(first.map(recipientOf).filter(({ channel }) => isWhole.has(channel)));
  const all = [...(await groupsOf(sql, targets, at)), ...first.filter(({ channel }) => !isWhole.has(String(channel)))];
  const sent = await sentTo(sql, targets, at);
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

const OF_TARGET = list(
  { channel: 'text', recipient: 'text', at: 'int' },
  (row) => `
    SELECT ${COLUMNS} FROM dispatch_group AS g ${row.also}
    WHERE due_at IS NOT NULL AND g.channel = ${row.channel} AND g.recipient = ${row.recipient} AND due_at <= ${row.at}
    ORDER BY due_at, news NULLS FIRST, id`,
);

/** The due groups of these targets, in the order of the targets. */
async function groupsOf(sql: Sql, targets: readonly Recipient[], at: Instant): Promise<readonly Row[]> {
  const all = targets.map((target) => ({ ...target, at }));
  const rows = await sql.allOf(OF_TARGET, all);
  const byTarget = Map.groupBy(rows, (row) => targetKey(recipientOf(row)));
  return targets.flatMap((target) => byTarget.get(targetKey(target)) ?? []);
}

const SENT = list(
  { channel: 'text', recipient: 'text', since: 'int' },
  (row) => `
    SELECT mine.channel, mine.recipient, kind, created_at, critical FROM deliveries AS mine ${row.also}
    WHERE mine.channel = ${row.channel} AND mine.recipient = ${row.recipient} AND created_at > ${row.since}
      AND (state NOT IN ('cancelled', 'merged') OR ${MAY_HAVE_ARRIVED})`,
);

/** The messages made for the targets within the last hour, except those that were taken back and cannot have arrived. */
async function sentTo(sql: Sql, targets: readonly Recipient[], at: Instant): Promise<RecentlySent[]> {
  const recent = targets.map((target) => ({ ...target, since: at - HOUR_MS }));
  const rows = await sql.allOf(SENT, recent);
  const byTarget = Map.groupBy(rows, (row) => targetKey(recipientOf(row)));
  return targets.map((target) => ({ target, closed: (byTarget.get(targetKey(target)) ?? []).map(closedOf) }));
}

function closedOf(row: Row): RecentlySent['closed'][number] {
  return {
    kind: deliveryKind.catch('news').parse(row['kind']),
    at: Number(row['created_at']),
    critical: criticalLines.safeParse(jsonOrNull(row['critical'])).data ?? null,
  };
}

const criticalLines = z.object({ rules: z.array(z.string()), alerts: z.array(z.string()) });

/** The readable members of a group, and the keys of the others. */
type Members = Pick<DueGroup, 'members' | 'damaged' | 'unread'>;

const NONE_READ: Members = { members: [], damaged: [], unread: '' };

function sizeOf({ members, damaged }: Members): number {
  return members.length + damaged.length;
}

/** Reads only the new members if the others wait for their time and no new one hurries them. */
async function groupOf(
  sql: Sql,
  row: Row,
  { isFull, at, limit }: { readonly isFull: boolean; readonly at: Instant; readonly limit: number },
): Promise<DueGroup> {
  if (limit <= 0) return dueGroupOf(row, NONE_READ, null);
  const id = String(row['id']);
  const wakeAt = intOrNull(row, 'wake_at');
  const isResting = wakeAt !== null && wakeAt > at;
  const fresh = isResting ? freshMembersOf(await membersOf(sql, FRESH_MEMBERS, id, '', limit), isFull) : null;
  return dueGroupOf(row, fresh ?? (await membersOf(sql, MEMBERS, id, '', limit)), fresh && wakeAt);
}

/** `restWakesAt`: set if only the new members were read. */
function dueGroupOf(row: Row, members: Members, restWakesAt: DueGroup['restWakesAt']): DueGroup {
  return {
    id: String(row['id']),
    target: recipientOf(row),
    version: Number(row['version']),
    closedAt: intOrNull(row, 'closed_at'),
    restWakesAt,
    ...members,
  };
}

/**
 * The new members of a group whose other members wait for their time. Null: all must be read, since a new one hurries
 * the others. `isFull`: no message of the group is sent now.
 */
function freshMembersOf(fresh: Members, isFull: boolean): Members | null {
  const isLittle =
    isFull || fresh.members.every(({ severity, state }) => severity !== 'critical' && state.renewed === null);
  return fresh.unread === null && fresh.members.length > 0 && isLittle ? fresh : null;
}

/** The groups, with up to `limit` of their unread members added. */
export async function withMoreMembers(sql: Sql, groups: readonly DueGroup[], limit: number): Promise<DueGroup[]> {
  const all: DueGroup[] = [];
  let room = limit;
  for (const group of groups) {
    const more = await withMore(sql, group, room);
    all.push(more);
    room -= sizeOf(more) - sizeOf(group);
  }
  return all;
}

async function withMore(sql: Sql, group: DueGroup, limit: number): Promise<DueGroup> {
  if (group.unread === null || limit <= 0) return group;
  const { members, damaged, unread } = await membersOf(sql, MEMBERS, group.id, group.unread, limit);
  return { ...group, members: [...group.members, ...members], damaged: [...group.damaged, ...damaged], unread };
}

// The end of a condition has the severity of its sent messages, even if its rule has a lower one by now. The unsettled
// deliveries of the group's target are few, so they are read once, in `tries`. A search for each member would also read
// its settled deliveries, hundreds if it was repeated for weeks. The computed recipient makes SQLite use the index of
// unsettled deliveries. Else it would search all messages that the target ever had, 18 ms for each group after five
// weeks.
const membersWhere =
  (which: string) =>
  (d: SqlDialect): string => `
  WITH tries AS MATERIALIZED (
    SELECT member.key, ${NEWEST_TRIED} AS tried
    FROM dispatch_group AS mine_group
      JOIN deliveries AS mine ON mine.channel = mine_group.channel AND mine.recipient || '' = mine_group.recipient
        AND mine.state IN ('due', 'sending')
      JOIN group_member AS member ON member.delivery = mine.number
    WHERE mine_group.id = $1 GROUP BY member.key)
  SELECT state.*, CASE WHEN state.closed > 0 THEN tries.tried END AS tried, newest.watch, newest.alert, newest.transition, newest.episode, newest.seq, newest.at,
    CASE WHEN alerts.is_open = 1 THEN alerts.labels ELSE newest.labels END AS labels, alerts.is_open, alerts.is_event,
    alerts.needs_ack,
    CASE WHEN alerts.is_open = 0 THEN ${d.jsonText('newest.message', 'severity')} END AS severity
  FROM recipient_state AS state
    LEFT JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
    LEFT JOIN alerts ON alerts.key = state.key
    LEFT JOIN tries ON tries.key = state.key
  WHERE state.group_id = $1 AND (${IS_ACTIVE}) AND ${which} AND state.key > $2
  ORDER BY state.key LIMIT $3 + 0`;
const MEMBERS = membersWhere('1 = 1');
const FRESH_MEMBERS = membersWhere('(wanted > decided OR renewed IS NOT NULL)');

async function membersOf(
  sql: Sql,
  members: (d: SqlDialect) => string,
  id: string,
  after: Key,
  limit: number,
): Promise<Members> {
  const rows = await sql.all(members, [id, after, limit]);
  const between = await newsBetween(sql, rows);
  const read = rows.map((row) => ({ row, member: dueMemberOf(row, between.get(String(row['key'])) ?? []) }));
  return {
    members: read.flatMap(({ member }) => member ?? []),
    damaged: read.filter(({ member }) => member === null).map(({ row }) => String(row['key'])),
    unread: rows.length < limit ? null : String(rows.at(-1)?.['key']),
  };
}

const NEWS = list(
  { key: 'text', closed: 'int', wanted: 'int' },
  (row) => `
    SELECT n.key, n.seq, n.episode, n.transition, n.at FROM notifications AS n ${row.also}
    WHERE n.key = ${row.key} AND n.seq > ${row.closed} AND n.seq <= ${row.wanted} ORDER BY n.seq`,
);

/** The unsent transitions of alerts that have several of them, by the key of the alert. */
async function newsBetween(sql: Sql, rows: readonly Row[]): Promise<ReadonlyMap<string, readonly Row[]>> {
  const several = rows
    .map((row) => ({ ...texts(row, 'key'), ...ints(row, 'closed', 'wanted') }))
    .filter(({ closed, wanted }) => wanted > closed + 1);
  return Map.groupBy(await sql.allOf(NEWS, several), ({ key }) => String(key));
}

/** `between`: the transitions after the last sent one, if there are several. Null: damaged or dropped. */
function dueMemberOf(row: Row, between: readonly Row[]): DueMember | null {
  const described = labelsOf(row['labels']);
  if (described === null) return null;
  const isEvent = row['is_open'] === null || row['is_event'] === 1;
  const hasEnded = row['transition'] === 'retracted' || row['transition'] === 'resolved';
  return {
    ...described,
    severity: severityIn(row['severity']) ?? described.severity,
    ...texts(row, 'key', 'watch', 'alert'),
    episode: int(row, 'episode'),
    isOpen: row['is_open'] === null ? !hasEnded : row['is_open'] === 1,
    isEvent,
    needsAck: !isEvent || row['needs_ack'] === 1,
    news: newsOfMember(row, between),
    state: stateOf(row),
  };
}

function newsOfMember(row: Row, between: readonly Row[]): PendingTransition[] {
  const [wanted, closed] = [Number(row['wanted']), Number(row['closed'])];
  if (wanted <= closed) return [];
  return (wanted === closed + 1 ? [row] : between).flatMap(newsOf);
}

const news = z.object({ seq: z.number(), episode: z.number(), transition: z.enum(TRANSITIONS), at: z.number() });

/** Empty if the row is damaged. */
function newsOf(row: Row): PendingTransition[] {
  const one = news.safeParse(row).data;
  return one === undefined ? [] : [one];
}
