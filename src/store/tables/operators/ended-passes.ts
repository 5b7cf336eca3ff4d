// Passes of pages that are over before their time: those of people who left, and codes that were used.
import type { Instant } from '../../../lib/clock.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import type { Sql } from '../../sql/sql.ts';

const PREFIX = 'ended-pass:';

const FIND = 'SELECT 1 FROM facts WHERE name = $1';
const ADD = 'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING';
// The value is a time in JSON. Only of these rows it is a number.
const DROP = (d: SqlDialect): string => `
  DELETE FROM facts
  WHERE CASE WHEN ${d.startsWith('name', `'${PREFIX}'`)} THEN CAST(value AS BIGINT) <= $1::bigint ELSE FALSE END`;

export async function isPassEnded(sql: Sql, nonce: string): Promise<boolean> {
  return (await sql.first(FIND, [`${PREFIX}${nonce}`])) !== undefined;
}

/** False: it was ended before. Forgets those that are over by themselves. */
export async function endPass(sql: Sql, nonce: string, until: Instant, at: Instant): Promise<boolean> {
  await sql.run(DROP, [at]);
  return (await sql.run(ADD, [`${PREFIX}${nonce}`, JSON.stringify(until)])) > 0;
}
