// Parses stored memories of watches. `state` is not checked here: the kind of the watch does that later.
import { z } from 'zod';
import { DATA_STATES, type Alert, type Memory, type OpenEvent } from '../../../core/model/memory.ts';
import { StorageError } from '../../contract/store.ts';
import { anyJson, count, fromJson, instant, int, parsed, type Row } from '../../sql/rows.ts';
import { message } from '../deliveries/delivery-rows.ts';

const openEvent: z.ZodType<OpenEvent> = z.object({
  type: z.literal('open'),
  since: instant,
  before: anyJson,
  isBeyondBudget: z.literal(true).optional(),
  isClaim: z.literal(true).optional(),
});

const event = z.object({
  type: z.literal('event'),
  state: z.enum(['observed', 'dropped', 'confirmed', 'suspect', 'retracted']),
  block: z.number().nullable(),
  absent: count,
  seq: count,
  turnedAt: instant.nullable(),
  absentHead: z.number().nullable(),
  slot: z.string().nullable(),
  isClaim: z.literal(true).optional(),
  retractions: count,
  toldAt: instant.nullable(),
  message: message.nullable(),
  title: z.string(),
  since: instant,
  values: z.record(z.string(), anyJson),
});

const condition = z.object({
  type: z.literal('condition'),
  born: instant,
  state: z.enum(['inactive', 'pending', 'firing', 'recovering']),
  output: z.boolean(),
  since: instant.nullable(),
  heldMs: z.number(),
  began: instant.nullable().default(null),
  episode: count,
  seq: count,
  head: z.number().nullable(),
  firing: message.nullable(),
  cooldownUntil: instant.nullable(),
  firings: z.array(instant),
  flapping: instant.nullable(),
  flaps: count,
});

const item = z.object({ at: instant, place: z.string(), page: z.string().nullable() });
const group = z.object({
  type: z.literal('group'),
  meaning: z.string().default(''),
  condition,
  matches: z.array(instant),
  tallies: z.array(z.tuple([instant, count, z.string()])),
  row: z
    .array(
      z.object({
        place: z.array(count),
        key: z.string(),
        isHit: z.boolean().nullable(),
        at: instant,
        reason: z.string().nullable().optional(),
        isNew: z.boolean().optional(),
      }),
    )
    .optional(),
  items: z.array(item),
  reasons: z.array(z.object({ text: z.string().nullable(), at: instant })).optional(),
  others: z.object({ count, newest: instant.nullable() }).optional(),
  last: anyJson,
  unjudgedFrom: instant.optional(),
});

const alert: z.ZodType<Alert> = z.union([openEvent, event, condition, group]);

const run = z.tuple([instant, instant.nullable(), z.string()]);

const memory: z.ZodType<Memory> = z.object({
  version: z.int().positive(),
  checksum: z.string(),
  state: anyJson,
  alerts: z.record(z.string(), z.record(z.string(), alert)),
  history: z.record(z.string(), z.array(run)),
  data: z
    .object({
      state: z.enum(DATA_STATES),
      since: instant,
      lastOk: instant.nullable(),
      fields: z.record(z.string(), count),
      senders: z.record(z.string(), z.enum(['contract', 'signs'])).optional(),
    })
    .nullable(),
  coveredUntil: instant.nullable(),
  paceMs: z.number().nullable(),
});

/**
 * The newest format of a row of `memory`. It rises when an older release would drop or misread a part. A row is written
 * in the newest format that all live replicas read, so a release with a new format must also be able to write the
 * former one.
 */
export const MEMORY_FORMAT = 1;

/** A newer release wrote the row, so it is left unchanged. */
export class NewerMemoryError extends StorageError {
  override readonly name = 'NewerMemoryError';
}

/**
 * Throws a StorageError that names the watch when the row is damaged, a NewerMemoryError when a newer release wrote it.
 */
export function memoryOf(row: Row): Memory {
  const watch = String(row['watch']);
  const format = int(row, 'format');
  if (format > MEMORY_FORMAT)
    throw new NewerMemoryError(
      `memory of watch ${watch} was written by a newer release (format ${format}, this one reads up to ${MEMORY_FORMAT})`,
    );
  const parse = (): Memory =>
    memory.parse({
      version: row['version'],
      checksum: row['checksum'],
      state: fromJson(row['state']),
      alerts: fromJson(row['alerts']),
      history: fromJson(row['history']),
      data: fromJson(row['data']),
      coveredUntil: row['covered_until'],
      paceMs: row['pace_ms'] ?? null,
    });
  return parsed(`memory of watch ${watch}`, parse, `. Take it out with: chainwarden state forget '${watch}'`);
}
