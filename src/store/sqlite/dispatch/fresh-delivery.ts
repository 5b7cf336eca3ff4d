import type { DeliveryKind } from '../../../core/model/delivery.ts';
import type { DeliveryId, Recipient } from '../../../core/model/ids.ts';
import type { BatchMember } from '../../../dispatch/model.ts';
import type { Instant } from '../../../lib/clock.ts';

/** A delivery to be made. */
export interface Fresh extends Recipient {
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly rank: number;
  /** The rule that all members are of; '': they are of several. */
  readonly rule: string;
  readonly members: readonly FreshMember[];
  /** What may share it, while it takes events in; null: it is as it is. */
  readonly folds: string | null;
  readonly dueAt: Instant;
}

export interface FreshMember extends Pick<BatchMember, 'key' | 'seq' | 'as' | 'heldAt' | 'present'> {
  /** Number of its notification; null: it is gone. */
  readonly notification: number | null;
}
