// Checks every page and every row of a state file, and changes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { Finding, StateCheck } from '../../contract/backups.ts';
import { countRows, findDamage, MOST_PER_TABLE, type OnUnreadable } from '../../sql/check.ts';
import { schemaIn } from '../../sql/migrate.ts';
import { SCHEMA_STEPS } from '../../sql/schema.ts';
import { StorageError } from '../../contract/store.ts';
import { answering, firstNumber, isCorrupt, openReadOnly, START_ANEW, storageError } from '../database.ts';
import { createSingleDatabase } from '../driver.ts';

/** Takes no lock, so a daemon may be working. Rejects with a StorageError if the file cannot be opened. */
export async function checkSqlite(file: string): Promise<StateCheck> {
  const db = answering(file, 'open', () => openReadOnly(file));
  try {
    return await examine(db, file);
  } finally {
    db.close();
  }
}

async function examine(db: DatabaseSync, file: string): Promise<StateCheck> {
  const pages = damagedPages(db, file);
  const reads = createSingleDatabase(db, { file });
  const schema = await schemaIn(reads, reads.sql);
  if (schema === 0) throw new StorageError(`${file} holds no state: it is empty.`);
  const isCurrent = schema === SCHEMA_STEPS.length;
  const { bytes, names } = answering(file, 'read', () => ({ bytes: bytesOf(db), names: tablesOf(db) }));
  const onUnreadable: OnUnreadable = (table, error) => ({
    what: storageError(file, `read table ${table} of`, error).message,
    advice: '',
  });
  return reads.snapshot(async (sql) => {
    const { rows, findings } = await countRows(sql, names, onUnreadable);
    const damaged = isCurrent ? await findDamage(sql, onUnreadable) : [];
    return { schema, isCurrent, bytes, rows, findings: [...pages, ...findings, ...damaged] };
  });
}

function damagedPages(db: DatabaseSync, file: string): Finding[] {
  try {
    const lines = db.prepare(`PRAGMA integrity_check(${MOST_PER_TABLE})`).all().flatMap(Object.values).map(String);
    return lines.filter((line) => line !== 'ok').map((what) => ({ what, advice: START_ANEW }));
  } catch (error) {
    // A file that is no database at all is refused. The damage of a database is reported.
    if (!isCorrupt(error)) throw storageError(file, 'read', error);
    return [{ what: storageError(file, 'read', error).message, advice: '' }];
  }
}

function bytesOf(db: DatabaseSync): number {
  return firstNumber(db, 'PRAGMA page_count') * firstNumber(db, 'PRAGMA page_size');
}

function tablesOf(db: DatabaseSync): string[] {
  const select = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;
  return db
    .prepare(select)
    .all()
    .map(({ name }) => String(name));
}
