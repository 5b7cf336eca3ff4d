// The state in one SQLite file, with three connections: one writes, and two only read. A read sees the last commit, and
// waits for no write. A database in memory has one connection, where reads and writes take turns.
import { extname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { StorageError } from '../contract/store.ts';
import { APPLICATION_ID } from '../sql/application-id.ts';
import { type SchemaHeader, type SqlDatabase, type SqlReads, syncOf } from '../sql/database.ts';
import type { Sql } from '../sql/sql.ts';
import {
  connectionOn,
  createTurns,
  createWriter,
  readsOn,
  type SqliteConnection,
  type SqliteWriter,
  type Turns,
} from './connections.ts';
import { answering, neverBlock, opened, openReadOnly } from './database.ts';
import { SQLITE } from './dialect.ts';
import type { CheckpointOrder } from './files/checkpoint-thread.ts';

export interface SqliteDatabase extends SqlDatabase {
  /** Replaces the database by the one that `change` resolves with. Reads and writes wait meanwhile. */
  readonly replace: (change: (db: DatabaseSync) => Promise<DatabaseSync>) => Promise<void>;
}

export interface SqliteFile {
  readonly file: string;
  /** Moves commits from SQLite's log into the file. Tests leave it out. */
  readonly checkpoints?: Checkpoints;
  readonly maxBytes?: number;
}

/**
 * Opens an existing file. `writer`: the connection that is open for writing; it is closed with the database. Throws a
 * StorageError.
 */
export function createSqliteDatabase(writer: DatabaseSync, options: SqliteFile): SqliteDatabase {
  const { file } = options;
  const reopened = (): SqliteConnection =>
    connectionOn(answering(file, 'open', () => opened(openReadOnly(file), neverBlock)));
  return databaseOver(writer, options, [
    { open: reopened, turns: createTurns() },
    { open: reopened, turns: createTurns() },
  ]);
}

/** A database over one connection, where reads and writes take turns. */
export function createSingleDatabase(db: DatabaseSync, options: SqliteFile): SqliteDatabase {
  return databaseOver(db, options, []);
}

/** An empty database in memory. Its content is lost when the process ends. */
export function createMemoryDatabase(): SqliteDatabase {
  return createSingleDatabase(new DatabaseSync(':memory:', { enableForeignKeyConstraints: true }), { file: 'memory' });
}

interface Reading {
  readonly open: () => SqliteConnection;
  readonly turns: Turns;
}

interface CountingWriter extends SqliteWriter {
  /** The number of rows that the connection has written since it was opened. */
  readonly rows: () => number;
}

function createRowCount(db: DatabaseSync): () => number {
  const count = db.prepare('SELECT total_changes() AS rows');
  return () => Number(count.get()?.['rows']);
}

/** `reading`: the connections that only read. If there are none, the writing connection reads as well. */
function databaseOver(
  db: DatabaseSync,
  { file, checkpoints, ...limit }: SqliteFile,
  reading: readonly Reading[],
): SqliteDatabase {
  const turns = createTurns();
  let maxBytes = limit.maxBytes ?? Infinity;
  const writerOn = (on: DatabaseSync): CountingWriter => ({
    ...createWriter(on, file, maxBytes),
    rows: createRowCount(on),
  });
  let writer = answering(file, 'prepare', () => writerOn(db));
  let isOpen = true;
  const readers = new Map<Reading, SqliteConnection>();
  /** Opens the connection at its first read, and again at the first read after `replace`. */
  const readerOf = (one: Reading): SqliteConnection => {
    // The database is closed, so the writer's closed connection rejects the read.
    if (!isOpen) return writer.connection;
    const reader = readers.get(one) ?? one.open();
    readers.set(one, reader);
    return reader;
  };
  const readsOf = (one: Reading | undefined): SqlReads =>
    one === undefined ? readsOn(() => writer.connection, turns, file) : readsOn(() => readerOf(one), one.turns, file);
  const closeReaders = (): void => {
    for (const { db: one } of readers.values()) one.close();
    readers.clear();
  };
  /** Runs `work` while nothing else uses any connection. */
  const alone = (work: () => Promise<void>): Promise<void> =>
    turns.hold(() => reading.reduce((inner, one) => () => one.turns.hold(inner), work)());

  return {
    ...readsOf(reading[0]),
    view: readsOf(reading[1]),
    name: file,
    dialect: SQLITE,
    header: SQLITE_HEADER,
    write(step, work, sync = syncOf(step, SQLITE)) {
      const askedAt = performance.now();
      return turns.hold(async () => {
        const result = await writer.write({ file, action: 'write', askedAt }, step, work, sync);
        checkpoints?.committed(writer.rows());
        return result;
      });
    },
    setMaxBytes(bytes) {
      maxBytes = bytes;
      writer.size.set(bytes);
    },
    replace: (change) =>
      alone(async () => {
        await checkpoints?.stop();
        closeReaders();
        writer = writerOn(await change(writer.connection.db));
      }),
    [Symbol.asyncDispose]: () =>
      alone(async () => {
        isOpen = false;
        await checkpoints?.stop();
        answering(file, 'close', () => {
          closeReaders();
          // The connection that is closed last moves the log into the file, so it must be the one that may write.
          if (writer.connection.db.isOpen) writer.connection.db.close();
        });
      }),
  };
}

/**
 * The application id 'CWdn' of builds before the first release. They numbered their schemas from 1 as well, so the
 * schema number alone does not show whether a file is theirs or ours.
 */
const EARLY_ID = 0x4357646e;

/** SQLite stores the schema number (`user_version`) in the header of the file. */
const SQLITE_HEADER: SchemaHeader = {
  elsewhere: 'Move it away together with its -wal and -shm files, or point "state" at another file',
  async read(sql) {
    const schema = await pragma(sql, 'user_version');
    const application = await pragma(sql, 'application_id');
    if (application === APPLICATION_ID) return { type: 'ours', schema };
    if (application === EARLY_ID) return { type: 'early', schema };
    const found = await sql.first('SELECT 1 FROM sqlite_schema LIMIT 1');
    return found === undefined ? { type: 'ours', schema: 0 } : { type: 'foreign' };
  },
  // The transaction has the write lock already.
  lock: () => Promise.resolve(),
  async write(sql, schema) {
    await sql.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    await sql.run(`PRAGMA user_version = ${schema}`);
  },
  ownSteps: [],
  async columns(sql, table) {
    const rows = await sql.all('SELECT name, type FROM pragma_table_info($1)', [table]);
    return Object.fromEntries(rows.map(({ name, type }) => [String(name), type === 'INTEGER' ? 'int?' : 'text?']));
  },
  isLocked: () => false,
};

async function pragma(sql: Sql, name: 'user_version' | 'application_id'): Promise<number> {
  const value = (await sql.first(`PRAGMA ${name}`))?.[name];
  if (typeof value !== 'number') throw new StorageError(`SQLite does not answer PRAGMA ${name}`);
  return value;
}

// Moves commits from SQLite's log into the state file. By itself, SQLite does this within a commit that finds a long
// log. That commit takes several times as long, and the event loop waits for the disk twice. Here a thread does it,
// with its own connection, while commits continue. If the thread is too slow, SQLite does it within a commit after all
// (`wal_autocheckpoint` in database.ts).
//
//   none      there is no thread: too little was written yet, or the thread ended by itself
//   idle      the thread waits
//   busy      the thread works; rows that are written meanwhile count for the next checkpoint

interface Checkpoints {
  /** Must be called after each commit. `rows`: the rows that the writing connection has written since it was opened. */
  committed(rows: number): void;
  /** Resolves when the thread has closed its connection. A later commit may start a new thread. */
  stop(): Promise<void>;
}

/**
 * The number of rows between two checkpoints. A row is written into several pages, so this many rows change about a
 * thousand pages. A thousand pages is also SQLite's default limit for its log.
 */
const ROWS_BETWEEN = 500;

/** The file of the thread has the same ending as this file: `.ts` in the sources, `.js` in a build. */
const THREAD_FILE = new URL(`files/checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/** A small heap is enough: the thread has one statement, and the pages are not in its heap. */
const MOST_MEMORY = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

export function createCheckpoints(file: string): Checkpoints {
  let thread: Worker | null = null;
  let isBusy = false;
  let rowsBefore = 0;

  /** Throws if the system cannot start a thread. */
  function start(): Worker {
    const worker = new Worker(THREAD_FILE, { workerData: file, execArgv: [], env: {}, resourceLimits: MOST_MEMORY });
    worker.unref();
    worker.on('message', () => {
      isBusy = false;
    });
    // An error, such as a removed file, ends the thread. SQLite checkpoints by itself until another thread is started.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (thread !== worker) return;
      thread = null;
      isBusy = false;
    });
    return worker;
  }

  return {
    committed(rows) {
      if (isBusy || rows - rowsBefore < ROWS_BETWEEN) return;
      rowsBefore = rows;
      try {
        thread ??= start();
      } catch {
        // The commit is not affected. SQLite checkpoints by itself until a thread can be started.
        return;
      }
      isBusy = true;
      thread.postMessage('checkpoint' satisfies CheckpointOrder);
    },
    async stop() {
      const ending = thread;
      thread = null;
      isBusy = false;
      rowsBefore = 0;
      if (ending === null) return;
      ending.ref();
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.postMessage('close' satisfies CheckpointOrder);
      await ended;
    },
  };
}
