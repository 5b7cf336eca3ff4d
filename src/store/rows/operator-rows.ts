// Rows of what operators changed, checked as they come out of the storage.
import { z } from 'zod';
import type { Pause } from '../../core/model/watch/pause.ts';
import type { Matcher, Silence } from '../../dispatch/model.ts';
import type { Announceable, OperatorChange, StoredAck } from '../interventions.ts';
import type { PassedAck } from '../mirrors.ts';
import { fromJson, parsed, type Row } from './rows.ts';
import { SEVERITIES } from '../../core/model/ids.ts';
import { EVENT_OPEN_MS } from '../../core/model/transition.ts';
import type { Instant } from '../../lib/clock.ts';

const instant = z.number();
const count = z.int().nonnegative();
const matchers: z.ZodType<Matcher> = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

const silence: z.ZodType<Silence> = z.object({
  id: z.string(),
  kind: z.enum(['silence', 'pause']),
  matchers,
  from: instant,
  until: instant,
  untilResolved: z.boolean(),
  actor: z.string(),
  comment: z.string(),
  version: count,
});

const pause: z.ZodType<Pause> = z.object({
  id: z.string(),
  watch: z.string(),
  from: instant,
  until: instant,
  actor: z.string(),
  comment: z.string(),
});

const ack: z.ZodType<StoredAck> = z.object({
  id: z.string(),
  key: z.string(),
  episode: count,
  seq: count,
  severity: z.enum(SEVERITIES),
  actor: z.string(),
  comment: z.string().nullable(),
  at: instant,
  until: instant,
});

const changed: z.ZodType<OperatorChange> = z.union([
  z.object({ type: z.literal('pause'), pause }),
  z.object({ type: z.literal('silence'), silence }),
  z.object({ type: z.literal('ack'), ack }),
  z.object({
    type: z.literal('delivery'),
    id: z.string(),
    channel: z.string(),
    recipient: z.string(),
    state: z.enum(['owed', 'dismissed']),
  }),
  // A former release kept no name.
  z.object({ type: z.literal('channel'), channel: z.string().default(''), deliveries: count }),
  z.object({
    type: z.literal('sample'),
    channel: z.string(),
    tries: z.array(
      z.object({
        recipient: z.string(),
        outcome: z.enum(['sent', 'again', 'rejected', 'unknown']),
        answer: z.string(),
      }),
    ),
  }),
]);

/** A silence, or a pause by its alerts. Throws a StorageError that names it when the row is damaged. */
export function silenceOf(row: Row): Silence {
  return parsed(`${String(row['kind'])} ${String(row['id'])}`, () =>
    silence.parse({
      ...row,
      matchers: fromJson(row['matchers']),
      from: row['starts_at'],
      until: row['ends_at'],
      untilResolved: row['until_resolved'] === 1,
    }),
  );
}

/** Throws a StorageError that names the pause when the row is damaged. */
export function pauseOf(row: Row): Pause {
  const found = silenceOf(row);
  return parsed(`pause ${found.id}`, () => pause.parse({ ...found, watch: row['name'] }));
}

/** Throws a StorageError that names the silence or pause when the row is damaged. */
export function announceableOf(row: Row): Announceable {
  const name = row['name'];
  return {
    silence: silenceOf(row),
    name: typeof name === 'string' ? name : null,
    announcedAt: Number(row['announced_at']),
  };
}

/** Throws a StorageError that names the alert when the row is damaged. */
export function ackOf(row: Row): StoredAck {
  return parsed(`acknowledgement of alert ${String(row['key'])}`, () => ack.parse({ ...row, until: row['ends_at'] }));
}

/** What a request of an operator changed. Throws a StorageError when the row is damaged. */
export function changedOf(row: Row): OperatorChange {
  return parsed('answer to an operator', () => changed.parse(fromJson(row['answer'])));
}

/** Why an alert cannot be acknowledged so; null: it can. `newest`: its newest transition; undefined: it has none. */
export function refusalOfAck(
  newest: Row | undefined,
  ack: Pick<StoredAck, 'episode' | 'seq' | 'at'>,
): 'not-found' | 'is-over' | 'stale-seq' | null {
  if (newest === undefined) return 'not-found';
  const seq = Number(newest['seq']);
  if (seq > ack.seq) return 'stale-seq';
  if (seq < ack.seq || Number(newest['episode']) !== ack.episode) return 'not-found';
  return isOver(newest, ack.at) ? 'is-over' : null;
}

function isOver({ transition, at: since }: Row, at: Instant): boolean {
  if (transition === 'firing') return false;
  return transition === 'resolved' || transition === 'retracted' || Number(since) <= at - EVENT_OPEN_MS;
}

export function passedAckOf(row: Row): PassedAck {
  return {
    key: String(row['key']),
    seq: Number(row['seq']),
    at: Number(row['at']),
    until: Number(row['ends_at']),
  };
}
