// Opens the database for one of the daemons that share it, and for readers.
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
import { takeOut } from '../tables/memory/memory.ts';
import { healthRows, keepHealth } from '../tables/memory/health-rows.ts';
import { lockPolicy } from '../tables/operators/policy.ts';
import { createView, type OwnView } from '../view.ts';
import { addressOf } from './address.ts';
import {
  acceptConfig,
  createPostgresCluster,
  isHeld,
  LEASE_MS,
  nameOfAny,
  replicaIds,
  seenCluster,
} from './cluster.ts';
import { createPostgresDatabase } from './driver.ts';
import { assertInstallation, takeInstallation } from '../sql/installation.ts';
import type { PostgresLimits } from './pool.ts';

/** A database, and the installation that it must belong to. */
export interface DatabasePlace {
  readonly url: { reveal(): string };
  readonly name: string;
}

export interface AcceptedConfig {
  /** The checksum of the config. */
  readonly config: string;
  /** The operator. */
  readonly actor: string;
}

export interface PostgresOptions {
  readonly place: DatabasePlace;
  /** The name of this replica for people, such as `host-1, pid 4711`. */
  readonly owner: string;
  readonly leaseMs?: number;
  readonly log?: Log;
}

/** The most connections: one for writes, the others for reads. */
const CONNECTIONS = 4;
const TIMEOUT_MS = 10_000;
/** The timeout of a renewal. Several of them fit into a lease, so a lease is not lost by one failure. */
const LEASE_TIMEOUT_MS = 3000;
/** The first version with `IS JSON`. */
const OLDEST_SERVER = 16;

/**
 * Opens the store of one of several replicas, and brings the tables to the newest schema. The replica holds no shard
 * yet.
 *
 * Rejects with a StorageError if the database cannot be used. The message is for the operator.
 */
export async function openPostgresStore({ place, owner, leaseMs = LEASE_MS, log }: PostgresOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await reached(place));
  await migrateState(database);
  await database.write('take-over', async (sql) => {
    // With the lock, one replica at a time does this. Otherwise each replica could write its own name and secrets.
    await lockPolicy(sql);
    await takeInstallation(database, sql, place.name);
    await keepSecrets(sql);
  });
  // Leases have a separate connection, so that a renewal waits for no commit.
  const leases = opened.use(connect(place, { connections: 1, timeoutMs: LEASE_TIMEOUT_MS }));
  const id = crypto.randomUUID();
  const cluster = createPostgresCluster({ database: leases, id, name: owner, installation: place.name, leaseMs });
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

// Changes with every commit on the server, also with commits in another database.
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

/** Rejects with a StorageError when there is no state, or when it has another schema. */
export async function openPostgresReader(place: DatabasePlace): Promise<StoreReader> {
  const database = await current(place);
  return {
    ...createView(database.view, viewOf(database.view.sql)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Works while a daemon runs. False if the watch had no memory. */
export async function forgetInPostgres(place: DatabasePlace, watch: WatchId): Promise<boolean> {
  await using database = await current(place);
  return await database.write('forget', (sql) => takeOut(sql, watch));
}

/** Resolves with the names of the live replicas that run the config. */
export async function acceptInPostgres(place: DatabasePlace, { config, actor }: AcceptedConfig): Promise<string[]> {
  await using database = await current(place);
  await database.write('intervene', (sql) => acceptConfig(sql, config, actor));
  const { replicas } = await seenCluster(database.sql, LEASE_MS);
  return replicas.filter(({ checksum }) => checksum === config).map(({ name }) => name);
}

/** True if a daemon works with the database. Rejects with a StorageError. */
export async function isPostgresHeld(place: DatabasePlace): Promise<boolean> {
  await using database = await current(place);
  return (await nameOfAny(database.sql)) !== null;
}

/** True if a daemon has made its tables in the database. */
export async function isFilled(place: DatabasePlace): Promise<boolean> {
  await using database = await reached(place);
  return (await schemaIn(database, database.sql)) > 0;
}

/** Checks each row in one snapshot, without changes; a daemon may be running. Rejects with a StorageError. */
export async function checkPostgres(place: DatabasePlace): Promise<StateCheck> {
  await using database = await current(place);
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

/**
 * Opens the database if its tables have exactly the present schema; the caller closes it. Rejects with a StorageError.
 */
export async function current(place: DatabasePlace): Promise<SqlDatabase> {
  await using opened = new AsyncDisposableStack();
  const database = opened.use(await reached(place));
  await assertCurrentSchema(database);
  opened.move();
  return database;
}

/**
 * Opens the database; the caller closes it. Rejects with a StorageError if the server is too old, or if the database
 * belongs to another installation.
 */
export async function reached(place: DatabasePlace): Promise<SqlDatabase> {
  await using opened = new AsyncDisposableStack();
  const limits = { connections: CONNECTIONS, timeoutMs: TIMEOUT_MS };
  const database = opened.use(connect(place, limits));
  const row = await database.sql.first("SELECT current_setting('server_version') AS version");
  const version = String(row?.['version']);
  if (Number.parseInt(version, 10) < OLDEST_SERVER)
    throw new StorageError(`${database.name} is release ${version}: it has to be ${OLDEST_SERVER} or later.`);
  await assertInstallation(database, place.name);
  opened.move();
  return database;
}

function connect({ url }: DatabasePlace, limits: PostgresLimits): SqlDatabase {
  return createPostgresDatabase({ ...addressOf(url.reveal()), ...limits });
}
