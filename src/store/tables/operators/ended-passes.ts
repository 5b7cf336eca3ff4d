// Passes for the pages that ended before their time: the holder left the pages, or the code of the pass was used.
import type { Instant } from '../../../lib/clock.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import type { Sql } from '../../sql/sql.ts';
import { writeFact } from '../memory/facts.ts';

const PREFIX = 'ended-pass:';

/** The fact for passes that were ended all at once. Every pass whose normal end is not after its value is ended. */
const ALL = 'sessions-ended';

const FIND = `
  SELECT 1 FROM facts
  WHERE name IN ($1, '${ALL}') AND CASE WHEN name = '${ALL}' THEN CAST(value AS BIGINT) >= $2::bigint ELSE TRUE END`;
const ADD = 'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';
// The value of these rows is a time, which is a number. Other facts may have values that no cast makes a number, so
// CASE applies the cast to these rows only.
const DROP = (d: SqlDialect): string => `
  DELETE FROM facts
  WHERE CASE WHEN ${d.startsWith('name', `'${PREFIX}'`)} THEN CAST(value AS BIGINT) <= $1::bigint ELSE FALSE END`;

/** `until`: the normal end of the pass. */
export async function isPassEnded(sql: Sql, nonce: string, until: Instant): Promise<boolean> {
  return (await sql.first(FIND, [`${PREFIX}${nonce}`, until])) !== undefined;
}

/** Ends all passes whose normal end is at `until` or before. */
export async function endSessionsUntil(sql: Sql, until: Instant): Promise<void> {
  await writeFact(sql, ALL, until);
}

/** Ends a pass early. False: it was ended before. Also drops the rows of passes that are past their normal end. */
export async function endPass(sql: Sql, nonce: string, until: Instant, at: Instant): Promise<boolean> {
  await sql.run(DROP, [at]);
  return (await sql.run(ADD, [`${PREFIX}${nonce}`, JSON.stringify(until)])) > 0;
}
