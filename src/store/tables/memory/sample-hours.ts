// The values of an hour, for runs that are no longer stored.
import type { Run } from '../../../core/model/memory.ts';
import { HOUR_MS, hoursOf, widened } from '../../../core/windows/hours.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Bucket, PathOfWatch } from '../../contract/samples.ts';
import { int, texts, type Row } from '../../sql/rows.ts';
import { columns, list, upsert, type Sql } from '../../sql/sql.ts';

type Hour = PathOfWatch & Bucket;

const SOME = list(
  { watch: 'text', path: 'text', at: 'int' },
  (row) => `
  SELECT hour.watch, hour.path, hour.at, first, last, min, max FROM sample_buckets AS hour ${row.also}
  WHERE hour.watch = ${row.watch} AND hour.path = ${row.path} AND hour.width = ${HOUR_MS} AND hour.at = ${row.at}`,
);

const WRITE = upsert('sample_buckets', ['watch', 'path', 'width', 'at'], {
  ...columns('text', 'watch', 'path', 'first', 'last', 'min', 'max'),
  ...columns('int', 'width', 'at'),
});

/** A run fills every hour that it overlaps. */
export async function fillHours(sql: Sql, runs: readonly (PathOfWatch & { readonly run: Run })[]): Promise<void> {
  if (runs.length === 0) return;
  const parts = runs
    .toSorted((a, b) => (a.run[1] ?? 0) - (b.run[1] ?? 0))
    .flatMap(({ watch, path, run }) => hoursOf(run).map((at) => ({ watch, path, at, value: run[2] })));
  const hours = await storedHours(sql, parts);
  for (const { value, ...of } of parts) {
    const name = nameOf(of);
    hours.set(name, { ...of, last: value, ...widened(hours.get(name), value) });
  }
  const rows = [...hours.values()].map((hour) => ({ ...hour, width: HOUR_MS }));
  await sql.each(WRITE, rows);
}

/** The hours among these that are stored. */
async function storedHours(sql: Sql, of: readonly HourOfPath[]): Promise<Map<string, Hour>> {
  const asked = new Map(of.map(({ watch, path, at }) => [nameOf({ watch, path, at }), { watch, path, at }]));
  const rows = await sql.allOf(SOME, [...asked.values()]);
  const hours = rows.map((row) => ({ ...texts(row, 'watch', 'path'), ...bucketOf(row) }));
  return new Map(hours.map((hour) => [nameOf(hour), hour]));
}

type HourOfPath = Pick<Hour, 'watch' | 'path' | 'at'>;

function nameOf({ watch, path, at }: HourOfPath): string {
  return JSON.stringify([watch, path, at]);
}

const DROP_PATH = list(
  { watch: 'text', path: 'text' },
  (row) => `
  DELETE FROM sample_buckets ${row.using} WHERE sample_buckets.watch = ${row.watch} AND sample_buckets.path = ${row.path}`,
);

export async function dropHours(sql: Sql, paths: readonly PathOfWatch[]): Promise<void> {
  await sql.each(DROP_PATH, paths);
}

const SINCE = `
  SELECT at, first, last, min, max FROM sample_buckets
  WHERE watch = $1 AND path = $2 AND width = ${HOUR_MS} AND at >= $3 ORDER BY at`;

export async function buckets(sql: Sql, { watch, path }: PathOfWatch, from: Instant): Promise<Bucket[]> {
  return (await sql.all(SINCE, [watch, path, from])).map(bucketOf);
}

function bucketOf(row: Row): Bucket {
  return { at: int(row, 'at'), ...texts(row, 'first', 'last', 'min', 'max') };
}
