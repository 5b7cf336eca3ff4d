// What comes out of the storage is checked once, here, and trusted from then on, whichever engine it comes from. A kind's
// own state is checked later, by the kind.
import { SEVERITIES } from '../../core/model/ids.ts';
import { z } from 'zod';
import { isRow, type Json } from '../../core/values/fields.ts';
import type { StoredHealth } from '../../core/model/health.ts';
import type { StoredSnapshot } from '../../core/model/snapshot.ts';
import {
  MESSAGE_TYPES,
  type DeliveryMember,
  type Fact,
  type Message,
  type MoreMembers,
  type Outcome,
  type Present,
} from '../../core/model/delivery.ts';
import { DATA_STATES, type Alert, type Memory, type OpenEvent } from '../../core/model/memory.ts';
import type { Segment } from '../../core/model/watch/condition.ts';
import type { Untrusted } from '../../lib/untrusted.ts';
import { eventShape, formerEvent } from '../former-events.ts';
import type { JournalLine, StoredNotification } from '../journal.ts';
import type { StoredDiagnostics } from '../memories.ts';
import type { StoredDelivery } from '../outbox.ts';
import { StorageError } from '../store.ts';

/** A row as an engine hands it out, by column. */
export type Row = Readonly<Record<string, unknown>>;

const count = z.int().nonnegative();
const instant = z.number();
const json = z.custom<Json>((value) => value !== undefined);
// A stranger's text is a plain string in JSON; it was marked when it was decoded and stays marked.
const untrustedText = z.custom<Untrusted>((value) => typeof value === 'string');

// By hand: a union of zod tries each of its shapes, for each fact of each message that is handed out. With a page of facts
// a message took 70 us, and now about half.
const segments = z.custom<readonly Segment[]>((value) => Array.isArray(value) && value.every(isSegment));
const facts = z.custom<Readonly<Record<string, Fact>>>(areFacts);

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

/** Of an object with one key. */
function onlyEntryOf(value: unknown): readonly [string, unknown] | readonly [] {
  const [first, ...others] = isRow(value) ? Object.entries(value) : [];
  return first === undefined || others.length > 0 ? [] : first;
}

const message: z.ZodType<Message> = z.object({
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
  // Releases before 0.2 wrote the sentence into the text.
  detail: z.string().nullable().default(null),
  measured: z.string().nullable().default(null),
  lines: z.array(segments).default([]),
  text: segments,
  runbook: z.string().nullable().default(null),
  condition: z.string(),
  rule: z.string(),
  observedAt: instant,
  since: instant,
  resolvedAt: instant.nullable(),
  reason: z.string().nullable(),
  late: z.boolean(),
  fields: facts,
  before: facts,
  links: z.array(z.string()),
  summary: z
    .object({ of: z.enum(MESSAGE_TYPES), count, keys: z.array(z.string()) })
    .nullable()
    .default(null),
});

const openEvent: z.ZodType<OpenEvent> = z.object({ type: z.literal('open'), since: instant, before: json });

const event = z.object({
  ...eventShape,
  turnedAt: instant.nullable(),
  absentHead: z.number().nullable().default(null),
  slot: z.string().nullable().default(null),
  retractions: count,
  toldAt: instant.nullable().default(null),
  message: message.nullable(),
  title: z.string(),
  since: instant,
  values: z.record(z.string(), json),
});

// What schema 1 did not know yet has its value of before the first firing.
const condition = z.object({
  type: z.literal('condition'),
  born: instant,
  state: z.enum(['inactive', 'pending', 'firing', 'recovering']),
  output: z.boolean(),
  since: instant.nullable(),
  heldMs: z.number(),
  episode: count,
  seq: count,
  head: z.number().nullable().default(null),
  firing: message.nullable(),
  cooldownUntil: instant.nullable().default(null),
  firings: z.array(instant).default([]),
  flapping: instant.nullable().default(null),
  flaps: count.default(0),
});

const item = z.object({ at: instant, place: z.string(), page: z.string().nullable() });
const group = z.object({
  type: z.literal('group'),
  condition,
  matches: z.array(instant),
  tallies: z.array(z.tuple([instant, count, z.string()])).default([]),
  items: z.array(item).default([]),
  last: json,
});

const alert: z.ZodType<Alert> = z.union([openEvent, event, formerEvent(message), condition, group]);

const run = z.tuple([instant, instant.nullable(), z.string()]);

const memory: z.ZodType<Memory> = z.object({
  version: z.int().positive(),
  checksum: z.string(),
  state: json,
  alerts: z.record(z.string(), z.record(z.string(), alert)),
  history: z.record(z.string(), z.array(run)),
  data: z
    .object({
      state: z.enum(DATA_STATES),
      since: instant,
      lastOk: instant.nullable().default(null),
      fields: z.record(z.string(), count).default({}),
    })
    .nullable(),
  coveredUntil: instant.nullable(),
});

const health: z.ZodType<StoredHealth> = z.record(
  z.string(),
  z.object({
    condition: z.string(),
    since: instant,
    evaluatedAt: instant.nullable(),
    trueAt: instant.nullable(),
    falseAt: instant.nullable(),
    unknownSince: instant.nullable(),
    evaluations: count,
  }),
);

const snapshot: z.ZodType<StoredSnapshot> = z.object({ at: instant, view: json, before: json, isStale: z.boolean() });

const outcome = z.object({ type: z.enum(['sent', 'again', 'rejected', 'unknown']), text: z.string() });

