// Where the stories of the contract suite keep what they keep, on a PostgreSQL.
import { openPostgresStore } from '../../src/store/postgres/open.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { claimAll } from '../support/store/fences.ts';
import { execute, type PostgresServer } from '../support/store/postgres.ts';
import { databaseAt } from '../support/store/story-state.ts';
import type { Place } from './story.ts';

const LEASE_MS = 3_600_000;
const SHARDS = ['explorer:a', 'channel:ops', 'service:test', 'service:journal'] as const;

/** `through` makes the URL by which a store reaches a database of the server. */
export function placeOn(server: PostgresServer | null, through: (url: string) => string = (url) => url): Place {
  let database: Promise<string> | null = null;
  return () => {
    const url = database === null ? server?.database() : emptied(database);
    if (url === undefined) throw new Error('there is no server');
    database = url;
    return async () => takenOver(await url, through);
  };
}

/** Takes all shards from whoever has them, as after the end of their leases. */
async function takenOver(url: string, through: (url: string) => string): Promise<Store> {
  const store = await openPostgresStore({ place: databaseAt(through(url)), owner: 'a test', leaseMs: LEASE_MS });
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
  await execute(url, "INSERT INTO facts (name, value) VALUES ('policy', '0')");
  return url;
}
