import { describe, jest } from '@jest/globals';
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/store.ts';
import { claimAll } from '../support/store/fences.ts';
import { execute, hasPostgres, startPostgres } from '../support/store/postgres.ts';
import { keepsThePromise } from './contracts/contract.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';

jest.setTimeout(60_000);

const LEASE_MS = 3_600_000;
const SHARDS = ['explorer:a', 'channel:ops', 'service:test', 'service:journal'] as const;
const server = hasPostgres ? await startPostgres() : null;

/** Takes all shards from whoever has them, as after the end of their leases. */
async function takenOver(url: string): Promise<Store> {
  const store = await openPostgresStore({ url, owner: 'a test', leaseMs: LEASE_MS });
  await execute(url, "UPDATE shards SET until = '-infinity'");
  await claimAll(store, SHARDS);
  // The stories tell of what the store itself appends.
  await execute(url, "DELETE FROM journal WHERE subject = 'cluster'");
  return store;
}

/** The same database, as it was right after its tables were made: quicker than another one for each story. */
async function emptied(database: Promise<string>): Promise<string> {
  const url = await database;
  const tables = await execute(
    url,
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'cluster'",
  );
  await execute(url, `TRUNCATE ${tables.map(({ tablename }) => String(tablename)).join(', ')} RESTART IDENTITY`);
  await execute(url, 'UPDATE cluster SET policy = 0');
  return url;
}

(server === null ? describe.skip : describe)('the store in PostgreSQL', () => {
  let database: Promise<string> | null = null;
  const place = () => {
    const url = database === null ? server?.database() : emptied(database);
    if (url === undefined) throw new Error('there is no server');
    database = url;
    return async () => takenOver(await url);
  };
  keepsThePromise(place);
  keepsAJournal(place);
  keepsItsPromiseToOperators(place);
  keepsItsPromiseAboutWhatWasGivenUp(place);
  keepsItsPromiseAboutWhoIsTold(place);
});
