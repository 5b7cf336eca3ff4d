// A connection that reads. Its statements and snapshots take turns. Else a single read could fall into an open
// snapshot, and miss later commits. Reads do not wait for commits on another connection.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { createSqlSession, type SqlReads, sqlThrough } from '../sql/database.ts';
import type { Row } from '../sql/rows.ts';
import { readPages, type Parameter, type Sql, type Statement } from '../sql/sql.ts';
import { whenFree } from './busy.ts';
import { asSqlite, SQLITE } from './dialect.ts';
import type { Turns } from './turns.ts';

/** `connection`: returns the connection that is open at the time of a read. `file`: the name in messages. */
export function readsOn(connection: () => SqliteConnection, turns: Turns, file: string): SqlReads {
  const read = <T>(work: (over: Sql) => Promise<T>): Promise<T> => {
    const askedAt = performance.now();
    return turns.hold(() => whenFree({ file, action: 'read', askedAt }, () => work(connection().sql)));
  };
  return {
    sql: sqlThrough(read),
    snapshot: (work) => read((over) => inSnapshot(connection().db, over, work)),
  };
}

export interface SqliteConnection {
  readonly db: DatabaseSync;
  readonly sql: Sql;
}

export function connectionOn(db: DatabaseSync): SqliteConnection {
  return { db, sql: sqlOn(db) };
}

async function inSnapshot<T>(db: DatabaseSync, over: Sql, work: (sql: Sql) => Promise<T>): Promise<T> {
  const session = createSqlSession(over);
  db.exec('BEGIN');
  try {
    return await work(session.sql);
  } finally {
    session.end();
    // ROLLBACK is enough, since nothing was written. A COMMIT would fail after a damaged page was read.
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/**
 * There are fewer constant statements than this. The limit keeps texts that are made at run time from filling the
 * memory.
 */
const MOST_PREPARED = 2000;

/** The statements of a connection. They reject with the errors of SQLite. */
function sqlOn(db: DatabaseSync): Sql {
  const prepared = new Map<Statement, StatementSync>();

  function prepare(statement: Statement): StatementSync {
    const known = prepared.get(statement);
    if (known !== undefined) return known;
    if (prepared.size >= MOST_PREPARED) prepared.clear();
    const fresh = db.prepare(asSqlite(typeof statement === 'string' ? statement : statement(SQLITE)));
    prepared.set(statement, fresh);
    return fresh;
  }

  const sql: Sql = {
    all: async (statement, values = []) => prepare(statement).all(...values.map(bound)),
    first: async (statement, values = []) => prepare(statement).get(...values.map(bound)),
    run: async (statement, values = []) => Number(prepare(statement).run(...values.map(bound)).changes),
    async each(statement, rows) {
      const one = prepare(statement.text);
      let changed = 0;
      for (const row of rows) changed += Number(one.run(...statement.valuesOf(row).map(bound)).changes);
      return changed;
    },
    async allOf(statement, rows) {
      const one = prepare(statement.text);
      const found: Row[] = [];
      for (const row of rows) for (const each of one.all(...statement.valuesOf(row).map(bound))) found.push(each);
      return found;
    },
    pages: (statement, size) => readPages(sql, statement, size),
  };
  return sql;
}

function bound(value: Parameter): SQLInputValue {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
