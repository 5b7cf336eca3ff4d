import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { SCHEMA_STEPS } from '../../src/store/sql/schema.ts';
import { checkSqlite } from '../../src/store/sqlite/files/check.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { commit, cover, dispatch } from '../support/store/store-calls.ts';
import { aDecision, aTransition, NOON } from './builders.ts';
import { damagePages, execute } from './damage.ts';
import { fenceOf } from '../support/store/fences.ts';
import { operate } from '../support/store/operate.ts';

const directory = mkdtempSync(join(tmpdir(), 'chainwarden-check-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

let files = 0;

async function aState(watches: number): Promise<string> {
  const file = join(directory, `${++files}.db`);
  await using store = await openSqliteStore({ file });
  const decisions = Array.from({ length: watches }, (_, n) =>
    aDecision(`watch-${n}`, { state: 'x'.repeat(2000), transitions: [aTransition({ key: `k${n}` })] }),
  );
  await commit(store, decisions, NOON);
  await cover(store, new Map(decisions.map(({ watchId }) => [watchId, { until: NOON, snapshot: null, health: {} }])));
  await dispatch(store, NOON);
  return file;
}

test('a sound state beside a daemon that works: the rows of every table, and nothing to do', async () => {
  const file = await aState(3);
  await using _daemon = await openSqliteStore({ file });
  const check = await checkSqlite(file);
  expect(check).toMatchObject({ schema: SCHEMA_STEPS.length, isCurrent: true, findings: [] });
  expect(Object.fromEntries(check.rows)).toMatchObject({ memory: 3, coverage: 3, deliveries: 3, samples: 0 });
  expect(check.bytes).toBeGreaterThan(4096);
});

test('every row that cannot be read is named, with what to do', async () => {
  const file = await aState(3);
  execute(file, `UPDATE memory SET alerts = '{"low":' WHERE watch = 'watch-1'`);
  execute(file, `UPDATE coverage SET snapshot = '{"at":1}' WHERE watch = 'watch-0'`);
  execute(file, `UPDATE notifications SET message = '{}' WHERE key = 'k2'`);
  const { findings } = await checkSqlite(file);
  expect(findings.map(({ what, advice }) => `${what} ${advice}`)).toEqual([
    expect.stringMatching(/memory of watch watch-1 is damaged.*chainwarden state forget 'watch-1'/),
    expect.stringMatching(/snapshot or health of watch watch-0 is damaged.*Nothing to do/),
    expect.stringMatching(/delivery \w+ of watch watch-2 is damaged.*gives it up/),
  ]);
});

test('a pause that cannot be read is named, and neither the start nor another pause fails of it', async () => {
  const file = await aState(1);
  const pause = async (watch: string): Promise<string> => {
    await using store = await openSqliteStore({ file });
    const request = { key: `pause of ${watch}`, asked: '', actor: 'alice' };
    const change = { type: 'pause', watch, matchers: { watch }, until: NOON + 1, comment: '' } as const;
    const { type } = await operate(store, change, request, {
      at: NOON,
    });
    return `${type}: ${(await store.pauses()).map((one) => one.watch).join()}`;
  };
  expect(await pause('coins')).toBe('kept: coins');
  execute(file, `UPDATE silences SET matchers = '{"watch":'`);
  expect(await pause('vault')).toBe('kept: vault');
  const { findings } = await checkSqlite(file);
  expect(findings.map(({ what, advice }) => `${what} ${advice}`)).toEqual([
    expect.stringMatching(/pause of coins is damaged: .* It has no effect\. Make it again\.$/),
  ]);
});

test('what is kept of a plan and cannot be read is named, and costs nothing', async () => {
  const file = await aState(1);
  execute(file, `INSERT INTO plans (plan, at, kept) VALUES ('digest', 1, '{"books":7}')`);
  const { findings } = await checkSqlite(file);
  expect(findings.map(({ what, advice }) => `${what} ${advice}`)).toEqual([
    expect.stringMatching(
      /stored plan digest is damaged: .* Nothing to do: the daemon starts with the credits that the explorer/,
    ),
  ]);
});

test('a line of the journal that somebody changed is named by its position', async () => {
  const file = await aState(1);
  {
    await using store = await openSqliteStore({ file });
    const fence = fenceOf(store, 'service:journal');
    const line = { at: NOON, kind: 'start', subject: 'daemon', actor: 'daemon', data: null } as const;
    await store.record([line, line]);
    await store.chainJournal(9, fence);
  }
  execute(file, `UPDATE journal SET actor = 'nobody' WHERE position = 2`);
  const { findings } = await checkSqlite(file);
  expect(findings.map(({ what }) => what)).toEqual([expect.stringContaining('the journal is broken at position 2: ')]);
});

test('a thousand damaged rows are twenty lines and a number', async () => {
  const file = await aState(1000);
  execute(file, `UPDATE notifications SET message = '{}'`);
  const { findings } = await checkSqlite(file);
  expect(findings).toHaveLength(21);
  expect(findings[20]?.what).toBe('980 further rows of deliveries are damaged');
});

test('damaged pages are found, and the tables that can still be read are counted', async () => {
  const file = await aState(300);
  damagePages(file, -20);
  const { findings, rows } = await checkSqlite(file);
  expect(`${findings[0]?.what} ${findings[0]?.advice}`).toContain('chainwarden state restore FILE');
  expect(rows.get('facts')).toBeGreaterThan(0);
});

test.each<[string, (file: string) => void, RegExp]>([
  [
    'of a newer release',
    (file) => {
      execute(file, 'PRAGMA user_version = 99');
    },
    /newer release/,
  ],
  [
    'of a build before the first release',
    (file) => {
      execute(file, 'PRAGMA application_id = 1129800814; PRAGMA user_version = 22');
    },
    /build from before release 0\.1\.0 \(its schema 22\)/,
  ],
  [
    'that is no database',
    (file) => {
      writeFileSync(file, 'text\n'.repeat(2000));
    },
    /no SQLite file/,
  ],
  [
    'that is not there',
    (file) => {
      rmSync(file);
    },
    /there is no state file/,
  ],
])('a file %s is refused', async (_name, change, message) => {
  const file = await aState(1);
  change(file);
  await expect(checkSqlite(file)).rejects.toThrow(message);
});
