// Connections to the database. Reads take any of them; writes of this process take their turn. Those of other replicas
// come in between: what they number becomes visible in another order.
import pg from 'pg';
import { failpoint, type Step } from '../../lib/failpoint.ts';
import { createMutex } from '../../lib/mutex.ts';
import type { Row } from '../rows/rows.ts';
import type { Address } from './address.ts';
import { StorageError } from '../store.ts';
import { codeOf, databaseError, isAnswered } from './errors.ts';
import type { Parameter, Sql } from './sql.ts';

/** Every method rejects with a StorageError. */
export interface Database {
  /** For messages. */
  readonly name: string;
  /** Each statement sees what is committed by then. */
  readonly sql: Sql;
  /** All statements see one moment. */
  readonly snapshot: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** All or nothing, in one transaction; `work` is repeated where another transaction stood in its way. */
  readonly write: <T>(step: Step, work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** The same without waiting for the disk: a crash of the server may take it back until the next `write`. */
  readonly writeUnsynced: <T>(step: Step, work: (sql: Sql) => Promise<T>) => Promise<T>;
  /** After the writes that were asked for. Safe to call twice. */
  readonly close: () => Promise<void>;
}

export interface DatabaseOptions extends Address {
  /** How many connections there are at most. */
  readonly connections: number;
  /** How long one statement may take. */
  readonly timeoutMs: number;
}

const CONNECT_MS = 5000;
const MOST_TRIES = 3;
// A process that is stopped within a transaction holds its locks no longer than this.
const IDLE = "SET LOCAL idle_in_transaction_session_timeout = '10s'";
const BEGIN = {
  snapshot: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${IDLE}`,
  synced: `BEGIN; ${IDLE}`,
  unsynced: `BEGIN; ${IDLE}; SET LOCAL synchronous_commit = off`,
};

const BOOL = 16;
const INT8 = 20;

// As SQLite hands them out, so that the rows of both engines are read by the same functions. No number that is kept goes
// beyond what a double holds exactly: amounts are text.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === BOOL) return (text: string) => Number(text === 't');
    const parser: unknown = pg.types.getTypeParser(oid, format);
    return parser;
  },
};

/** Opens no connection yet. Nothing rests on the session, so that a pooler may hand each transaction to another server. */
export function createDatabase({ name, url, ssl, connections, timeoutMs }: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    ssl,
    max: connections,
    query_timeout: timeoutMs,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'chainwarden',
    types,
  });
  // A connection that breaks is replaced by the next that is asked for; whoever uses it learns from its next statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  const writing = createMutex();
  let isOpen = true;

  async function withSession<T>(action: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw databaseError(name, 'reach', error);
    });
    const session = sessionOn(client);
    try {
      return await work(session);
    } catch (error) {
      throw databaseError(name, action, error);
    } finally {
      client.release(session.isBroken());
    }
  }

  const one =
    <T>(action: string, work: (sql: Sql, text: string, values?: readonly Parameter[]) => Promise<T>) =>
    (text: string, values?: readonly Parameter[]): Promise<T> =>
      withSession(action, ({ sql }) => work(sql, text, values));

  function transaction<T>(begin: keyof typeof BEGIN, work: (sql: Sql) => Promise<T>, step: Step | null): Promise<T> {
    return withSession(step === null ? 'read from' : 'write to', async ({ sql, isBroken }) => {
      try {
        await sql.run(BEGIN[begin]);
        const result = await work(sql);
        if (step !== null) failpoint(`${step}.before`);
        await sql.run('COMMIT');
        if (step !== null) failpoint(`${step}.after`);
        return result;
      } catch (error) {
        if (!isBroken()) await sql.run('ROLLBACK');
        throw error;
      }
    });
  }

  return {
    name,
    sql: {
      all: one('read from', (sql, text, values) => sql.all(text, values)),
      first: one('read from', (sql, text, values) => sql.first(text, values)),
      run: one('write to', (sql, text, values) => sql.run(text, values)),
    },
    snapshot: (work) => transaction('snapshot', work, null),
    write: (step, work) => writing.hold(() => untilDone(() => transaction('synced', work, step))),
    writeUnsynced: (step, work) => writing.hold(() => untilDone(() => transaction('unsynced', work, step))),
    close: () =>
      writing.hold(async () => {
        if (!isOpen) return;
        isOpen = false;
        await pool.end();
      }),
  };
}

/** Of two transactions that wait for each other, the server ends one: nothing of it was done. */
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

interface Session {
  readonly sql: Sql;
  /** The connection cannot be used any more. */
  readonly isBroken: () => boolean;
}

function sessionOn(client: pg.PoolClient): Session {
  let isBroken = false;
  async function query(text: string, values: readonly Parameter[] = []): Promise<pg.QueryResult<Row>> {
    try {
      return await client.query<Row>(text, values.map(storable));
    } catch (error) {
      isBroken ||= !isAnswered(error);
      throw error;
    }
  }
  return {
    sql: {
      all: async (text, values) => (await query(text, values)).rows,
      first: async (text, values) => (await query(text, values)).rows[0],
      run: async (text, values) => (await query(text, values)).rowCount ?? 0,
    },
    isBroken: () => isBroken,
  };
}

/** PostgreSQL keeps no NUL in a text; JSON has it escaped. */
function storable(value: Parameter): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(storable) : value;
}
