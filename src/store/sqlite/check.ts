// Looks at every page and every row of a state file, and changes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { Finding, StateCheck } from '../backups.ts';
import { checkedTables, createFindings, findingsOf, MOST_PER_TABLE, type CheckedTable } from '../findings.ts';
import { ACKS } from './operators/acks-table.ts';
import { answering, firstNumber, isCorrupt, openReadOnly, START_ANEW, storageError } from './database.ts';
import { createJournalView } from './journal-table.ts';
import { DIAGNOSTICS, REMEMBERED } from './memory-table.ts';
import { assertFilled, isCurrent } from './migrations/migrations.ts';
import { SILENCES } from './operators/silences-table.ts';
import { DELIVERIES } from './deliveries/deliveries-table.ts';
import { MEMBERS } from './deliveries/members-view.ts';

/** Takes no lock, so a daemon may be working. Rejects with a StorageError where the file cannot be opened. */
export async function checkSqlite(file: string): Promise<StateCheck> {
  const db = answering(file, 'open', () => openReadOnly(file));
  try {
    return examine(db, file);
  } finally {
    db.close();
  }
}

function examine(db: DatabaseSync, file: string): StateCheck {
  const pages = damagedPages(db, file);
  const { names, ...facts } = answering(file, 'read', () => {
    assertFilled(db, file);
    return { ...factsOf(db), names: tablesOf(db) };
  });
  const tables = names.map((name) => countRows(db, file, name));
  const rows = facts.isCurrent ? [...ROWS.flatMap((of) => damagedRows(db, file, of)), ...brokenJournal(db, file)] : [];
  return {
    ...facts,
    rows: new Map(tables.flatMap(({ name, rows: count }) => (count === null ? [] : [[name, count]]))),
    findings: [...pages, ...tables.flatMap(({ finding }) => finding ?? []), ...rows],
  };
}

function factsOf(db: DatabaseSync): Pick<StateCheck, 'schema' | 'isCurrent' | 'bytes'> {
  const bytes = firstNumber(db, 'PRAGMA page_count') * firstNumber(db, 'PRAGMA page_size');
  return { schema: firstNumber(db, 'PRAGMA user_version'), isCurrent: isCurrent(db), bytes };
}

function damagedPages(db: DatabaseSync, file: string): Finding[] {
  try {
    const lines = db.prepare(`PRAGMA integrity_check(${MOST_PER_TABLE})`).all().flatMap(Object.values).map(String);
    return lines.filter((line) => line !== 'ok').map((what) => ({ what, advice: START_ANEW }));
  } catch (error) {
    // A file that is no database at all is refused; one that was a database is described.
    if (!isCorrupt(error)) throw storageError(file, 'read', error);
    return [{ what: storageError(file, 'read', error).message, advice: '' }];
  }
}

function tablesOf(db: DatabaseSync): string[] {
  const select = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`;
  return db
    .prepare(select)
    .all()
    .map(({ name }) => String(name));
}

interface Counted {
  readonly name: string;
  /** Null: they cannot be read. */
  readonly rows: number | null;
  readonly finding?: Finding;
}

function countRows(db: DatabaseSync, file: string, name: string): Counted {
  try {
    return { name, rows: firstNumber(db, `SELECT count(*) FROM "${name}"`) };
  } catch (error) {
    return { name, rows: null, finding: unreadable(file, name, error) };
  }
}

function unreadable(file: string, table: string, error: unknown): Finding {
  return { what: storageError(file, `read table ${table} of`, error).message, advice: '' };
}

function brokenJournal(db: DatabaseSync, file: string): Finding[] {
  try {
    return findingsOf(createJournalView(db).verify(null));
  } catch (error) {
    return [unreadable(file, 'journal', error)];
  }
}

const ROWS = checkedTables({
  memory: REMEMBERED,
  coverage: DIAGNOSTICS,
  deliveries: DELIVERIES,
  members: MEMBERS,
  silences: SILENCES,
  acks: ACKS,
});

function damagedRows(db: DatabaseSync, file: string, of: CheckedTable): Finding[] {
  const findings = createFindings(of);
  try {
    for (const row of db.prepare(of.select).iterate()) findings.look(row);
  } catch (error) {
    findings.add(unreadable(file, of.table, error));
  }
  return findings.end();
}
