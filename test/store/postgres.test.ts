import { describe, jest } from '@jest/globals';
import { addressOf } from '../../src/store/postgres/address.ts';
import { createDatabase } from '../../src/store/postgres/database.ts';
import { claimWhenFree } from '../../src/store/postgres/standby.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { createPostgresStore } from '../../src/store/postgres/store.ts';
import type { Store } from '../../src/store/store.ts';
import { execute, hasPostgres, startPostgres } from '../support/store/postgres.ts';
import { keepsThePromise } from './contracts/contract.ts';
import { keepsAJournal } from './contracts/journal-contract.ts';
import { keepsItsPromiseAboutWhatWasGivenUp, keepsItsPromiseToOperators } from './contracts/operators-contract.ts';
import { keepsItsPromiseAboutWhoIsTold } from './contracts/policy-contract.ts';

jest.setTimeout(60_000);

const LEASE_MS = 3_600_000;
const server = hasPostgres ? await startPostgres() : null;

/** Takes the database from whoever has it, as after the end of a lease. */
async function takenOver(url: string): Promise<Store> {
  const database = createDatabase({ ...addressOf(url), connections: 4, timeoutMs: 30_000 });
  await migrate(database);
  await execute(url, "UPDATE shards SET until = '-infinity'");
  const fence = await claimWhenFree(database, { owner: crypto.randomUUID(), name: 'a test', leaseMs: LEASE_MS });
  const nothing = async (): Promise<void> => undefined;
  return createPostgresStore(database, { fence, leaseMs: LEASE_MS, secure: nothing, release: nothing });
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
