// The first message of an event, and where it stands.
import { beginEvent } from './event-state.ts';
import { eventKey } from './identity.ts';
import type { Noted } from './kind.ts';
import { messageOf } from './message.ts';
import type { Message } from './delivery.ts';
import type { EventAlert } from './model.ts';
import type { Poll } from './part.ts';
import type { Match } from './picking.ts';

const LATE_AFTER_MS = 600_000;

/** What is told of an item that matches. */
export function firstMessage(poll: Poll, alert: EventAlert, { noted, scene }: Match): Message {
  const { at } = poll.time;
  const since = noted.happenedAt ?? at;
  const isSure = noted.block === 'nowhere' || isDeep(poll, alert, noted);
  return messageOf(poll.watch, alert, scene, {
    type: 'alert.event',
    key: eventKey(poll.watch, alert.id, noted.key),
    episode: 1,
    seq: 1,
    at,
    since,
    late: at - since > LATE_AFTER_MS,
    reason: alert.provisional && !isSure ? `provisional: not ${alert.confirmations} blocks deep yet` : null,
  });
}

function isDeep(poll: Poll, alert: EventAlert, noted: Noted): boolean {
  return beginEvent({ ...alert, provisional: false }, blockOf(noted), poll.head).transition === 'confirmed';
}

/** Null while it is in none. */
export function blockOf({ block }: Noted): number | null {
  return typeof block === 'number' ? block : null;
}
