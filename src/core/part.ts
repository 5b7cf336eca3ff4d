// What the two sorts of alerts share: the poll they look at, the part of a decision they make, and who is owed what.
import { resolve, type PollTime } from './alert.ts';
import { deliveryId } from './identity.ts';
import type { Noticed } from './kind.ts';
import { resolvedMessage } from './message.ts';
import type { Alert, Delivery, FindingKey, Instant, Message, Reason, Recipient, Scene, Watch } from './model.ts';

export type AlertsByKey = Readonly<Record<FindingKey, Alert>>;

/** One poll, as every alert of the watch sees it. */
export interface Poll {
  readonly watch: Watch;
  readonly time: PollTime;
  /** Null when the poll was missed. */
  readonly noticed: Noticed<unknown> | null;
  /** What `while` looks at; null = unknown. */
  readonly scene: Scene | null;
  readonly isComplete: boolean;
  readonly isStale: boolean;
}

/** One alert's part of the decision. */
export interface Part {
  /** The very same object as before when nothing changed. */
  readonly alerts: AlertsByKey;
  readonly deliveries: readonly Delivery[];
  readonly reasons: readonly Reason[];
  readonly matchingBaseline: number;
}

export function deliveriesOf(to: readonly Recipient[], message: Message): Delivery[] {
  return to.map(({ channel, recipient }) => ({
    id: deliveryId(message.key, message, { channel, recipient }),
    channel,
    recipient,
    message,
  }));
}

/** Ends whatever fires, for a reason that is not its condition. */
export function endAll(byKey: AlertsByKey, at: Instant, reason: string): Delivery[] {
  return Object.values(byKey).flatMap((alert) => {
    if (alert.type !== 'condition' || alert.firing === null) return [];
    const { seq } = resolve(alert).after;
    return deliveriesOf(alert.told, resolvedMessage(alert.firing, { at, seq }, { reason, last: null }));
  });
}
