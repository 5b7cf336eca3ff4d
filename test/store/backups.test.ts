// Copies of the state: made beside a daemon, checked, and put back.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createBackups } from '../../src/store/sqlite/files/backup-directory.ts';
import { backupSqlite } from '../../src/store/sqlite/files/backups.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { restoreSqlite } from '../../src/store/sqlite/files/restore.ts';
import { StorageError, StoreBusyError, type Store } from '../../src/store/contract/store.ts';
import { commit, dispatch, owe } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, NOON } from './builders.ts';
import { damagePages, execute } from './damage.ts';

const root = mkdtempSync(join(tmpdir(), 'chainwarden-backups-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

let folders = 0;
const aFile = (): string => join(root, `${++folders}`, 'state.db');
const NEVER = new AbortController().signal;
const DAY = 86_400_000;

describe('a backup', () => {
  test('of a daemon that commits without end is complete, and holds no commit by half', async () => {
    const file = aFile();
    const daemon = await startCommitting(file);
    const target = `${file}.copy`;
    await backupSqlite(file, target);
    const saidAfter = daemon.said();
    await daemon.kill();
    const { version, rows } = await heldBy(target);
    expect(version).toBeGreaterThanOrEqual(1);
    expect(version).toBeLessThanOrEqual(saidAfter + 1);
    expect(rows).toBe(3 * version);
  });

  test('is one file for its owner alone', async () => {
    const file = aFile();
    await using store = await openSqliteStore({ file });
    await commit(store, [aDecision('w')], NOON);
    const directory = join(dirname(file), 'deep', 'er');
    await backupSqlite(file, join(directory, 'copy.db'));
    expect(readdirSync(directory)).toEqual(['copy.db']);
    expect(statSync(join(directory, 'copy.db')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('replaces nothing', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('w')], NOON));
    const target = `${file}.copy`;
    writeFileSync(target, 'precious');
    await expect(backupSqlite(file, target)).rejects.toThrow(`${target} exists already, and a backup replaces nothing`);
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ['a damaged page', damagePages, /damaged|malformed/],
    ['a damaged index', damageIndex, /is damaged \(.*missing from index deliveries_due/],
    [
      'no file at all',
      (file) => {
        rmSync(file);
      },
      /there is no state file at/,
    ],
    [
      'an empty file',
      (file) => {
        writeFileSync(file, '');
      },
      /holds no state: it is empty/,
    ],
  ])('of %s is none: nothing is left at its place', async (_name, damage, message) => {
    const file = aFile();
    await withStore(file, (store) => commit(store, many(200), NOON));
    damage(file);
    await expect(backupSqlite(file, `${file}.copy`)).rejects.toThrow(message);
    await expect(backupSqlite(file, `${file}.copy`)).rejects.toThrow(StorageError);
    expect(readdirSync(dirname(file)).filter((name) => name.includes('copy'))).toEqual([]);
  });
});

describe('a directory of backups', () => {
  test('keeps the newest, and leaves the files of others alone', async () => {
    const file = aFile();
    await using store = await openSqliteStore({ file });
    await commit(store, [aDecision('w')], NOON);
    const directory = join(dirname(file), 'backups');
    const backups = createBackups({ file, directory, keep: 2 });
    expect(await backups.list()).toEqual([]);
    for (const days of [0, 1, 2, 3]) await backups.make(NOON + days * DAY, NEVER);
    for (const name of ['other-20260104T120000Z.db', 'state-notes.txt', 'state-20260199T120000Z.db'])
      writeFileSync(join(directory, name), '');
    expect((await backups.list()).map(({ at }) => at)).toEqual([NOON + 3 * DAY, NOON + 2 * DAY]);
    await backups.make(NOON + 4 * DAY, NEVER);
    expect(readdirSync(directory)).toHaveLength(5);
  });

  test('does not keep one from the future of a wrong clock instead of those of today', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('w')], NOON));
    const backups = createBackups({ file, directory: join(dirname(file), 'backups'), keep: 2 });
    for (const days of [400, 401, 0, 1]) await backups.make(NOON + days * DAY, NEVER);
    expect((await backups.list()).map(({ at }) => at)).toEqual([NOON + DAY, NOON]);
  });

  test('gives up a backup that is no longer wanted, and makes none', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('w')], NOON));
    const directory = join(dirname(file), 'backups');
    const stop = new AbortController();
    const making = createBackups({ file, directory, keep: 1 }).make(NOON, stop.signal);
    stop.abort(new Error('the daemon is stopping'));
    await expect(making).rejects.toThrow('the daemon is stopping');
    expect(existsSync(join(directory, 'state-20260101T120000Z.db'))).toBe(false);
  });
});

