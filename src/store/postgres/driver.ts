// The state in a PostgreSQL database. Reads use any connection; writes of this process run one after the other. Writes
// of other replicas run at the same time, so rows may become visible in another order than that of their numbers.
import type pg from 'pg';
import type { Step } from '../../lib/failpoint.ts';
import { createMutex } from '../../lib/clock.ts';
import { APPLICATION_ID } from '../sql/application-id.ts';
import {
  committed,
  createSqlSession,
  type SchemaHeader,
  type SqlDatabase,
  sqlThrough,
  Superseded,
  type Sync,
  syncOf,
} from '../sql/database.ts';
import type { Sql } from '../sql/sql.ts';
import { CommitUnansweredError, StorageError } from '../contract/store.ts';
import type { PostgresAddress } from './address.ts';
import { connectionOn, type PostgresConnection } from './connection.ts';
import { POSTGRES } from './dialect.ts';
import { codeOf, databaseError } from './errors.ts';
import { createCancels, createPool, type PostgresLimits } from './pool.ts';
import { CLUSTER_STEPS } from './tables-of-cluster.ts';

const MOST_TRIES = 3;

/**
 * The statements that begin transactions. If a process stops within a transaction, its locks end after 10 s. The server
 * ends a statement after 90 % of the timeout, before its client gives it up.
 */
function beginsWithin(timeoutMs: number): Readonly<Record<Sync | 'snapshot', string>> {
  const limits = `SET LOCAL idle_in_transaction_session_timeout = '10s';
    SET LOCAL statement_timeout = ${Math.ceil(timeoutMs * 0.9)}`;
  return {
    snapshot: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limits}`,
    full: `BEGIN; ${limits}`,
    relaxed: `BEGIN; ${limits}; SET LOCAL synchronous_commit = off`,
  };
}

/**
 * Opens no connection yet. Nothing depends on the session, so a pooler may run each transaction on another connection
 * to the server.
 */
export function createPostgresDatabase(options: PostgresAddress & PostgresLimits): SqlDatabase {
  const { name } = options;
  const pool = createPool(options);
  const cancels = createCancels();
  const begins = beginsWithin(options.timeoutMs);
  const writing = createMutex();
  let isOpen = true;

  async function on<T>(action: string, work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const client = await reached(pool, name);
    await cancels.repeat();
    const connection = connectionOn(client);
    try {
      return await work(connection);
    } catch (error) {
      throw error instanceof Superseded ? error : databaseError(name, action, error);
    } finally {
      // Otherwise the abandoned statement would continue in the server while the connection that replaces this one
      // works.
      if (connection.isBroken()) await cancels.cancel(client);
      client.release(connection.isBroken());
    }
  }

  const sql = sqlThrough((work, isWrite) => on(isWrite ? 'write to' : 'read from', (one) => work(one.sql)));
  const write = <T>(step: Step, work: (sql: Sql) => Promise<T>, sync: Sync): Promise<T> =>
    on('write to', (one) => inWrite(one, begins[sync], step, work));
  const reads = {
    sql,
    snapshot: <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
      on('read from', (one) => inSnapshot(one, begins.snapshot, work)),
  };

  return {
    ...reads,
    view: reads,
    name,
    dialect: POSTGRES,
    header: POSTGRES_HEADER,
    write: (step, work, sync = syncOf(step, POSTGRES)) => writing.hold(() => untilDone(() => write(step, work, sync))),
    // The server has its own limits.
    setMaxBytes: () => undefined,
    [Symbol.asyncDispose]: () =>
      writing.hold(async () => {
        if (!isOpen) return;
        isOpen = false;
        await pool.end();
      }),
  };
}

async function reached(pool: pg.Pool, name: string): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw databaseError(name, 'reach', error);
  }
}

async function inSnapshot<T>(
  connection: PostgresConnection,
  begin: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return inTransaction(connection, begin, async (sql) => {
    const result = await work(sql);
    await connection.sql.run('COMMIT');
    return result;
  });
}

async function inWrite<T>(
  connection: PostgresConnection,
  begin: string,
  step: Step,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  return inTransaction(connection, begin, (sql) =>
    committed(
      step,
      () => work(sql),
      async () => {
        try {
          await connection.sql.run('COMMIT');
        } catch (error) {
          throw connection.isBroken() ? unansweredCommit(error) : error;
        }
      },
    ),
  );
}

/** `work` must commit the transaction. */
async function inTransaction<T>(
  { sql, isBroken }: PostgresConnection,
  begin: string,
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const session = createSqlSession(sql);
  try {
    await sql.run(begin);
    return await work(session.sql);
  } catch (error) {
    if (!isBroken()) await sql.run('ROLLBACK');
    throw error;
  } finally {
    session.end();
  }
}

function unansweredCommit(error: unknown): CommitUnansweredError {
  const { message } = error instanceof Error ? error : new Error(String(error));
  return new CommitUnansweredError(`the database did not answer a commit: ${message}. It may be stored.`, {
    cause: error,
  });
}

/** Runs `work` again after a deadlock. The server has ended the transaction, so nothing of it is stored. */
async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (tried === MOST_TRIES || !isDeadlock(error)) throw error;
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof StorageError && codeOf(error.cause) === '40P01';
}

/** The number of the schema is in the one row of `cluster`. */
const POSTGRES_HEADER: SchemaHeader = {
  elsewhere: 'Name an empty database in state.postgres',
  async read(sql) {
    const columns = await columnsOfCluster(sql);
    if (columns.size === 0) return { type: 'ours', schema: 0 };
    if (!columns.has('schema')) return { type: 'foreign' };
    // Builds from before the first release had no such column.
    if (!columns.has('application')) return { type: 'early', schema: await numberIn(sql, 'schema') };
    const isOurs = (await numberIn(sql, 'application')) === APPLICATION_ID;
    return isOurs ? { type: 'ours', schema: await numberIn(sql, 'schema') } : { type: 'foreign' };
  },
  async lock(sql) {
    await sql.run('SELECT pg_advisory_xact_lock($1)', [APPLICATION_ID]);
    await sql.run("SET LOCAL lock_timeout = '2s'");
  },
  async write(sql, schema) {
    await sql.run(
      `INSERT INTO cluster (one, application, schema) VALUES (1, $1, $2)
      ON CONFLICT (one) DO UPDATE SET schema = excluded.schema`,
      [APPLICATION_ID, schema],
    );
  },
  ownSteps: CLUSTER_STEPS,
  async columns(sql, table) {
    const rows = await sql.all(
      `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
      [table],
    );
    return Object.fromEntries(rows.map(({ name, type }) => [String(name), type === 'bigint' ? 'int?' : 'text?']));
  },
  // Another session held a table for longer than `lock_timeout`.
  isLocked: (error) => error instanceof StorageError && codeOf(error.cause) === '55P03',
};

async function columnsOfCluster(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.all(
    "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('cluster') AND attnum > 0 AND NOT attisdropped",
  );
  return new Set(rows.map(({ name }) => String(name)));
}

async function numberIn(sql: Sql, column: 'schema' | 'application'): Promise<number> {
  return Number((await sql.first(`SELECT ${column} FROM cluster`))?.[column]);
}
