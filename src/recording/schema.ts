// The recording file: SQLite with its own application id, so that nothing opens it as a state file.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { answering, createPrivately, firstNumber, opened, settledPath } from '../store/sqlite/database.ts';
import { StorageError } from '../store/contract/store.ts';

// 'CWdr'
const APPLICATION_ID = 0x43576472;

/**
 * Schema 1. `polls` and `answers` have many small rows, so questions, watches and bodies have their own tables and are
 * referred to by number. A body is an answer or a watch's memory, compressed; it is deleted with the last poll that
 * needs it.
 *
 * Schema 2. `chain` is the height up to which the explorer had read, as JSON; NULL: the poll did not ask for it.
 *
 * Schema 3. `pace_ms` is the interval that was in force.
 */
const SCHEMA = `
  CREATE TABLE watches (id INTEGER PRIMARY KEY, watch TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    explorer TEXT NOT NULL,
    operation TEXT NOT NULL,
    path TEXT NOT NULL,
    params TEXT NOT NULL,
    UNIQUE (explorer, operation, path, params)
  ) STRICT;

  CREATE TABLE bodies (id INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, packed BLOB NOT NULL) STRICT;

  CREATE TABLE polls (
    id INTEGER PRIMARY KEY,
    watch INTEGER NOT NULL REFERENCES watches (id),
    started_at INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT,
    head_height TEXT,
    head_timestamp INTEGER,
    head_read_at INTEGER,
    head_stale_after REAL,
    covered_until INTEGER,
    memory INTEGER REFERENCES bodies (id)
  ) STRICT;
  CREATE INDEX polls_of_watch ON polls (watch, id);
  CREATE INDEX polls_by_start ON polls (started_at);
  CREATE INDEX polls_with_memory ON polls (memory) WHERE memory IS NOT NULL;

  CREATE TABLE answers (
    poll INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    question INTEGER NOT NULL REFERENCES questions (id),
    cursor TEXT,
    again INTEGER NOT NULL,
    body INTEGER REFERENCES bodies (id),
    refusal TEXT,
    detail TEXT,
    PRIMARY KEY (poll, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_with_body ON answers (body) WHERE body IS NOT NULL;
  CREATE INDEX answers_to_question ON answers (question, poll) WHERE cursor IS NULL AND again = 0;
`;
/** The columns of `polls` that later schemas added. */
const ADDED = [
  { schema: 2, name: 'chain', type: 'TEXT' },
  { schema: 3, name: 'pace_ms', type: 'INTEGER' },
] as const;
const VERSION = 3;

export type RecordingDatabase = DatabaseSync;

/** Creates the file, with its directories, if it does not exist. Throws a StorageError. */
export function openToRecord(file: string): { readonly db: RecordingDatabase; readonly path: string } {
  const path = answering(file, 'open', () => settledPath(file));
  const db = answering(path, 'open', () => {
    createPrivately(path);
    // No busy timeout: a batch that finds the file locked is written with the next batch.
    return opened(new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true }), (fresh) => {
      prepare(fresh, path);
    });
  });
  return { db, path };
}

/** Merges the log into the file, so that people can copy one file. The log stays while another process reads it. */
export function closeWhole(db: RecordingDatabase): void {
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } catch {
    // The file is in use, or the disk is full. A recording with its log beside it is complete too.
  }
  db.close();
}

/** Throws a StorageError if there is no recording, if it is a file of another kind, or if a later release wrote it. */
export function openToReplay(file: string): RecordingDatabase {
  if (!existsSync(file))
    throw new StorageError(
      `there is no recording at ${file}. Make one with chainwarden record, or with recording: in the config.`,
    );
  return answering(file, 'open', () =>
    opened(new DatabaseSync(file, { readOnly: true, timeout: 5000 }), (found) => {
      assertRecording(found, file);
      if (versionOf(found) > VERSION) throw otherRelease(found, file);
    }),
  );
}

function prepare(db: RecordingDatabase, file: string): void {
  const isEmpty = firstNumber(db, 'SELECT count(*) FROM sqlite_schema') === 0;
  if (!isEmpty) assertRecording(db, file);
  if (!isEmpty && versionOf(db) > VERSION) throw otherRelease(db, file);
  // Pages of dropped polls are returned to the disk. This can only be set before the first table is made.
  if (isEmpty) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // NORMAL: a power cut may lose the last seconds of a recording, but does not damage it.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 1048576');
  if (!isEmpty && versionOf(db) === VERSION) return;
  inTransaction(db, () => {
    if (isEmpty) db.exec(SCHEMA);
    for (const { schema, name, type } of ADDED)
      if (isEmpty || versionOf(db) < schema) db.exec(`ALTER TABLE polls ADD COLUMN ${name} ${type}`);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(`PRAGMA user_version = ${VERSION}`);
  });
}

function assertRecording(db: RecordingDatabase, file: string): void {
  if (firstNumber(db, 'PRAGMA application_id') !== APPLICATION_ID)
    throw new StorageError(`${file} is not a recording, but a file of another kind. Name another one.`);
}

/** The added columns for a query; NULL for a recording of an earlier schema that is only read. */
export function addedColumns(db: RecordingDatabase): string {
  const version = versionOf(db);
  return ADDED.map(({ schema, name }) => (version < schema ? `NULL AS ${name}` : name)).join(', ');
}

function versionOf(db: RecordingDatabase): number {
  return firstNumber(db, 'PRAGMA user_version');
}

function otherRelease(db: RecordingDatabase, file: string): StorageError {
  return new StorageError(
    `${file} was recorded by another release (schema ${versionOf(db)}, this one knows ${VERSION}). ` +
      'Read it with that release, or make a new recording in another file.',
  );
}

/**
 * Does all of the work or nothing. It takes the write lock first, so that data that `work` reads are still valid when
 * it writes.
 */
export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // After some errors, such as a full disk, SQLite has rolled back already.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
