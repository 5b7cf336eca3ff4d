// Which engine keeps the state. The only file outside the engines that names one.
import { existsSync } from 'node:fs';
import type { Log } from '../telemetry/log.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Instant } from '../lib/clock.ts';
import { createBackups } from './sqlite/files/backup-directory.ts';
import { backupFile, backupSqlite } from './sqlite/files/backups.ts';
import { checkSqlite } from './sqlite/check.ts';
import { forgetInSqlite } from './sqlite/forget.ts';
import { openSqliteStore, openVolatileStore } from './sqlite/open.ts';
import { openSqliteReader } from './sqlite/reader.ts';
import { restoreSqlite } from './sqlite/files/restore.ts';
import type { Backups, Recovery, Restored, StateCheck } from './backups.ts';
import type { Store, StoreReader } from './store.ts';

/** Where the state is, and how large it may become. */
export interface StateSettings {
  readonly file: string;
  readonly maxBytes: number;
  readonly backup: BackupSettings;
}

export interface BackupSettings {
  /** Absolute path. */
  readonly directory: string;
  /** How many stay; 0 = none are made by the daemon. */
  readonly keep: number;
}

export interface StoreTools {
  /** How the next daemon that is refused names this one, such as `pid 4711`. */
  readonly owner: string;
  readonly log: Log;
  /** The state was damaged, and something took its place. */
  readonly onRecovered?: (how: Recovery) => void;
}

/**
 * For the one daemon that may write.
 *
 * Rejects with a StoreBusyError while another holds the state, with a StorageError when it cannot be used; the text is
 * for the operator.
 */
export function openStore(state: StateSettings, tools: StoreTools): Promise<Store> {
  const { file, maxBytes, backup } = state;
  return openSqliteStore({ file, maxBytes, backups: backup.directory, ...tools });
}

/** Remembers nothing that outlives the process, for a dry run. */
export function openStoreForDryRun({ log }: Pick<StoreTools, 'log'>): Promise<Store> {
  return openVolatileStore({ log });
}

/**
 * Takes what is remembered of a watch out, also while a daemon runs: it begins anew with its next poll. False when nothing
 * was remembered. Rejects with a StorageError.
 */
export function forgetWatch(state: StateSettings, watch: WatchId): Promise<boolean> {
  return forgetInSqlite(state.file, watch);
}

/** Looks at every page and every row, also while a daemon runs. Rejects with a StorageError where there is no state. */
export function checkState(state: Pick<StateSettings, 'file'>): Promise<StateCheck> {
  return checkSqlite(state.file);
}

/**
 * Makes `target`, else the next file of the directory of backups, a complete, checked copy of the state, also while a
 * daemon runs; resolves with its path. Rejects with a StorageError, also where the file exists already.
 */
export async function backupState({ file, backup }: StateSettings, at: Instant, target?: string): Promise<string> {
  const copy = target ?? backupFile(backup.directory, file, at);
  await backupSqlite(file, copy);
  return copy;
}

/**
 * Makes a backup the state; the former state file stays beside it. Rejects with a StoreBusyError while a daemon runs, with
 * a StorageError when the backup cannot be used; nothing was changed then.
 */
export function restoreState(state: Pick<StateSettings, 'file'>, backup: string): Promise<Restored> {
  return restoreSqlite(state.file, backup);
}

/** The backups that the daemon makes. */
export function openBackups({ file, backup }: StateSettings): Backups {
  return createBackups({ file, ...backup });
}

/** For those who only look. Rejects with a StorageError when there is no state, or when it is of another schema. */
export function openReader(state: Pick<StateSettings, 'file'>): Promise<StoreReader> {
  return openSqliteReader(state);
}

/** The same, and null when there is no state yet. */
export async function openReaderIfAny(state: Pick<StateSettings, 'file'>): Promise<StoreReader | null> {
  return existsSync(state.file) ? openReader(state) : null;
}
