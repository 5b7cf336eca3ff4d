// Values over time: ended runs of equal values, the values of past hours, and spans without a known state.
import type { Decision } from '../../../core/model/decision.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Run, Samples } from '../../../core/model/memory.ts';
import { HOUR_MS, hoursOf, widened } from '../../../core/windows/hours.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { Bucket, PathOfWatch, UnknownSpan } from '../../contract/samples.ts';
import { later } from '../../sql/dialect.ts';
import { int, ints, intsOrNull, type Row, text, texts } from '../../sql/rows.ts';
import { columns, insertion, list, type Sql, upsert } from '../../sql/sql.ts';

// Ended runs of equal values.

const SHIFT = list(
  { watch: 'text', ms: 'int' },
  (row) => `
  UPDATE samples SET since = samples.since - ${row.ms}, until = samples.until - ${row.ms}
  ${row.from} WHERE samples.watch = ${row.watch}`,
);

const DROP_PATH = list(
  { watch: 'text', path: 'text' },
  (row) => `DELETE FROM samples ${row.using} WHERE samples.watch = ${row.watch} AND samples.path = ${row.path}`,
);

const ADD_RUN = insertion('samples', { watch: 'text', path: 'text', since: 'int', until: 'int', value: 'text' });

const TAKE_OLD = list(
  { watch: 'text', path: 'text', kept_from: 'int' },
  (row) => `
  DELETE FROM samples ${row.using}
  WHERE samples.watch = ${row.watch} AND samples.path = ${row.path} AND samples.until < ${row.kept_from}
  RETURNING samples.watch, samples.path, samples.since, samples.until, samples.value`,
);

/** Stores the runs that these decisions closed. Each decision is of another watch. */
export async function keepSamples(sql: Sql, decisions: readonly Decision[]): Promise<void> {
  const all = decisions.map(({ watchId: watch, closed }) => ({ watch, ms: closed.shiftedMs }));
  const shifted = all.filter(({ ms }) => ms !== 0);
  await sql.each(SHIFT, shifted);
  const dropped = decisions.flatMap(({ watchId: watch, closed }) => closed.dropped.map((path) => ({ watch, path })));
  await sql.each(DROP_PATH, dropped);
  await dropHours(sql, dropped);
  const runs = decisions.flatMap(({ watchId: watch, closed }) => closed.runs.map((run) => ({ watch, ...run })));
  await sql.each(ADD_RUN, runs);
  const byPath = Map.groupBy(runs, ({ watch, path }) => JSON.stringify([watch, path]));
  const last = [...byPath.values()].flatMap((some) => some.toSorted((a, b) => b.keptFrom - a.keptFrom).slice(0, 1));
  const old = await sql.allOf(TAKE_OLD, last);
  const oldRuns = old.map((row) => ({ ...texts(row, 'watch', 'path'), run: runOf(row) }));
  await fillHours(sql, oldRuns);
}

const OF_WATCH = 'SELECT path, since, until, value FROM samples WHERE watch = $1 ORDER BY path, until';

export async function samples(sql: Sql, watch: WatchId): Promise<Samples> {
  const byPath: Record<string, Run[]> = {};
  for (const row of await sql.all(OF_WATCH, [watch])) (byPath[text(row, 'path')] ??= []).push(runOf(row));
  return byPath;
}

const AFTER = `
  SELECT since, until, value FROM samples WHERE watch = $1 AND path = $2 AND until > $3
  ORDER BY until LIMIT $4 + 0`;

export async function samplesAfter(
  sql: Sql,
  { watch, path }: PathOfWatch,
  after: Instant,
  limit: number,
): Promise<Run[]> {
  return (await sql.all(AFTER, [watch, path, after, limit])).map(runOf);
}

// The limit keeps the result of one statement within the memory. No caller needs more rows.
const MOST_READ = 100_000;

const OF_PATHS = list(
  { place: 'int', watch: 'text', path: 'text', after: 'int' },
  (row) => `
  SELECT ${row.place} AS place, samples.since, samples.until, samples.value FROM samples ${row.also}
  WHERE samples.watch = ${row.watch} AND samples.path = ${row.path} AND samples.until > ${row.after}
  ORDER BY place, samples.until LIMIT ${MOST_READ}`,
);

const PATHS_AT_ONCE = 32;

/**
 * The runs of each path that ended after `after`, in the order of the paths; at most `limit`, and at most 100,000, in
 * all.
 */
export async function runsAfter(sql: Sql, of: readonly PathOfWatch[], after: Instant, limit: number): Promise<Run[][]> {
  const found = of.map((): Run[] => []);
  let left = Math.min(limit, MOST_READ);
  for (let from = 0; from < of.length && left > 0; from += PATHS_AT_ONCE) {
    const asked = of.slice(from, from + PATHS_AT_ONCE);
    const paths = asked.map(({ watch, path }, at) => ({ place: from + at, watch, path, after }));
    const rows = await sql.allOf(OF_PATHS, paths);
    for (const row of rows.slice(0, left)) found[int(row, 'place')]?.push(runOf(row));
    left -= Math.min(left, rows.length);
  }
  return found;
}

function runOf(row: Row): Run {
  return [int(row, 'since'), int(row, 'until'), text(row, 'value')];
}

// The values of an hour, for runs that are no longer stored.

type Hour = PathOfWatch & Bucket;

const STORED_HOURS = list(
  { watch: 'text', path: 'text', at: 'int' },
  (row) => `
  SELECT hour.watch, hour.path, hour.at, first, last, min, max FROM sample_buckets AS hour ${row.also}
  WHERE hour.watch = ${row.watch} AND hour.path = ${row.path} AND hour.width = ${HOUR_MS} AND hour.at = ${row.at}`,
);

