// Messages to a target: how many it may get in an hour, and what is fixed when one is closed.
import { MOST_LISTED, RANK_OF } from '../core/model/delivery.ts';
import type { DeliveryId, Recipient } from '../core/model/ids.ts';
import { deliveryId, idOf } from '../core/model/watch/identity.ts';
import type { Instant } from '../lib/clock.ts';
import { mapInSteps, type Steps } from '../lib/steps.ts';
import type {
  BatchMember,
  Cap,
  CriticalLines,
  DeliveryBatch,
  DeliveryKind,
  GroupMember,
  SentBefore,
  SummaryKind,
  SummaryStream,
} from './model.ts';
import type { MessageItem } from './owed.ts';

// Closes batches. This fixes the members of a message, and so its id, which every try uses.

/** One line of a message, with the alert that it is about. */
export interface ClosedLine {
  readonly alert: GroupMember;
  readonly item: Omit<MessageItem, 'as'> & Pick<BatchMember, 'as'>;
  readonly renewed: BatchMember['renewed'];
  readonly heldAt: Instant | null;
  readonly heldBy: string | null;
  readonly present: BatchMember['present'];
}

interface Envelope {
  readonly kind: DeliveryKind;
  readonly target: Recipient;
  readonly groupId: string | null;
  readonly dueAt: Instant;
  /**
   * When its group closed the former batch. It is part of the id, so a repeat of a message that was given up has a new
   * id.
   */
  readonly closedAt: Instant | null;
}

/** The same lines in any order make the same batch. */
export function* closeBatch(envelope: Envelope, lines: readonly ClosedLine[]): Steps<DeliveryBatch> {
  const sorted = withNewsListed(lines.toSorted(bySeverityAndAge));
  const members = sorted.map(({ alert, item, renewed, heldAt, heldBy, present }) => ({
    key: alert.key,
    seq: item.seq,
    as: item.as,
    renewed,
    heldAt,
    heldBy,
    present,
  }));
  const severity = sorted[0]?.alert.severity ?? 'info';
  const { closedAt: _closedAt, ...batch } = envelope;
  const critical = criticalOf(sorted.map(({ alert }) => alert));
  return { ...batch, id: yield* idOfBatch(envelope, sorted), severity, critical, members };
}

/**
 * A message about one new transition has the id that it would have without groups; other ids are hashes of all members.
 */
function* idOfBatch({ kind, target, dueAt, closedAt }: Envelope, lines: readonly ClosedLine[]): Steps<DeliveryId> {
  const [only] = lines;
  if (kind === 'news' && only !== undefined && lines.length === 1) return deliveryId(only.alert.key, only.item, target);
  const notifications = yield* mapInSteps(lines, ({ alert, item }) => idOf(alert.key, item.episode, item.seq));
  return idOf(kind, dueAt, closedAt ?? 0, ...notifications, target.channel, target.recipient);
}

