// Notifications on their way into the storage, and out of it to those who choose whom they are owed to.
import type { Message } from '../../core/model/delivery.ts';
import { idOf } from '../../core/model/watch/identity.ts';
import { nameOfTransition, type Transition, type TransitionName } from '../../core/model/transition.ts';
import type { Unrouted } from '../../dispatch/rounds/routing-round.ts';
import type { NotificationCount } from '../store.ts';
import { unroutedOf } from './dispatch-rows.ts';
import type { Row } from './rows.ts';

/** A notification as its row has it; the last three are JSON. */
export interface NotificationRow extends Pick<Message, 'key' | 'episode' | 'seq' | 'alert'> {
  readonly id: string;
  readonly transition: TransitionName;
  readonly labels: string;
  readonly notify: string;
  readonly message: string;
}

export function notificationOf({ message, labels, notify }: Transition): NotificationRow {
  const { key, episode, seq, alert } = message;
  return {
    id: idOf(key, episode, seq),
    key,
    episode,
    seq,
    alert,
    transition: transitionOf(message),
    labels: JSON.stringify(labels),
    notify: JSON.stringify(notify),
    message: JSON.stringify(message),
  };
}

/** A summary is an event, whatever happened to its members. */
function transitionOf(message: Message): TransitionName {
  return message.summary === null ? nameOfTransition(message) : 'event';
}

/** What a later one rests on is only written with the round of the former. */
export function untilRepeated(rows: Iterable<Row>): Unrouted[] {
  const keys = new Set<string>();
  const all: Unrouted[] = [];
  for (const row of rows) {
    const next = unroutedOf(row);
    const about = [next.key, ...next.members];
    if (about.some((key) => keys.has(key))) break;
    for (const key of about) keys.add(key);
    all.push(next);
  }
  return all;
}

/** `place`: how the parameter is written. */
export function countsSince(place: '?' | '$1'): string {
  return `
    SELECT watch, alert, count(*) AS count,
      max(CASE WHEN transition IN ('event', 'firing', 'reinstated') THEN at END) AS fired_at
    FROM notifications WHERE at >= ${place} GROUP BY watch, alert`;
}

export function notificationCountOf(row: Row): NotificationCount {
  const firedAt = row['fired_at'] ?? null;
  return {
    watch: String(row['watch']),
    alert: String(row['alert']),
    count: Number(row['count']),
    firedAt: firedAt === null ? null : Number(firedAt),
  };
}
