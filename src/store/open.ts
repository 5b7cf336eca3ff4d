// Chooses the engine that stores the state: PostgreSQL if the config names a database, else SQLite.
import { hostname } from 'node:os';
import type { Log } from '../telemetry/log.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';
import { createBackups } from './sqlite/files/backup-directory.ts';
import { backupFile, backupSqlite } from './sqlite/files/backups.ts';
import { checkSqlite } from './sqlite/files/check.ts';
import { isThere } from './sqlite/database.ts';
import { isLocked } from './sqlite/files/lock.ts';
import { restoreSqlite } from './sqlite/files/restore.ts';
import { forgetInSqlite, openSqliteReader, openSqliteStore, openVolatileStore } from './sqlite/open.ts';
import type { Copied } from './copy.ts';
import type { Backups, Recovery, Restored, StateCheck } from './contract/backups.ts';
import { addressOf } from './postgres/address.ts';
import type { AcceptedConfig, DatabasePlace } from './postgres/open.ts';
import { StorageError, type Store, type StoreReader } from './contract/store.ts';

/** The place of the state, and its largest size. */
export interface StoreSettings extends StatePlace {
  readonly maxBytes: number;
  readonly backup: BackupOptions;
}

/**
 * `postgres`: the database that has the state instead of the file. The code for PostgreSQL is loaded only if it is set.
 */
export interface StatePlace {
  readonly file: string;
  readonly postgres?: DatabasePlace | null;
}

export interface BackupOptions {
  /** Absolute path. */
  readonly directory: string;
  /** The number of backups that are kept; 0: the daemon makes none. */
  readonly keep: number;
}

export interface StoreTools {
  /** The name of this daemon, such as `pid 4711`. A second daemon that is refused shows it in its message. */
  readonly owner: string;
  readonly log: Log;
  /** Called if the state was damaged or lost, and has been replaced. */
  readonly onRecovered?: (how: Recovery) => void;
}

/**
 * Opens the state for a daemon, which may write it. Several daemons may share a database.
 *
 * Rejects with a StoreBusyError while another daemon holds the state file, and with a StorageError if the state cannot
 * be used. The message is for the operator.
 */
export async function openStore(state: StoreSettings, tools: StoreTools): Promise<Store> {
  const { file, maxBytes, backup, postgres } = state;
  if (postgres) {
    const { log } = tools;
    const owner = `${hostname()}, ${tools.owner}`;
    return (await onPostgres()).openPostgresStore({ place: postgres, owner, log });
  }
  return openSqliteStore({ file, maxBytes, backups: backup.directory, ...tools });
}

const onPostgres = (): Promise<typeof import('./postgres/open.ts')> => import('./postgres/open.ts');

/** The place of the state, for people. */
export function stateName({ file, postgres }: StatePlace): string {
  return postgres ? addressOf(postgres.url.reveal()).name : file;
}

/** Opens a state in memory, which is lost when the process ends, for a dry run. */
export function openStoreForDryRun({ log }: Pick<StoreTools, 'log'>): Promise<Store> {
  return openVolatileStore({ log });
}

/**
 * Removes the memory of a watch, also while a daemon runs: the watch starts without one at its next poll. False if
 * there was none. Rejects with a StorageError.
 */
export async function forgetWatch(state: StatePlace, watch: WatchId): Promise<boolean> {
  if (state.postgres) return (await onPostgres()).forgetInPostgres(state.postgres, watch);
  return forgetInSqlite(state.file, watch);
}

/** Checks each page and each row, also while a daemon runs. Rejects with a StorageError if there is no state. */
export async function checkState(state: StatePlace): Promise<StateCheck> {
  if (state.postgres) return (await onPostgres()).checkPostgres(state.postgres);
  return checkSqlite(state.file);
}

/**
 * Makes a complete, checked copy of the state at `target`, also while a daemon runs; resolves with its path. By default
 * `target` is the file of this second in the directory of backups. Rejects with a StorageError, also if the file exists
 * already.
 */
export async function backupState(state: StoreSettings, at: Instant, target?: string): Promise<string> {
  const { file, backup } = state;
  assertFile(state);
  const copy = target ?? backupFile(backup.directory, file, at);
  await backupSqlite(file, copy);
  return copy;
}

/**
 * Makes a backup the state; the former state file stays beside it. Rejects with a StoreBusyError while a daemon runs,
 * and with a StorageError if the backup cannot be used. Nothing is changed in either case.
 */
export async function restoreState(state: StatePlace, backup: string): Promise<Restored> {
  assertFile(state);
  return restoreSqlite(state.file, backup);
}

function assertFile(state: StatePlace): void {
  if (!state.postgres) return;
  throw new StorageError(
    `${stateName(state)} keeps the state: back it up and restore it with the tools of PostgreSQL, such as pg_dump, or ` +
      'copy it into a file with: chainwarden state copy --to FILE',
  );
}

/**
 * Copies a state file or a backup into the database of the state, which must be empty. Rejects with a StoreBusyError
 * while a daemon uses the file or the database, and with a StorageError if the copy fails.
 */
export async function copyStateIn(state: StatePlace, file: string): Promise<Copied> {
  const place = databaseOf(state);
  return (await import('./copy.ts')).copyIn(file, place);
}

/** Copies the database of the state into a new state file, also while a daemon runs. Rejects with a StorageError. */
export async function copyStateOut(state: StatePlace, file: string): Promise<Copied> {
  const place = databaseOf(state);
  return (await import('./copy.ts')).copyOut(place, file);
}

function databaseOf({ file, postgres }: StatePlace): DatabasePlace {
  if (postgres) return postgres;
  throw new StorageError(
    `${file} keeps the state: it is copied by chainwarden state backup. Set state.postgres first.`,
  );
}

/**
 * Gives a config a vote in the agreement of replicas although its watches have no memory in the database. Resolves with
 * the names of the replicas that run it. Rejects with a StorageError.
 */
export async function acceptConfig(state: StatePlace, accepted: AcceptedConfig): Promise<string[]> {
  if (state.postgres) return (await onPostgres()).acceptInPostgres(state.postgres, accepted);
  throw new StorageError(
    `${state.file} keeps the state: its daemon takes every config, and nothing has to be accepted.`,
  );
}

/** The backups that the daemon makes. */
export function openBackups({ file, backup }: StoreSettings): Backups {
  return createBackups({ file, ...backup });
}

/** True if a daemon works with the state now. Rejects with a StorageError. */
export async function isStateHeld(state: StatePlace): Promise<boolean> {
  if (state.postgres) return (await onPostgres()).isPostgresHeld(state.postgres);
  return isLocked(state.file);
}

/** Opens the state for reading. Rejects with a StorageError if there is no state, or if it has another schema. */
export async function openReader(state: StatePlace): Promise<StoreReader> {
  if (state.postgres) return (await onPostgres()).openPostgresReader(state.postgres);
  return openSqliteReader(state);
}

/** Like `openReader`, but resolves with null if there is no state yet. */
export async function openReaderIfAny(state: StatePlace): Promise<StoreReader | null> {
  const { file, postgres } = state;
  const isFilled = postgres ? await (await onPostgres()).isFilled(postgres) : isThere(file);
  return isFilled ? openReader(state) : null;
}