function bySeverityAndAge(a: ClosedLine, b: ClosedLine): number {
  return (
    RANK_OF[a.alert.severity] - RANK_OF[b.alert.severity] ||
    a.item.at - b.item.at ||
    compare(a.alert.key, b.alert.key) ||
    a.item.seq - b.item.seq
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/**
 * A message lists its first lines and counts the others. A line that is the reason of the message takes the place of a
 * usual repeat, so that it is not only counted. The first line stays.
 */
function withNewsListed(sorted: readonly ClosedLine[]): readonly ClosedLine[] {
  const [listed, counted] = [sorted.slice(0, MOST_LISTED), sorted.slice(MOST_LISTED)];
  const news = counted.filter((line) => !isUsualRepeat(line));
  const repeats = listed.slice(1).filter(isUsualRepeat);
  const count = Math.min(news.length, repeats.length);
  if (count === 0) return sorted;
  const moved = new Set([...repeats.slice(-count), ...news.slice(0, count)]);
  const stays = (line: ClosedLine): boolean => !moved.has(line);
  return [...listed.filter(stays), ...news.slice(0, count), ...repeats.slice(-count), ...counted.filter(stays)];
}

function isUsualRepeat({ item, renewed }: ClosedLine): boolean {
  return item.as === 'repeat' && renewed === null;
}

// Caps of messages to one recipient. Messages with a critical line have their own cap, twice as large, of which one
// rule takes at most a quarter. Alerts above a cap are sent in one summary per cap every ten minutes.

/** Slots are aligned in UTC. A target has at most one summary of each stream in a slot. */
const SLOT_MS = 600_000;
const HOUR_MS = 3_600_000;
const TIMES_OF_CRITICAL = 2;
const SHARE_OF_RULE = 1 / 4;

/** The default cap of channels to people. */
export const CAP_OF_PEOPLE: Cap = { burst: 10, perHour: 30 };

/** No sent messages: for a target without a cap, or without messages in the last hour. */
export const NOTHING_SENT: SentBefore = { common: [], critical: [], heardOf: new Set(), summaries: new Map() };

/** A message that was created for the target within the last hour. */
export type ClosedBefore = Pick<DeliveryBatch, 'kind' | 'critical'> & { readonly at: Instant };

export function sentBeforeOf(closed: readonly ClosedBefore[], now: Instant): SentBefore {
  const summaries = new Map<SummaryStream, Instant>();
  const sent = {
    common: [] as Instant[],
    critical: [] as SentBefore['critical'][number][],
    heardOf: new Set<string>(),
  };
  for (const { kind, at, critical } of closed) {
    if (Math.abs(now - at) < SLOT_MS) for (const alert of critical?.alerts ?? []) sent.heardOf.add(alert);
    if (kind !== 'news' && kind !== 'repeat') {
      const stream = streamOf(kind, critical !== null);
      summaries.set(stream, Math.max(summaries.get(stream) ?? at, at));
    } else if (critical === null) sent.common.push(at);
    else sent.critical.push({ at, rules: critical.rules });
  }
  return { ...sent, summaries };
}

/** Critical alerts above the cap have their own stream of summaries. */
export function streamOf(kind: SummaryKind, isCritical: boolean): SummaryStream {
  return kind === 'overflow_summary' && isCritical ? 'critical_overflow_summary' : kind;
}

/** True if the cap for messages without a critical line is reached. */
export function isCommonFull(cap: Cap | null, { common }: Pick<SentBefore, 'common'>, now: Instant): boolean {
  return cap !== null && isFull(cap, common, now);
}

/** True if the cap for messages with a critical line, or this rule's share of it, is used up. */
export function isCriticalFull(cap: Cap, { critical }: SentBefore, rule: string, now: Instant): boolean {
  const all = { burst: cap.burst * TIMES_OF_CRITICAL, perHour: cap.perHour * TIMES_OF_CRITICAL };
  const ofRule = { burst: Math.ceil(all.burst * SHARE_OF_RULE), perHour: Math.ceil(all.perHour * SHARE_OF_RULE) };
  const at = (some: SentBefore['critical']): Instant[] => some.map((one) => one.at);
  return (
    isFull(all, at(critical), now) || isFull(ofRule, at(critical.filter(({ rules }) => rules.includes(rule))), now)
  );
}

function isFull({ burst, perHour }: Cap, sentAt: readonly Instant[], now: Instant): boolean {
  const within = (ms: number): number => sentAt.filter((at) => Math.abs(now - at) < ms).length;
  return within(SLOT_MS) >= burst || within(HOUR_MS) >= perHour;
}

type Line = Pick<GroupMember, 'key' | 'labels' | 'isEvent'>;

/** The name of a rule and of one of its alerts. All watches of a family share it. */
export function ruleOf({ labels }: Pick<Line, 'labels'>): string {
  return `${labels['watch'] ?? ''}/${labels['alert'] ?? ''}`;
}

/** The identity of an alert for a recipient: all events of one alert of a rule count as one. */
export function alertOf(line: Line): string {
  return line.isEvent ? ruleOf(line) : line.key;
}

/** Null: none of these lines is critical. */
export function criticalOf(lines: readonly (Line & Pick<GroupMember, 'severity'>)[]): CriticalLines | null {
  const critical = lines.filter(({ severity }) => RANK_OF[severity] === RANK_OF.critical);
  if (critical.length === 0) return null;
  return { rules: [...new Set(critical.map(ruleOf))], alerts: [...new Set(critical.map(alertOf))] };
}

/** The earliest time of a summary after the last one of its stream. If `last` is in the future, it is ignored. */
export function summaryFrom(last: Instant | undefined, now: Instant): Instant {
  return last === undefined || last > now ? now : Math.max(slotEnd(last), now);
}

/** The end of the slot that an instant lies in. */
export function slotEnd(at: Instant): Instant {
  return (Math.floor(at / SLOT_MS) + 1) * SLOT_MS;
}
