// What the sorts of alerts share: the poll they look at, the part of a decision they make, and who is owed what.
import { resolve, type PollTime } from './condition-state.ts';
import { deliveryId } from '../model/identity.ts';
import type { Detection } from '../model/kind.ts';
import { resolvedMessage } from './message.ts';
import type { Delivery, Message } from '../model/delivery.ts';
import type { Alert, ConditionState } from '../model/memory.ts';
import type { FindingKey, Recipient, Truth } from '../model/ids.ts';
import type { Reason } from '../model/decision.ts';
import type { Instant } from '../../lib/clock.ts';
import type { EvaluationContext } from '../model/condition.ts';
import type { HeadNeed, TickChain } from '../model/observation.ts';
import type { Watch } from '../model/watch.ts';

export type AlertsByKey = Readonly<Record<FindingKey, Alert>>;

/** One poll, as every alert of the watch sees it. */
export interface Poll {
  readonly watch: Watch;
  readonly time: PollTime;
  /** Null when the poll was missed. */
  readonly detection: Detection<unknown> | null;
  /** What `while` looks at; null = unknown. */
  readonly context: EvaluationContext | null;
  readonly isComplete: boolean;
  readonly isStale: boolean;
  /** Height of the newest block known; null when none is. */
  readonly head: number | null;
  readonly chain: TickChain;
  /** Height of the newest block that the explorer has read by what this tick shows; null when nothing shows one. */
  readonly reach: number | null;
}

/** One alert's part of the decision. */
export interface AlertEvaluation {
  /** The very same object as before when nothing changed. */
  readonly alerts: AlertsByKey;
  readonly deliveries: readonly Delivery[];
  readonly reasons: readonly Reason[];
  /** What came of its condition; `not-evaluated`: there was nothing to evaluate. */
  readonly truth: Truth | 'not-evaluated';
  readonly matchingBaseline: number;
  readonly needs: HeadNeed | null;
}

/** Nothing was read, so nothing is said. */
export function unread(known: AlertsByKey): AlertEvaluation {
  return { alerts: known, deliveries: [], reasons: [], truth: 'unknown', matchingBaseline: 0, needs: null };
}

/** The entries as a record; the very same one as before when none of them differs. */
export function sameOr(known: AlertsByKey, entries: readonly (readonly [string, Alert])[]): AlertsByKey {
  const isSame = entries.length === Object.keys(known).length && entries.every(([key, alert]) => known[key] === alert);
  return isSame ? known : Object.fromEntries(entries);
}

/** One for each recipient. Their ids come from the message's key, episode and seq: the same again for the same news. */
export function deliveriesOf(to: readonly Recipient[], message: Message): Delivery[] {
  return to.map(({ channel, recipient }) => ({
    id: deliveryId(message.key, message, { channel, recipient }),
    channel,
    recipient,
    message,
  }));
}

/** The condition of a stateful alert; null for events. */
export function conditionOf(alert: Alert): ConditionState | null {
  if (alert.type === 'condition') return alert;
  return alert.type === 'group' ? alert.condition : null;
}

/** Ends whatever fires, for a reason that is not its condition. */
export function endAll(byKey: AlertsByKey, at: Instant, reason: string): Delivery[] {
  return Object.values(byKey).flatMap((alert) => {
    const state = conditionOf(alert);
    if (state === null || state.firing === null) return [];
    const { seq } = resolve(state).after;
    return deliveriesOf(state.told, resolvedMessage(state.firing, { at, seq }, { reason, last: null }));
  });
}
