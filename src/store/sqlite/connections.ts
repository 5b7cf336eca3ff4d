// The connections to a state file: one that writes, and those that read.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { createMutex, type Mutex, nextTurn } from '../../lib/clock.ts';
import type { Step } from '../../lib/failpoint.ts';
import {
  committed,
  createSqlSession,
  needsRoom,
  type SqlReads,
  sqlThrough,
  Superseded,
  type Sync,
} from '../sql/database.ts';
import type { Row } from '../sql/rows.ts';
import { type Parameter, readPages, type Sql, type Statement } from '../sql/sql.ts';
import { BUSY_TIMEOUT_MS, firstNumber, isBusy, storageError } from './database.ts';
import { asSqlite, SQLITE } from './dialect.ts';
import { createSizeLimit, type SizeLimit } from './files/size-limit.ts';

// A connection for reads. Its statements and snapshots run one after the other. Otherwise a single read could run
// inside an open snapshot, and would not see later commits. Reads do not wait for commits on another connection.

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
 * The number of constant statements is below this limit. Without a limit, statements whose text is made at run time
 * would fill the memory.
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

// The connection that writes: one transaction at a time.

export interface SqliteWriter {
  readonly connection: SqliteConnection;
  readonly size: SizeLimit;
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

// A mutex for work that ends within one turn of the event loop. Without a pause, a long queue of such work would keep
// timers and requests waiting until the last of it is done.

/** After this time, other work of the event loop runs first. */
const LONGEST_MS = 5;

export type Turns = Pick<Mutex, 'hold'>;

export function createTurns(): Turns {
  const mutex = createMutex();
  let heldMs = 0;

  return {
    async hold(work) {
      const release = await mutex.acquire();
      try {
        if (heldMs > LONGEST_MS) {
          heldMs = 0;
          await nextTurn();
        }
        const from = performance.now();
        const result = await work();
        heldMs += performance.now() - from;
        return result;
      } finally {
        release();
      }
    },
  };
}

// Waits for another program that holds the file, such as a backup. The wait does not block the event loop, so polls,
// sends and health checks continue. Its length is measured in real time and not by `Clock`, because the other program
// runs in real time too.

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

interface FileAttempt {
  /** For messages. */
  readonly file: string;
  readonly action: string;
  /**
   * The time when the work was requested. A wait for other work counts as a wait for the file, but the work is tried
   * once in any case.
   */
  readonly askedAt: number;
}

/** Runs `work`, and repeats it while the file is held, for up to `BUSY_TIMEOUT_MS`. Rejects with a StorageError. */
async function whenFree<T>({ file, action, askedAt }: FileAttempt, work: () => Promise<T>): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Superseded) throw error;
      const isOver = performance.now() - askedAt >= BUSY_TIMEOUT_MS;
      if (!isBusy(error) || isOver) throw storageError(file, action, error);
    }
    await pause(pauseMs);
  }
}
