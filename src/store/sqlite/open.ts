// Opens the state file for readers, and for the one daemon that may write it. A lock beside the file keeps a second
// daemon away.
import { versions } from 'node:process';
import type { WatchId } from '../../core/model/ids.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStore } from '../create-store.ts';
import type { Recovery } from '../contract/backups.ts';
import type { Fence } from '../contract/fence.ts';
import { keepSecrets } from '../link-secrets.ts';
import { assertCurrentSchema, migrateState } from '../sql/migrate.ts';
import type { Sql } from '../sql/sql.ts';
import type { Moved, Store, StoreReader } from '../contract/store.ts';
import { endLeases } from '../tables/deliveries/deliveries.ts';
import { readCount, writeFact } from '../tables/memory/facts.ts';
import { takeOut } from '../tables/memory/memory.ts';
import { dropHealth, healthRows, keepHealth } from '../tables/memory/health-rows.ts';
import { createView, type OwnView } from '../view.ts';
import { answering, assertThere, openDatabase, settledPath } from './database.ts';
import { createCheckpoints, createMemoryDatabase, createSingleDatabase, type SqliteDatabase } from './driver.ts';
import { assertLocal } from './files/file-system.ts';
import { takeMarker } from './files/lost-marker.ts';
import { openPlace, type StateFilePlace } from './files/files.ts';
import { openOrRecover } from './files/recover.ts';
import { openSqliteReads, openSqliteState, reopenWriter } from './open-state.ts';

/** `file`: the path of the state file. A missing file is made, with its directories. */
export interface SqliteOptions {
  readonly file: string;
  /** The largest size of the file; unlimited by default. */
  readonly maxBytes?: number;
  /** The name of this daemon, such as `pid 4711`. A second daemon that is refused shows it in its message. */
  readonly owner?: string;
  readonly log?: Log;
  /** The directory of backups that replace a damaged file; without it, a damaged file is refused. */
  readonly backups?: string;
  /** The type of a directory's file system, as in statfs(2). */
  readonly fileSystemOf?: (directory: string) => number;
  /** Called if the state was damaged or removed, and has been replaced. */
  readonly onRecovered?: (how: Recovery) => void;
}

/**
 * Opens the state file and brings it to the newest schema.
 *
 * Rejects with a StoreBusyError while another daemon holds the file, and with a StorageError if the file cannot be
 * used. The message is for the operator.
 */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const file = answering(options.file, 'open', () => settledPath(options.file));
  assertLocal(file, options.fileSystemOf);
  const place = openPlace(file);
  const { maxBytes = Infinity, backups, log, onRecovered } = options;
  const open = async (): Promise<Store> => {
    const database = await openSqliteState({ file, checkpoints: createCheckpoints(file), maxBytes });
    place.opened();
    return heldStore(database, options, placed(file, place, database));
  };
  try {
    const store = backups === undefined ? await open() : await openOrRecover(open, { file, backups, log, onRecovered });
    sayWhatWasLost(file, options);
    warnOfOldSqlite(log);
    return store;
  } catch (error) {
    place[Symbol.dispose]();
    throw error;
  }
}

/** Opens a store in memory for a dry run: it has the same SQL, but no file and no lock. */
export async function openVolatileStore(options: Pick<SqliteOptions, 'log'> = {}): Promise<Store> {
  const database = createMemoryDatabase();
  await migrateState(database);
  return heldStore(database, options, {
    secure: () => Promise.resolve([]),
    close: () => database[Symbol.asyncDispose](),
  });
}

/** The operations that depend on the place of the database. */
export interface OwnedPlace {
  readonly secure: () => Promise<readonly Moved[]>;
  readonly close: () => PromiseLike<void>;
}

function placed(file: string, place: StateFilePlace, database: SqliteDatabase): OwnedPlace {
  let isOpen = true;
  return {
    async secure() {
      const moved = place.moved();
      if (moved.length > 0) await database.replace((former) => place.mend(moved, former, () => reopenWriter(file)));
      return moved;
    },
    async close() {
      await database[Symbol.asyncDispose]();
      if (isOpen) place[Symbol.dispose]();
      isOpen = false;
    },
  };
}

