// The folder of a daemon is closed to the other users of the machine. Who looks at its state as one of them is told so.
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openReader, openReaderIfAny } from '../../src/store/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createFolder } from '../support/daemon.ts';

const NOBODY = 65534;

/** Root may read everything. */
async function asOrdinaryUser(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test('tells another user that the state cannot be opened, not that it is missing', async () => {
  using folder = createFolder({ 'data/note': '' });
  const data = join(folder.path, 'data');
  const file = join(data, 'state.db');
  await (await openSqliteStore({ file }))[Symbol.asyncDispose]();
  chmodSync(data, 0o000);
  await asOrdinaryUser(async () => {
    const words =
      /^cannot open .*state\.db: EACCES: .*Run the command as the user of the daemon, or give this user the right\.$/;
    await expect(openReader({ file })).rejects.toThrow(words);
    await expect(openReaderIfAny({ file })).rejects.toThrow(words);
  });
  chmodSync(data, 0o700);
});

test('what is not there is said to be not there', async () => {
  using folder = createFolder();
  const file = join(folder.path, 'state.db');
  await expect(openReader({ file })).rejects.toThrow(`there is no state file at ${file}`);
  expect(await openReaderIfAny({ file })).toBeNull();
});
