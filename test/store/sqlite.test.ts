import { summaryOfHealth } from '../../src/engine/reporting/daemon-health.ts';
import { calmHealth } from '../support/engine/calm-health.ts';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { firstNumber, makeDurable, openDatabase } from '../../src/store/sqlite/database.ts';
import { createSqliteDatabase } from '../../src/store/sqlite/driver.ts';
import { heldStore, openSqliteReader, openSqliteStore } from '../../src/store/sqlite/open.ts';
import { migrateState } from '../../src/store/sql/migrate.ts';
import { StorageError, StoreBusyError, StoreFullError, type Store } from '../../src/store/contract/store.ts';
import { claim, commit, cover, owe, settle } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, aMemory, NOON } from './builders.ts';
import { FIRST_TRY, keepsThePromise } from './contracts/contract.ts';
import { damagePages, execute } from './damage.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';

// Every commit waits for the disk; a busy one takes its time.

const directory = mkdtempSync(join(tmpdir(), 'chainwarden-store-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

let files = 0;
const aFile = (): string => join(directory, `${++files}.db`);

describe('the store in a file', () => {
  const place = () => {
    const file = aFile();
    return async () => {
      const db = openDatabase(file);
      // What outlives a power cut is not the question here, and waiting for the disk takes most of the time.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
      return storeOver(db, file);
    };
  };
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
  keepsItsPromiseAboutWhoIsTold(place);
});

describe('opening', () => {
  test('makes the directories and keeps the file to its owner', async () => {
    const file = join(directory, 'deep', 'er', 'state.db');
    await using store = await openSqliteStore({ file });
    await commit(store, [aDecision('w')], NOON);
    expect(statSync(join(directory, 'deep')).mode & 0o777).toBe(0o700);
    for (const name of [file, `${file}-wal`, `${file}.lock`]) expect(statSync(name).mode & 0o777).toBe(0o600);
  });

  test('finds what was remembered and owed before', async () => {
    const file = aFile();
    const delivery = aDelivery();
    await withStore(file, (store) => owe(store, 'w', [delivery], NOON));
    await using store = await openSqliteStore({ file });
    expect(await store.recall()).toEqual(new Map([['w', aMemory({ version: 1 })]]));
    expect(await claim(store, 'ops', 1, NOON)).toEqual([{ ...FIRST_TRY, delivery }]);
  });

  test('refuses a second daemon, by whatever name of the file, and says who holds it', async () => {
    const file = aFile();
    const alias = join(directory, 'alias', basename(file));
    await using first = await openSqliteStore({ file, owner: 'pid 4711' });
    symlinkSync('.', join(directory, 'alias'));
    for (const name of [file, alias]) {
      const refusal = openSqliteStore({ file: name });
      await expect(refusal).rejects.toThrow(StoreBusyError);
      await expect(refusal).rejects.toThrow(`${file} is in use by another daemon (pid 4711). Stop that daemon`);
    }
    expect(await commit(first, [aDecision('w')], NOON)).toEqual(['kept']);
  });

  test.each(['', '.lock', '-wal', '-shm'])('a link at its place%s leads to no other file', async (part) => {
    const file = aFile();
    const target = `${file}.target`;
    writeFileSync(target, 'precious');
    symlinkSync(target, `${file}${part}`);
    const refusal = openSqliteStore({ file });
    await expect(refusal).rejects.toThrow(StorageError);
    await expect(refusal).rejects.toThrow(`${file}${part} is a link. Name the file itself`);
    expect(readFileSync(target, 'utf8')).toBe('precious');
  });

  test('a link to nothing makes no file', async () => {
    const file = aFile();
    symlinkSync(`${file}.target`, `${file}.lock`);
    await expect(openSqliteStore({ file })).rejects.toThrow('is a link');
    expect(existsSync(`${file}.target`)).toBe(false);
  });

  test('a FIFO or a directory in its place is said, and nobody waits', async () => {
    const fifo = aFile();
    execFileSync('mkfifo', [fifo]);
    for (const file of [fifo, directory])
      await expect(openSqliteStore({ file })).rejects.toThrow(`${file} is no regular file. Name another one.`);
  });

  test('is free again once the first has closed, however often it closes', async () => {
    const file = aFile();
    const first = await openSqliteStore({ file });
    await first[Symbol.asyncDispose]();
    await using second = await openSqliteStore({ file });
    await first[Symbol.asyncDispose]();
    await expect(openSqliteStore({ file })).rejects.toThrow(StoreBusyError);
    expect(await second.recall()).toEqual(new Map());
  });

  test('a store that was closed answers with a storage error', async () => {
    const store = await openSqliteStore({ file: aFile() });
    await store[Symbol.asyncDispose]();
    await expect(store.recall()).rejects.toThrow(StorageError);
    await expect(commit(store, [aDecision('w')], NOON)).rejects.toThrow(StorageError);
  });
});

describe('what cannot be used is refused, unchanged, with what to do', () => {
  const refused: [string, (file: string) => void, RegExp][] = [
    [
      'a file of a newer release',
      (file) => {
        execute(file, 'PRAGMA application_id = 0x43576431; PRAGMA user_version = 99');
      },
      /newer release \(schema 99, this one knows up to \d+\)\. Install/,
    ],
    [
      'a database of another program',
      (file) => {
        execute(file, 'CREATE TABLE t (x)');
      },
      /another program/,
    ],
    [
      'a file that is no database',
      (file) => {
        writeFileSync(file, 'not a database\n'.repeat(999));
      },
      /no SQLite file/,
    ],
    [
      'a directory',
      (file) => {
        mkdirSync(file);
      },
      /is no regular file\. Name another one/,
    ],
  ];

  test.each(refused)('%s', async (_name, make, message) => {
    const file = aFile();
    make(file);
    const before = statSync(file).isFile() ? readFileSync(file) : null;
    const refusal = openSqliteStore({ file });
    await expect(refusal).rejects.toThrow(StorageError);
    await expect(refusal).rejects.toThrow(message);
    if (before !== null) expect(readFileSync(file).equals(before)).toBe(true);
    // The lock is not kept by a store that never opened.
    await expect(openSqliteStore({ file })).rejects.not.toThrow(StoreBusyError);
  });

  test('a file whose pages are damaged', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, many(200), NOON));
    damagePages(file);
    await expect(openSqliteStore({ file })).rejects.toThrow(/(damaged|malformed).*move it away/s);
  });
});

