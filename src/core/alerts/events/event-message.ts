// The first message of an event, and its state after it.
import { beginEvent } from './event-state.ts';
import { eventKey } from '../../model/watch/identity.ts';
import { blockOf, type DetectedEvent } from '../../model/detection.ts';
import { messageOf } from '../message.ts';
import type { Message } from '../../model/delivery.ts';
import type { EventAlert } from '../../model/watch/watch.ts';
import type { AlertPoll } from '../alert-evaluation.ts';
import type { Match } from './event-matching.ts';

/** A message that is sent later than this after its event is marked as late. */
export const LATE_AFTER_MS = 600_000;

/** The message for an item that matches. */
export function firstMessage(
  poll: AlertPoll,
  alert: EventAlert,
  { event, context, unjudged }: Omit<Match, 'isHit' | 'isClaim'>,
): Message {
  const { at } = poll.time;
  const since = event.happenedAt ?? at;
  const isSure = event.block === 'nowhere' || isConfirmed(poll, alert, event);
  const reasons = [
    ...(unjudged === null ? [] : [`could not be judged: ${unjudged}`]),
    ...(alert.provisional && !isSure ? [`provisional: not ${alert.confirmations} blocks deep yet`] : []),
  ];
  return messageOf(poll, alert, context, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, event.key),
    episode: 1,
    seq: 1,
    at,
    since,
    firedAt: null,
    late: at - since > LATE_AFTER_MS,
    reason: reasons.length === 0 ? null : reasons.join('; '),
  });
}

function isConfirmed(poll: AlertPoll, alert: EventAlert, event: DetectedEvent): boolean {
  return beginEvent({ ...alert, provisional: false }, blockOf(event), poll.head).transition === 'confirmed';
}
