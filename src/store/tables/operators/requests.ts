// What operators asked for under which key, and what they were answered: a request that is repeated changes nothing.
import { z } from 'zod';
import type { Instant } from '../../../lib/clock.ts';
import type { OperatorChange, Intervened, ReplicaChanges, OperatorRequest } from '../../contract/operators.ts';
import { count, fromJson, parsed, text, type Row } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';
import { storedAck } from './acks.ts';
import { storedPause, storedSilence } from './silences.ts';

const ANSWERS_KEPT_MS = 86_400_000;

const changed: z.ZodType<OperatorChange> = z.union([
  z.object({ type: z.literal('pause'), pause: storedPause }),
  z.object({ type: z.literal('silence'), silence: storedSilence }),
  z.object({ type: z.literal('ack'), ack: storedAck }),
  z.object({
    type: z.literal('delivery'),
    id: z.string(),
    channel: z.string(),
    recipient: z.string(),
    state: z.enum(['owed', 'dismissed']),
  }),
  z.object({ type: z.literal('channel'), channel: z.string(), deliveries: count }),
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

/** Throws a StorageError when the row is damaged. */
function changedOf(row: Row): OperatorChange {
  return parsed('answer to an operator', () => changed.parse(fromJson(row['answer'])));
}

const FIND = 'SELECT digest, answer FROM operator_requests WHERE key = $1';

/** Null: nothing was done under that key. */
export async function answerTo(sql: Sql, { key, asked }: OperatorRequest): Promise<Intervened | null> {
  const row = await sql.first(FIND, [key]);
  if (row === undefined) return null;
  return row['digest'] === asked ? { type: 'kept', changed: changedOf(row) } : { type: 'refused', why: 'key-taken' };
}

const NEWER = 'SELECT key, answer FROM operator_requests WHERE at >= $1 ORDER BY at, key';

/** The oldest first. */
export async function changesSince(sql: Sql, since: Instant): Promise<ReplicaChanges['changes']> {
  return (await sql.all(NEWER, [since])).map((row) => ({ key: text(row, 'key'), changed: changedOf(row) }));
}

const PRUNE = 'DELETE FROM operator_requests WHERE at < $1';
const KEEP = 'INSERT INTO operator_requests (key, digest, answer, at) VALUES ($1, $2, $3, $4)';

/** Forgets what is older than a day. */
export async function keepAnswer(
  sql: Sql,
  { key, asked }: OperatorRequest,
  answer: OperatorChange,
  at: Instant,
): Promise<void> {
  await sql.run(PRUNE, [at - ANSWERS_KEPT_MS]);
  await sql.run(KEEP, [key, asked, JSON.stringify(answer), at]);
}
