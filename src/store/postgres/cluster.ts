// Replicas and their leases on shards. All times are the server's, so that the clocks of replicas do not matter. Each
// claim of a shard has a higher epoch than all before, even if the shard was removed in between.
import { z } from 'zod';
import { textOf, type JournalEntry } from '../../core/journal/entry.ts';
import { BUILT_IN_RULE } from '../../core/model/ids.ts';
import type { ClaimedShard, HeldShard, Renewed, SeenCluster, SharedCluster } from '../contract/cluster.ts';
import type { Fence, Shard } from '../contract/fence.ts';
import { StateMismatchError } from '../contract/store.ts';
import type { SqlDatabase } from '../sql/database.ts';
import { newerSchema } from '../sql/migrate.ts';
import { SCHEMA_STEPS } from '../sql/schema.ts';
import { list, type Sql } from '../sql/sql.ts';
import { endLeases } from '../tables/deliveries/deliveries.ts';
import { MEMORY_FORMAT } from '../tables/memory/stored-memory.ts';
import { append } from '../tables/journal/journal.ts';
import { assertSame } from '../sql/installation.ts';

export interface ClusterOptions {
  /** A separate connection, so that a renewal waits for no commit. */
  readonly database: Pick<SqlDatabase, 'name' | 'header' | 'sql' | 'write'>;
  readonly id: string;
  readonly name: string;
  /** The name of the installation. The database must have the same name. */
  readonly installation: string;
  readonly leaseMs: number;
}

/** The duration of a lease, the same for all replicas. */
export const LEASE_MS = 15_000;

/** The only slot of a shard so far. */
const SLOT = 0;
/** The latest possible end of a lease, plus one second. A later end was written while the server's clock was ahead. */
const MOST_LEASE = (leaseMs: string): string => `clock_timestamp() + (${leaseMs}::bigint + 1000) * interval '1 ms'`;
const IS_LIVE = (leaseMs: string): string => `(until > clock_timestamp() AND until < ${MOST_LEASE(leaseMs)})`;
/** Rows of replicas that ended without leaving are kept for this time. */
const GONE = "interval '1 day'";
const ASK_AFTER_MS = (leaseMs: string): string => `CASE WHEN ask_from > clock_timestamp()
  THEN least(ceil(extract(epoch FROM ask_from - clock_timestamp()) * 1000), window_ms + ${leaseMs}::bigint)
  ELSE 0 END::bigint AS ask_after_ms`;
