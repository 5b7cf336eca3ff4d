// What the database says of the daemon itself, by name.
import type { Json } from '../../core/values/fields.ts';
import { jsonOrNull } from '../rows/rows.ts';
import type { Sql } from './sql.ts';

type Name = 'running' | 'probe' | 'links';

/** Null when nothing was written under that name, or no JSON. */
export async function readFact(sql: Sql, name: Name): Promise<Json> {
  const row = await sql.first('SELECT value FROM facts WHERE name = $1', [name]);
  return jsonOrNull(row?.['value'] ?? 'null') as Json;
}

export async function writeFact(sql: Sql, name: Name, value: Json): Promise<void> {
  await put(sql, name, value);
}

async function put(sql: Sql, name: string, value: Json): Promise<void> {
  await sql.run(
    'INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [name, JSON.stringify(value)],
  );
}

const IS_LIVE = 'until > clock_timestamp()';
const OF_REPLICA = `'troubles:' || id`;

/** What the replicas last wrote down of their explorers; where none lives, what each wrote last. */
export async function troubles(sql: Sql): Promise<string[]> {
  const rows = await sql.all(
    `SELECT value FROM facts WHERE name LIKE 'troubles:%'
      AND (EXISTS (SELECT FROM replicas WHERE ${OF_REPLICA} = facts.name AND ${IS_LIVE})
        OR NOT EXISTS (SELECT FROM replicas WHERE ${IS_LIVE}))
    ORDER BY name`,
  );
  return rows.flatMap(({ value }) => textsOf(jsonOrNull(value)));
}

/** Those of replicas that are gone for long are removed. */
export async function keepTroubles(sql: Sql, replica: string, lines: readonly string[]): Promise<void> {
  const name = `troubles:${replica}`;
  await sql.run(
    `DELETE FROM facts WHERE name LIKE 'troubles:%' AND name <> $1
      AND NOT EXISTS (SELECT FROM replicas WHERE ${OF_REPLICA} = facts.name)`,
    [name],
  );
  await put(sql, name, lines);
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string') : [];
}
