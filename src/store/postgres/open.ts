// Opens the database for one of the daemons that work on it together, and for those who only look.
import type { WatchId } from '../../core/model/ids.ts';
import { systemClock } from '../../lib/clock.ts';
import { linkSecretsAfterStart } from '../link-secrets.ts';
import { StorageError, type Store, type StoreReader } from '../store.ts';
import type { Log } from '../../telemetry/log.ts';
import { addressOf } from './address.ts';
import { createDatabase, type Database } from './database.ts';
import { createPostgresCluster, nameOfAny } from './cluster.ts';
import { readFact, writeFact } from './facts.ts';
import { forget } from './memory-table.ts';
import { migrate, schemaOf } from './migrate.ts';
import { lockPolicy } from './operators/policy.ts';
import { createPostgresView } from './reader.ts';
import { MIGRATIONS } from './schema.ts';
import type { Sql } from './sql.ts';
import { createPostgresStore } from './store.ts';

export interface PostgresOptions {
  readonly url: string;
  /** How people know this replica, such as `host-1, pid 4711`. */
  readonly owner: string;
  readonly leaseMs?: number;
  readonly log?: Log;
}

/** Reads beside the one connection that writes. */
const CONNECTIONS = 4;
const TIMEOUT_MS = 10_000;
/** Of a renewal: several fit into a lease. */
const LEASE_TIMEOUT_MS = 3000;
const LEASE_MS = 15_000;
/** The first that knows `IS JSON`. */
const OLDEST_SERVER = 16;

/**
 * Brings the tables to the newest schema, for one of several replicas. It holds nothing yet.
 *
 * Rejects with a StorageError when it cannot be used; the text is for the operator.
 */
export async function openPostgresStore({ url, owner, leaseMs = LEASE_MS, log }: PostgresOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(await reached(url), (one) => one.close());
  await migrate(database);
  await database.write('take-over', keepLinkSecrets);
  // A connection of their own: a renewal waits for no commit.
  const leases = opened.adopt(connect(url, { connections: 1, timeoutMs: LEASE_TIMEOUT_MS }), (one) => one.close());
  const id = crypto.randomUUID();
  const cluster = createPostgresCluster({ database: leases, id, name: owner, leaseMs });
  opened.move();
  return createPostgresStore(database, {
    cluster,
    id,
    leaseMs,
    ...(log && { log }),
    secure: () => Promise.resolve(),
    release: () => leases.close(),
  });
}

/** One replica at a time: each would write a secret of its own. */
async function keepLinkSecrets(sql: Sql): Promise<void> {
  await lockPolicy(sql);
  await writeFact(sql, 'links', linkSecretsAfterStart(await readFact(sql, 'links'), systemClock.now()));
}

/** Rejects with a StorageError when there is no state, or when it is of another schema. */
export async function openPostgresReader(url: string): Promise<StoreReader> {
  const database = await current(url);
  return { ...createPostgresView(database), [Symbol.asyncDispose]: () => database.close() };
}

/** Also while a daemon works. False when nothing was remembered of it. */
export async function forgetInPostgres(url: string, watch: WatchId): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(await current(url), (one) => one.close());
  return (await database.write('forget', (sql) => forget(sql, [watch]))) > 0;
}

/** Whether a daemon works with it. Rejects with a StorageError. */
export async function isPostgresHeld(url: string): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const { sql } = opened.adopt(await current(url), (one) => one.close());
  return (await nameOfAny(sql)) !== null;
}

/** Whether a daemon has made its tables there. */
export async function isFilled(url: string): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const { sql, name } = opened.adopt(await reached(url), (one) => one.close());
  return (await schemaOf(sql, name)) > 0;
}

/** With tables of exactly the schema that is known here; the caller closes it. Rejects with a StorageError. */
export async function current(url: string): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(await reached(url), (one) => one.close());
  const schema = await schemaOf(database.sql, database.name);
  if (schema === 0) throw new StorageError(`${database.name} holds no state yet. Has the daemon run with this config?`);
  if (schema < MIGRATIONS.length)
    throw new StorageError(
      `${database.name} was written by an older release. Start the daemon once: it brings the tables up to date.`,
    );
  opened.move();
  return database;
}

/** Of a server that is new enough; the caller closes it. Rejects with a StorageError. */
export async function reached(url: string): Promise<Database> {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(connect(url, { connections: CONNECTIONS, timeoutMs: TIMEOUT_MS }), (one) =>
    one.close(),
  );
  const row = await database.sql.first("SELECT current_setting('server_version') AS version");
  const version = String(row?.['version']);
  if (Number.parseInt(version, 10) < OLDEST_SERVER)
    throw new StorageError(`${database.name} is release ${version}: it has to be ${OLDEST_SERVER} or later.`);
  opened.move();
  return database;
}

function connect(url: string, limits: { readonly connections: number; readonly timeoutMs: number }): Database {
  return createDatabase({ ...addressOf(url), ...limits });
}
