// What only a server can do: end one of two transactions that wait for each other, break a connection, hold the tables of
// another program.
import { describe, expect, test } from '@jest/globals';
import { addressOf } from '../../../src/store/postgres/address.ts';
import { createPostgresDatabase } from '../../../src/store/postgres/driver.ts';
import type { SqlDatabase } from '../../../src/store/sql/database.ts';
import { assertCurrentSchema, migrateState } from '../../../src/store/sql/migrate.ts';
import type { Sql } from '../../../src/store/sql/sql.ts';
import { execute, hasPostgres, lockTable, startPostgres } from '../../support/store/postgres.ts';

const server = hasPostgres ? await startPostgres() : null;

const RAISE = 'UPDATE channels SET ran_ms = ran_ms + 1 WHERE name = $1';

(server === null ? describe.skip : describe)('a database of PostgreSQL', () => {
  const started = async (): Promise<string> => {
    if (server === null) throw new Error('PostgreSQL is not here');
    return server.database();
  };
  const openedOn = (url: string, opened: AsyncDisposableStack): SqlDatabase =>
    opened.use(createPostgresDatabase({ ...addressOf(url), connections: 2, timeoutMs: 10_000 }));

  test('a transaction that the server ends for another one is repeated', async () => {
    await using opened = new AsyncDisposableStack();
    const url = await started();
    const [first, second] = [openedOn(url, opened), openedOn(url, opened)];
    await migrateState(first);
    await first.write('ran', (sql) => sql.run("INSERT INTO channels (name, ran_ms) VALUES ('a', 0), ('b', 0)"));
    let waiting = 0;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const both = async (sql: Sql, names: readonly string[]): Promise<void> => {
      const [one, other] = names;
      await sql.run(RAISE, [one ?? '']);
      waiting += 1;
      if (waiting >= 2) resolve(undefined);
      await promise;
      await sql.run(RAISE, [other ?? '']);
    };
    await Promise.all([
      first.write('ran', (sql) => both(sql, ['a', 'b'])),
      second.write('ran', (sql) => both(sql, ['b', 'a'])),
    ]);
    expect(waiting).toBeGreaterThan(2);
    expect(await first.sql.all('SELECT ran_ms FROM channels')).toEqual([{ ran_ms: 2 }, { ran_ms: 2 }]);
  });

  test('a connection that breaks within a transaction is replaced', async () => {
    await using opened = new AsyncDisposableStack();
    const url = await started();
    const database = openedOn(url, opened);
    await migrateState(database);
    const broken = database.write('ran', (sql) => sql.run('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(broken).rejects.toThrow(/cannot write to .*The server stops or starts/);
    expect(await database.sql.all('SELECT name FROM channels')).toEqual([]);
  });

  test('statements that were given up went on in the server, each beside the connection that took its place', async () => {
    await using opened = new AsyncDisposableStack();
    const url = await started();
    await migrateState(openedOn(url, opened));
    const database = opened.use(createPostgresDatabase({ ...addressOf(url), connections: 2, timeoutMs: 300 }));
    {
      await using locked = await lockTable(url, 'channels');
      for (let round = 0; round < 3; round += 1) {
        const asked = [
          database.sql.all('SELECT name FROM channels'),
          database.snapshot((sql) => sql.all('SELECT name FROM channels')),
          database.write('ran', (sql) => sql.run(RAISE, ['a'])),
        ];
        for (const end of await Promise.allSettled(asked)) expect(end.status).toBe('rejected');
      }
      // Each was told to end before its client took another connection.
      while ((await locked.waiting()) > 0);
    }
    expect(await database.sql.all('SELECT name FROM channels')).toEqual([]);
  });

  test.each([
    [
      'of a build before the first release',
      'CREATE TABLE cluster (one bool PRIMARY KEY, schema int, policy bigint); INSERT INTO cluster VALUES (true, 4, 0)',
      /build from before release 0\.1\.0 \(its schema 4\).*Name an empty database/,
    ],
    ['of another program', 'CREATE TABLE cluster (theirs text)', /is a database of another program/],
    [
      'of another program with numbered schemas',
      'CREATE TABLE cluster (schema int, application int); INSERT INTO cluster VALUES (1, 5)',
      /is a database of another program/,
    ],
  ])('tables %s are refused and stay as they were', async (_, made, message) => {
    await using opened = new AsyncDisposableStack();
    const url = await started();
    await execute(url, made);
    const database = openedOn(url, opened);
    await expect(migrateState(database)).rejects.toThrow(message);
    await expect(assertCurrentSchema(database)).rejects.toThrow(message);
    expect(await execute(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")).toEqual([
      { name: 'cluster' },
    ]);
  });
});
