// What is remembered of watches, and what explains it.
import { z } from 'zod';
import type { StoredHealth } from '../../core/model/health.ts';
import { DATA_STATES, type Alert, type Memory, type OpenEvent } from '../../core/model/memory.ts';
import type { StoredSnapshot } from '../../core/model/snapshot.ts';
import { eventShape, formerEvent } from '../former-events.ts';
import type { StoredDiagnostics } from '../memories.ts';
import { message } from './message-rows.ts';
import { count, fromJson, instant, json, jsonOrNull, parsed, type Row } from './rows.ts';

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
