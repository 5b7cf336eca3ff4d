// Deliveries and messages as rows: what is written, and what is read of them.
import { z } from 'zod';
import {
  type DeliveryKind,
  type Fact,
  type Message,
  MESSAGE_TYPES,
  type Outcome,
  RANK_OF,
} from '../../../core/model/delivery.ts';
import { type DeliveryId, type Recipient, SEVERITIES } from '../../../core/model/ids.ts';
import type { Segment } from '../../../core/model/watch/condition.ts';
import { isRow } from '../../../core/values/fields.ts';
import type { BatchMember, DeliveryBatch, Key } from '../../../dispatch/model.ts';
import type { DeliveryShare } from '../../../dispatch/shares.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Untrusted } from '../../../lib/untrusted.ts';
import type { StoredDelivery } from '../../contract/deliveries.ts';
import type { StoredNotification } from '../../contract/journal.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { count, fromJson, instant, int, jsonOrNull, parsed, type Row } from '../../sql/rows.ts';
import { paged, type Sql } from '../../sql/sql.ts';

// Reads deliveries from their rows.

/** A stored delivery without its members. */
export type BareDelivery = Omit<StoredDelivery, 'members' | 'more'>;

/** The words are those of the index `deliveries_ended`, so that SQLite uses it. */
export const IS_ENDED = `state IN ('sent', 'dead', 'merged', 'cancelled')`;

/**
 * All ranks. If a query names all of them, SQLite uses the index `deliveries_due`, which has the rank before the due
 * time.
 */
export const RANKS = Object.values(RANK_OF).toSorted();

export const IS_DUE = `state = 'due' AND rank IN (${RANKS.join(', ')})`;

export const deliveryKind = z.enum(['news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary']);
const outcome = z.object({ type: z.enum(['sent', 'again', 'rejected', 'unknown']), text: z.string() });

const stored: z.ZodType<BareDelivery> = z.object({
  id: z.string(),
  channel: z.string(),
  recipient: z.string(),
  kind: deliveryKind,
  state: z.enum(['due', 'sending', 'sent', 'dead', 'merged', 'cancelled']),
  at: instant,
  attempt: count,
  dueAt: instant,
  settledAt: instant.nullable(),
  number: count,
  dismissedAt: instant.nullable(),
  isNamed: z.boolean(),
  outcome: outcome.nullable(),
});

/** The column that `deliveryOf` reads; without it a recipient counts as named. */
export const IS_NAMED = (d: SqlDialect): string =>
  `CASE WHEN ${isNamed(d, 'mine.channel')} THEN 1 ELSE 0 END AS is_named`;

/** All stored deliveries, without their members. */
export const bareDeliveries = (d: SqlDialect): string => `
  SELECT number, id, channel, recipient, kind, state, attempt, due_at, created_at, settled_at, dismissed_at, outcome, ${IS_NAMED(d)}
  FROM deliveries AS mine`;

/** All stored deliveries, without their members, in pages. */
export const DELIVERIES = paged(['number'], ({ after, end }, d) => `${bareDeliveries(d)} WHERE ${after} ${end}`);

/** Throws a StorageError that names the delivery when the row is damaged. */
export function deliveryOf(row: Row): BareDelivery {
  return parsed(`delivery ${String(row['id'])}`, () =>
    stored.parse({
      ...row,
      dueAt: row['due_at'],
      at: row['created_at'],
      settledAt: row['settled_at'],
      dismissedAt: row['dismissed_at'],
      isNamed: row['is_named'] !== 0,
      outcome: fromJson(row['outcome']),
    }),
  );
}

/** The text of an outcome in a row. */
export function outcomeText(one: Outcome): string {
  return JSON.stringify({ type: one.type, text: one.type === 'sent' ? one.answer : one.why });
}

/** True if the last try of the delivery had this outcome. */
export const HAS_ENDED_AS = (type: Outcome['type']): string => `mine.outcome LIKE '%"type":"${type}"%'`;

/** True if a try is under way, or the outcome of a try is unknown. A refused try has not arrived. */
export const MAY_HAVE_ARRIVED = `mine.state = 'sending' OR mine.maybe_copy = 1`;

/**
 * True if the last try certainly did not arrive, and was not rejected. A receiver that rejects a message may be in the
 * middle of a change, so the message keeps its wait.
 */
export const MAY_GO_OUT_OF_TURN = `NOT ${HAS_ENDED_AS('unknown')} AND NOT ${HAS_ENDED_AS('rejected')}`;

/** The total time that the sender of a channel has run; `channel` is a column or a parameter. */
export function ranOf(channel: string): string {
  return `coalesce((SELECT ran_ms FROM channels WHERE name = ${channel}), 0)`;
}

/**
 * True if the sender of the channel has named the recipient since its last start, or has not started yet. `channel` is a
 * column or a parameter.
 */
export function isNamed(d: SqlDialect, channel: string): string {
  const named = `(SELECT recipients FROM channels WHERE name = ${channel})`;
  return `(${named} IS NULL OR ${d.jsonHas(named, 'mine.recipient')})`;
}

/** True if the delivery counts as owed. */
export function isOwed(d: SqlDialect): string {
  return `mine.state IN ('due', 'sending') AND ${isNamed(d, 'mine.channel')}`;
}

const RELEASE = 'DELETE FROM delivery_order WHERE earlier = $1';

/** Ends the wait of deliveries that wait for this one. */
export async function release(sql: Sql, number: number): Promise<void> {
  await sql.run(RELEASE, [number]);
}

// Deliveries that are about to be written.