/** The one key of the fence and of the health: the process that has the file holds all shards. */
const HOLDER = 'file';

/** Makes the store, and takes over from the process that held the database before. */
export async function heldStore(
  database: SqliteDatabase,
  { owner = '', log }: Pick<SqliteOptions, 'owner' | 'log'>,
  { secure, close }: OwnedPlace,
): Promise<Store> {
  try {
    const fence = await database.write('take-over', (sql) => takeOver(sql, owner));
    return createStore(database, {
      cluster: { isShared: false, fence },
      view: viewOf(database.view.sql),
      // Another process may have taken over, if the lock file was deleted.
      holds: async (sql, { epoch }) => (await readCount(sql, 'epoch')) === epoch,
      keepHealth: (sql, health) => keepHealth(sql, HOLDER, health, []),
      secure,
      close,
      ...(log && { log }),
    });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error;
  }
}

async function takeOver(sql: Sql, owner: string): Promise<Fence> {
  await endLeases(sql, null);
  const epoch = (await readCount(sql, 'epoch')) + 1;
  await writeFact(sql, 'owner', owner);
  await writeFact(sql, 'epoch', epoch);
  // The stored health is that of the former process.
  await dropHealth(sql, []);
  await keepSecrets(sql);
  return { key: HOLDER, slot: 0, owner, epoch };
}

// Commits of other connections change the first number, those of this one the second.
const VERSION = 'SELECT data_version AS others, total_changes() AS own FROM pragma_data_version';

function viewOf(sql: Sql): OwnView {
  return {
    replicas: () => Promise.resolve(null),
    version: async () => Object.values((await sql.first(VERSION)) ?? {}).join('.'),
    health: () => healthRows(sql, [HOLDER]),
  };
}

/** Reports a lost state once: the marker is removed. */
function sayWhatWasLost(file: string, { log, onRecovered }: Pick<SqliteOptions, 'log' | 'onRecovered'>): void {
  const lost = takeMarker(file);
  if (lost === null) return;
  const effect = 'every watch starts with a new baseline, and deliveries that were owed are not sent';
  log?.error('storage:state-lost', { lost, effect });
  onRecovered?.('lost');
}

// Before 3.51.3 SQLite could damage the log of a file in a rare race, when two connections write to it or merge it at
// the same time. The daemon writes through one connection. `chainwarden state forget` and other programs use a second
// one.
const FIRST_SOUND = [3, 51, 3];

export function warnOfOldSqlite(log: Log | undefined, version = versions['sqlite'] ?? '0'): void {
  if (!isBefore(version.split('.').map(Number), FIRST_SOUND)) return;
  const effect = 'two programs that write to the state file at once can damage it; install a newer Node.js';
  log?.warn('storage:old-sqlite', { version, needed: FIRST_SOUND.join('.'), effect });
}

function isBefore(version: readonly number[], other: readonly number[]): boolean {
  for (const [i, part] of other.entries()) {
    const own = version[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}

/**
 * Takes no lock. Rejects with a StorageError when there is no state file, or when it does not have the schema of this
 * release.
 */
export async function openSqliteReader({ file }: { readonly file: string }): Promise<StoreReader> {
  const reads = await openSqliteReads(file);
  return { ...createView(reads, viewOf(reads.sql)), [Symbol.asyncDispose]: () => reads[Symbol.asyncDispose]() };
}

/** Locks the file for one short transaction, for which a daemon waits. False if the watch had no memory. */
export async function forgetInSqlite(file: string, watch: WatchId): Promise<boolean> {
  assertThere(file);
  const opened = answering(file, 'change', () => openDatabase(file));
  await using database = createSingleDatabase(opened, { file });
  await assertCurrentSchema(database);
  return await database.write('forget', (sql) => takeOut(sql, watch));
}
