// A connection that reads. Its statements and snapshots take turns: else a single read could see the older moment of a
// snapshot that is open. Commits on another connection are not waited for.
import type { DatabaseSync } from 'node:sqlite';
import type { SqlReads } from '../sql/database.ts';
import { createSqlSession, sqlThrough } from '../sql/session.ts';
import type { Sql } from '../sql/sql.ts';
import { sqlOn } from './prepared.ts';
import { whenFree } from './busy.ts';
import type { Turns } from './turns.ts';

/** `connection`: the one that is open by then. `file`: for messages. */
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
    // Nothing was written, and a COMMIT fails once a damaged page was met.
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}
