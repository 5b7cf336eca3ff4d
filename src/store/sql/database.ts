// Transactions, for either engine.
import { failpoint, type Step } from '../../lib/failpoint.ts';
import type { ListColumns, SqlDialect } from './dialect.ts';
import type { Row } from './rows.ts';
import type { SchemaStep } from './schema.ts';
import { readPages, type Sql } from './sql.ts';

/** Every method rejects with a StorageError. */
export interface SqlReads {
  /** Each statement sees the last commit. */
  readonly sql: Sql;
  /** All statements read one snapshot. `work` must await nothing but them. */
  readonly snapshot: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>;
}

/** `full`: a commit survives a power cut. `relaxed`: a power cut may revert it until the next full commit. */
export type Sync = 'full' | 'relaxed';

/** Disposing waits for the requested writes. It may be done twice. */
export interface SqlDatabase extends SqlReads, AsyncDisposable {
  /** For messages. */
  readonly name: string;
  readonly dialect: SqlDialect;
  /**
   * Reads for pages, the API and commands. They are separate, so that the short reads of the loops do not wait for
   * them.
   */
  readonly view: SqlReads;
  /**
   * Runs `work` in one transaction. Transactions run in the order of the calls. `work` must await only its statements,
   * and may run more than once. Rejects with a StoreFullError if the step needs room and there is none; an error
   * `Superseded` from `work` is passed on, and nothing is stored. `sync`: the one of the step by default.
   */
  readonly write: <T>(step: Step, work: (sql: Sql) => Promise<T>, sync?: Sync) => Promise<T>;
  /** Limits the size of the database, if this program controls it. */
  readonly setMaxBytes: (maxBytes: number) => void;
  /** Reads and writes the schema number: in the file header of SQLite, in a table of PostgreSQL. */
  readonly header: SchemaHeader;
}

/** The result of reading the schema number. */
export type FoundSchema =
  /** 0: the database is empty. */
  | { readonly type: 'ours'; readonly schema: number }
  /** A build from before the first release wrote it. */
  | { readonly type: 'early'; readonly schema: number }
  /** Another program wrote it. */
  | { readonly type: 'foreign' };

export interface SchemaHeader {
  read(sql: Sql): Promise<FoundSchema>;
  /** Until the end of the transaction no other session changes the schema. */
  lock(sql: Sql): Promise<void>;
  write(sql: Sql, schema: number): Promise<void>;
  /** By step, the statements for tables of this engine alone; they run after the common ones. */
  readonly ownSteps: readonly SchemaStep[];
  /** The columns of an existing table, each as a type that allows null. */
  columns(sql: Sql, table: string): Promise<ListColumns>;
  /** True if another session was in the way, so that the step must be tried again. */
  isLocked(error: unknown): boolean;
  /** Advice for a state that cannot be used, such as: name another file. */
  readonly elsewhere: string;
}

/** Data that a decided round depends on has changed since: the round is rolled back. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** Resolves with `superseded` if the write was rolled back for that reason. */
export async function orSuperseded<T>(written: Promise<T>): Promise<T | 'superseded'> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof Superseded) return 'superseded';
    throw error;
  }
}

/** In which engines a step does not wait for the disk. */
type RelaxedIn = 'both' | 'sqlite';

/** All steps that are not listed wait for the disk. */
const RELAXED: Partial<Readonly<Record<Step, RelaxedIn>>> = {
  // If a power cut reverts a round, it is decided again, and makes the same deliveries under the same ids, since ids
  // are computed from the content alone. The outcome of a try is a full commit, so that a message stays recorded as
  // sent.
  'commit-routing': 'both',
  'commit-due': 'both',
  'commit-calls': 'both',
  // The row is written again within half a minute.
  'keep-health': 'both',
  // If a power cut loses it, the age of pending deliveries is a little too low.
  ran: 'both',
  // A power cut may lose the last part of the coverage, but the machine is off for longer than that. A database server
  // that crashes alone may be back sooner, so PostgreSQL waits for the disk.
  cover: 'sqlite',
  // If a power cut loses a claim, the delivery is sent again under its id, as after the end of the process. If only a
  // database server crashes, the next try would not be marked as a possible copy, so PostgreSQL waits for the disk.
  claim: 'sqlite',
};

/**
 * Steps that are refused at the size limit: they add to the state without end. All others make room, or record what has
 * happened already; if settling were refused, sent messages would be sent again.
 */
const NEEDS_ROOM: ReadonlySet<Step> = new Set<Step>(['commit', 'cover', 'probe']);

export function syncOf(step: Step, { name }: SqlDialect): Sync {
  const relaxed = RELAXED[step];
  return relaxed === 'both' || relaxed === name ? 'relaxed' : 'full';
}

export function needsRoom(step: Step): boolean {
  return NEEDS_ROOM.has(step);
}

/**
 * Runs `work`, then `commit`, which ends the transaction. The failpoints of the step are just before and after
 * `commit`.
 */
export async function committed<T>(step: Step, work: () => Promise<T>, commit: () => Promise<void>): Promise<T> {
  const result = await work();
  failpoint(`${step}.before`);
  await commit();
  failpoint(`${step}.after`);
  return result;
}

// The statements of one transaction. A statement after the end of the transaction would be part of the next one on that
// connection, so it is refused. The usual cause is a missing `await`.

interface SqlSession {
  readonly sql: Sql;
  readonly end: () => void;
}

// Most lists of a commit are empty. Without these shared promises a commit takes an eighth longer.
const NONE_CHANGED = Promise.resolve(0);
const NO_ROWS = Promise.resolve<readonly Row[]>([]);

export function createSqlSession(over: Sql): SqlSession {
  let isOver = false;

  // Not `async`: that would add turns of the queue of promises to each statement.
  const within: Reach = (work) =>
    isOver
      ? Promise.reject(new Error('the transaction is over: each of its statements has to be awaited within it'))
      : work(over);

  return {
    sql: sqlThrough(within),
    end() {
      isOver = true;
    },
  };
}

/** Chooses the connection for a statement, and runs `work` on it. */
type Reach = <T>(work: (over: Sql) => Promise<T>, isWrite: boolean) => Promise<T>;

/** Each statement runs on the connection that `reach` chooses at the time of the call. */
export function sqlThrough(reach: Reach): Sql {
  const sql: Sql = {
    all: (statement, values) => reach((over) => over.all(statement, values), false),
    first: (statement, values) => reach((over) => over.first(statement, values), false),
    run: (statement, values) => reach((over) => over.run(statement, values), true),
    each: (statement, rows) => (rows.length === 0 ? NONE_CHANGED : reach((over) => over.each(statement, rows), true)),
    allOf: (statement, rows) => (rows.length === 0 ? NO_ROWS : reach((over) => over.allOf(statement, rows), false)),
    pages: (statement, size) => readPages(sql, statement, size),
  };
  return sql;
}