describe('damage within', () => {
  test('a memory that cannot be read names its watch', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('healthy'), aDecision('broken[x]')], NOON));
    execute(file, `UPDATE memory SET alerts = '{"low":{"":{"type":"condition"}}}' WHERE watch = 'broken[x]'`);
    await using store = await openSqliteStore({ file });
    await expect(store.recall()).rejects.toThrow(/stored memory of watch broken\[x\] is damaged/);
    expect(await store.recall(['healthy'])).toHaveProperty('size', 1);
  });

  test('what only explains stops nothing when it is damaged', async () => {
    const file = aFile();
    await withStore(file, async (store) => {
      await commit(store, [aDecision('w')], NOON);
      await cover(store, new Map([['w', { until: NOON, snapshot: null, health: {} }]]));
    });
    execute(file, `UPDATE coverage SET snapshot = '{"at":', health = '{"low":{}}'`);
    await using store = await openSqliteStore({ file });
    expect((await store.recall()).size).toBe(1);
    expect(await store.diagnostics()).toEqual(new Map([['w', { snapshot: null, health: {} }]]));
  });

  test('a delivery that cannot be read ends as dead, is told to the log, and holds up nobody', async () => {
    const file = aFile();
    const deliveries = [aDelivery({ id: 'broken' }), aDelivery({ id: 'healthy' })];
    await withStore(file, (store) => owe(store, 'w', deliveries, NOON));
    execute(file, `UPDATE notifications SET message = '{' WHERE key = 'broken'`);
    const error = jest.fn();
    await using store = await openSqliteStore({ file, log: { ...SILENT, error } });
    expect(await claim(store, 'ops', 10, NOON)).toMatchObject([{ delivery: { id: 'healthy' } }]);
    expect(error).toHaveBeenCalledTimes(1);
    expect(error).toHaveBeenCalledWith('delivery:damaged', { error: expect.stringContaining('broken of watch w') });
    expect(await store.survey()).toMatchObject({ dead: 1 });
  });
});