const stored: z.ZodType<Omit<StoredDelivery, 'members' | 'more'>> = z.object({
  id: z.string(),
  channel: z.string(),
  recipient: z.string(),
  kind: z.enum(['news', 'repeat', 'overflow_summary', 'silence_summary', 'inhibition_summary']),
  state: z.enum(['due', 'sending', 'sent', 'dead', 'merged', 'cancelled', 'parked']),
  at: instant,
  attempt: count,
  dueAt: instant,
  settledAt: instant.nullable(),
  number: count,
  dismissedAt: instant.nullable(),
  outcome: outcome.nullable(),
});

/** Throws a StorageError that names the watch when the row is damaged. */
export function memoryOf(row: Row): Memory {
  const watch = String(row['watch']);
  const parse = (): Memory =>
    memory.parse({
      version: row['version'],
      checksum: row['checksum'],
      state: fromJson(row['state']),
      alerts: fromJson(row['alerts']),
      history: fromJson(row['history']),
      data: fromJson(row['data']),
      coveredUntil: row['covered_until'],
    });
  return parsed(`memory of watch ${watch}`, parse, `. Take it out with: chainwarden state forget '${watch}'`);
}

/** What only explains stops nothing: what is damaged is as if it had never been kept. */
export function diagnosticsOf(row: Row): StoredDiagnostics {
  return {
    snapshot: snapshot.safeParse(jsonOrNull(row['look'])).data ?? null,
    health: health.safeParse(jsonOrNull(row['health'])).data ?? {},
  };
}

/** Throws a StorageError that names the watch where `diagnosticsOf` leaves something out. */
export function assertDiagnostics(row: Row): void {
  const stored = z.object({ look: snapshot.nullable(), health });
  parsed(`snapshot or health of watch ${String(row['watch'])}`, () =>
    stored.parse({ look: fromJson(row['look']), health: fromJson(row['health']) }),
  );
}

/** Null where it is no JSON. */
export function jsonOrNull(text: unknown): unknown {
  try {
    return fromJson(text);
  } catch {
    return null;
  }
}

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

/** Of a try whose lease ended. */
export const ENDED_WHILE_SENDING = 'whoever was sending it ended before its outcome was known';

/** As it is kept in a row. */
export function outcomeText(outcome: Outcome): string {
  return JSON.stringify({ type: outcome.type, text: outcome.type === 'sent' ? outcome.answer : outcome.why });
}

/** Throws a StorageError that names the delivery when the row is damaged. */
export function deliveryOf(row: Row): Omit<StoredDelivery, 'members' | 'more'> {
  return parsed(`delivery ${String(row['id'])}`, () =>
    stored.parse({
      ...row,
      dueAt: row['due_at'],
      at: row['created_at'],
      settledAt: row['settled_at'],
      dismissedAt: row['dismissed_at'],
      outcome: fromJson(row['outcome']),
    }),
  );
}

const present: z.ZodType<Present> = z.object({
  at: instant,
  title: z.string(),
  detail: z.string().nullable(),
  measured: z.string().nullable(),
  text: segments,
  fields: facts,
});

const sentAs = z.enum(['news', 'repeat', 'fired-and-resolved']);

/** Throws a StorageError that names the delivery and the watch when the row is damaged. */
export function memberOf(row: Row): DeliveryMember {
  const watch = typeof row['watch'] === 'string' ? `watch ${row['watch']}` : 'a watch that is gone';
  return parsed(`delivery ${String(row['id'])} of ${watch}`, () => ({
    message: message.parse(fromJson(row['message'])),
    as: sentAs.parse(row['told_as']),
    heldAt: instant.nullable().parse(row['held_at']),
    // Without it the message says how it was when it fired.
    present: present.safeParse(jsonOrNull(row['present'])).data ?? null,
  }));
}

const more: z.ZodType<MoreMembers> = z.object({
  watch: z.string(),
  alert: z.string(),
  severity: z.enum(SEVERITIES),
  type: z.enum(MESSAGE_TYPES),
  count,
  keys: z.array(z.string()),
});

/** Throws a StorageError when the row is damaged. */
export function moreOf(row: Row): MoreMembers {
  return parsed(`members of delivery ${String(row['id'])}`, () => more.parse({ ...row, keys: fromJson(row['keys']) }));
}

/** What only explains: data that cannot be read is shown as it is. */
export function journalLineOf(row: Row): JournalLine {
  const [position, hash] = [row['position'], row['hash']];
  const data = json.safeParse(jsonOrNull(row['data'])).data ?? null;
  return {
    number: Number(row['number']),
    at: Number(row['at']),
    kind: String(row['kind']),
    subject: String(row['subject']),
    actor: String(row['actor']),
    data: data === null ? String(row['data']) : data,
    anchor: typeof position === 'number' && typeof hash === 'string' ? { position, hash } : null,
  };
}

/** Without those that cannot be read. */
export function readable<T>(rows: readonly Row[], read: (row: Row) => T): T[] {
  return rows.flatMap((row) => {
    try {
      return [read(row)];
    } catch (error) {
      if (error instanceof StorageError) return [];
      throw error;
    }
  });
}

export function fromJson(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : text;
}

/** Throws a StorageError that says what is damaged. */
export function parsed<T>(what: string, parse: () => T, advice = ''): T {
  try {
    return parse();
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new StorageError(`the stored ${what} is damaged: ${why.replace(/\s+/g, ' ')}${advice}`, { cause: error });
  }
}
