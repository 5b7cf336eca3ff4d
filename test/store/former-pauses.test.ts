// Pauses that the release with schema 13 stored, which had no labels of their own.
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DatabaseSync } from 'node:sqlite';
import { migrate, MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { createFolder } from '../support/daemon.ts';
import { NOON } from './builders.ts';

const folder = createFolder();
afterAll(() => {
  folder[Symbol.dispose]();
});

test('an upgrade ended the pauses in force, or had the alerts of a paused watch repeated', async () => {
  const file = join(folder.path, 'state.db');
  {
    using db = new DatabaseSync(file);
    migrate(db, file, MIGRATIONS.slice(0, 13));
    const insert = db.prepare(
      `INSERT INTO silences (id, kind, matchers, starts_at, ends_at, actor, comment) VALUES (?, 'pause', ?, ?, ?, ?, '')`,
    );
    for (const [id, matchers] of [
      ['p1', '{"watch":"coins"}'],
      ['p2', '{"watch":"coins[treasury]"}'],
      ['p3', '{"watch":'],
    ] as const)
      insert.run(id, matchers, NOON, NOON + 1, 'alice');
  }
  await using store = await openSqliteStore({ file });
  const row = { from: NOON, until: NOON + 1, actor: 'alice', comment: '' };
  expect(await store.pauses()).toEqual([
    { ...row, id: 'p1', watch: 'coins' },
    { ...row, id: 'p2', watch: 'coins[treasury]' },
  ]);
  const { silences } = await store.policy(NOON);
  expect(silences.map(({ id, matchers }) => [id, matchers])).toEqual([
    ['p1', { watch: 'coins' }],
    ['p2', { watch: 'coins', of: 'treasury' }],
  ]);
});
