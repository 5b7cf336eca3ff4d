// Which deliveries of a channel that has too much to get rid of become part of a summary: decided here, written by the engine.
import {
  foldKeyOf,
  hasRoom,
  isFoldable,
  OPEN_MS,
  openSummary,
  type SingleDelivery,
  withMember,
} from '../core/alerts/overflow.ts';
import type { Message } from '../core/model/delivery.ts';
import type { DeliveryId, Recipient } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';
import type { Fresh } from './tables/deliveries/fresh-deliveries.ts';

/** A delivery of one transition, with its message and the number of its notification. */
export interface Single {
  readonly fresh: Fresh;
  readonly notification: number;
  readonly delivery: SingleDelivery;
}

/** A summary that takes further events in. */
export interface OpenSummary {
  readonly id: DeliveryId;
  /** Of its own notification. */
  readonly notification: number;
  readonly message: Message;
}

/** What an open summary has in common with what it takes in. */
export interface FoldPlace extends Recipient {
  readonly folds: string;
}

export interface Folded {
  /** Open summaries that took something in: the messages of their notifications. */
  readonly rewritten: readonly { readonly notification: number; readonly message: Message }[];
  /** Summaries that begin. `like`: the notification of which theirs has the watch, the alert and the labels. */
  readonly begun: readonly { readonly fresh: Fresh; readonly message: Message; readonly like: number }[];
}

interface Open {
  readonly notification: number | null;
  readonly first: Single;
  readonly delivery: SingleDelivery;
}

/** The notification that a delivery tells as news and alone; null: it is of another sort. */
export function singleNewsOf({ kind, members }: Fresh): number | null {
  const [first] = members;
  const isAlone = kind === 'news' && members.length === 1 && first?.as === 'news';
  return isAlone ? first.notification : null;
}

/** Nothing where it speaks of several, or cannot be read: such a one ends as every damaged row does. */
export function singleOf(fresh: Fresh, message: Message | null): Single[] {
  const notification = singleNewsOf(fresh);
  if (notification === null || message === null) return [];
  const { id, channel, recipient } = fresh;
  const delivery = { id, channel, recipient, message };
  return isFoldable(delivery) ? [{ fresh, notification, delivery }] : [];
}

/** Those that may share a summary, by their place. */
export function alikeOf(singles: readonly Single[]): readonly { place: FoldPlace; singles: readonly Single[] }[] {
  const placeOf = ({ delivery }: Single): FoldPlace => ({
    channel: delivery.channel,
    recipient: delivery.recipient,
    folds: foldKeyOf(delivery),
  });
  const alike = Map.groupBy(singles, (single) => JSON.stringify(Object.values(placeOf(single))));
  return [...alike.values()].flatMap((some) =>
    some.slice(0, 1).map((first) => ({ place: placeOf(first), singles: some })),
  );
}

/** `open`: the summary that takes in events of that place; null: there is none. */
export function fold(singles: readonly Single[], open: OpenSummary | null, at: Instant): Folded {
  const all = summariesOf(singles, open, at);
  return {
    rewritten: all.flatMap(({ notification, delivery: { message } }) =>
      notification === null ? [] : [{ notification, message }],
    ),
    begun: all.flatMap((one) => (one.notification === null ? [begin(one, at)] : [])),
  };
}

function summariesOf(singles: readonly Single[], found: OpenSummary | null, at: Instant): Open[] {
  const [first] = singles;
  let open = first === undefined || found === null ? null : takingUp(first, found);
  const full: Open[] = [];
  for (const single of singles) {
    const { delivery } = single;
    if (open !== null && hasRoom(open.delivery.message, delivery.message)) {
      const message = withMember(open.delivery.message, delivery.message, at);
      open = { ...open, delivery: { ...open.delivery, message } };
    } else {
      if (open !== null) full.push(open);
      open = { notification: null, first: single, delivery: openSummary(delivery, at) };
    }
  }
  return open === null ? full : [...full, open];
}

function takingUp(first: Single, { id, notification, message }: OpenSummary): Open {
  const { channel, recipient } = first.delivery;
  return { notification, first, delivery: { id, channel, recipient, message } };
}

/** The number of its notification is known when that is written. */
function begin({ first, delivery }: Open, at: Instant): Folded['begun'][number] {
  const { id, message } = delivery;
  const member = {
    key: message.key,
    seq: 1,
    as: 'news',
    renewed: null,
    heldAt: null,
    present: null,
    notification: null,
    position: 0,
  } as const;
  const fresh = { ...first.fresh, id, members: [member], folds: foldKeyOf(delivery), dueAt: at + OPEN_MS };
  return { fresh, message, like: first.notification };
}
