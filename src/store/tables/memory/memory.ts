// Memories of watches, by id. A memory has a version, which rises with every decision that changed it.
import { z } from 'zod';
import type { Decision } from '../../../core/model/decision.ts';
import { afterSameResults, type StoredHealth } from '../../../core/model/health.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Memory } from '../../../core/model/memory.ts';
import type { StoredSnapshot } from '../../../core/model/snapshot.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Coverage, OnDamaged, StoredDiagnostics } from '../../contract/memories.ts';
import { StorageError } from '../../contract/store.ts';
import {
  anyJson,
  count,
  fromJson,
  instant,
  int,
  intOrNull,
  jsonOrNull,
  parsed,
  type Row,
  text,
} from '../../sql/rows.ts';
import { columns, insertion, list, type ListStatement, paged, type PagedStatement, type Sql } from '../../sql/sql.ts';
import { MEMORY_FORMAT, memoryOf, NewerMemoryError } from './stored-memory.ts';

const BARE = `
  SELECT memory.watch, version, format, checksum, state, alerts, history, data, covered.until AS covered_until, pace_ms
  FROM memory LEFT JOIN covered ON covered.watch = memory.watch`;

/** Every memory. */
export const REMEMBERED = paged(['watch'], ({ after, end }) => `${BARE} WHERE ${after} ${end}`, 'memory');

const ONE = list({ watch: 'text' }, (row) => `${BARE} ${row.also} WHERE memory.watch = ${row.watch}`);

/** The number of rows that are read at once: 2,000 memories are a few megabytes. */
const PAGE = 2000;

interface OfWatches {
  readonly all: PagedStatement;
  readonly one: ListStatement<{ readonly watch: 'text' }>;
}

/** The rows of these watches, or of all, in pages. */
async function* rowsOf(sql: Sql, { all, one }: OfWatches, ids?: readonly WatchId[]): AsyncGenerator<Row> {
  if (ids === undefined) for await (const rows of sql.pages(all, PAGE)) yield* rows;
  const watches = [...new Set(ids)].map((watch) => ({ watch }));
  for (let at = 0; at < watches.length; at += PAGE) yield* await sql.allOf(one, watches.slice(at, at + PAGE));
}

/** Without `onDamaged`, a damaged row rejects with a StorageError that names its watch. */
export async function recall(sql: Sql, ids?: readonly WatchId[], onDamaged?: OnDamaged): Promise<Map<WatchId, Memory>> {
  const memories = new Map<WatchId, Memory>();
  for await (const row of rowsOf(sql, { all: REMEMBERED, one: ONE }, ids)) {
    const id = text(row, 'watch');
    try {
      memories.set(id, memoryOf(row));
    } catch (error) {
      if (onDamaged === undefined || !(error instanceof StorageError)) throw error;
      onDamaged(id, error.message, error instanceof NewerMemoryError);
    }
  }
  return memories;
}

const WATCHES = 'SELECT watch FROM memory';

export async function remembered(sql: Sql): Promise<WatchId[]> {
  return (await sql.all(WATCHES)).map((row) => text(row, 'watch'));
}

const VERSION = list(
  { watch: 'text' },
  (row) => `SELECT memory.watch, version FROM memory ${row.also} WHERE memory.watch = ${row.watch}`,
);

/** The version of each of these watches' memories; watches without one are left out. */
export async function versionsOf(sql: Sql, ids: readonly WatchId[]): Promise<Map<WatchId, number>> {
  const watches = ids.map((watch) => ({ watch }));
  const rows = await sql.allOf(VERSION, watches);
  return new Map(rows.map((row) => [text(row, 'watch'), int(row, 'version')]));
}

const PARTS = { ...columns('text', 'watch', 'checksum'), ...columns('json', 'state', 'alerts', 'history', 'data') };
const BEGIN = insertion(
  'memory',
  { ...PARTS, version: 'int', format: 'int' },
  'ON CONFLICT (watch) DO NOTHING RETURNING watch',
);

const RENEW = list(
  { ...PARTS, expects: 'int', format: 'int' },
  (row) => `
  UPDATE memory SET version = memory.version + 1, checksum = ${row.checksum}, state = ${row.state},
    alerts = ${row.alerts}, history = ${row.history}, data = ${row.data}, format = ${row.format}
  ${row.from} WHERE memory.watch = ${row.watch} AND memory.version = ${row.expects}
    AND memory.format <= ${MEMORY_FORMAT}
  RETURNING memory.watch`,
);

/**
 * Stores the memories of decisions, each of another watch. Resolves with the watches whose memory had the expected
 * version; it has the next version now.
 *
 * `format`: the newest format that all live replicas can read. A row in a format that this release cannot read is not
 * changed.
 */
export async function keepMemories(sql: Sql, decisions: readonly Decision[], format: number): Promise<Set<WatchId>> {
  const rows = decisions.map(({ watchId: watch, memory, expects }) => ({
    ...memory,
    watch,
    expects,
    version: 1,
    format,
  }));
  const [first, later] = [rows.filter(({ expects }) => expects === 0), rows.filter(({ expects }) => expects > 0)];
  const begun = await sql.allOf(BEGIN, first);
  const renewed = await sql.allOf(RENEW, later);
  return new Set([...begun, ...renewed].map((row) => text(row, 'watch')));
}

const FORGET = list(
  { watch: 'text', format: 'int' },
  (row) =>
    `DELETE FROM memory ${row.using} WHERE memory.watch = ${row.watch} AND (${row.format} = 0 OR memory.format <= ${row.format})`,
);

/**
 * Removes memories with the rows beside them; memories of a newer release stay. Resolves with the number of removed
 * memories.
 */
