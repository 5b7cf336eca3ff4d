// The connection that writes: one transaction at a time.
import type { DatabaseSync } from 'node:sqlite';
import type { Step } from '../../lib/failpoint.ts';
import { committed, createSqlSession, needsRoom, type Sync } from '../sql/database.ts';
import type { Sql } from '../sql/sql.ts';
import { whenFree, type FileAttempt } from './busy.ts';
import { firstNumber } from './database.ts';
import { createRowCount } from './files/checkpoints.ts';
import { createSizeLimit, type SizeLimit } from './files/size-limit.ts';
import { connectionOn, type SqliteConnection } from './reads.ts';

export interface SqliteWriter {
  readonly connection: SqliteConnection;
  readonly size: SizeLimit;
  /** The number of rows that the connection has written since it was opened. */
  readonly rows: () => number;
  /** The caller ensures that no other transaction is open. Rejects with a StorageError. */
  write<T>(attempt: FileAttempt, step: Step, work: (sql: Sql) => Promise<T>, sync: Sync): Promise<T>;
}

const NORMAL = 1;

export function createWriter(db: DatabaseSync, file: string, maxBytes: number): SqliteWriter {
  const connection = connectionOn(db);
  const size = createSizeLimit(db, file, maxBytes);
  const usual = firstNumber(db, 'PRAGMA synchronous');

  async function transaction<T>(step: Step, work: (sql: Sql) => Promise<T>): Promise<T> {
    const session = createSqlSession(connection.sql);
    // The write lock is taken first, so that the values that `work` reads are still valid when it writes.
    db.exec('BEGIN IMMEDIATE');
    try {
      if (needsRoom(step)) size.assertRoom();
      return await committed(
        step,
        () => work(session.sql),
        async () => {
          db.exec('COMMIT');
        },
      );
    } finally {
      session.end();
      // After some errors, such as a full disk, SQLite has rolled back already.
      if (db.isTransaction) db.exec('ROLLBACK');
    }
  }

  return {
    connection,
    size,
    rows: createRowCount(db),
    async write(attempt, step, work, sync) {
      if (sync === 'relaxed') db.exec(`PRAGMA synchronous = ${Math.min(usual, NORMAL)}`);
      try {
        return await whenFree(attempt, () => transaction(step, work));
      } finally {
        if (sync === 'relaxed') db.exec(`PRAGMA synchronous = ${usual}`);
      }
    },
  };
}
