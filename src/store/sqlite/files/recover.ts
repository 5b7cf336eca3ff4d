// Replaces a state file that is damaged when the daemon starts. Without a start no watch would be polled, so the newest
// backup takes its place, or an empty state. Either is logged as an error, and the damaged file is kept.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { failpoint } from '../../../lib/failpoint.ts';
import type { Log } from '../../../telemetry/log.ts';
import type { Backup, Recovery } from '../../contract/backups.ts';
import { APPLICATION_ID } from '../../sql/application-id.ts';
import { StateDamagedError, StorageError } from '../../contract/store.ts';
import { listBackups } from './backups.ts';
import { copyVerified } from './copy.ts';
import { answering } from '../database.ts';
import { freeName, linkDatabase, removeDatabase } from './files.ts';
import { freshOf, replaceBy } from './restore.ts';

export interface RecoverOptions {
  readonly file: string;
  /** The directory of backups. */
  readonly backups: string;
  readonly log: Log | undefined;
  readonly onRecovered: ((how: Recovery) => void) | undefined;
}

/**
 * Calls `open`. A damaged file is put aside and replaced by the newest sound backup, or by an empty state; then `open`
 * is called again. The caller holds the lock. Rejects with the error of `open` if the file is not known to be a state
 * file: a file of another program must not be moved away.
 */
export async function openOrRecover<T>(
  open: () => T | Promise<T>,
  { file, backups, log, onRecovered }: RecoverOptions,
): Promise<T> {
  const known = listBackups(backups, file);
  if (isEmptied(file) && known.length > 0) return await recover(new StateDamagedError(`${file} is empty`));
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof StateDamagedError) || !(known.length > 0 || isStateFile(file))) throw error;
    return await recover(error);
  }

  async function recover(damage: StateDamagedError): Promise<T> {
    const used = await prepareCopy(known, file, log);
    failpoint('state.set-aside');
    const damaged = answering(file, 'replace', () => putAside(file, used !== null));
    failpoint('state.replaced');
    if (used === null) log?.error('storage:state-lost', { lost: damage.message, kept: damaged, effect: NOTHING_KNOWN });
    else log?.error('storage:state-restored', { from: used.file, why: damage.message, kept: damaged, effect: OLDER });
    onRecovered?.(used === null ? 'lost' : 'restored');
    return open();
  }
}

const NOTHING_KNOWN = 'every watch starts with a new baseline, and deliveries that were owed are not sent';
const OLDER =
  'later events are found again if the explorer still shows them; messages sent after that backup may be sent again';

/** Copies the newest sound backup to the place from which `replaceBy` takes it; null: there is none. */
async function prepareCopy(known: readonly Backup[], file: string, log: Log | undefined): Promise<Backup | null> {
  for (const backup of known) {
    try {
      await copyVerified(backup.file, freshOf(file));
      return backup;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      log?.warn('storage:backup-unusable', { file: backup.file, error, effect: 'the next older one is tried' });
    }
  }
  return null;
}

/** Returns the name under which the damaged file is kept. */
function putAside(file: string, isReplaced: boolean): string | null {
  if (isReplaced) return replaceBy(freshOf(file), file, 'corrupt');
  const kept = freeName(`${file}.corrupt`);
  linkDatabase(file, kept);
  removeDatabase(file);
  return kept;
}

/** True if the file exists without content. SQLite would make a new database in it, without an error. */
function isEmptied(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.size === 0;
}

const MAGIC = 'SQLite format 3\0';
const ID_AT = 68;

/**
 * True if its first bytes are those of a state file. The file may be opened here, since no other connection of this
 * process has it open and could lose a lock.
 */
function isStateFile(file: string): boolean {
  const header = Buffer.alloc(ID_AT + 4);
  const fd = openSync(file, 'r');
  try {
    readSync(fd, header, 0, header.length, 0);
  } finally {
    closeSync(fd);
  }
  return header.toString('latin1', 0, MAGIC.length) === MAGIC && header.readUInt32BE(ID_AT) === APPLICATION_ID;
}
