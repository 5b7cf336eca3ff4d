// What a round reads of groups that are due, whichever engine it comes from.
import type { Recipient } from '../../core/model/ids.ts';
import type { DueGroup, DueMember, RecentlySent } from '../../dispatch/rounds/due-round.ts';
import type { RecipientState } from '../../dispatch/model.ts';
import { labelsOf, newsOf, numberOrNull, recipientOf } from './dispatch-rows.ts';
import type { Row } from './rows.ts';

/** Members of a group that can be read, and the keys of those that cannot. */
export type Members = Pick<DueGroup, 'members' | 'damaged' | 'unread'>;

export const NONE_READ: Members = { members: [], damaged: [], unread: '' };

export function sizeOf({ members, damaged }: Members): number {
  return members.length + damaged.length;
}

export function withMembers(group: DueGroup, next: Members): DueGroup {
  return {
    ...group,
    members: [...group.members, ...next.members],
    damaged: [...group.damaged, ...next.damaged],
    unread: next.unread,
  };
}

/** `newsBetween`: rows of the transitions after the one that was told last, where they are more than one. */
export function newsOfMember(row: Row, newsBetween: () => readonly Row[]): DueMember['news'] {
  const [wanted, closed] = [Number(row['wanted']), Number(row['closed'])];
  if (wanted <= closed) return [];
  return wanted === closed + 1 ? newsOf(row) : newsBetween().flatMap(newsOf);
}

/** Null: its notification is damaged or gone. */
export function dueMemberOf(row: Row, news: () => DueMember['news'], state: () => RecipientState): DueMember | null {
  const described = labelsOf(row['labels']);
  if (described === null) return null;
  const isEvent = row['is_open'] === null || row['is_event'] === 1;
  const hasEnded = row['transition'] === 'retracted' || row['transition'] === 'resolved';
  return {
    ...described,
    key: String(row['key']),
    watch: String(row['watch']),
    alert: String(row['alert']),
    episode: Number(row['episode']),
    isOpen: row['is_open'] === null ? !hasEnded : row['is_open'] === 1,
    isEvent,
    news: news(),
    state: state(),
  };
}

/** `restWakesAt`: set where the members are not all of it. */
export function dueGroupOf(row: Row, members: Members, restWakesAt: DueGroup['restWakesAt']): DueGroup {
  return {
    id: String(row['id']),
    target: recipientOf(row),
    version: Number(row['version']),
    closedAt: numberOrNull(row['closed_at']),
    restWakesAt,
    ...members,
  };
}

/**
 * What is new of a group whose rest waits for its time. Null: it does not suffice, since some of it hurries the rest.
 * `isFull`: nothing of the group goes out now.
 */
export function freshMembersOf(fresh: Members, isFull: boolean): Members | null {
  const isLittle = isFull || fresh.members.every(({ severity }) => severity !== 'critical');
  return fresh.unread === null && fresh.members.length > 0 && isLittle ? fresh : null;
}

/** From the kind and the time of what was made for the target. */
export function sentOf(target: Recipient, rows: readonly Row[]): RecentlySent {
  const instants = rows.map(({ kind, created_at }) => ({ isSummary: isSummary(kind), at: Number(created_at) }));
  const summaries = instants.filter((one) => one.isSummary).map((one) => one.at);
  return {
    target,
    at: instants.filter((one) => !one.isSummary).map((one) => one.at),
    summarizedAt: summaries.length === 0 ? null : Math.max(...summaries),
  };
}

function isSummary(kind: unknown): boolean {
  return kind !== 'news' && kind !== 'repeat';
}
