// What the database says of the daemon itself, by name.
import type { Json } from '../../core/values/fields.ts';
import { jsonOrNull } from '../rows/rows.ts';
import type { Sql } from './sql.ts';

type Name = 'running' | 'troubles' | 'probe' | 'links';

/** Null when nothing was written under that name, or no JSON. */
export async function readFact(sql: Sql, name: Name): Promise<Json> {
  const row = await sql.first('SELECT value FROM facts WHERE name = $1', [name]);
  return jsonOrNull(row?.['value'] ?? 'null') as Json;
}

export async function writeFact(sql: Sql, name: Name, value: Json): Promise<void> {
  await sql.run(
    'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, JSON.stringify(value)],
  );
}
