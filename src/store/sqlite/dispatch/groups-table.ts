// Groups: alerts that are told to one target together, and when that is decided next.
//
//   due_at   when the group is decided: now for news, else `wake_at`
//   wake_at  when what was decided already is to be decided again
//   news     the number of its oldest notification that was not decided yet: what happened first is told first
import type { DatabaseSync } from 'node:sqlite';
import type { DueGroup, DueMember, DueRound, RecentlySent } from '../../../dispatch/rounds/due-round.ts';
import type { ClockShift } from '../../../dispatch/clock-jump.ts';
import type { GroupTimer, Key } from '../../../dispatch/model.ts';
import type { GroupPlace } from '../../../dispatch/rounds/routing-round.ts';
import { distinctTargets, targetKey } from '../../../core/model/watch/targets.ts';
import type { Instant } from '../../../lib/clock.ts';
import { numberOrNull, recipientOf } from '../../rows/dispatch-rows.ts';
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
import { IS_ACTIVE, type StatesTable } from './states-table.ts';
import { limitBy } from '../database.ts';

/** None of these statements opens a transaction. */
export interface GroupsTable {
  /** It has news. */
  wake(group: GroupPlace, at: Instant, notification: number | null): void;
  /** Whatever it holds back is decided anew. */
  wakeHolding(at: Instant): void;
  /** What an alert held back that is over now. */
  wakeHeldBy(key: Key, at: Instant): void;
  /** Up to `limit` groups that are due, and all that are due of a target on one of the `whole` channels. */
  due(due: Due): Pick<DueRound, 'groups' | 'sent'>;
  readMembers(groups: readonly DueGroup[], limit: number): readonly DueGroup[];
  /** False: it has changed since it was read. */
  keep(group: DueGroup, timer: GroupTimer, isKept: boolean): boolean;
  isAsRead(group: DueGroup): boolean;
  /** All that waits is decided anew. */
  moveClock(jump: ClockShift): void;
  nextDue(): Instant | null;
  /** Those without members. */
  prune(before: Instant): void;
}

export interface Due {
  readonly at: Instant;
  readonly limit: number;
  readonly members: number;
  readonly whole: readonly string[];
  readonly isFull: (sent: RecentlySent) => boolean;
}

const HOUR_MS = 3_600_000;