test('an alert that is committed after a claim is on the disk when it is kept, also when the claim failed', async () => {
  const file = aFile();
  await withStore(file, (store) => owe(store, 'w', [aDelivery()], NOON));
  const db = openDatabase(file);
  makeDurable(db);
  await using store = await storeOver(db, file);
  const isFull = (): boolean => firstNumber(db, 'PRAGMA synchronous') === 2;
  db.exec(`CREATE TEMP TRIGGER refuse BEFORE UPDATE ON deliveries BEGIN SELECT raise(ABORT, 'no'); END`);
  await expect(claim(store, 'ops', 10, NOON)).rejects.toThrow(StorageError);
  expect(isFull()).toBe(true);
  db.exec('DROP TRIGGER refuse');
  expect(await claim(store, 'ops', 10, NOON)).toHaveLength(1);
  expect(isFull()).toBe(true);
});

test('a full disk is a storage error, changes nothing, and passes when there is room again', async () => {
  const file = aFile();
  await withStore(file, (store) => commit(store, [aDecision('w')], NOON));
  const db = openDatabase(file);
  await using store = await storeOver(db, file);
  db.exec('PRAGMA max_page_count = 1');
  await expect(commit(store, many(50), NOON)).rejects.toThrow(/database or disk is full.*Free some space on its disk/);
  await expect(commit(store, many(50), NOON)).rejects.toThrow(StorageError);
  expect([...(await store.recall()).keys()]).toEqual(['w']);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  db.exec('PRAGMA max_page_count = 100000');
  expect(new Set(await commit(store, many(50), NOON))).toEqual(new Set(['kept']));
});

test('at its largest size it takes nothing more, but gives away and forgets, and goes on once there is room', async () => {
  const file = aFile();
  const deliveries = Array.from({ length: 200 }, (_, n) => aDelivery({ id: `d${n}`, type: 'alert.event' }));
  await using store = await openSqliteStore({ file, maxBytes: 5 * 2 ** 16 });
  const long = (watch: string): ReturnType<typeof aDecision> => aDecision(watch, { state: 'x'.repeat(2 ** 18) });
  expect(await owe(store, 'w', deliveries, NOON)).toEqual(['kept']);
  store.setMaxBytes(2 ** 20);
  expect(await commit(store, [long('long')], NOON)).toEqual(['kept']);
  store.setMaxBytes(5 * 2 ** 16);
  for (const refused of [
    commit(store, [aDecision('late')], NOON),
    cover(store, new Map([['w', { until: NOON + 1 }]])),
  ]) {
    await expect(refused).rejects.toThrow(StoreFullError);
    await expect(refused).rejects.toThrow(/state\.max_size is 327680: .*raise max_size: a reload is enough/);
  }
  expect((await store.recall()).get('w')?.coveredUntil).toBe(NOON);
  for (const { delivery } of await claim(store, 'ops', 200, NOON))
    expect(await settle(store, delivery.id, { state: 'sent', outcome: { type: 'sent', answer: '' } }, NOON)).toBe(
      'settled',
    );
  await store.prune({ settled: NOON + 1, alerts: NOON, journal: NOON }, NOON);
  expect(await store.survey()).toEqual({ outbox: [], dead: 0, sent: 0 });
  await expect(commit(store, [aDecision('late')], NOON)).rejects.toThrow(StoreFullError);
  await store.forget(['long']);
  expect(await commit(store, [aDecision('late')], NOON)).toEqual(['kept']);
  await commit(store, [long('long')], NOON);
  store.setMaxBytes(2 ** 20);
  expect(await commit(store, [aDecision('later')], NOON)).toEqual(['kept']);
});

