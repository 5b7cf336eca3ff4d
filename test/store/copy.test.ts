// A state that is moved between a file and a database.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from '@jest/globals';
import { checkState, copyStateIn, copyStateOut } from '../../src/store/open.ts';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { hasPostgres, postgresTest, startPostgres } from '../support/store/postgres.ts';
import { databaseAt } from '../support/store/story-state.ts';
import { claim, commit, owe, settle } from '../support/store/store-calls.ts';
import { aDecision, aDelivery, NOON } from './builders.ts';
import { claimAll, fenceOf } from '../support/store/fences.ts';
import { operate } from '../support/store/operate.ts';

const server = hasPostgres ? await startPostgres() : null;
const directory = mkdtempSync(join(tmpdir(), 'chainwarden-copy-'));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const SILENCE = {
  type: 'silence',
  matchers: { watch: 'coins' },
  from: NOON,
  until: NOON + 3_600_000,
  untilResolved: true,
  comment: 'a move, 100 % planned; "quoted" \\ \u{1f9ea}',
} as const;
const RUN = {
  path: 'balance',
  since: NOON,
  until: NOON + 1,
  value: '115792089237316195423570985008687907853.5',
  keptFrom: 0,
};

/** Something in every sort of table, with texts that neither engine may change. */
async function live(store: Store): Promise<void> {
  const closed = { runs: [RUN], dropped: [], shiftedMs: 0 };
  const state = { symbol: 'N\0L \ud800 half', wei: '115792089237316195423570985008687907853' };
  await owe(store, 'w', [aDelivery({ id: 'a' }), aDelivery({ id: 'b', key: 'k', seq: 2 })], NOON, { state, closed });
  await commit(store, [aDecision('x', { reasons: [{ type: 'firing', alert: 'low', key: 'k' }] })], NOON);
  await claim(store, 'ops', 1, NOON);
  await settle(store, 'a', { state: 'sent', outcome: { type: 'sent', answer: '250 OK', receipt: 'message 7' } }, NOON);
  const request = { key: 'k1', asked: 'digest', actor: 'alice' };
  await operate(store, SILENCE, request, { at: NOON });
  await store.ran('ops', 1234);
  await store.chainJournal(100, fenceOf(store, 'service:journal'));
}

async function all(store: Store): Promise<unknown> {
  const view = await store.reader();
  return {
    memories: await store.recall(),
    samples: await store.samples('w'),
    deliveries: await view.deliveries({ state: null, channel: null, before: null, limit: 100 }),
    policy: await store.policy(NOON),
    journal: await store.history({ limit: 100 }),
    verdict: await store.verifyJournal(await store.journalHead()),
    answer: await store.answerTo({ key: 'k1', asked: 'digest', actor: 'alice' }),
    survey: await store.survey(),
    links: await store.linkSecrets(),
  };
}

postgresTest(
  'a state that was moved to a database and back was another one: nothing of it may be lost or changed',
  async () => {
    if (server === null) throw new Error('PostgreSQL is not here');
    const [file, copy] = [join(directory, 'state.db'), join(directory, 'copy.db')];
    let before: unknown;
    {
      await using store = await openSqliteStore({ file });
      await live(store);
      before = await all(store);
      const url = await server.database();
      await expect(copyStateIn({ file, postgres: databaseAt(url) }, file)).rejects.toThrow(/another/);
    }
    const url = await server.database();
    const state = { file, postgres: databaseAt(url) };
    expect([...(await copyStateIn(state, file))].filter(([, count]) => count > 0).map(([table]) => table)).toEqual(
      expect.arrayContaining([
        'memory',
        'samples',
        'notifications',
        'deliveries',
        'silences',
        'journal',
        'operator_requests',
      ]),
    );
    await expect(copyStateIn(state, file)).rejects.toThrow('holds a state already');
    expect((await checkState(state)).findings).toEqual([]);
    {
      await using store = await openPostgresStore({ place: databaseAt(url), owner: 'a test' });
      expect(await all(store)).toEqual(before);
      await claimAll(store, ['service:test']);
      // What is decided next is numbered after what was copied.
      expect(await owe(store, 'y', [aDelivery({ id: 'c' })], NOON)).toEqual(['kept']);
      expect((await claim(store, 'ops', 9, NOON)).map(({ delivery }) => delivery.id)).toEqual(['b', 'c']);
      await expect(copyStateIn(state, file)).rejects.toThrow('is in use by a test');
      before = await all(store);
    }
    await copyStateOut(state, copy);
    await using store = await openSqliteStore({ file: copy });
    expect(await all(store)).toEqual(before);
  },
);

postgresTest('a copy of a database that holds nothing is refused, and leaves no file', async () => {
  const url = (await server?.database()) ?? '';
  const file = join(directory, 'none.db');
  await expect(copyStateOut({ file, postgres: databaseAt(url) }, file)).rejects.toThrow('holds no state yet');
  expect(existsSync(file)).toBe(false);
});
