// What watches have measured: runs of equal values, and of older ones an hour each; and when nothing was known of a watch.
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Run, Samples } from '../../core/model/memory.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Row } from '../rows/rows.ts';
import {
  bucketOf,
  HOUR_MS,
  hoursOf,
  MOST_DROPPED,
  MOST_ROWS,
  MOST_SPANS,
  runOf,
  runsByPath,
  runsByPlace,
  spanOf,
  widened,
} from '../rows/sample-rows.ts';
import type { Bucket, PathOfWatch, UnknownSpan } from '../samples.ts';
import { columns, type Sql } from './sql.ts';

interface Hour extends PathOfWatch {
  readonly at: Instant;
  readonly first: string;
  readonly last: string;
  readonly min: string;
  readonly max: string;
}

/** What becomes of the runs that lie beside the memories of these decisions, each of another watch. */
export async function keepSamples(sql: Sql, decisions: readonly Decision[]): Promise<void> {
  await shift(sql, decisions);
  await drop(sql, decisions);
  const runs = decisions.flatMap(({ watchId: watch, closed }) => closed.runs.map((run) => ({ watch, ...run })));
  if (runs.length === 0) return;
  await sql.run(
    `INSERT INTO samples (watch, path, since, until, value)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])`,
    columns(runs, [(run) => run.watch, (run) => run.path, (run) => run.since, (run) => run.until, (run) => run.value]),
  );
  const old = await sql.all(
    `DELETE FROM samples USING (
      SELECT watch, path, max(kept_from) AS kept_from
      FROM unnest($1::text[], $2::text[], $3::bigint[]) AS run (watch, path, kept_from) GROUP BY 1, 2) AS kept
    WHERE samples.watch = kept.watch AND samples.path = kept.path AND until < kept_from
    RETURNING samples.watch, samples.path, since, until, value`,
    columns(runs, [(run) => run.watch, (run) => run.path, (run) => run.keptFrom]),
  );
  await fill(sql, old);
}

async function shift(sql: Sql, decisions: readonly Decision[]): Promise<void> {
  for (const { watchId, closed } of decisions)
    if (closed.shiftedMs !== 0)
      await sql.run('UPDATE samples SET since = since - $2::bigint, until = until - $2::bigint WHERE watch = $1', [
        watchId,
        closed.shiftedMs,
      ]);
}

async function drop(sql: Sql, decisions: readonly Decision[]): Promise<void> {
  for (const { watchId, closed } of decisions)
    if (closed.dropped.length > 0)
      for (const table of ['samples', 'sample_buckets'])
        await sql.run(`DELETE FROM ${table} WHERE watch = $1 AND path = ANY($2::text[])`, [watchId, closed.dropped]);
}

/** A run fills every hour that it overlaps. */
async function fill(sql: Sql, runs: readonly Row[]): Promise<void> {
  const parts = runs
    .map((row) => ({ watch: String(row['watch']), path: String(row['path']), run: runOf(row) }))
    .toSorted((a, b) => (a.run[1] ?? 0) - (b.run[1] ?? 0))
    .flatMap(({ run, ...of }) => hoursOf(run).map((at) => ({ ...of, at, value: run[2] })));
  if (parts.length === 0) return;
  const hours = new Map((await bucketsOf(sql, parts)).map((row) => [nameOf(row), row]));
  for (const { value, ...hour } of parts)
    hours.set(nameOf(hour), { ...hour, last: value, ...widened(hours.get(nameOf(hour)), value) });
  await writeHours(sql, [...hours.values()]);
}

/** Those of these hours that are there. */
async function bucketsOf(sql: Sql, hours: readonly (PathOfWatch & { readonly at: Instant })[]): Promise<Hour[]> {
  const rows = await sql.all(
    `SELECT watch, path, at, first, last, min, max FROM sample_buckets
    WHERE width = ${HOUR_MS} AND (watch, path, at) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]))`,
    columns(hours, [(hour) => hour.watch, (hour) => hour.path, (hour) => hour.at]),
  );
  return rows.map((row) => ({ watch: String(row['watch']), path: String(row['path']), ...bucketOf(row) }));
}

function nameOf({ watch, path, at }: Pick<Hour, 'watch' | 'path' | 'at'>): string {
  return JSON.stringify([watch, path, at]);
}

async function writeHours(sql: Sql, hours: readonly Hour[]): Promise<void> {
  await sql.run(
    `INSERT INTO sample_buckets (watch, path, width, at, first, last, min, max)
    SELECT watch, path, ${HOUR_MS}, at, first, last, min, max
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[])
      AS hour (watch, path, at, first, last, min, max)
    ON CONFLICT (watch, path, width, at) DO UPDATE SET last = excluded.last, min = excluded.min, max = excluded.max`,
    columns(hours, [
      (hour) => hour.watch,
      (hour) => hour.path,
      (hour) => hour.at,
      (hour) => hour.first,
      (hour) => hour.last,
      (hour) => hour.min,
      (hour) => hour.max,
    ]),
  );
}

