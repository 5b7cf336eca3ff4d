// The journal lines of polls, of rounds that select recipients, and of rounds that decide which messages are sent.
import type { ConditionReason, Decision, EventReason, Reason } from '../model/decision.ts';
import type { DeliveryKind } from '../model/delivery.ts';
import type { Json } from '../values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { JournalEntry } from './entry.ts';

/** Reasons that name a change. The other reasons repeat at every poll without a change. */
const CHANGES: ReadonlySet<EventReason | ConditionReason> = new Set([
  'told',
  'undecided',
  'not-judged',
  'unfollowed',
  'observed',
  'confirmed',
  'dropped',
  'suspect',
  'back',
  'retracted',
  'corrected',
  'reinstated',
  'pending',
  'firing',
  'recovering',
  'relapsed',
  'resolved',
]);

/** One line for a decision that changes an alert, or that is a baseline; none for any other. */
export function journalOf({ watchId, reasons }: Decision, at: Instant): readonly JournalEntry[] {
  const line = { at, subject: watchId, actor: 'daemon' } as const;
  const changes = reasons.filter(isChange);
  if (changes.length > 0) return [{ ...line, kind: 'decided', data: { alerts: changesOf(changes) } }];
  const baseline = reasons.find((reason) => reason.type === 'baseline');
  return baseline === undefined ? [] : [{ ...line, kind: 'observed', data: { baseline: baseline.items } }];
}

type Change = Extract<Reason, { readonly alert: string }>;

function isChange(reason: Reason): reason is Change {
  return reason.type !== 'baseline' && reason.type !== 'note' && CHANGES.has(reason.type);
}

const MOST_GROUPS = 4;

/** For each alert and type of change: the number of changes, and the key of the first. */
function changesOf(changes: readonly Change[]): Json {
  const groups = Map.groupBy(changes, ({ alert, type }) => `${alert}\n${type}`);
  return [...groups.values()].slice(0, MOST_GROUPS).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return [{ alert: first.alert.slice(0, 60), what: first.type, count: group.length, key: first.key.slice(0, 80) }];
  });
}

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
    return first === undefined ? [] : [routedLineOf(first, group.length, at)];
  });
}

function routedLineOf(
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
