import type { Decision } from '../../core/model/decision.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Coverage, OnDamaged, StoredDiagnostics } from '../memories.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Row } from '../rows/rows.ts';
import { diagnosticsOf, memoryOf } from '../rows/memory-rows.ts';
import { StorageError } from '../store.ts';
import { columns, type Sql } from './sql.ts';

/** Every row of memory, with its coverage. */
export const REMEMBERED = `
  SELECT memory.watch, version, checksum, state, alerts, history, data, coverage.until AS covered_until
  FROM memory LEFT JOIN coverage USING (watch)`;
export const DIAGNOSTICS = 'SELECT watch, look, health FROM coverage';

/** So many rows are read at once: 2,000 memories are a few megabytes. */
const PAGE = 2000;

/** Without `onDamaged`, a damaged row rejects with a StorageError that names its watch. */
export async function recall(sql: Sql, ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>> {
  const memories = new Map<WatchId, Memory>();
  for await (const row of rowsOf(sql, REMEMBERED, ids)) {
    const id = String(row['watch']);
    try {
      memories.set(id, memoryOf(row));
    } catch (error) {
      if (onDamaged === undefined || !(error instanceof StorageError)) throw error;
      onDamaged(id, error.message);
    }
  }
  return memories;
}

export async function remembered(sql: Sql): Promise<WatchId[]> {
  return (await sql.all('SELECT watch FROM memory')).map(({ watch }) => String(watch));
}

export async function covered(sql: Sql): Promise<Map<WatchId, Instant>> {
  const rows = await sql.all('SELECT watch, until FROM coverage WHERE until IS NOT NULL');
  return new Map(rows.map(({ watch, until }) => [String(watch), Number(until)]));
}

export async function diagnostics(sql: Sql, ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>> {
  const found = new Map<WatchId, StoredDiagnostics>();
  for await (const row of rowsOf(sql, DIAGNOSTICS, ids)) found.set(String(row['watch']), diagnosticsOf(row));
  return found;
}

/** Of these watches, or of all, a page at a time. */
async function* rowsOf(sql: Sql, select: string, ids?: readonly WatchId[]): AsyncGenerator<Row> {
  const page = `SELECT * FROM (${select}) AS found`;
  if (ids !== undefined) {
    for (let at = 0; at < ids.length; at += PAGE)
      yield* await sql.all(`${page} WHERE watch = ANY($1::text[])`, [ids.slice(at, at + PAGE)]);
    return;
  }
  for (let after = '', isLast = false; !isLast;) {
    const rows = await sql.all(`${page} WHERE watch > $1 ORDER BY watch LIMIT ${PAGE}`, [after]);
    yield* rows;
    isLast = rows.length < PAGE;
    after = String(rows.at(-1)?.['watch']);
  }
}

/** Of those decisions, the watches whose memory had the version that they expect, and has the next one now. */
export async function keepMemories(sql: Sql, decisions: readonly Decision[]): Promise<Set<WatchId>> {
  if (decisions.length === 0) return new Set();
  const rows = await sql.all(
    `WITH d AS MATERIALIZED (
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
        AS d (watch, expects, checksum, state, alerts, history, data, until)),
    renewed AS (
      UPDATE memory AS m SET (version, checksum, state, alerts, history, data)
        = (m.version + 1, d.checksum, d.state, d.alerts, d.history, d.data)
      FROM d WHERE m.watch = d.watch AND m.version = d.expects RETURNING m.watch),
    born AS (
      INSERT INTO memory (watch, version, checksum, state, alerts, history, data)
      SELECT watch, 1, checksum, state, alerts, history, data FROM d WHERE expects = 0
      ON CONFLICT DO NOTHING RETURNING watch)
    TABLE renewed UNION ALL TABLE born`,
    columns(decisions, [
      ({ watchId }) => watchId,
      ({ expects }) => expects,
      ({ memory }) => memory.checksum,
      ({ memory }) => JSON.stringify(memory.state),
      ({ memory }) => JSON.stringify(memory.alerts),
      ({ memory }) => JSON.stringify(memory.history),
      ({ memory }) => JSON.stringify(memory.data),
      ({ memory }) => memory.coveredUntil,
    ]),
  );
  return new Set(rows.map(({ watch }) => String(watch)));
}

/** Of these watches, the version of their memory; those without one are left out. */
export async function versionsOf(sql: Sql, ids: readonly WatchId[]): Promise<Map<WatchId, number>> {
  if (ids.length === 0) return new Map();
  const rows = await sql.all('SELECT watch, version FROM memory WHERE watch = ANY($1::text[])', [ids]);
  return new Map(rows.map(({ watch, version }) => [String(watch), Number(version)]));
}

/** Watches without memory are ignored; a part that is left out stays as it was. */
export async function keepCoverage(sql: Sql, coverage: ReadonlyMap<WatchId, Coverage>): Promise<void> {
  await sql.run(
    `INSERT INTO coverage (watch, until, look, health)
    SELECT c.watch, c.until, coalesce(c.look, 'null'), coalesce(c.health, '{}')
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS c (watch, until, look, health)
      JOIN memory USING (watch)
    ON CONFLICT (watch) DO UPDATE SET until = excluded.until,
      look = CASE WHEN excluded.watch = ANY($5::text[]) THEN excluded.look ELSE coverage.look END,
      health = CASE WHEN excluded.watch = ANY($6::text[]) THEN excluded.health ELSE coverage.health END`,
    [
      ...columns(
        [...coverage],
        [
          ([watch]) => watch,
          ([, { until }]) => until,
          ([, { snapshot }]) => textOf(snapshot),
          ([, { health }]) => textOf(health),
        ],
      ),
      [...coverage].flatMap(([watch, { snapshot }]) => (snapshot === undefined ? [] : [watch])),
      [...coverage].flatMap(([watch, { health }]) => (health === undefined ? [] : [watch])),
    ],
  );
}

/** Null: it stays as it was. */
function textOf(part: unknown): string | null {
  return part === undefined ? null : JSON.stringify(part);
}

export async function forget(sql: Sql, ids: readonly WatchId[]): Promise<number> {
  return sql.run('DELETE FROM memory WHERE watch = ANY($1::text[])', [ids]);
}
