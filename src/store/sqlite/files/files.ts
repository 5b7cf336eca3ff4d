// Handles files by their paths, without opening them: closing any handle of a database file would drop the locks that
// this process holds on it.
import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivately } from '../database.ts';

/**
 * The files of SQLite beside a database file. They are moved and removed with it, since SQLite would apply a log that
 * belongs to another file.
 */
const COMPANIONS = ['-wal', '-shm', '-journal'] as const;

/**
 * Identifies the file at the path, without following a link; null: there is none. Throws if the file system does not
 * answer.
 */
export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch (error) {
    if (isNothing(error)) return null;
    throw error;
  }
}

/** True also if a directory of the path was replaced by a file. */
function isNothing(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** `name`, or the first free name with a number behind it. */
export function freeName(name: string): string {
  for (let n = 1; ; n += 1) {
    const tried = n === 1 ? name : `${name}-${n}`;
    if (identityOf(tried) === null) return tried;
  }
}

/** Writes the directory to the disk, so that a new name in it survives a power cut. */
export function syncDirectory(directory: string): void {
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Throws if `to` exists already; a rename alone would replace it. */
export function moveToNew(from: string, to: string): void {
  closeSync(openSync(to, 'wx', 0o600));
  renameSync(from, to);
  syncDirectory(dirname(to));
}

/** Makes an empty database file for this user alone. Files of a former try are removed. */
export function createAnew(file: string): void {
  removeDatabase(file);
  createPrivately(file);
}

export function removeDatabase(file: string): void {
  for (const part of ['', ...COMPANIONS]) rmSync(`${file}${part}`, { force: true });
}

export function removeCompanions(file: string): void {
  for (const part of COMPANIONS) rmSync(`${file}${part}`, { force: true });
}

/** Links a database file and its companions under a second name; `to` is a free name. */
export function linkDatabase(file: string, to: string): void {
  for (const part of ['', ...COMPANIONS])
    if (identityOf(`${file}${part}`) !== null) linkSync(`${file}${part}`, `${to}${part}`);
}
