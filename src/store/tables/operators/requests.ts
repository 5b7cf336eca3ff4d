// Requests of operators by their keys, with the answers. A repeated request gets the stored answer, and changes
// nothing.
import { z } from 'zod';
import type { Instant } from '../../../lib/clock.ts';
import type { Operated, OperatorRequest, ReplicaChanges, StoredAnswer } from '../../contract/operators.ts';
import { fromJson, parsed, text, type Row } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';

const ANSWERS_KEPT_MS = 86_400_000;

const stored: z.ZodType<StoredAnswer> = z.object({ action: z.string(), answer: z.unknown() });

/** Throws a StorageError when the row is damaged. */
function storedOf(row: Row): StoredAnswer {
  return parsed('answer to an operator', () => stored.parse(fromJson(row['answer'])));
}

const FIND = 'SELECT digest, answer FROM operator_requests WHERE key = $1';

/** Null: nothing was done under that key. */
export async function answerTo(sql: Sql, { key, asked }: OperatorRequest): Promise<Operated | null> {
  const row = await sql.first(FIND, [key]);
  if (row === undefined) return null;
  return row['digest'] === asked ? { type: 'kept', stored: storedOf(row) } : { type: 'refused', why: 'key-taken' };
}

const WITH_ID = 'SELECT 1 FROM silences WHERE id = $1 UNION ALL SELECT 1 FROM acks WHERE id = $1';

/** True if a request under that key has made a silence, a pause or an acknowledgement. */
export async function isIdTaken(sql: Sql, key: string): Promise<boolean> {
  return (await sql.first(WITH_ID, [key])) !== undefined;
}

const NEWER = 'SELECT key, answer FROM operator_requests WHERE at >= $1 ORDER BY at, key';

/** The oldest first. */
export async function changesSince(sql: Sql, since: Instant): Promise<ReplicaChanges['changes']> {
  return (await sql.all(NEWER, [since])).map((row) => ({ key: text(row, 'key'), stored: storedOf(row) }));
}

const PRUNE = 'DELETE FROM operator_requests WHERE at < $1';
const KEEP = 'INSERT INTO operator_requests (key, digest, answer, at) VALUES ($1, $2, $3, $4)';

/** Drops answers that are older than a day. */
export async function keepAnswer(
  sql: Sql,
  { key, asked }: OperatorRequest,
  answer: StoredAnswer,
  at: Instant,
): Promise<void> {
  await sql.run(PRUNE, [at - ANSWERS_KEPT_MS]);
  await sql.run(KEEP, [key, asked, JSON.stringify(answer), at]);
}
