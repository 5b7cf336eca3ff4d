// Brings the tables to the newest schema, one process at a time.
import { setTimeout as pause } from 'node:timers/promises';
import { StorageError } from '../store.ts';
import type { Database } from './database.ts';
import { codeOf } from './errors.ts';
import { MIGRATIONS } from './schema.ts';
import type { Sql } from './sql.ts';

// 'CWdn', as in the header of a state file.
const LOCK = 0x4357646e;
const TRIES = 5;
const PAUSE_MS = 500;

/** Rejects with a StorageError for tables of a newer release; nothing is changed then. */
export async function migrate(database: Database): Promise<void> {
  if ((await schemaOf(database.sql, database.name)) === MIGRATIONS.length) return;
  for (let tried = 1; ; tried += 1) {
    try {
      await database.write('migrate', (sql) => migrateOn(sql, database.name));
      return;
    } catch (error) {
      // Another session held a table for longer than `lock_timeout`.
      if (tried === TRIES || !isLocked(error)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

/** The schema of the tables: 0 where there are none. Rejects with a StorageError when a newer release made them. */
export async function schemaOf(sql: Sql, name: string): Promise<number> {
  const found = await sql.first("SELECT to_regclass('cluster') IS NOT NULL AS found");
  if (found?.['found'] !== 1) return 0;
  const schema = Number((await sql.first('SELECT schema FROM cluster'))?.['schema']);
  if (schema <= MIGRATIONS.length) return schema;
  throw new StorageError(
    `${name} was written by a newer release (schema ${schema}, this one knows up to ${MIGRATIONS.length}). ` +
      'Install that release or a later one, or name another database.',
  );
}

async function migrateOn(sql: Sql, name: string): Promise<void> {
  await sql.run('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  await sql.run("SET LOCAL lock_timeout = '2s'");
  const schema = await schemaOf(sql, name);
  if (schema === 0)
    await sql.run(`
      CREATE TABLE cluster (one bool PRIMARY KEY CHECK (one), schema int NOT NULL, policy bigint NOT NULL DEFAULT 0);
      INSERT INTO cluster (one, schema) VALUES (true, 0)`);
  for (const migration of MIGRATIONS.slice(schema)) await sql.run(migration);
  await sql.run('UPDATE cluster SET schema = $1', [MIGRATIONS.length]);
}

function isLocked(error: unknown): boolean {
  return error instanceof StorageError && codeOf(error.cause) === '55P03';
}
