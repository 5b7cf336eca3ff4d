// The directory of verified copies of a state file: state-20260131T120000Z.db beside other files, which stay untouched.
import { chmodSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Instant } from '../../../lib/clock.ts';
import type { Backup } from '../../contract/backups.ts';
import { StorageError } from '../../contract/store.ts';
import { copyVerified } from './copy.ts';
import { answering, makeDirectory } from '../database.ts';
import { identityOf, moveToNew, removeDatabase } from './files.ts';

/** The backups of one state file, the newest first. Throws a StorageError. */
export function listBackups(directory: string, stateFile: string): Backup[] {
  if (identityOf(directory) === null) return [];
  const stem = stemOf(stateFile);
  return answering(directory, 'list', () => readdirSync(directory))
    .flatMap((name) => {
      const at = instantOf(name, stem);
      return at === null ? [] : [{ file: join(directory, name), at }];
    })
    .toSorted((a, b) => b.at - a.at);
}

/** The path of the backup of that second. */
export function backupFile(directory: string, stateFile: string, at: Instant): string {
  const stamp = new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
  return join(directory, `${stemOf(stateFile)}-${stamp}.db`);
}

function stemOf(stateFile: string): string {
  return basename(stateFile).replace(/\.db$/, '');
}

function instantOf(name: string, stem: string): Instant | null {
  if (!name.startsWith(`${stem}-`)) return null;
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/.exec(name.slice(stem.length + 1));
  if (parts === null) return null;
  const [, year, month, day, hour, minute, second] = parts;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(at) ? null : at;
}

/**
 * Makes a complete, checked copy of the state file at `target`, readable for this user alone. Works beside a daemon.
 * Rejects with a StorageError, also if `target` exists already; no new file is left then.
 */
export async function backupSqlite(stateFile: string, target: string): Promise<void> {
  const copy = `${target}.partial`;
  answering(target, 'make', () => {
    makeDirectory(dirname(target));
    assertFree(target);
    assertRoom(stateFile, dirname(target));
  });
  await copyVerified(stateFile, copy);
  answering(target, 'make', () => {
    chmodSync(copy, 0o600);
    try {
      moveToNew(copy, target);
    } catch (error) {
      removeDatabase(copy);
      throw error;
    }
  });
}

function assertFree(target: string): void {
  if (identityOf(target) === null) return;
  throw new StorageError(`${target} exists already, and a backup replaces nothing. Name another file.`);
}

/** A backup must leave room for the daemon's next writes. */
const LEFT_FOR_THE_DAEMON = 64 * 2 ** 20;

function assertRoom(stateFile: string, directory: string): void {
  const state = statSync(stateFile, { throwIfNoEntry: false });
  if (state === undefined || statSync(directory).dev !== state.dev) return;
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= state.size + LEFT_FOR_THE_DAEMON) return;
  throw new StorageError(
    `no backup was made: ${state.size} bytes are needed in ${directory}, and with them less than 64 MiB would stay free ` +
      'for the state file itself. Free some space, or put backups on another disk.',
  );
}

/**
 * Removes all but the `keep` backups whose times are nearest to now. So a backup with a time in the future, from a
 * clock that was wrong, is not kept for ever.
 */
export function dropOldBackups(backups: readonly Backup[], keep: number, now: Instant): void {
  const byDistance = backups.toSorted((a, b) => Math.abs(now - a.at) - Math.abs(now - b.at));
  for (const { file } of byDistance.slice(keep)) rmSync(file, { force: true });
}
