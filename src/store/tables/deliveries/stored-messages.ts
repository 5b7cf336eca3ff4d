// Messages, as they are stored with notifications and deliveries.
import { z } from 'zod';
import { MESSAGE_TYPES, type Fact, type Message } from '../../../core/model/delivery.ts';
import { SEVERITIES } from '../../../core/model/ids.ts';
import type { Segment } from '../../../core/model/watch/condition.ts';
import { isRow } from '../../../core/values/fields.ts';
import type { Untrusted } from '../../../lib/untrusted.ts';
import type { StoredNotification } from '../../contract/journal.ts';
import { count, instant, jsonOrNull, type Row } from '../../sql/rows.ts';

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