test('a decision that cannot be written takes its whole commit back', async () => {
  await using store = await openSqliteStore({ file: aFile() });
  const impossible = aDecision('x', { state: 1n as unknown as number });
  await expect(commit(store, [aDecision('w'), impossible], NOON)).rejects.toThrow(StorageError);
  expect(await store.recall()).toEqual(new Map());
});

describe('the reader', () => {
  test('looks on while a daemon works, and sees what it commits', async () => {
    const file = aFile();
    await using store = await openSqliteStore({ file });
    await using reader = await openSqliteReader({ file });
    expect(await reader.recall()).toEqual(new Map());
    const deliveries = [aDelivery({ id: 'a' }), aDelivery({ id: 'b' })];
    await owe(store, 'w', deliveries, NOON);
    await claim(store, 'ops', 1, NOON);
    await settle(store, 'a', { state: 'dead', outcome: { type: 'rejected', why: '550 no such user' } }, NOON + 1);
    expect(await reader.recall(['w'])).toEqual(await store.recall(['w']));
    expect(await reader.survey()).toEqual(await store.survey());
    expect(
      (await reader.deliveries({ state: null, channel: null, before: null, limit: 10 })).map(
        ({ id, state, members }) => [id, state, members.length],
      ),
    ).toEqual([
      ['b', 'due', 1],
      ['a', 'dead', 1],
    ]);
    expect(await reader.dead(10)).toMatchObject([
      { id: 'a', attempt: 1, settledAt: NOON + 1, outcome: { type: 'rejected', text: '550 no such user' } },
    ]);
  });

  test('reads what a daemon left behind', async () => {
    const file = aFile();
    await withStore(file, (store) => commit(store, [aDecision('w')], NOON));
    await using reader = await openSqliteReader({ file });
    expect((await reader.recall()).size).toBe(1);
    expect(await reader.deliveries({ state: null, channel: null, before: null, limit: 10 })).toEqual([]);
  });

  test('shows what the daemon runs, what it looked at, and what it said of one alert', async () => {
    const file = aFile();
    await using store = await openSqliteStore({ file });
    await using reader = await openSqliteReader({ file });
    expect(await reader.running()).toBeNull();
    const deliveries = [aDelivery({ id: 'a' }), aDelivery({ id: 'b' }), aDelivery({ id: 'c', alert: 'other' })];
    await owe(store, 'w', deliveries, NOON);
    await owe(store, 'x', [aDelivery({ id: 'd' })], NOON);
    await store.keepRunning({ watches: ['w'] });
    await store.keepRunning({ watches: ['w', 'x'] });
    expect(await reader.running()).toEqual({ watches: ['w', 'x'] });
    expect([...(await reader.health())]).toEqual([]);
    const health = summaryOfHealth(calmHealth(NOON));
    await store.keepHealth(health);
    expect([...(await reader.health()).values()]).toEqual([health]);
    expect((await reader.deliveriesOf('w', 'low', 10)).map(({ id }) => id)).toEqual(['b', 'a']);
    expect(await reader.deliveriesOf('w', 'low', 1)).toHaveLength(1);
    expect(await reader.diagnostics(['w'])).toEqual(await store.diagnostics(['w']));
  });

  test('says so when there is nothing to read, and makes no file', async () => {
    const file = aFile();
    await expect(openSqliteReader({ file })).rejects.toThrow(`there is no state file at ${file}`);
    expect(() => statSync(file)).toThrow('ENOENT');
  });
});

/** Without a lock. */
async function storeOver(db: DatabaseSync, file: string): Promise<Store> {
  const database = createSqliteDatabase(db, { file });
  await migrateState(database);
  return heldStore(database, {}, { secure: () => Promise.resolve([]), close: () => database[Symbol.asyncDispose]() });
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

async function withStore(file: string, work: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<unknown>) {
  await using store = await openSqliteStore({ file });
  await work(store);
}

function many(count: number): ReturnType<typeof aDecision>[] {
  return Array.from({ length: count }, (_, n) => aDecision(`watch-${n}`, { state: 'x'.repeat(2000) }));
}