describe('restoring', () => {
  test('brings back what was remembered and owed, and keeps the former file with all that it held', async () => {
    const file = aFile();
    const copy = `${file}.copy`;
    await withStore(file, async (store) => {
      await owe(store, 'w', [aDelivery()], NOON, { state: 'backed up' });
      await backupSqlite(file, copy);
      await commit(store, [aDecision('w', { expects: 1, state: 'later' })], NOON);
    });
    const { former } = await restoreSqlite(file, copy);
    expect(former).toBe(`${file}.before-restore`);
    expect(await stateOf(file)).toBe('backed up');
    expect(await stateOf(former ?? '')).toBe('later');
    expect((await restoreSqlite(file, copy)).former).toBe(`${file}.before-restore-2`);
  });

  test('keeps what a killed daemon had only in its log', async () => {
    const file = aFile();
    const copy = `${file}.copy`;
    await withStore(file, (store) => commit(store, [aDecision('other')], NOON));
    await backupSqlite(file, copy);
    const daemon = await startCommitting(file);
    await daemon.kill();
    expect(existsSync(`${file}-wal`)).toBe(true);
    const said = daemon.said();
    const { former } = await restoreSqlite(file, copy);
    expect((await heldBy(former ?? '')).version).toBeGreaterThanOrEqual(said);
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect((await heldBy(file)).version).toBe(0);
  });

  test('a damaged state file makes way, and stays for those who want to look into it', async () => {
    const file = aFile();
    const copy = `${file}.copy`;
    await withStore(file, (store) => commit(store, many(200), NOON));
    await backupSqlite(file, copy);
    damagePages(file);
    const damaged = readFileSync(file);
    const { former } = await restoreSqlite(file, copy);
    expect(readFileSync(former ?? '').equals(damaged)).toBe(true);
    await using store = await openSqliteStore({ file });
    expect((await store.recall()).size).toBe(200);
  });

  test('makes a state file where there is none', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('w', { state: 'kept' })], NOON));
    const copy = `${file}.copy`;
    await backupSqlite(file, copy);
    const elsewhere = aFile();
    expect(await restoreSqlite(elsewhere, copy)).toEqual({ former: null });
    expect(await stateOf(elsewhere)).toBe('kept');
    expect(statSync(elsewhere).mode & 0o777).toBe(0o600);
  });

  test('is refused while a daemon holds the state', async () => {
    const file = aFile();
    await using store = await openSqliteStore({ file, owner: 'pid 4711' });
    await commit(store, [aDecision('w', { state: 'held' })], NOON);
    await backupSqlite(file, `${file}.copy`);
    const refusal = restoreSqlite(file, `${file}.copy`);
    await expect(refusal).rejects.toThrow(StoreBusyError);
    await expect(refusal).rejects.toThrow('in use by another daemon (pid 4711)');
    expect((await store.recall()).get('w')?.state).toBe('held');
  });

  test.each<[string, (copy: string) => void, RegExp]>([
    ['damaged', damagePages, /damaged|malformed/],
    [
      'cut short',
      (copy) => {
        writeFileSync(copy, readFileSync(copy).subarray(0, 3 * 4096 + 100));
      },
      /damaged|malformed/,
    ],
    [
      'empty',
      (copy) => {
        writeFileSync(copy, '');
      },
      /holds no state: it is empty/,
    ],
    [
      'of another program',
      (copy) => {
        execute(copy, 'PRAGMA application_id = 1');
      },
      /is a database of another program/,
    ],
    [
      'of a newer release',
      (copy) => {
        execute(copy, 'PRAGMA user_version = 99');
      },
      /newer release \(schema 99/,
    ],
    [
      'no database',
      (copy) => {
        writeFileSync(copy, 'text\n'.repeat(2000));
      },
      /no SQLite file/,
    ],
    [
      'not there',
      (copy) => {
        rmSync(copy);
      },
      /there is no backup at/,
    ],
  ])('a backup that is %s changes nothing', async (_name, damage, message) => {
    const file = aFile();
    const copy = `${file}.copy`;
    await withStore(file, (store) => commit(store, many(200), NOON));
    await backupSqlite(file, copy);
    damage(copy);
    const before = readFileSync(file);
    await expect(restoreSqlite(file, copy)).rejects.toThrow(message);
    await expect(restoreSqlite(file, copy)).rejects.toThrow(StorageError);
    expect(readFileSync(file).equals(before)).toBe(true);
    const left = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.`));
    expect(left.filter((name) => name !== 'state.db.copy' && name !== 'state.db.lock')).toEqual([]);
  });
});

async function withStore(file: string, work: (store: Store) => Promise<unknown>): Promise<void> {
  await using store = await openSqliteStore({ file });
  await work(store);
}

async function stateOf(file: string): Promise<unknown> {
  await using store = await openSqliteStore({ file });
  return (await store.recall()).get('w')?.state;
}

/** What `child.ts` had committed: each version owes three deliveries. */
async function heldBy(file: string): Promise<{ version: number; rows: number }> {
  await using store = await openSqliteStore({ file });
  const version = (await store.recall()).get('w')?.version ?? 0;
  await dispatch(store, NOON);
  return { version, rows: (await store.survey()).outbox[0]?.rows ?? 0 };
}

async function startCommitting(file: string) {
  await withStore(file, () => Promise.resolve());
  const child = spawn(process.execPath, [fileURLToPath(new URL('./child.ts', import.meta.url)), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  let last = 0;
  const underWay = Promise.withResolvers<undefined>();
  lines.on('line', (line) => {
    last = Number(line) || 0;
    if (last >= 5) underWay.resolve(undefined);
  });
  await underWay.promise;
  return {
    said: () => last,
    async kill() {
      const ended = once(child, 'close');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A row that its index does not know, as a lost write leaves it. */
function damageIndex(file: string): void {
  using db = new DatabaseSync(file);
  const edit = (statement: string): void => {
    db.exec(`PRAGMA writable_schema = ON; ${statement}; PRAGMA writable_schema = RESET`);
  };
  db.enableDefensive(false);
  db.exec(`CREATE TABLE former AS SELECT * FROM sqlite_schema WHERE name = 'deliveries_due'`);
  edit(`DELETE FROM sqlite_schema WHERE name = 'deliveries_due'`);
  db.exec(`INSERT INTO deliveries (id, channel, recipient, kind, rank, state, due_at, created_at, runtime_at)
    VALUES ('x', 'ops', '', 'news', 0, 'due', 0, 0, 0)`);
  edit('INSERT INTO sqlite_schema SELECT * FROM former');
}

function many(count: number): ReturnType<typeof aDecision>[] {
  return Array.from({ length: count }, (_, n) => aDecision(`watch-${n}`, { state: 'x'.repeat(2000) }));
}
