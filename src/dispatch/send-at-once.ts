// Decides who is told of each notification. Everything goes out at once.
//
//   event, firing   to every recipient of the channels that the rule names
//   all others      to those who know the alert already
//   retracted       to none of those to whom nothing of the alert was sent yet: what waits for them is cancelled
import { deliveryId } from '../core/model/identity.ts';
import type { Recipient, RecipientsOf } from '../core/model/ids.ts';
import { isBegin } from '../core/model/transition.ts';
import type { RoutingRound, Owed, RoutingResult, Unrouted, Untried } from './routing-round.ts';

/** Pure: the same round and recipients give the same deliveries, with the same ids. */
export function sendAtOnce(round: RoutingRound, recipientsOf: RecipientsOf): RoutingResult {
  const knowersByKey = Map.groupBy(round.knowers, ({ key }) => key);
  const untriedBy = Map.groupBy(round.untried, (one) => placeOf(one.key, one));
  const parts = round.unrouted.map((notification) => {
    if (isBegin(notification.transition)) return begin(notification, recipientsOf);
    const knowers = notification.about.flatMap((key) => knowersByKey.get(key) ?? []);
    return goOn(notification, distinct(knowers), untriedBy);
  });
  return {
    owed: parts.flatMap(({ owed }) => owed),
    informed: parts.flatMap(({ informed }) => informed),
    cancelled: parts.flatMap(({ cancelled }) => cancelled),
  };
}

function begin(notification: Unrouted, recipientsOf: RecipientsOf): RoutingResult {
  const parts = notification.notify.map((channel) => ({ channel, recipients: recipientsOf(channel) }));
  const to = distinct(parts.flatMap(({ recipients }) => recipients ?? []));
  const lost = parts.flatMap(({ channel, recipients }) => (recipients === undefined ? [channel] : []));
  return {
    owed: [
      ...to.map((one) => owedTo(notification, one)),
      ...lost.map((channel) => ({
        ...owedTo(notification, { channel, recipient: channel }),
        undeliverable: `the config has no channel ${channel} any more`,
      })),
    ],
    informed: to.map((one) => ({ ...one, notification })),
    cancelled: [],
  };
}

function goOn(
  notification: Unrouted,
  knowers: readonly Recipient[],
  untriedBy: ReadonlyMap<string, readonly Untried[]>,
): RoutingResult {
  const cancelled = knowers.flatMap((one) => untriedBy.get(placeOf(notification.key, one)) ?? []);
  const spared = new Set(cancelled.map((one) => placeOf(notification.key, one)));
  const hear = knowers.filter((one) => !spared.has(placeOf(notification.key, one)));
  return {
    owed: hear.map((one) => owedTo(notification, one)),
    informed: knowers.map((one) => ({ ...one, notification })),
    cancelled,
  };
}

function owedTo(notification: Unrouted, { channel, recipient }: Recipient): Owed {
  const id = deliveryId(notification.key, notification, { channel, recipient });
  return { id, channel, recipient, notification, undeliverable: null };
}

function distinct(recipients: readonly Recipient[]): Recipient[] {
  const byPlace = new Map(
    recipients.map(({ channel, recipient }) => [placeOf('', { channel, recipient }), { channel, recipient }]),
  );
  return [...byPlace.values()];
}

function placeOf(key: string, { channel, recipient }: Recipient): string {
  return JSON.stringify([key, channel, recipient]);
}