export function createGroupsTable(db: DatabaseSync, states: Pick<StatesTable, 'stateIn'>): GroupsTable {
  const wake = db.prepare(`
    INSERT INTO dispatch_group (id, channel, recipient, labels, due_at, news) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT (id) DO UPDATE SET
      due_at = min(coalesce(due_at, ?5), ?5), news = coalesce(news, ?6), version = version + 1`);
  const wakeHolding = db.prepare(`
    UPDATE dispatch_group SET due_at = ?1, wake_at = ?1, version = version + 1
    WHERE id IN (SELECT group_id FROM recipient_state WHERE (${IS_ACTIVE}) AND held IS NOT NULL)`);
  const wakeHeldBy = db.prepare(`
    UPDATE dispatch_group SET due_at = ?2, wake_at = ?2, version = version + 1
    WHERE id IN (SELECT group_id FROM recipient_state WHERE (${IS_ACTIVE}) AND held ->> '$.by' = ?1)`);
  const COLUMNS = 'id, channel, recipient, version, closed_at, wake_at';
  const first = db.prepare(`
    SELECT ${COLUMNS} FROM dispatch_group WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at, news, id ${limitBy('?')}`);
  const ofTarget = db.prepare(`
    SELECT ${COLUMNS} FROM dispatch_group WHERE due_at IS NOT NULL AND channel = ? AND recipient = ? AND due_at <= ?
    ORDER BY due_at, news, id`);
  const members = db.prepare(`
    SELECT state.*, newest.watch, newest.alert, newest.labels, newest.transition, newest.episode, newest.seq, newest.at,
      alerts.is_open, alerts.is_event
    FROM recipient_state AS state
      LEFT JOIN notifications AS newest ON newest.key = state.key AND newest.seq = state.wanted
      LEFT JOIN alerts ON alerts.key = state.key
    WHERE state.group_id = ?1 AND (${IS_ACTIVE}) AND (?2 = 0 OR state.wanted > state.decided) AND state.key > ?3
    ORDER BY state.key ${limitBy('?4')}`);
  const newsBetween = db.prepare(`
    SELECT seq, episode, transition, at FROM notifications WHERE key = ? AND seq > ? AND seq <= ? ORDER BY seq`);
  const sentTo = db.prepare(`
    SELECT kind, created_at FROM deliveries WHERE channel = ? AND recipient = ? AND created_at > ?
      AND state NOT IN ('cancelled', 'merged')`);
  const keep = db.prepare(`
    UPDATE dispatch_group SET closed_at = ?2, due_at = ?3, wake_at = ?3, news = NULL, version = version + 1 WHERE id = ?1 AND version = ?4`);
  const asRead = db.prepare('SELECT 1 FROM dispatch_group WHERE id = ? AND version = ?');
  const drop = db.prepare('DELETE FROM dispatch_group WHERE id = ? AND version = ?');
  const moveClock = db.prepare(`
    UPDATE dispatch_group SET closed_at = min(closed_at, ?1), due_at = ?1, wake_at = ?1, version = version + 1
    WHERE due_at IS NOT NULL OR closed_at > ?1`);
  const next = db.prepare('SELECT min(due_at) AS at FROM dispatch_group WHERE due_at IS NOT NULL');
  const prune = db.prepare(`
    DELETE FROM dispatch_group WHERE due_at IS NULL AND coalesce(closed_at, 0) < ?
      AND NOT EXISTS (SELECT 1 FROM recipient_state WHERE group_id = dispatch_group.id AND (${IS_ACTIVE}))`);

  function memberOf(row: Row): DueMember | null {
    const between = (): Row[] => newsBetween.all(String(row['key']), Number(row['closed']), Number(row['wanted']));
    return dueMemberOf(
      row,
      () => newsOfMember(row, between),
      () => states.stateIn(row),
    );
  }

  function membersOf(id: string, which: 'all' | 'fresh', after: Key, limit: number): Members {
    const read = members
      .all(id, Number(which === 'fresh'), after, limit)
      .map((row) => ({ row, member: memberOf(row) }));
    return {
      members: read.flatMap(({ member }) => member ?? []),
      damaged: read.filter(({ member }) => member === null).map(({ row }) => String(row['key'])),
      unread: read.length < limit ? null : String(read.at(-1)?.row['key']),
    };
  }

  function groupOf(row: Row, isFull: boolean, at: Instant, limit: number): DueGroup {
    const id = String(row['id']);
    const wakeAt = numberOrNull(row['wake_at']);
    const isResting = wakeAt !== null && wakeAt > at;
    const fresh = isResting && limit > 0 ? freshMembersOf(membersOf(id, 'fresh', '', limit), isFull) : null;
    return dueGroupOf(row, fresh ?? (limit > 0 ? membersOf(id, 'all', '', limit) : NONE_READ), fresh && wakeAt);
  }

  function withMore(group: DueGroup, limit: number): DueGroup {
    if (group.unread === null || limit <= 0) return group;
    return withMembers(group, membersOf(group.id, 'all', group.unread, limit));
  }

  return {
    wake({ id, target, labels }, at, notification) {
      wake.run(id, target.channel, target.recipient, JSON.stringify(labels), at, notification);
    },
    wakeHolding(at) {
      wakeHolding.run(at);
    },
    wakeHeldBy(key, at) {
      wakeHeldBy.run(key, at);
    },
    due({ at, limit, members: mostMembers, whole, isFull }) {
      const rows = first.all(at, limit);
      const isWhole = new Set(whole);
      const targets = distinctTargets(rows.map(recipientOf).filter(({ channel }) => isWhole.has(channel)));
      const all = targets.flatMap(({ channel, recipient }) => ofTarget.all(channel, recipient, at));
      const single = rows.filter(({ channel }) => !isWhole.has(String(channel)));
      const sent = targets.map((one) => sentOf(one, sentTo.all(one.channel, one.recipient, at - HOUR_MS)));
      const full = new Set(sent.filter(isFull).map(({ target }) => targetKey(target)));
      let room = mostMembers;
      const groups = [...all, ...single].map((row) => {
        const group = groupOf(row, full.has(targetKey(recipientOf(row))), at, room);
        room -= sizeOf(group);
        return group;
      });
      return { groups, sent };
    },
    readMembers(groups, limit) {
      let room = limit;
      return groups.map((group) => {
        const more = withMore(group, room);
        room -= sizeOf(more) - sizeOf(group);
        return more;
      });
    },
    keep({ id, version }, { closedAt, wakeAt }, isKept) {
      if (wakeAt === null && !isKept) return drop.run(id, version).changes === 1;
      return keep.run(id, closedAt, wakeAt, version).changes === 1;
    },
    isAsRead: ({ id, version }) => asRead.get(id, version) !== undefined,
    moveClock({ now }) {
      moveClock.run(now);
    },
    nextDue: () => numberOrNull(next.get()?.['at']),
    prune(before) {
      prune.run(before);
    },
  };
}
