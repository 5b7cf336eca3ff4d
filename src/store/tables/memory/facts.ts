// Facts of the daemon itself, by name. Each value is JSON.
import type { Json } from '../../../core/values/fields.ts';
import { jsonIfAny, type Row } from '../../sql/rows.ts';
import type { Sql } from '../../sql/sql.ts';

/**
 * `gone-targets`: targets that are missing in the config, and the time since which they are missing. `owner` and
 * `epoch`: the process that owns the state. `policy`: a counter of the changes of the policy. `salt`: part of the
 * digests that name plans.
 */
export type FactName =
  | 'gone-targets'
  | 'dispatched-at'
  | 'owner'
  | 'epoch'
  | 'running'
  | 'probe'
  | 'policy'
  | 'links'
  | 'salt'
  | 'sessions-ended'
  | `health:${string}`;

const READ = 'SELECT value FROM facts WHERE name = $1';

/** Null if nothing was written under that name, or if the text is no JSON. */
export async function readFact(sql: Sql, name: FactName): Promise<Json> {
  const row = await sql.first(READ, [name]);
  return row === undefined ? null : jsonIfAny(row, 'value');
}

/** Reads a counter; 0 if it is missing or damaged. Counters only rise. */
export async function readCount(sql: Sql, name: FactName): Promise<number> {
  return countIn(await sql.first(READ, [name]));
}

/** The counter in a row of `facts`. A damaged one is always read as 0, so two reads of it are equal. */
export function countIn(row: Row | undefined): number {
  const count = row === undefined ? 0 : jsonIfAny(row, 'value');
  return typeof count === 'number' && Number.isSafeInteger(count) ? count : 0;
}

const WRITE = `
  INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

export async function writeFact(sql: Sql, name: FactName, value: Json): Promise<void> {
  await sql.run(WRITE, [name, JSON.stringify(value)]);
}