const MICROSECONDS = (time: string): string => `(extract(epoch FROM ${time}) * 1000000)::bigint`;
const MILLISECONDS = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)::bigint`;

const REPLICA = `id, name, checksum, ${MILLISECONDS('announced_at')} AS announced_at,
  counts = 1 OR checksum IS NOT DISTINCT FROM (SELECT accepted FROM cluster) AS counts,
  avoids, unreached, reaches`;

const CLAIM = `
  WITH free AS (
    SELECT key, slot, owner AS former FROM shards WHERE NOT ${IS_LIVE('$4')} AND starts_with(key, $2)
      AND ($5::text[] IS NULL OR key = ANY($5::text[]))
    ORDER BY until, key LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE shards AS s SET owner = $1, epoch = nextval('shard_epochs'), ${untilIn('$4')},
    ask_from = least(greatest(s.ask_from, s.until + s.window_ms * interval '1 ms'),
      clock_timestamp() + (s.window_ms + $4::bigint) * interval '1 ms')
  FROM free WHERE (s.key, s.slot) = (free.key, free.slot)
  RETURNING s.key, s.epoch, free.former IS NOT NULL AS is_takeover, ${ASK_AFTER_MS('$4')}`;

const RENEW = `
  WITH me AS (
    INSERT INTO replicas AS r (id, name, checksum, announced_at, until, counts, format, avoids, unreached, reaches)
    VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4::bigint * interval '1 ms', $9, $10, $11, $12, $13)
    ON CONFLICT (id) DO UPDATE SET checksum = excluded.checksum, until = excluded.until, counts = excluded.counts,
      format = excluded.format, avoids = excluded.avoids, unreached = excluded.unreached, reaches = excluded.reaches,
      announced_at = CASE WHEN r.checksum = excluded.checksum THEN r.announced_at ELSE excluded.announced_at END
    RETURNING r.*),
  joined AS (
    INSERT INTO journal (at, kind, subject, actor, data)
    SELECT ${MILLISECONDS('clock_timestamp()')}, $5, $6, $7, $8
    WHERE NOT EXISTS (SELECT 1 FROM replicas WHERE id = $1)),
  gone AS (DELETE FROM replicas WHERE id <> $1 AND until < clock_timestamp() - ${GONE}),
  mine AS (UPDATE shards SET ${untilIn('$4')} WHERE owner = $1 RETURNING key, epoch, ${ASK_AFTER_MS('$4')}),
  live AS (
    SELECT * FROM replicas WHERE id <> $1 AND ${IS_LIVE('$4')} UNION ALL SELECT * FROM me),
  told AS (SELECT ${REPLICA} FROM live),
  known AS (SELECT key, CASE WHEN owner = $1 OR ${IS_LIVE('$4')} THEN owner END AS holder FROM shards)
  SELECT (SELECT coalesce(json_agg(mine), '[]') FROM mine) AS mine,
    (SELECT json_agg(told) FROM told) AS live,
    (SELECT coalesce(json_agg(known ORDER BY key), '[]') FROM known) AS shards,
    (SELECT config FROM cluster) AS config, (SELECT schema FROM cluster) AS schema,
    (SELECT min(format) FROM live) AS format,
    (SELECT installation FROM cluster) AS installation, ${MILLISECONDS('clock_timestamp()')} AS now,
    (SELECT ${MICROSECONDS('until')} FROM replicas WHERE id = $1) AS former_until,
    (SELECT ${MICROSECONDS('until')} FROM me) AS until,
    ${MICROSECONDS('pg_postmaster_start_time()')} AS started`;

const RELEASE = `
  UPDATE shards SET owner = NULL, until = clock_timestamp(),
    ask_from = greatest(ask_from, clock_timestamp() + $4::bigint * interval '1 ms')
  WHERE key = $1 AND slot = ${SLOT} AND owner = $2 AND epoch = $3`;

const ADD_SHARD = list(
  { key: 'text', window_ms: 'int' },
  (row) => `
  INSERT INTO shards (key, slot, window_ms) SELECT ${row.key}, ${SLOT}, ${row.window_ms} ${row.from} WHERE true
  ON CONFLICT (key, slot) DO NOTHING`,
);

const DROP_SHARD = `DELETE FROM shards WHERE key = $1 AND slot = ${SLOT} AND owner = $2 AND epoch = $3`;
const UNHELD = `SELECT 1 FROM shards WHERE NOT ${IS_LIVE('$1')}`;
const ANY_FREE = `${UNHELD} AND NOT key = ANY($2::text[]) LIMIT 1`;
/** A replica takes over within this time after another one's lease has ended. */
const TAKEOVER = "interval '5 seconds'";
const ANY_LEFT = `${UNHELD} AND until NOT BETWEEN clock_timestamp() - ${TAKEOVER} AND clock_timestamp() LIMIT 1`;

/** Every installation has the built-in watches, so they do not count. */
const REMEMBERS_ANY = `SELECT 1 WHERE EXISTS (SELECT FROM memory WHERE watch = ANY($1::text[]))
  OR NOT EXISTS (SELECT FROM memory WHERE NOT starts_with(watch, $2))`;

// The number of the policy rises, so that open rounds are decided again: another config may notify other recipients.
const AGREE = `
  WITH changed AS (UPDATE cluster SET config = $1 WHERE config IS NOT DISTINCT FROM $2 RETURNING one),
  raised AS (
    UPDATE facts SET value = CASE WHEN value ~ '^[0-9]{1,15}$' THEN (value::bigint + 1)::text ELSE '1' END
    FROM changed WHERE name = 'policy'),
  noted AS (INSERT INTO journal (at, kind, subject, actor, data) SELECT $3, $4, $5, $6, $7 FROM changed)
  TABLE changed`;

export function createPostgresCluster({ database, id, name, installation, leaseMs }: ClusterOptions): SharedCluster {
  const { sql, write } = database;
  /** The values of the last renewal with an answer; null if there was none. */
  let last: RenewedBefore | null = null;
  /** The first format, which all releases read, until a renewal names a newer one. */
  let memoryFormat = 1;
  const heldOf = (row: HeldRow): HeldShard => ({
    shard: row.key,
    fence: { key: row.key, slot: SLOT, owner: id, epoch: row.epoch },
    askAfterMs: row.ask_after_ms,
  });
  const lineOf = (at: number, kind: JournalEntry['kind'], data: JournalEntry['data']): JournalEntry => ({
    at,
    kind,
    subject: 'cluster',
    actor: name,
    data,
  });

  async function claimOn(on: Sql, { family, count, shards }: Wanted): Promise<ClaimedShard[]> {
    const claimed = z.array(ClaimedRow).parse(await on.all(CLAIM, [id, `${family}:`, count, leaseMs, shards]));
    for (const { key } of claimed) if (isChannel(key)) await endLeases(on, key.slice(CHANNEL.length));
    const at = await nowOf(on);
    const held = claimed.map((row) => ({ ...heldOf(row), isTakeover: row.is_takeover === 1 }));
    const lines = held.map(({ shard, isTakeover }) => lineOf(at, 'shard-claimed', { shard, takeover: isTakeover }));
    await append(on, lines);
    return held;
  }

  return {
    isShared: true,
    id,
    name,
    leaseMs,
    now: () => nowOf(sql),
    async renew({ checksum, counts, ...lists }) {
      const joined = textOf(lineOf(0, 'replica-joined', { config: checksum }));
      const { kind, subject, actor, data } = joined;
      const { avoids, unreached, reaches } = lists;
      const own = [counts, MEMORY_FORMAT, ...[avoids, unreached, reaches].map((list) => JSON.stringify(list))];
      const row = await sql
        .first(RENEW, [id, name, checksum, leaseMs, kind, subject, actor, data, ...own])
        .catch((error: unknown) => refusedBy(database, error));
      const renewed = RenewedRow.parse(row);
      assertKnown(database, renewed.schema);
      memoryFormat = Math.min(renewed.format, MEMORY_FORMAT);
      assertSame(database, renewed.installation, installation);
      const before = last;
      last = renewed;
      return renewedOf(renewed, { heldOf, before });
    },
    claim: (family, count, shards) =>
      write('take-over', (on) => claimOn(on, { family, count, shards: shards ?? null })),
    memoryFormat: () => memoryFormat,
    release: async ({ key, owner, epoch }, windowMs) => (await sql.run(RELEASE, [key, owner, epoch, windowMs])) === 1,
    async addShards(shards) {
      const rows = shards.map(({ shard, windowMs }) => ({ key: shard, windowMs: Math.ceil(windowMs) }));
      await sql.each(ADD_SHARD, rows);
    },
    async dropShard({ key, owner, epoch }) {
      await sql.run(DROP_SHARD, [key, owner, epoch]);
    },
    isOver: (error) => error instanceof StateMismatchError,
    remembersAny: async (watches) => (await sql.first(REMEMBERS_ANY, [watches, `${BUILT_IN_RULE}/`])) !== undefined,
    hasFree: async (avoided = []) => (await sql.first(ANY_FREE, [leaseMs, avoided])) !== undefined,
    allHeld: async () => (await sql.first(ANY_LEFT, [leaseMs])) === undefined,
    async agree(config, expects, at) {
      const { at: noted, kind, subject, actor, data } = textOf(lineOf(at, 'config-in-force', { config }));
      const changed = await sql.all(AGREE, [config, expects, noted, kind, subject, actor, data]);
      return changed.length === 1;
    },
    async leave() {
      await sql.run('DELETE FROM replicas WHERE id = $1', [id]);
      last = null;
    },
  };
}

type Headed = Pick<SqlDatabase, 'name' | 'header' | 'sql'>;

function assertKnown(database: Headed, schema: number): void {
  if (schema > SCHEMA_STEPS.length) throw newerSchema(database, schema);
}

/** Throws the error again. If a newer release has changed the tables, throws a StateMismatchError instead. */
async function refusedBy(database: Headed, error: unknown): Promise<never> {
  const found = await database.header.read(database.sql);
  if (found.type === 'ours') assertKnown(database, found.schema);
  throw error;
}

/** Matches no row if a newer release has changed the tables. The next renewal reports the change. */
const IS_OURS = `key = $1 AND slot = $2 AND owner = $3 AND epoch = $4
  AND NOT EXISTS (SELECT FROM cluster WHERE schema > ${SCHEMA_STEPS.length})`;
const HOLD = `SELECT 1 FROM shards WHERE ${IS_OURS} AND ${IS_LIVE('$5')} FOR SHARE`;
const PROLONG = `UPDATE shards SET ${untilIn('$5')} WHERE ${IS_OURS}`;

/**
 * True if the writer still holds the shard. Its row stays locked until the end of the transaction, and a claim must
 * change that row. So no write of this epoch is committed after the claim of the next one. An expired lease that no
 * replica has claimed is renewed, since the server may have been away for a while.
 */
export async function isHeld(sql: Sql, { key, slot, owner, epoch }: Fence, leaseMs: number): Promise<boolean> {
  const lease = [key, slot, owner, epoch, leaseMs];
  if ((await sql.first(HOLD, lease)) !== undefined) return true;
  return (await sql.run(PROLONG, lease)) === 1;
}

const SEEN = `
  WITH live AS (SELECT ${REPLICA} FROM replicas WHERE ${IS_LIVE('$1')}),
  known AS (SELECT key, CASE WHEN ${IS_LIVE('$1')} THEN owner END AS holder FROM shards)
  SELECT (SELECT coalesce(json_agg(live ORDER BY name, id), '[]') FROM live) AS live,
    (SELECT coalesce(json_agg(known ORDER BY key), '[]') FROM known) AS shards,
    (SELECT config FROM cluster) AS config`;

/** The replicas, for a process that is not one of them. */
export async function seenCluster(sql: Sql, leaseMs: number): Promise<SeenCluster> {
  return seenOf(SeenRow.parse(await sql.first(SEEN, [leaseMs])));
}

/** The ids of running replicas, and of those that ended without leaving within the last day. */
export async function replicaIds(sql: Sql): Promise<string[]> {
  return (await sql.all('SELECT id FROM replicas')).map(({ id }) => String(id));
}

/** Gives replicas with this config a vote on the config in force, even if none of its watches has a memory. */
export async function acceptConfig(sql: Sql, config: string, actor: string): Promise<void> {
  await sql.run('UPDATE cluster SET accepted = $1', [config]);
  const at = await nowOf(sql);
  await append(sql, [{ at, kind: 'config-accepted', subject: 'cluster', actor, data: { config } }]);
}

/** The name of a live replica; null: there is none. */
export async function nameOfAny(sql: Sql): Promise<string | null> {
  const row = await sql.first(`SELECT name FROM replicas WHERE ${IS_LIVE('$1')} ORDER BY name LIMIT 1`, [LEASE_MS]);
  return row === undefined ? null : String(row['name']);
}

/** Locks the table of replicas until the end of the transaction: none can start, and none can renew its leases. */
export async function keepOut(sql: Sql): Promise<void> {
  await sql.run('LOCK TABLE replicas IN EXCLUSIVE MODE');
}

function untilIn(leaseMs: string): string {
  return `until = clock_timestamp() + ${leaseMs}::bigint * interval '1 ms'`;
}

async function nowOf(sql: Sql): Promise<number> {
  return Number((await sql.first(`SELECT ${MILLISECONDS('clock_timestamp()')} AS now`))?.['now']);
}

const CHANNEL = 'channel:';

function isChannel(key: string): boolean {
  return key.startsWith(CHANNEL);
}

const ShardKey = z.templateLiteral([z.enum(['explorer', 'channel', 'service']), ':', z.string()]);
const ShardList = z.string().transform((json) => z.array(ShardKey).parse(JSON.parse(json)));
const HeldRow = z.object({ key: ShardKey, epoch: z.number(), ask_after_ms: z.number() });
type HeldRow = z.output<typeof HeldRow>;
const ClaimedRow = HeldRow.extend({ is_takeover: z.number() });
const ReplicaRow = z.object({
  id: z.string(),
  name: z.string(),
  checksum: z.string(),
  announced_at: z.number(),
  counts: z.boolean(),
  avoids: ShardList,
  unreached: ShardList,
  reaches: ShardList,
});
const SeenRow = z.object({
  live: z.array(ReplicaRow),
  shards: z.array(z.object({ key: ShardKey, holder: z.string().nullable() })),
  config: z.string().nullable(),
});
const RenewedRow = SeenRow.extend({
  mine: z.array(HeldRow),
  now: z.number(),
  former_until: z.number().nullable(),
  until: z.number(),
  started: z.number(),
  schema: z.number(),
  format: z.number(),
  installation: z.string().nullable(),
});
type RenewedRow = z.output<typeof RenewedRow>;

/** The end of this replica's lease as of a renewal, and the start of the server that answered; in microseconds. */
type RenewedBefore = Pick<RenewedRow, 'until' | 'started'>;

interface Wanted {
  readonly family: string;
  readonly count: number;
  /** Null: all of the family. */
  readonly shards: readonly Shard[] | null;
}

interface RenewedBy {
  readonly heldOf: (row: HeldRow) => HeldShard;
  /** Null: there was none. */
  readonly before: RenewedBefore | null;
}

function renewedOf(row: RenewedRow, { heldOf, before }: RenewedBy): Renewed {
  return { ...seenOf(row), mine: row.mine.map(heldOf), now: row.now, changed: before && changedSince(before, row) };
}

/** A server that keeps running loses no data. A server that was started again may lack newer data without a sign of it. */
function changedSince({ until, started }: RenewedBefore, row: RenewedRow): Renewed['changed'] {
  // `former_until` is later than `until` if the answer to a later renewal was lost.
  if ((row.former_until ?? 0) < until) return 'went-back';
  return row.started === started ? null : 'restarted';
}

function seenOf({ live, shards, config }: z.output<typeof SeenRow>): SeenCluster {
  return {
    replicas: live.map(({ announced_at: announcedAt, ...replica }) => ({ ...replica, announcedAt })),
    shards: shards.map(({ key, holder }): { shard: Shard; holder: string | null } => ({ shard: key, holder })),
    config,
  };
}
