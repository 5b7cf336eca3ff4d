// A connection that reads. Its statements and snapshots take turns. Else a single read could fall into an open
// snapshot, and miss later commits. Reads do not wait for commits on another connection.
import type { DatabaseSync } from 'node:sqlite';
import type { SqlReads } from '../sql/database.ts';
import { createSqlSession, sqlThrough } from '../sql/session.ts';
import type { Sql } from '../sql/sql.ts';
import { sqlOn } from './prepared.ts';
import { whenFree } from './busy.ts';
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