/** A delivery to be made. */
export interface Fresh extends Recipient {
  readonly id: DeliveryId;
  readonly kind: DeliveryKind;
  readonly rank: number;
  /** The rule of all members; '': several rules. */
  readonly rule: string;
  readonly members: readonly FreshMember[];
  readonly critical: DeliveryBatch['critical'];
  /** For a summary, the key of the events that it takes in while it is open; null: it is no summary. */
  readonly folds: string | null;
  readonly dueAt: Instant;
}

interface FreshMember extends Pick<BatchMember, 'key' | 'seq' | 'as' | 'renewed' | 'heldAt' | 'present'> {
  /** The number of its notification; null: the notification was dropped. */
  readonly notification: number | null;
  /** Its place in the message. */
  readonly position: number;
}

/** The member of a message about one transition. */
export function onlyMember(key: Key, seq: number, notification: number | null): FreshMember {
  return { key, seq, as: 'news', renewed: null, heldAt: null, present: null, notification, position: 0 };
}

/** The longest wait between two commits that add members to one delivery. */
export const SHARE_OPEN_MS = 10_000;

/**
 * `share`: set if several commits write the delivery. `rowOf`: the number and the rule of a member's notification;
 * undefined: the notification was dropped.
 */
export function freshOf(
  { id, kind, target, severity, critical, members }: DeliveryBatch,
  share: DeliveryShare | undefined,
  at: Instant,
  rowOf: (member: BatchMember) => Row | undefined,
): Fresh {
  const rows = members.map((member) => ({ member, row: rowOf(member) }));
  const [rule, ...others] = new Set(rows.map(({ row }) => row?.['rule']));
  return {
    id,
    kind,
    critical,
    ...target,
    folds: null,
    dueAt: at,
    rank: RANK_OF[severity],
    rule: typeof rule === 'string' && others.length === 0 ? rule : '',
    members: rows.map(({ member, row }, index) => ({
      ...member,
      notification: row === undefined ? null : int(row, 'number'),
      position: share?.positions[index] ?? index,
    })),
  };
}

/** The oldest transition is sent first. */
export function oldestFirst(fresh: readonly Fresh[]): Fresh[] {
  return fresh.toSorted((a, b) => oldestOf(a) - oldestOf(b));
}

function oldestOf({ members }: Fresh): number {
  return members.reduce((oldest, { notification }) => Math.min(oldest, notification ?? Infinity), Infinity);
}

// Messages, as they are stored with notifications and deliveries.
//
// Untrusted text is a plain string in JSON. It was marked as untrusted when the answer was decoded, and gets the same
// type again here.
const untrustedText = z.custom<Untrusted>((value) => typeof value === 'string');

// Facts are checked by hand, since a union of zod tries each of its shapes for each fact. A message with a page of
// facts took 70 us with zod, and takes about half of that now.
export const segments = z.custom<readonly Segment[]>((value) => Array.isArray(value) && value.every(isSegment));
export const facts = z.custom<Readonly<Record<string, Fact>>>(areFacts);

function isSegment(value: unknown): value is Segment {
  const [name, inner] = onlyEntryOf(value);
  return (name === 'text' || name === 'untrusted') && typeof inner === 'string';
}

function isFact(value: unknown): value is Fact {
  if (typeof value === 'boolean' || Number.isFinite(value)) return true;
  const [name, inner] = onlyEntryOf(value);
  if (name === 'list') return Array.isArray(inner) && inner.every(isFact);
  return name === 'record' ? areFacts(inner) : isSegment(value);
}

function areFacts(value: unknown): value is Readonly<Record<string, Fact>> {
  return isRow(value) && Object.values(value).every(isFact);
}

/** The entry of an object with one key. */
function onlyEntryOf(value: unknown): readonly [string, unknown] | readonly [] {
  const [first, ...others] = isRow(value) ? Object.entries(value) : [];
  return first === undefined || others.length > 0 ? [] : first;
}

export const message: z.ZodType<Message> = z.object({
  type: z.enum(MESSAGE_TYPES),
  at: instant,
  key: z.string(),
  episode: count,
  seq: count,
  watch: z.string(),
  alert: z.string(),
  kind: z.string(),
  severity: z.enum(SEVERITIES),
  explorer: z.string(),
  chainId: z.string().nullable(),
  of: z.object({ name: z.string().nullable(), address: z.string() }).nullable(),
  token: z
    .object({ address: z.string(), symbol: untrustedText.nullable(), decimals: z.number().nullable() })
    .nullable(),
  title: z.string(),
  detail: z.string().nullable(),
  measured: z.string().nullable(),
  table: z.array(z.array(z.string())).exactOptional(),
  lines: z.array(segments),
  text: segments,
  runbook: z.string().nullable(),
  condition: z.string(),
  rule: z.string(),
  observedAt: instant,
  since: instant,
  firedAt: instant.nullable().default(null),
  resolvedAt: instant.nullable(),
  // An older release wrote neither `zone` nor `place`.
  zone: z.string().default('UTC'),
  place: z.string().nullable().default(null),
  reason: z.string().nullable(),
  late: z.boolean(),
  mayBeTold: z.literal(true).exactOptional(),
  isClaim: z.literal(true).exactOptional(),
  fields: facts,
  before: facts,
  links: z.array(z.string()),
  summary: z.object({ of: z.enum(MESSAGE_TYPES), count, keys: z.array(z.string()) }).nullable(),
});

/** Null: it is damaged. */
export function messageOf(row: Row): Message | null {
  return message.safeParse(jsonOrNull(row['message'])).data ?? null;
}

/** Null: there is none, or it is damaged. */
export function storedNotificationOf(row: Row | undefined): StoredNotification | null {
  const message = row === undefined ? null : messageOf(row);
  if (row === undefined || message === null) return null;
  return { watch: String(row['watch']), episode: Number(row['episode']), seq: Number(row['seq']), message };
}
