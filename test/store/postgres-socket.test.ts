// How the database is reached: by a socket of this machine, as containers on one machine do, and over a line that fails.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { addressOf } from '../../src/store/postgres/address.ts';
import { CommitUnansweredError } from '../../src/store/contract/store.ts';
import { createPostgresDatabase } from '../../src/store/postgres/driver.ts';
import { cancelStatement, createPool } from '../../src/store/postgres/pool.ts';
import { openProxy } from '../cluster/proxy.ts';
import { postgresTest } from '../support/store/postgres.ts';
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
  await cancelStatement(client);
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