export async function forget(sql: Sql, ids: readonly WatchId[]): Promise<number> {
  const watches = [...new Set(ids)].map((watch) => ({ watch, format: MEMORY_FORMAT }));
  return sql.each(FORGET, watches);
}

/** Removes a memory even if a newer release wrote it, since an operator asked for it. */
export async function takeOut(sql: Sql, watch: WatchId): Promise<boolean> {
  return (await sql.each(FORGET, [{ watch, format: 0 }])) > 0;
}

// The end of coverage changes with every poll and is written every 10 s. It is in narrow rows, so that little is
// rewritten. Diagnostics are in separate rows, which are written only after a change.

const health: z.ZodType<StoredHealth> = z.record(
  z.string(),
  z.object({
    condition: z.string(),
    since: instant,
    evaluatedAt: instant.nullable(),
    trueAt: instant.nullable(),
    falseAt: instant.nullable(),
    unknownSince: instant.nullable(),
    evaluations: count,
  }),
);

const snapshot: z.ZodType<StoredSnapshot> = z.object({
  at: instant,
  view: anyJson,
  before: anyJson,
  isStale: z.boolean(),
});

const stored = z.object({ snapshot: snapshot.nullable(), health });

/** Damaged diagnostics are ignored. */
function diagnosticsOf(row: Row): StoredDiagnostics {
  const { data: kept = {} } = health.safeParse(jsonOrNull(row['health']));
  const { data: last = null } = snapshot.safeParse(jsonOrNull(row['snapshot']));
  const evaluatedAt = intOrNull(row, 'evaluated_at');
  return {
    snapshot: last === null ? null : { ...last, at: intOrNull(row, 'seen_at') ?? last.at },
    health: evaluatedAt === null ? kept : afterSameResults(kept, evaluatedAt),
  };
}

/** Throws a StorageError that names the watch if a part is damaged, which `diagnosticsOf` ignores. */
export function assertDiagnostics(row: Row): void {
  parsed(`snapshot or health of watch ${text(row, 'watch')}`, () =>
    stored.parse({ snapshot: fromJson(row['snapshot']), health: fromJson(row['health']) }),
  );
}

const BARE_COVERAGE = `
  SELECT coverage.watch, snapshot, health, seen_at, evaluated_at
  FROM coverage LEFT JOIN covered ON covered.watch = coverage.watch`;

/** The diagnostics of every watch. */
export const DIAGNOSTICS = paged(['watch'], ({ after, end }) => `${BARE_COVERAGE} WHERE ${after} ${end}`, 'coverage');

const COVERAGE_OF_ONE = list(
  { watch: 'text' },
  (row) => `${BARE_COVERAGE} ${row.also} WHERE coverage.watch = ${row.watch}`,
);

export async function diagnostics(sql: Sql, ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>> {
  const found = new Map<WatchId, StoredDiagnostics>();
  for await (const row of rowsOf(sql, { all: DIAGNOSTICS, one: COVERAGE_OF_ONE }, ids))
    found.set(text(row, 'watch'), diagnosticsOf(row));
  return found;
}

const COVERED = 'SELECT watch, until FROM covered WHERE until IS NOT NULL';

/** The end of each watch's coverage, for watches that have any. */
export async function covered(sql: Sql): Promise<Map<WatchId, Instant>> {
  return new Map((await sql.all(COVERED)).map((row) => [text(row, 'watch'), int(row, 'until')]));
}

const COVER = list(
  { watch: 'text', until: 'int?', pace_ms: 'int?', seen_at: 'int?', evaluated_at: 'int?' },
  (row) => `
  INSERT INTO covered (watch, until, pace_ms, seen_at, evaluated_at)
  SELECT memory.watch, ${row.until}, ${row.pace_ms}, ${row.seen_at}, ${row.evaluated_at} FROM memory ${row.also}
  WHERE memory.watch = ${row.watch}
  ON CONFLICT (watch) DO UPDATE SET until = excluded.until, pace_ms = excluded.pace_ms,
    seen_at = coalesce(excluded.seen_at, covered.seen_at),
    evaluated_at = coalesce(excluded.evaluated_at, covered.evaluated_at)
  WHERE covered.until IS DISTINCT FROM excluded.until
    OR covered.pace_ms IS DISTINCT FROM excluded.pace_ms
    OR covered.seen_at IS DISTINCT FROM coalesce(excluded.seen_at, covered.seen_at)
    OR covered.evaluated_at IS DISTINCT FROM coalesce(excluded.evaluated_at, covered.evaluated_at)`,
);

const keepPart = (part: 'snapshot' | 'health'): ListStatement<{ readonly watch: 'text'; readonly kept: 'json' }> =>
  list(
    { watch: 'text', kept: 'json' },
    (row) => `
    INSERT INTO coverage (watch, ${part})
    SELECT memory.watch, ${row.kept} FROM memory ${row.also} WHERE memory.watch = ${row.watch}
    ON CONFLICT (watch) DO UPDATE SET ${part} = excluded.${part} WHERE coverage.${part} <> excluded.${part}`,
  );
const KEEP_DIAGNOSTICS = { snapshot: keepPart('snapshot'), health: keepPart('health') };

/** Watches without memory are ignored; an absent part is not changed. */
export async function keepCoverage(sql: Sql, coverage: ReadonlyMap<WatchId, Coverage>): Promise<void> {
  const all = [...coverage].map(([watch, { paceMs = null, ...of }]) => {
    return { watch, seenAt: null, evaluatedAt: null, ...of, paceMs: paceMs === null ? null : Math.round(paceMs) };
  });
  await sql.each(COVER, all);
  for (const part of ['snapshot', 'health'] as const) {
    const rows = all.flatMap(({ watch, [part]: kept }) => (kept === undefined ? [] : [{ watch, kept }]));
    await sql.each(KEEP_DIAGNOSTICS[part], rows);
  }
}
