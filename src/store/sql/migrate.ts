// Brings a state to the newest schema. The steps are numbered. One process at a time takes all missing steps in one
// transaction.
import { setTimeout as pause } from 'node:timers/promises';
import { StateMismatchError, StorageError } from '../contract/store.ts';
import type { SqlDatabase } from './database.ts';
import { SCHEMA_STEPS, type SchemaStep } from './schema.ts';
import type { Sql } from './sql.ts';

const TRIES = 5;
const PAUSE_MS = 500;

type Migrated = Pick<SqlDatabase, 'name' | 'sql' | 'write' | 'dialect' | 'header'>;

/** Rejects with a StorageError for a state that this release cannot upgrade; nothing is changed then. */
export async function migrateState(database: Migrated, steps: readonly SchemaStep[] = SCHEMA_STEPS): Promise<void> {
  if ((await schemaIn(database, database.sql, steps.length)) === steps.length) return;
  for (let tried = 1; ; tried += 1) {
    try {
      await database.write('migrate', (sql) => migrateOn(database, sql, steps));
      return;
    } catch (error) {
      if (tried === TRIES || !database.header.isLocked(error)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

async function migrateOn(database: Migrated, sql: Sql, steps: readonly SchemaStep[]): Promise<void> {
  const { header, dialect } = database;
  await header.lock(sql);
  // Another process may have upgraded the state meanwhile.
  const schema = await schemaIn(database, sql, steps.length);
  if (schema === steps.length) return;
  for (const [n, step] of steps.entries())
    if (n >= schema)
      for (const statement of [...step(dialect), ...(header.ownSteps[n]?.(dialect) ?? [])]) await sql.run(statement);
  await header.write(sql, steps.length);
}

/** For readers. Rejects with a StorageError unless the state has exactly the newest schema of this release. */
export async function assertCurrentSchema(database: Pick<SqlDatabase, 'name' | 'sql' | 'header'>): Promise<void> {
  const known = SCHEMA_STEPS.length;
  const schema = await schemaIn(database, database.sql, known);
  if (schema === 0) throw new StorageError(`${database.name} holds no state yet. Has the daemon run with this config?`);
  if (schema < known)
    throw new StorageError(
      `${database.name} was written by an older release. Start the daemon once: it brings the state up to date.`,
    );
}

/** 0 for an empty database. Rejects with a StorageError for a state that this release does not read. */
export async function schemaIn(
  { name, header }: Pick<SqlDatabase, 'name' | 'header'>,
  sql: Sql,
  known = SCHEMA_STEPS.length,
): Promise<number> {
  const found = await header.read(sql);
  if (found.type === 'foreign')
    throw new StorageError(`${name} is a database of another program. ${header.elsewhere}.`);
  if (found.type === 'early')
    throw new StorageError(
      `${name} was written by a build from before release 0.1.0 (its schema ${found.schema}), which this release does not ` +
        `read. ${header.elsewhere}: every watch then begins with a quiet baseline. The build that wrote it still reads it.`,
    );
  if (found.schema > known) throw newerSchema({ name, header }, found.schema, known);
  return found.schema;
}

export function newerSchema(
  { name, header }: Pick<SqlDatabase, 'name' | 'header'>,
  found: number,
  known = SCHEMA_STEPS.length,
): StateMismatchError {
  return new StateMismatchError(
    `${name} was written by a newer release (schema ${found}, this one knows up to ${known}). Install that release ` +
      `or a later one. ${header.elsewhere} to start with an empty state.`,
  );
}
