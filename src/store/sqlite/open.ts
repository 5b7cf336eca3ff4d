// Opens the state file for the one daemon that may write it, with a lock beside it against a second one.
import { DatabaseSync } from 'node:sqlite';
import type { Recovery } from '../backups.ts';
import type { Store } from '../store.ts';
import { answering, assertSound, makeDurable, neverBlock, openDatabase, opened, settledPath } from './database.ts';
import { takeMarker } from './files/lost-marker.ts';
import { assertLocal } from './files/file-system.ts';
import { migrate } from './migrations/migrations.ts';
import { openPlace } from './files/place.ts';
import { openOrRecover } from './files/recover.ts';
import { warnOfOldSqlite } from './files/sqlite-version.ts';
import { createSqliteStore, type SqliteTools } from './store.ts';

/** `file`: made, with its directories, when it does not exist. */
interface SqliteOptions extends Omit<SqliteTools, 'place' | 'reopen'> {
  /** The directory of backups, from which a damaged file is replaced; without it, a damaged file is refused. */
  readonly backups?: string;
  /** What kind of file system a directory is on, as statfs(2) has it. */
  readonly fileSystemOf?: (directory: string) => number;
  /** The state was damaged or taken away, and something took its place. */
  readonly onRecovered?: (how: Recovery) => void;
}

/**
 * Opens the state file and brings it to the newest schema.
 *
 * Throws a StoreBusyError while another holds it, a StorageError when it cannot be used; the text is for the operator.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const file = answering(options.file, 'open', () => settledPath(options.file));
  assertLocal(file, options.fileSystemOf);
  const place = openPlace(file);
  const reopen = (): DatabaseSync => {
    const fresh = openFile(file);
    neverBlock(fresh);
    return fresh;
  };
  const open = (): Store => {
    const db = openFile(file);
    place.opened();
    return storeOver(db, { ...options, file, place, reopen });
  };
  const { backups, log, onRecovered } = options;
  try {
    const store = backups === undefined ? open() : await openOrRecover(open, { file, backups, log, onRecovered });
    sayWhatWasLost(file, options);
    warnOfOldSqlite(log);
    return store;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/** Once: the marker goes with it. */
function sayWhatWasLost(file: string, { log, onRecovered }: Pick<SqliteOptions, 'log' | 'onRecovered'>): void {
  const lost = takeMarker(file);
  if (lost === null) return;
  const effect = 'every watch begins with a quiet baseline, and what was owed then is not sent';
  log?.error('storage:state-lost', { lost, effect });
  onRecovered?.('lost');
}

function openFile(file: string): DatabaseSync {
  return answering(file, 'open', () =>
    opened(openDatabase(file), (fresh) => {
      // First of all, so that a file that is refused stays as it was.
      migrate(fresh, file);
      makeDurable(fresh);
      assertSound(fresh, file);
    }),
  );
}

function storeOver(db: DatabaseSync, tools: SqliteTools): Store {
  try {
    const store = createSqliteStore(db, tools);
    neverBlock(db);
    return store;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A store that ends with the process, for a dry run: the same SQL, no file, no lock. */
export async function openVolatileStore({ log }: Pick<SqliteOptions, 'log'> = {}): Promise<Store> {
  const db = new DatabaseSync(':memory:');
  migrate(db, 'memory');
  return createSqliteStore(db, { file: 'memory', ...(log && { log }) });
}
