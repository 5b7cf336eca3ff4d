// The only file that opens SQLite files and reads SQLite's errors.
import { accessSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StateDamagedError, StorageError } from '../contract/store.ts';

/**
 * If another program, such as a backup, holds the file for longer than this, a write fails. The time is short, because
 * later writes wait as well, and because a stop of the daemon may take ten seconds and makes several writes.
 */
export const BUSY_TIMEOUT_MS = 2000;
const LARGEST_IDLE_WAL = 16 * 2 ** 20;
/** The same size in pages. A commit that finds a longer log moves it into the file itself (driver.ts). */
const MOST_LOGGED_PAGES = LARGEST_IDLE_WAL / 4096;

/**
 * Returns the real path of the file, so that two names of its directory lead to the same lock. Creates missing
 * directories.
 */
export function settledPath(file: string): string {
  makeDirectory(dirname(file));
  const settled = join(realpathSync(dirname(file)), basename(file));
  for (const part of ['', '-wal', '-shm', '-journal']) assertOwn(`${settled}${part}`);
  return settled;
}

export function makeDirectory(directory: string): void {
  if (!existsSync(directory)) mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/**
 * Throws a StorageError if the file is a link or no regular file. SQLite follows links, so a user who can write into
 * the directory could link any file of the daemon's user. A FIFO would block the process.
 */
function assertOwn(file: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true)
    throw new StorageError(`${file} is a link. Name the file itself, or link its directory: links are not followed.`);
  if (stats?.isFile() === false) throw new StorageError(`${file} is no regular file. Name another one.`);
}

/**
 * Opens the file for writing without changing its content. A wait for a lock blocks the process. This is acceptable
 * here, because the process has no other work yet.
 */
export function openDatabase(file: string): DatabaseSync {
  createPrivately(file);
  return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
}

/** FULL: a commit survives a power cut, at four to five times the cost of NORMAL. */
export function makeDurable(db: DatabaseSync): void {
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  db.exec(`PRAGMA journal_size_limit = ${LARGEST_IDLE_WAL}; PRAGMA wal_autocheckpoint = ${MOST_LOGGED_PAGES}`);
}

/** From now on a lock of another program is an error at once: SQLite's own wait would hold up the event loop. */
export function neverBlock(db: DatabaseSync): void {
  db.exec('PRAGMA busy_timeout = 0');
}

/** Throws a StorageError if no file is at that path. */
export function assertThere(file: string): void {
  if (!isThere(file)) throw new StorageError(`there is no state file at ${file}. Has the daemon run with this config?`);
}

/**
 * True if the file can be read. The folder of a daemon is closed to other users; if this user may not read the file,
 * throws a StorageError.
 */
export function isThere(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    if (isNotAllowed(error)) throw storageError(file, 'open', error);
    return false;
  }
}

/** Never creates, writes or checkpoints, so it is safe while a daemon works. */
export function openReadOnly(file: string): DatabaseSync {
  assertThere(file);
  assertOwn(file);
  return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
}

/** Runs `prepare`. If it fails, the database is closed. */
export function opened(db: DatabaseSync, prepare: (db: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Makes the file for this user alone; SQLite would make it readable for all. An existing file must not be opened here:
 * closing any handle of a file drops every lock that this process holds on it, also the lock against a second daemon.
 */
export function createPrivately(file: string): void {
  assertOwn(file);
  // Fails if a file or a link was put there meanwhile.
  if (!existsSync(file)) closeSync(openSync(file, 'wx', 0o600));
}

/** The first column of the first row, when it is a number; 0 otherwise. */
export function firstNumber(db: DatabaseSync, sql: string): number {
  const [value] = Object.values(db.prepare(sql).get() ?? {});
  return typeof value === 'number' ? value : 0;
}

/** Throws a StorageError when the file's pages do not fit together. */
export function assertSound(db: DatabaseSync, file: string): void {
  assertOk(db, file, 'quick_check');
}

/** Like `assertSound`, but also compares each index with its table, which takes longer. */
export function assertIntact(db: DatabaseSync, file: string): void {
  assertOk(db, file, 'integrity_check');
}

function assertOk(db: DatabaseSync, file: string, check: 'quick_check' | 'integrity_check'): void {
  const [finding] = Object.values(db.prepare(`PRAGMA ${check}(1)`).get() ?? {});
  if (finding !== 'ok') throw new StateDamagedError(`${file} is damaged (${String(finding)}). ${START_ANEW}`);
}

/** Runs `work`. Each error becomes a StorageError with the action, the reason and an advice. */
export function answering<T>(file: string, action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(file, action, error);
  }
}

export function storageError(file: string, action: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const message = `cannot ${action} ${file}: ${reasonOf(error)}`;
  const options = { cause: error };
  return isDamage(error) ? new StateDamagedError(message, options) : new StorageError(message, options);
}

/** True if another connection holds the file, or a table in it. */
export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === 5 || code === 6;
}

/** True if pages of the file do not fit together. */
export function isCorrupt(error: unknown): boolean {
  return primaryCode(error) === 11;
}

function isDamage(error: unknown): boolean {
  return isCorrupt(error) || primaryCode(error) === 26;
}

/** True if the error is not SQLite's, or a value violates the schema: the same write would fail again. */
export function isRefused(error: unknown): boolean {
  const code = primaryCode(error);
  return code === undefined || code === 19 || code === 20;
}

export const START_ANEW =
  'Restore it with `chainwarden state restore FILE`, or move it away together with its -wal and -shm files: every ' +
  'watch then begins with a quiet baseline.';

// By SQLite's primary result code.
const ADVICE: Readonly<Record<number, string>> = {
  5: 'Another program holds the file: let it finish.',
  6: 'Another program holds the file: let it finish.',
  8: 'Make the file and its directory writable for the daemon.',
  10: 'Check its disk: free space, quota and health.',
  11: START_ANEW,
  13: 'Free some space on its disk.',
  14: 'Check that the path exists and is writable for the daemon.',
  26: `It is no SQLite file, or damaged. ${START_ANEW}`,
};

function reasonOf(error: unknown): string {
  const code = primaryCode(error);
  const message = messageOf(error);
  if (isNotAllowed(error)) return `${message}. Run the command as the user of the daemon, or give this user the right.`;
  return code === undefined ? message : `${message} (SQLite ${code}). ${ADVICE[code] ?? ''}`.trimEnd();
}

function isNotAllowed(error: unknown): boolean {
  return isObject(error) && error['code'] === 'EACCES';
}

function messageOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : String(error);
}

// The lowest byte of an extended code is the primary code.
function primaryCode(error: unknown): number | undefined {
  return isObject(error) && typeof error['errcode'] === 'number' ? error['errcode'] & 0xff : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
