import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageError } from '../../contract/store.ts';

/** The types of network file systems, as in statfs(2). Their locks and memory maps do not work between machines. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
]);

/**
 * Throws a StorageError on a file system over a network: SQLite's log needs shared memory, and two daemons on two
 * machines would not notice each other's lock.
 */
export function assertLocal(file: string, fileSystemOf = typeOf): void {
  const name = NETWORK.get(fileSystemOf(dirname(file)));
  if (name === undefined) return;
  throw new StorageError(
    `${file} is on a network file system (${name}), which can damage it. Point "state" at a disk of this machine; ` +
      'backups may go elsewhere, with state.backup.directory.',
  );
}

function typeOf(directory: string): number {
  return statfsSync(directory).type;
}
