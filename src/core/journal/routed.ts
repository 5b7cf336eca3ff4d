// The journal lines of a round that selects recipients.
import type { Json } from '../values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalEntry } from './entry.ts';

/** A transition with its recipients. */
export interface RoutedNotification {
  readonly key: string;
  readonly watch: string;
  readonly alert: string;
  /** `firing` */
  readonly transition: string;
  /** Channels; empty if no message is sent, because no recipient got the begin. */
  readonly channels: readonly string[];
  /** Channels that the config does not have any more. */
  readonly lost: readonly string[];
}

const MOST_CHANNELS = 12;

/** One line for all transitions of a round with equal watch, alert, transition and channels. */
export function routedLines(all: readonly RoutedNotification[], at: Instant): JournalEntry[] {
  const alike = ({ watch, alert, transition, channels, lost }: RoutedNotification): string =>
    JSON.stringify([watch, alert, transition, channels, lost]);
  return [...Map.groupBy(all, alike).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [lineOf(first, group.length, at)];
  });
}

function lineOf(
  { watch, key, alert, transition, channels, lost }: RoutedNotification,
  count: number,
  at: Instant,
): JournalEntry {
  const data: Json = {
    alert: alert.slice(0, 60),
    what: transition,
    count,
    key: key.slice(0, 80),
    to: channels.slice(0, MOST_CHANNELS),
    ...(lost.length === 0 ? {} : { lost: lost.slice(0, MOST_CHANNELS) }),
  };
  return { at, kind: 'routed', subject: watch, actor: 'daemon', data };
}

/** A message that was withdrawn before its first attempt. */
export interface WithdrawnMessage {
  readonly key: string;
  readonly target: { readonly channel: string };
  readonly as: 'merged' | 'cancelled';
}

/** One line for all messages of a round that were withdrawn for the same cause on one channel. */
export function withdrawnLines(all: readonly WithdrawnMessage[], at: Instant): JournalEntry[] {
  const groups = Map.groupBy(all, ({ target, as }) => `${as} ${target.channel}`);
  return [...groups.values()].flatMap((group): JournalEntry[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { key, target, as } = first;
    return [{ at, kind: as, subject: key, actor: 'daemon', data: { channel: target.channel, count: group.length } }];
  });
}
