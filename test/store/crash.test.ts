import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { openSqliteReader, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { dispatch } from '../support/store/store-calls.ts';
import { NOON } from './builders.ts';

const directory = mkdtempSync(join(tmpdir(), 'chainwarden-crash-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

test('killed while it commits, again and again, it loses nothing it said and holds nothing by half', async () => {
  const file = join(directory, 'killed.db');
  let said = 0;
  for (const commits of [1, 3, 5]) {
    const daemon = start(file);
    said = await lastSaid(daemon, said + commits);
    await using store = await openSqliteStore({ file });
    const version = (await store.recall()).get('w')?.version ?? 0;
    expect(version).toBeGreaterThanOrEqual(said);
    expect((await store.recall()).get('w')?.state).toBe(version);
    await dispatch(store, NOON);
    expect((await store.survey()).outbox).toMatchObject([{ channel: 'ops', rows: 3 * version }]);
    said = version;
  }
  using db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
});

test('another process is refused by pid, may look on, and gets the file once the first was killed', async () => {
  const file = join(directory, 'locked.db');
  const daemon = start(file);
  await once(daemon.lines, 'line');
  await expect(openSqliteStore({ file })).rejects.toThrow(`in use by another daemon (pid ${daemon.process.pid})`);
  await using reader = await openSqliteReader({ file });
  expect(await reader.survey()).toMatchObject({ dead: 0 });
  await kill(daemon.process);
  await using store = await openSqliteStore({ file });
  expect(await store.expire('ops', 0, [])).toBe(0);
});

interface Daemon {
  readonly process: ChildProcess;
  readonly lines: ReturnType<typeof createInterface>;
}

function start(file: string): Daemon {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./child.ts', import.meta.url)), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { process: child, lines: createInterface({ input: child.stdout }) };
}

/** Lets it commit up to a version, kills it in the middle of what it does next, and answers with the last it said. */
async function lastSaid({ process: child, lines }: Daemon, enough: number): Promise<number> {
  let last = 0;
  for await (const line of lines) {
    if (line === 'open') continue;
    last = Number(line);
    if (last >= enough) child.kill('SIGKILL');
  }
  await ended(child);
  return last;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
