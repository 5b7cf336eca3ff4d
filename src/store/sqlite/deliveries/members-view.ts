// What deliveries speak of.
import type { DatabaseSync } from 'node:sqlite';
import { MOST_LISTED, type Delivery, type MoreMembers } from '../../../core/model/delivery.ts';
import { membersIn } from '../../rows/delivery-members.ts';
import { moreOf } from '../../rows/delivery-rows.ts';
import { readable, type Row } from '../../rows/rows.ts';
import { IN_RANGE, type KeyRange } from './member-pages.ts';

/** For who reads every member of every delivery. */
export const MEMBERS = `
  SELECT mine.id, watch, message, told_as, held_at, present FROM group_member AS member
    JOIN deliveries AS mine ON mine.number = member.delivery
    LEFT JOIN notifications AS notification ON notification.number = member.notification`;

export interface DeliveryRow {
  readonly id: string;
  readonly number: number;
}

type Members = Pick<Delivery, 'members' | 'more'>;

export interface MembersView {
  /**
   * The members that the message lists, and the others, counted. Where some cannot be read, the others are told; throws a
   * StorageError where none can.
   */
  all(of: DeliveryRow): Members;
  /** Those that are listed, and what is left of the delivery to be read, page by page; null: nothing. */
  listed(of: DeliveryRow): Members & { readonly unread: UnreadMembers | null };
}

export interface UnreadMembers {
  /** The others with these keys, counted; without those that cannot be read. */
  page(range: KeyRange): MoreMembers[];
}

const EVERY_KEY: KeyRange = { after: '', to: null };

export function createMembersView(db: DatabaseSync): MembersView {
  // Thousands of members are sorted without their messages.
  const listed = db.prepare(`
    SELECT ?2 AS id, watch, message, told_as, held_at, present, position, first.key, first.seq
    FROM (SELECT * FROM group_member AS member WHERE member.delivery = ?1 ORDER BY ${PLACE} LIMIT ${MOST_LISTED + 1}) AS first
      LEFT JOIN notifications AS notification ON notification.number = first.notification
    ORDER BY position, first.key, first.seq`);
  const others = db.prepare(`
    SELECT ?4 AS id, coalesce(CASE WHEN json_valid(labels) THEN labels ->> '$.watch' END, watch) AS rule, alert,
      CASE WHEN json_valid(labels) THEN labels ->> '$.severity' END AS severity, 'alert.' || transition AS type, count(*) AS count,
      json_group_array(member.key) AS keys
    FROM group_member AS member JOIN notifications ON notifications.number = member.notification
    WHERE member.delivery = ?1 AND ${IN_RANGE} AND (${PLACE}) > (?5, ?6, ?7)
    GROUP BY rule, alert, severity, type ORDER BY rule, alert, severity, type`);

  function unreadBehind({ id, number }: DeliveryRow, last: Row | undefined): UnreadMembers {
    const place = [Number(last?.['position']), String(last?.['key']), Number(last?.['seq'])] as const;
    return { page: ({ after, to }) => readable(others.all(number, after, to, id, ...place), moreOf) };
  }

  function listedOf(row: DeliveryRow): ReturnType<MembersView['listed']> {
    const rows = listed.all(row.number, row.id);
    const isWhole = rows.length <= MOST_LISTED;
    return {
      ...membersIn(row.id, rows, () => []),
      unread: isWhole ? null : unreadBehind(row, rows[MOST_LISTED - 1]),
    };
  }

  return {
    listed: listedOf,
    all(row) {
      const { members, unread } = listedOf(row);
      return { members, more: unread?.page(EVERY_KEY) ?? [] };
    },
  };
}

const PLACE = 'member.position, member.key, member.seq';
