// The journal: decisions, messages and requests of operators, one line each, in order.
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { Instant } from '../../lib/clock.ts';
import type { ConditionReason, Decision, EventReason, Reason } from '../model/decision.ts';
import type { DeliveryKind } from '../model/delivery.ts';
import type { Json } from '../values/fields.ts';

/**
 * `observed`, `decided`: of a poll. `routed` to `cancelled`: of a round of dispatch. `tried`: a delivery is tried
 * again; `told`, `dead`: its end. `config` to `checkpoint`: of the daemon itself; the others: of replicas. Each action
 * of operators has its own kind (operators/action.ts).
 */
export const JOURNAL_KINDS = [
  'observed',
  'decided',
  'routed',
  'held',
  'released',
  'closed',
  'merged',
  'cancelled',
  'tried',
  'told',
  'dead',
  'config',
  'start',
  'stop',
  'clock',
  'checkpoint',
  'not-as-kept',
  'replica-joined',
  'shard-claimed',
  'commit-fenced',
  'config-in-force',
  'config-accepted',
  'entered',
  'left',
  'wrong-tokens',
] as const;
export type JournalKind = (typeof JOURNAL_KINDS)[number];

export interface JournalEntry {
  readonly at: Instant;
  /** A `JournalKind`, or that of an operator's action. */
  readonly kind: string;
  /** A watch, an alert key, a delivery, a silence, or `daemon`. */
  readonly subject: string;
  /** The actor: `daemon`, or an operator. */
  readonly actor: string;
  readonly data: Json;
}

/** An entry as it is stored and hashed. */
export interface JournalText {
  readonly at: Instant;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  /** Canonical JSON. */
  readonly data: string;
}

/** With 800,000 lines at most, the journal takes no more than a gigabyte. */
const LARGEST_DATA = 780;
/**
 * The id of a watch is not cut, because it is looked up: a rule and an explorer of 64 characters each, an account and a
 * token.
 */
const LONGEST_SUBJECT = 220;
const LONGEST_ACTOR = 100;

/** Names and data are cut to the length that a line may have. */
export function textOf({ at, kind, subject, actor, data }: JournalEntry): JournalText {
  const text = canonicalJson(data);
  return {
    at,
    kind,
    subject: nameOf(subject, LONGEST_SUBJECT),
    actor: nameOf(actor, LONGEST_ACTOR),
    data: text.length <= LARGEST_DATA ? text : shortened(data, text),
  };
}

/**
 * The comment is cut first, then long values, so that a long comment cannot hide matchers or an end. The digest is of
 * the whole data.
 */
function shortened(data: Json, text: string): string {
  const digest = { sha256: createHash('sha256').update(text).digest('hex') };
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return cutTo(LARGEST_DATA, text, digest);
  const { comment, ...rest } = data as Readonly<Record<string, Json>>;
  const others = { ...rest, ...digest };
  const room = LARGEST_DATA - canonicalJson(others).length - COMMENT_KEY;
  if (typeof comment === 'string' && room >= 0)
    return canonicalJson({ ...others, comment: `${comment.slice(0, room / WIDEST)}…` });
  const [short, long] = partition(Object.entries(rest), ([, value]) => isShort(value));
  return cutTo(LARGEST_DATA, canonicalJson(Object.fromEntries(long)), { ...Object.fromEntries(short), ...digest });
}

/** The length of `,"comment":"…"`, and some spare characters. */
const COMMENT_KEY = 40;
/** The most JSON characters of one letter: a quotation mark takes two. */
const WIDEST = 2;
const SHORT = 64;
const MOST_SHORT = 8;

function partition<T>(all: readonly T[], is: (one: T) => boolean): readonly [T[], T[]] {
  const chosen = all.filter(is).slice(0, MOST_SHORT);
  return [chosen, all.filter((one) => !chosen.includes(one))];
}

function isShort(value: Json): boolean {
  return typeof value === 'string' ? value.length <= SHORT : typeof value !== 'object' || value === null;
}

function cutTo(longest: number, text: string, beside: Readonly<Record<string, Json>>): string {
  const room = longest - canonicalJson({ ...beside, cut: '' }).length;
  return canonicalJson({ ...beside, cut: text.slice(0, Math.max(0, room) / WIDEST) });
}

// The separator in the hashed text. A name must not contain it: text could then move from one column to the next
// without a change of the hash.
export const SEPARATOR = '\u001f';

function nameOf(text: string, longest: number): string {
  return text.replaceAll(SEPARATOR, ' ').slice(0, longest);
}

// The journal lines of polls, of rounds that select recipients, and of rounds that decide which messages are sent.

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
  /** Channels; empty if no message is sent, because no recipient received the first message of the alert. */
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
interface WithdrawnMessage {
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
interface ClosedMessage {
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