const WRITE_HOUR = upsert('sample_buckets', ['watch', 'path', 'width', 'at'], {
  ...columns('text', 'watch', 'path', 'first', 'last', 'min', 'max'),
  ...columns('int', 'width', 'at'),
});

/** A run fills every hour that it overlaps. */
async function fillHours(sql: Sql, runs: readonly (PathOfWatch & { readonly run: Run })[]): Promise<void> {
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
  await sql.each(WRITE_HOUR, rows);
}

/** The hours among these that are stored. */
async function storedHours(sql: Sql, of: readonly HourOfPath[]): Promise<Map<string, Hour>> {
  const asked = new Map(of.map(({ watch, path, at }) => [nameOf({ watch, path, at }), { watch, path, at }]));
  const rows = await sql.allOf(STORED_HOURS, [...asked.values()]);
  const hours = rows.map((row) => ({ ...texts(row, 'watch', 'path'), ...bucketOf(row) }));
  return new Map(hours.map((hour) => [nameOf(hour), hour]));
}

type HourOfPath = Pick<Hour, 'watch' | 'path' | 'at'>;

function nameOf({ watch, path, at }: HourOfPath): string {
  return JSON.stringify([watch, path, at]);
}

const DROP_HOURS = list(
  { watch: 'text', path: 'text' },
  (row) => `
  DELETE FROM sample_buckets ${row.using} WHERE sample_buckets.watch = ${row.watch} AND sample_buckets.path = ${row.path}`,
);

async function dropHours(sql: Sql, paths: readonly PathOfWatch[]): Promise<void> {
  await sql.each(DROP_HOURS, paths);
}

const HOURS_SINCE = `
  SELECT at, first, last, min, max FROM sample_buckets
  WHERE watch = $1 AND path = $2 AND width = ${HOUR_MS} AND at >= $3 ORDER BY at`;

export async function buckets(sql: Sql, { watch, path }: PathOfWatch, from: Instant): Promise<Bucket[]> {
  return (await sql.all(HOURS_SINCE, [watch, path, from])).map(bucketOf);
}

function bucketOf(row: Row): Bucket {
  return { at: int(row, 'at'), ...texts(row, 'first', 'last', 'min', 'max') };
}

// The spans of time in which the data state of a watch was not `ok`. The span before its first poll starts at 0.

const SPAN = { watch: 'text', since: 'int', until: 'int', cause: 'text' } as const;
const BEGIN_FIRST = insertion('unknown_spans', SPAN, 'ON CONFLICT (watch, since) DO NOTHING');

/** Adds the span before the first poll, for watches that were polled for the first time. */
export async function noteFirst(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<void> {
  const first = decisions.filter(({ expects }) => expects === 0);
  const spans = first.map(({ watchId: watch }) => ({ watch, since: 0, until: at, cause: 'not-yet' }));
  await sql.each(BEGIN_FIRST, spans);
}

const END_SPAN = list(
  { watch: 'text', at: 'int' },
  (row) => `
  UPDATE unknown_spans SET until = ${later('unknown_spans.since', row.at)}
  ${row.from} WHERE unknown_spans.watch = ${row.watch} AND unknown_spans.until IS NULL`,
);

const BEGIN_SPAN = list(
  { watch: 'text', since: 'int', cause: 'text' },
  (row) => `
  INSERT INTO unknown_spans (watch, since, cause)
  SELECT ${row.watch}, ${row.since}, ${row.cause} ${row.from}
  WHERE NOT EXISTS (SELECT 1 FROM unknown_spans AS span WHERE span.watch = ${row.watch} AND span.until IS NULL)
  ON CONFLICT (watch, since) DO UPDATE SET until = NULL, cause = excluded.cause`,
);

/** Begins or ends spans by the data states of watches after a poll. */
export async function noteData(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<void> {
  const known = decisions.flatMap(({ watchId: watch, memory: { data } }) =>
    data === null ? [] : [{ watch, since: data.since, cause: data.state, at }],
  );
  const { true: good = [], false: bad = [] } = Object.groupBy(known, ({ cause }) => `${cause === 'ok'}`);
  await sql.each(END_SPAN, good);
  await sql.each(BEGIN_SPAN, bad);
}

const FIRST_POLLS = list(
  { watch: 'text' },
  (row) => `
  SELECT span.watch, span.until FROM unknown_spans AS span ${row.also} WHERE span.watch = ${row.watch} AND span.since = 0`,
);

/** The time of the first poll of each of these watches, except those without a stored first poll. */
export async function firstPolls(sql: Sql, watches: readonly WatchId[]): Promise<Map<WatchId, Instant>> {
  const asked = watches.map((watch) => ({ watch }));
  const rows = await sql.allOf(FIRST_POLLS, asked);
  return new Map(rows.map((row) => [text(row, 'watch'), int(row, 'until')]));
}

const MOST_SPANS = 50_000;

const SPANS_SINCE = `
  SELECT watch, since, until, cause FROM unknown_spans
  WHERE (until IS NULL OR until > $1) AND since > 0 AND ($2::text IS NULL OR watch = $2::text)
  ORDER BY since LIMIT ${MOST_SPANS}`;

/**
 * Spans that ended after `since` or still last, the oldest first, without those before a first poll. `watch`: null for
 * all watches.
 */
export async function unknownSpans(sql: Sql, since: Instant, watch: WatchId | null): Promise<UnknownSpan[]> {
  const rows = await sql.all(SPANS_SINCE, [since, watch]);
  return rows.map((row) => ({ ...texts(row, 'watch', 'cause'), ...ints(row, 'since'), ...intsOrNull(row, 'until') }));
}
