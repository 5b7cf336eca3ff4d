// A database that is reached by a socket of this machine, as containers on one machine reach it.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { addressOf } from '../../src/store/postgres/address.ts';
import { cancelStatement, createPool } from '../../src/store/postgres/pool.ts';
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