/** Those that were polled for the first time. */
export async function noteFirst(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<void> {
  const born = decisions.filter(({ expects }) => expects === 0).map(({ watchId }) => watchId);
  if (born.length === 0) return;
  await sql.run(
    `INSERT INTO unknown_spans (watch, since, until, cause)
    SELECT watch, 0, $2::bigint, 'not-yet' FROM unnest($1::text[]) AS watch ON CONFLICT DO NOTHING`,
    [born, at],
  );
}

export async function firstPolls(sql: Sql, watches: readonly WatchId[]): Promise<Map<WatchId, Instant>> {
  const rows = await sql.all('SELECT watch, until FROM unknown_spans WHERE watch = ANY($1::text[]) AND since = 0', [
    watches,
  ]);
  return new Map(rows.map(({ watch, until }) => [String(watch), Number(until)]));
}

/** The data states of watches after a poll. */
export async function noteData(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<void> {
  const known = decisions.flatMap(({ watchId, memory: { data } }) => (data === null ? [] : [{ watchId, ...data }]));
  const [good, bad] = [known.filter(({ state }) => state === 'ok'), known.filter(({ state }) => state !== 'ok')];
  if (good.length > 0)
    await sql.run(
      'UPDATE unknown_spans SET until = greatest(since, $2::bigint) WHERE until IS NULL AND watch = ANY($1::text[])',
      [good.map(({ watchId }) => watchId), at],
    );
  if (bad.length > 0)
    await sql.run(
      `INSERT INTO unknown_spans (watch, since, cause)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[]) AS begun (watch, since, cause)
      WHERE NOT EXISTS (SELECT FROM unknown_spans AS open WHERE open.watch = begun.watch AND until IS NULL)
      ON CONFLICT (watch, since) DO UPDATE SET until = NULL, cause = excluded.cause`,
      columns(bad, [({ watchId }) => watchId, ({ since }) => since, ({ state }) => state]),
    );
}

/** What ended before then, and what is too much. */
export async function pruneSamples(sql: Sql, before: Instant): Promise<void> {
  await sql.run('DELETE FROM sample_buckets WHERE at < $1', [before]);
  await sql.run('DELETE FROM unknown_spans WHERE until < $1', [before]);
  await sql.run(`
    DELETE FROM samples WHERE number IN (
      SELECT number FROM samples WHERE number <= (SELECT max(number) FROM samples) - ${MOST_ROWS}
      ORDER BY number LIMIT ${MOST_DROPPED})`);
}

export async function samplesOf(sql: Sql, watch: WatchId): Promise<Samples> {
  return runsByPath(
    await sql.all('SELECT path, since, until, value FROM samples WHERE watch = $1 ORDER BY path, until', [watch]),
  );
}

export async function samplesAfter(
  sql: Sql,
  { watch, path }: PathOfWatch,
  after: Instant,
  limit: number,
): Promise<Run[]> {
  const rows = await sql.all(
    'SELECT since, until, value FROM samples WHERE watch = $1 AND path = $2 AND until > $3 ORDER BY until LIMIT $4',
    [watch, path, after, limit],
  );
  return rows.map(runOf);
}

export async function runsAfter(sql: Sql, of: readonly PathOfWatch[], after: Instant, limit: number): Promise<Run[][]> {
  const rows = await sql.all(
    `SELECT asked.place - 1 AS place, since, until, value
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (watch, path, place)
    JOIN samples ON samples.watch = asked.watch AND samples.path = asked.path AND until > $3
    ORDER BY asked.place, until LIMIT $4`,
    [...columns(of, [({ watch }) => watch, ({ path }) => path]), after, limit],
  );
  return runsByPlace(of.length, rows);
}

export async function buckets(sql: Sql, { watch, path }: PathOfWatch, from: Instant): Promise<Bucket[]> {
  const rows = await sql.all(
    `SELECT at, first, last, min, max FROM sample_buckets
    WHERE watch = $1 AND path = $2 AND width = ${HOUR_MS} AND at >= $3 ORDER BY at`,
    [watch, path, from],
  );
  return rows.map(bucketOf);
}

export async function unknownSpans(sql: Sql, since: Instant, watch: WatchId | null): Promise<UnknownSpan[]> {
  const rows = await sql.all(
    `SELECT watch, since, until, cause FROM unknown_spans
    WHERE (until IS NULL OR until > $1) AND since > 0 AND ($2::text IS NULL OR watch = $2) ORDER BY since LIMIT ${MOST_SPANS}`,
    [since, watch],
  );
  return rows.map(spanOf);
}
