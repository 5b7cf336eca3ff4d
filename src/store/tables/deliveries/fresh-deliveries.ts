// Deliveries that are about to be written.
import { RANK_OF, type DeliveryKind } from '../../../core/model/delivery.ts';
import type { DeliveryId, Recipient } from '../../../core/model/ids.ts';
import type { BatchMember, DeliveryBatch, Key } from '../../../dispatch/model.ts';
import type { DeliveryShare } from '../../../dispatch/shares.ts';
import type { Instant } from '../../../lib/clock.ts';
import { int, type Row } from '../../sql/rows.ts';

/** A delivery to be made. */
export interface Fresh extends Recipient {
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly rank: number;
  /** The rule of all members; '': several rules. */
  readonly rule: string;
  readonly members: readonly FreshMember[];
  readonly critical: DeliveryBatch['critical'];
  /** For a summary, the key of the events that it takes in while it is open; null: it is no summary. */
  readonly folds: string | null;
  readonly dueAt: Instant;
}

export interface FreshMember extends Pick<BatchMember, 'key' | 'seq' | 'as' | 'renewed' | 'heldAt' | 'present'> {
  /** The number of its notification; null: the notification was dropped. */
  readonly notification: number | null;
  /** Its place in the message. */
  readonly position: number;
}

/** The member of a message about one transition. */
export function onlyMember(key: Key, seq: number, notification: number | null): FreshMember {
  return { key, seq, as: 'news', renewed: null, heldAt: null, present: null, notification, position: 0 };
}

/** The longest wait between two commits that add members to one delivery. */
export const SHARE_OPEN_MS = 10_000;

/**
 * `share`: set if several commits write the delivery. `rowOf`: the number and the rule of a member's notification;
 * undefined: the notification was dropped.
 */
export function freshOf(
  { id, kind, target, severity, critical, members }: DeliveryBatch,
  share: DeliveryShare | undefined,
  at: Instant,
  rowOf: (member: BatchMember) => Row | undefined,
): Fresh {
  const rows = members.map((member) => ({ member, row: rowOf(member) }));
  const [rule, ...others] = new Set(rows.map(({ row }) => row?.['rule']));
  return {
    id,
    kind,
    critical,
    ...target,
    folds: null,
    dueAt: at,
    rank: RANK_OF[severity],
    rule: typeof rule === 'string' && others.length === 0 ? rule : '',
    members: rows.map(({ member, row }, index) => ({
      ...member,
      notification: row === undefined ? null : int(row, 'number'),
      position: share?.positions[index] ?? index,
    })),
  };
}

/** The oldest transition is sent first. */
export function oldestFirst(fresh: readonly Fresh[]): Fresh[] {
  return fresh.toSorted((a, b) => oldestOf(a) - oldestOf(b));
}

function oldestOf({ members }: Fresh): number {
  return members.reduce((oldest, { notification }) => Math.min(oldest, notification ?? Infinity), Infinity);
}
