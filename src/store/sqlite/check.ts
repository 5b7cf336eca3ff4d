// Looks at every page and every row of a state file, and changes nothing.
import type { DatabaseSync } from 'node:sqlite';
import type { Finding, StateCheck } from '../backups.ts';
import { StorageError } from '../store.ts';
import { assertDiagnostics, deliveryOf, memberOf, memoryOf, type Row } from '../rows.ts';
import { ackOf, pauseOf, silenceOf } from '../operator-rows.ts';
import { ACKS } from './operators/acks-table.ts';
import { answering, firstNumber, isCorrupt, openReadOnly, START_ANEW, storageError } from './database.ts';
import { createJournalView } from './journal-table.ts';
import { DIAGNOSTICS, REMEMBERED } from './memory-table.ts';
import { assertFilled, isCurrent } from './migrations.ts';
import { SILENCES } from './operators/silences-table.ts';
import { DELIVERIES } from './dispatch/deliveries-table.ts';
import { MEMBERS } from './dispatch/members-view.ts';

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

const MOST_PER_TABLE = 20;

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
    const verdict = createJournalView(db).verify(null);
    if (verdict.type === 'intact') return [];
    const what = `the journal is broken at position ${verdict.position}: ${verdict.why}`;
    return [{ what, advice: 'Compare it with the journal of a backup. The daemon works all the same.' }];
  } catch (error) {
    return [unreadable(file, 'journal', error)];
  }
}

interface RowsOfTable {
  readonly table: string;
  readonly select: string;
  /** Throws a StorageError that names the row. */
  readonly read: (row: Row) => unknown;
  readonly advice: string;
}

const ROWS: readonly RowsOfTable[] = [
  { table: 'memory', select: REMEMBERED, read: memoryOf, advice: '' },
  {
    table: 'coverage',
    select: DIAGNOSTICS,
    read: assertDiagnostics,
    advice: 'Nothing to do: only `explain` and `status` read it, and the next poll writes it anew.',
  },
  {
    table: 'deliveries',
    select: DELIVERIES,
    read: deliveryOf,
    advice: 'Nothing to do: where it is still owed, the daemon gives it up and logs delivery:damaged.',
  },
  {
    table: 'deliveries',
    select: MEMBERS,
    read: memberOf,
    advice:
      'Nothing to do: where it is still owed, the daemon leaves it out, or gives it up where nothing else is in it.',
  },
  {
    table: 'silences',
    select: SILENCES,
    read: (row) => (row['kind'] === 'pause' ? pauseOf(row) : silenceOf(row)),
    advice: 'It has no effect. Make it anew.',
  },
  { table: 'acks', select: ACKS, read: ackOf, advice: 'It has no effect. Acknowledge the alert anew.' },
];

function damagedRows(db: DatabaseSync, file: string, { table, select, read, advice }: RowsOfTable): Finding[] {
  const findings: Finding[] = [];
  let more = 0;
  try {
    for (const row of db.prepare(select).iterate()) {
      const finding = damageOf(row, read, advice);
      if (finding === null) continue;
      if (findings.length < MOST_PER_TABLE) findings.push(finding);
      else more += 1;
    }
  } catch (error) {
    findings.push(unreadable(file, table, error));
  }
  return more === 0 ? findings : [...findings, { what: `${more} further rows of ${table} are damaged`, advice }];
}

function damageOf(row: Row, read: (row: Row) => unknown, advice: string): Finding | null {
  try {
    read(row);
    return null;
  } catch (error) {
    if (error instanceof StorageError) return { what: error.message, advice };
    throw error;
  }
}
