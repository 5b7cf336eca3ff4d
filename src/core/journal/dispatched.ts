// The journal lines of a round that decides which messages are sent.
import type { DeliveryKind } from '../model/delivery.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalEntry } from './entry.ts';

/** An alert that is held back from now on, or no longer. */
export interface HeldAlert {
  readonly is: 'held' | 'released';
  readonly key: string;
  readonly watch: string;
  readonly alert: string;
  readonly channel: string;
  /** `silenced` */
  readonly why: string;
  /** The silence, or the key of the alert, that is the cause; null: neither. */
  readonly by: string | null;
}

/** One line for all alerts of a round with equal watch, alert, channel and cause. */
export function heldLines(all: readonly HeldAlert[], at: Instant): JournalEntry[] {
  const alike = ({ is, watch, alert, channel, why, by }: HeldAlert): string =>
    JSON.stringify([is, watch, alert, channel, why, by]);
  return [...Map.groupBy(all, alike).values()].flatMap((group): JournalEntry[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { is, key, alert, channel, why, by } = first;
    const cause = by === null ? {} : { by: by.slice(0, 80) };
    const data = { alert: alert.slice(0, 60), channel, why, ...cause, count: group.length };
    return [{ at, kind: is, subject: key, actor: 'daemon', data }];
  });
}

/** A message with its final members. */
export interface ClosedMessage {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly target: { readonly channel: string };
  readonly members: readonly { readonly key: string }[];
}

const MOST_KEYS = 12;

/**
 * The lines of messages that contain more than one transition, or repeat one. A single new transition is already in the
 * line of its routing.
 */
export function closedLines(all: readonly ClosedMessage[], at: Instant): JournalEntry[] {
  const telling = all.filter(({ kind, members }) => kind !== 'news' || members.length > 1);
  return telling.map(({ id, kind, target: { channel }, members }): JournalEntry => {
    const data = { channel, kind, count: members.length, keys: members.slice(0, MOST_KEYS).map(({ key }) => key) };
    return { at, kind: 'closed', subject: id, actor: 'daemon', data };
  });
}
