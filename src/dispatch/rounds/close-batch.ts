// Closes batches. This fixes the members of a message, and so its id, which every try uses.
import { deliveryId, idOf } from '../../core/model/watch/identity.ts';
import type { DeliveryId, Recipient } from '../../core/model/ids.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import { mapInSteps, type Steps } from '../../lib/steps.ts';
import { criticalOf } from '../policy/rate.ts';
import type { DeliveryBatch, BatchMember, DeliveryKind, GroupMember } from '../model.ts';
import type { MessageItem } from '../owed.ts';

/** One line of a message, with the alert that it is about. */
export interface ClosedLine {
  readonly alert: GroupMember;
  readonly item: Omit<MessageItem, 'as'> & Pick<BatchMember, 'as'>;
  readonly renewed: BatchMember['renewed'];
  readonly heldAt: Instant | null;
  readonly heldBy: string | null;
  readonly present: BatchMember['present'];
}

interface Envelope {
  readonly kind: DeliveryKind;
  readonly target: Recipient;
  readonly groupId: string | null;
  readonly dueAt: Instant;
  /**
   * When its group closed the former batch. It is part of the id, so a repeat of a message that was given up has a new
   * id.
   */
  readonly closedAt: Instant | null;
}

/** The same lines in any order make the same batch. */
export function* closeBatch(envelope: Envelope, lines: readonly ClosedLine[]): Steps<DeliveryBatch> {
  const sorted = lines.toSorted(bySeverityAndAge);
  const members = sorted.map(({ alert, item, renewed, heldAt, heldBy, present }) => ({
    key: alert.key,
    seq: item.seq,
    as: item.as,
    renewed,
    heldAt,
    heldBy,
    present,
  }));
  const severity = sorted[0]?.alert.severity ?? 'info';
  const { closedAt: _closedAt, ...batch } = envelope;
  const critical = criticalOf(sorted.map(({ alert }) => alert));
  return { ...batch, id: yield* idOfBatch(envelope, sorted), severity, critical, members };
}

/**
 * A message about one new transition has the id that it would have without groups; other ids are hashes of all members.
 */
function* idOfBatch({ kind, target, dueAt, closedAt }: Envelope, lines: readonly ClosedLine[]): Steps<DeliveryId> {
  const [only] = lines;
  if (kind === 'news' && only !== undefined && lines.length === 1) return deliveryId(only.alert.key, only.item, target);
  const notifications = yield* mapInSteps(lines, ({ alert, item }) => idOf(alert.key, item.episode, item.seq));
  return idOf(kind, dueAt, closedAt ?? 0, ...notifications, target.channel, target.recipient);
}

function bySeverityAndAge(a: ClosedLine, b: ClosedLine): number {
  return (
    RANK_OF[a.alert.severity] - RANK_OF[b.alert.severity] ||
    a.item.at - b.item.at ||
    compare(a.alert.key, b.alert.key) ||
    a.item.seq - b.item.seq
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
