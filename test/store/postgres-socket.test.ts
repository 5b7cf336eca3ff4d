// How the database is reached: by a socket of this machine, as containers on one machine do, and over a line that fails.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { addressOf } from '../../src/store/postgres/address.ts';
import { CommitUnansweredError } from '../../src/store/contract/store.ts';
import { createPostgresDatabase } from '../../src/store/postgres/driver.ts';
import { createCancels, createPool } from '../../src/store/postgres/pool.ts';
import { openProxy } from '../cluster/proxy.ts';
import { execute, lockTable, postgresTest } from '../support/store/postgres.ts';
import { openPostgres } from '../support/store/postgres-server.ts';

postgresTest('a statement that is given up ends in the server also behind a socket', async () => {
  // A path of a socket has a hundred characters at most.
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-socket-'));
  chmodSync(folder, 0o777);
  await using postgres = await openPostgres({ unix_socket_directories: folder });
  const at = new URL(await postgres.database());
  at.searchParams.set('host', folder);
  const pool = createPool({ ...addressOf(at.href), connections: 1, timeoutMs: 60_000 });
  const client = await pool.connect();
  const waiting = expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow('canceling statement');
  await createCancels().cancel(client);
  await waiting;
  client.release();
  await pool.end();
  rmSync(folder, { recursive: true });
});

postgresTest(
  'a commit without an answer is told apart from one that was refused, and what it wrote is stored',
  async () => {
    await using postgres = await openPostgres();
    const url = new URL(await postgres.database());
    await using line = await openProxy({ target: postgres.port, address: '127.0.0.13' });
    url.port = String(line.port);
    await using database = createPostgresDatabase({ ...addressOf(url.href), connections: 1, timeoutMs: 60_000 });
    const make = (table: string): Promise<void> =>
      database.write('intervene', async (sql) => {
        await sql.run(`CREATE TABLE ${table} (one int)`);
      });
    line.set({ type: 'forgetful', texts: ['CREATE TABLE kept'] });
    await expect(make('kept')).rejects.toBeInstanceOf(CommitUnansweredError);
    line.set({ type: 'open' });
    await expect(make('kept')).rejects.toThrow('already exists');
    line.set({ type: 'cut' });
    await expect(make('other')).rejects.not.toBeInstanceOf(CommitUnansweredError);
  },
);

postgresTest(
  'a statement whose line is cut while it waits ends in the server as soon as the line is back',
  async () => {
    await using postgres = await openPostgres();
    const direct = await postgres.database();
    const url = new URL(direct);
    await using line = await openProxy({ target: postgres.port, address: '127.0.0.13' });
    url.port = String(line.port);
    await using database = createPostgresDatabase({ ...addressOf(url.href), connections: 2, timeoutMs: 60_000 });
    await execute(direct, 'CREATE TABLE one (n int)');
    await using locked = await lockTable(direct, 'one');
    const reading = expect(database.sql.all('SELECT n FROM one')).rejects.toThrow('ECONNRESET');
    while ((await locked.waiting()) === 0);
    line.set({ type: 'cut' });
    await reading;
    expect(await locked.waiting()).toBe(1);
    line.set({ type: 'open' });
    expect(await database.sql.all('SELECT 1 AS n')).toEqual([{ n: 1 }]);
    while ((await locked.waiting()) > 0);
  },
);
