// Deliveries and their members.
import { z } from 'zod';
import {
  MESSAGE_TYPES,
  type DeliveryMember,
  type MoreMembers,
  type Outcome,
  type Present,
} from '../../core/model/delivery.ts';
import { SEVERITIES } from '../../core/model/ids.ts';
import type { StoredDelivery } from '../outbox.ts';
import { facts, message, segments } from './message-rows.ts';
import { count, fromJson, instant, jsonOrNull, parsed, type Row } from './rows.ts';

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
  return parsed(`members of delivery ${String(row['id'])}`, () =>
    more.parse({ ...row, watch: row['rule'], keys: fromJson(row['keys']) }),
  );
}
