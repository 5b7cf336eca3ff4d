// Folds events while thousands of messages of a channel are not settled. Each alert has one open summary for the
// channel, which takes the events until it is sent. Nothing is dropped: the summary contains the key of every event.
import { headingOf } from '../wording/words.ts';
import type { Message, DeliverySummary } from '../model/delivery.ts';
import { deliveryId, idOf } from '../model/watch/identity.ts';
import type { DeliveryId, Recipient } from '../model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import { MOST_KEYS, summaryMessage } from './summary.ts';

/** With this many unsettled messages of a channel, further events are folded. */
export const MOST_UNSETTLED = 10_000;

/** The time for which a summary collects events before it may be sent. */
export const OPEN_MS = 60_000;

/** One message for one recipient. */
export interface SingleDelivery extends Recipient {
  readonly id: DeliveryId;
  readonly message: Message;
}

/**
 * Only events are folded. The firing of a condition and its end are always sent; there are only as many as there are
 * alerts.
 */
export function isFoldable({ message: { type } }: SingleDelivery): boolean {
  return type !== 'alert.firing' && type !== 'alert.resolved';
}

/** The key of messages that may share an open summary. */
export function foldKeyOf({ message }: SingleDelivery): string {
  const { watch, explorer, alert, severity } = message;
  return JSON.stringify([watch, explorer, alert, severity, summaryOf(message).of]);
}

/** Whether an open summary has room for another message. */
function hasRoom(open: Message, next: Message): boolean {
  return summaryOf(open).count + summaryOf(next).count <= MOST_KEYS;
}

export interface Folded<E extends SingleDelivery> {
  /** The open summary with the added events; null if no event was added. */
  readonly open: Message | null;
  /** Summaries that begin, each in the place of its first event. */
  readonly begun: readonly { readonly first: E; readonly summary: SingleDelivery }[];
}

/**
 * Folds the events of one recipient that may share a summary. `open`: the summary that takes them in; null if there is
 * none.
 */
export function fold<E extends SingleDelivery>(events: readonly E[], open: Message | null, at: Instant): Folded<E> {
  let taken = open;
  const begun: { first: E; summary: SingleDelivery }[] = [];
  for (const event of events) {
    const last = begun.at(-1);
    const message = last?.summary.message ?? taken;
    if (message === null || !hasRoom(message, event.message)) {
      begun.push({ first: event, summary: openSummary(event, at) });
      continue;
    }
    const more = withMember(message, event.message, at);
    if (last === undefined) taken = more;
    else last.summary = { ...last.summary, message: more };
  }
  return { open: taken === open ? null : taken, begun };
}

/** A new open summary that takes the place of one message. */
export function openSummary({ message, ...to }: SingleDelivery, at: Instant): SingleDelivery {
  const key = idOf('overflow', message.key, message.seq, to.channel, to.recipient);
  const words = { ...WAITING, list: [{ text: `The first: ${headingOf(message)}` }] };
  const summary = summaryMessage(message, { key, at }, summaryOf(message), words);
  return { ...to, id: deliveryId(key, summary, to), message: summary };
}

/** The open summary with another message in it. The summary keeps its key, and so its id. */
export function withMember(open: Message, member: Message, at: Instant): Message {
  const { of, count, keys } = summaryOf(open);
  const more = summaryOf(member);
  const summary = { of, count: count + more.count, keys: [...keys, ...more.keys] };
  return {
    ...summaryMessage(open, { key: open.key, at }, summary, { ...WAITING, list: open.text }),
    since: open.since,
  };
}

const WAITING = {
  noun: 'events',
  more: 'more ',
  when: '',
  why: `${MOST_UNSETTLED} messages or more wait for this channel: further events of an alert are sent together.`,
} as const;

function summaryOf({ summary, type, key }: Message): DeliverySummary {
  return summary ?? { of: type, count: 1, keys: [key] };
}
