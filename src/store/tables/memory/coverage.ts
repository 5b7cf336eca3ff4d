// The end of coverage changes with every poll and is written every 10 s. It is in narrow rows, so that little is
// rewritten. Diagnostics are in separate rows, which are written only after a change.
import { z } from 'zod';
import { afterSameResults, type StoredHealth } from '../../../core/model/health.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { StoredSnapshot } from '../../../core/model/snapshot.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Coverage, StoredDiagnostics } from '../../contract/memories.ts';
import {
  anyJson,
  count,
  fromJson,
  instant,
  int,
  intOrNull,
  jsonOrNull,
  parsed,
  text,
  type Row,
} from '../../sql/rows.ts';
import { list, paged, type ListStatement, type Sql } from '../../sql/sql.ts';
import { rowsOf } from './memory.ts';

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

const BARE = `
  SELECT coverage.watch, snapshot, health, seen_at, evaluated_at
  FROM coverage LEFT JOIN covered ON covered.watch = coverage.watch`;

/** The diagnostics of every watch. */
export const DIAGNOSTICS = paged(['watch'], ({ after, end }) => `${BARE} WHERE ${after} ${end}`, 'coverage');

const ONE = list({ watch: 'text' }, (row) => `${BARE} ${row.also} WHERE coverage.watch = ${row.watch}`);

export async function diagnostics(sql: Sql, ids?: readonly WatchId[]): Promise<Map<WatchId, StoredDiagnostics>> {
  const found = new Map<WatchId, StoredDiagnostics>();
  for await (const row of rowsOf(sql, { all: DIAGNOSTICS, one: ONE }, ids))
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

const keep = (part: 'snapshot' | 'health'): ListStatement<{ readonly watch: 'text'; readonly kept: 'json' }> =>
  list(
    { watch: 'text', kept: 'json' },
    (row) => `
    INSERT INTO coverage (watch, ${part})
    SELECT memory.watch, ${row.kept} FROM memory ${row.also} WHERE memory.watch = ${row.watch}
    ON CONFLICT (watch) DO UPDATE SET ${part} = excluded.${part} WHERE coverage.${part} <> excluded.${part}`,
  );
const KEEP = { snapshot: keep('snapshot'), health: keep('health') };

/** Watches without memory are ignored; an absent part is not changed. */
export async function keepCoverage(sql: Sql, coverage: ReadonlyMap<WatchId, Coverage>): Promise<void> {
  const all = [...coverage].map(([watch, { paceMs = null, ...of }]) => {
    return { watch, seenAt: null, evaluatedAt: null, ...of, paceMs: paceMs === null ? null : Math.round(paceMs) };
  });
  await sql.each(COVER, all);
  for (const part of ['snapshot', 'health'] as const) {
    const rows = all.flatMap(({ watch, [part]: kept }) => (kept === undefined ? [] : [{ watch, kept }]));
    await sql.each(KEEP[part], rows);
  }
}
