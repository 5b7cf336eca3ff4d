// Opens the database for one of the daemons that work on it together, and for those who only look.
import type { WatchId } from '../../core/model/ids.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStore } from '../create-store.ts';
import type { StateCheck } from '../contract/backups.ts';
import { keepSecrets } from '../link-secrets.ts';
import { countRows, findDamage, type OnUnreadable } from '../sql/check.ts';
import type { SqlDatabase } from '../sql/database.ts';
import { assertCurrentSchema, migrateState, schemaIn } from '../sql/migrate.ts';
import type { Sql } from '../sql/sql.ts';
import { TABLES } from '../sql/table-order.ts';
import { StorageError, type Store, type StoreReader } from '../contract/store.ts';
import { forget } from '../tables/memory/memory.ts';
import { healthRows, keepHealth } from '../tables/memory/health-rows.ts';
import { lockPolicy } from '../tables/operators/policy.ts';
import { createView, type OwnView } from '../view.ts';
import { addressOf } from './address.ts';
import { createPostgresCluster, isHeld, LEASE_MS, nameOfAny, replicaIds, seenCluster } from './cluster.ts';
import { createPostgresDatabase } from './driver.ts';
import type { PostgresLimits } from './pool.ts';

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
/** The first that knows `IS JSON`. */
const OLDEST_SERVER = 16;

/**
 * Brings the tables to the newest schema, for one of several replicas. It holds nothing yet.
 *
 * Rejects with a StorageError when it cannot be used; the text is for the operator.
 */
export async function openPostgresStore({ url, owner, leaseMs = LEASE_MS, log }: PostgresOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await reached(url));
  await migrateState(database);
  await database.write('take-over', async (sql) => {
    // One replica at a time: each would write secrets of its own.
    await lockPolicy(sql);
    await keepSecrets(sql);
  });
  // A connection of their own: a renewal waits for no commit.
  const leases = opened.use(connect(url, { connections: 1, timeoutMs: LEASE_TIMEOUT_MS }));
  const id = crypto.randomUUID();
  const cluster = createPostgresCluster({ database: leases, id, name: owner, leaseMs });
  const held = opened.move();
  return createStore(database, {
    cluster,
    view: viewOf(database.view.sql, leaseMs),
    holds: (sql, fence) => isHeld(sql, fence, leaseMs),
    keepHealth: async (sql, health) => keepHealth(sql, id, health, await replicaIds(sql)),
    secure: () => Promise.resolve([]),
    close: () => held.disposeAsync(),
    ...(log && { log }),
  });
}

// Changes with every commit on the server, that of another database included.
const VERSION = 'SELECT pg_current_snapshot()::text AS version';

function viewOf(sql: Sql, leaseMs = LEASE_MS): OwnView {
  return {
    replicas: () => seenCluster(sql, leaseMs),
    version: async () => String((await sql.first(VERSION))?.['version']),
    async health() {
      const ids = (await seenCluster(sql, leaseMs)).replicas.map(({ id }) => id);
      return healthRows(sql, ids);
    },
  };
}

/** Rejects with a StorageError when there is no state, or when it is of another schema. */
export async function openPostgresReader(url: string): Promise<StoreReader> {
  const database = await current(url);
  return {
    ...createView(database.view, viewOf(database.view.sql)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Also while a daemon works. False when nothing was remembered of it. */
export async function forgetInPostgres(url: string, watch: WatchId): Promise<boolean> {
  await using database = await current(url);
  return (await database.write('forget', (sql) => forget(sql, [watch]))) > 0;
}

/** Whether a daemon works with it. Rejects with a StorageError. */
export async function isPostgresHeld(url: string): Promise<boolean> {
  await using database = await current(url);
  return (await nameOfAny(database.sql)) !== null;
}

/** Whether a daemon has made its tables there. */
export async function isFilled(url: string): Promise<boolean> {
  await using database = await reached(url);
  return (await schemaIn(database, database.sql)) > 0;
}

/** Looks at every row as it was at one moment, and changes nothing; a daemon may be working. Rejects with a StorageError. */
export async function checkPostgres(url: string): Promise<StateCheck> {
  await using database = await current(url);
  const fail: OnUnreadable = (_table, error) => {
    throw error;
  };
  return await database.snapshot(async (sql) => {
    const size = await sql.first('SELECT pg_database_size(current_database()) AS bytes');
    const names = TABLES.map(({ name }) => name);
    const { rows } = await countRows(sql, names, fail);
    const findings = await findDamage(sql, fail);
    return { schema: await schemaIn(database, sql), isCurrent: true, bytes: Number(size?.['bytes']), rows, findings };
  });
}

/** With tables of exactly the schema that is known here; the caller closes it. Rejects with a StorageError. */
export async function current(url: string): Promise<SqlDatabase> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await reached(url));
  await assertCurrentSchema(database);
  opened.move();
  return database;
}

/** Of a server that is new enough; the caller closes it. Rejects with a StorageError. */
export async function reached(url: string): Promise<SqlDatabase> {
  await using opened = new AsyncDisposableStack();
  const limits = { connections: CONNECTIONS, timeoutMs: TIMEOUT_MS };
  const database = opened.use(connect(url, limits));
  const row = await database.sql.first("SELECT current_setting('server_version') AS version");
  const version = String(row?.['version']);
  if (Number.parseInt(version, 10) < OLDEST_SERVER)
    throw new StorageError(`${database.name} is release ${version}: it has to be ${OLDEST_SERVER} or later.`);
  opened.move();
  return database;
}

function connect(url: string, limits: PostgresLimits): SqlDatabase {
  return createPostgresDatabase({ ...addressOf(url), ...limits });
}
