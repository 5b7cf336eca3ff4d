// Ended runs of equal values.
import type { Decision } from '../../../core/model/decision.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Run, Samples } from '../../../core/model/memory.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { PathOfWatch } from '../../contract/samples.ts';
import { int, text, texts, type Row } from '../../sql/rows.ts';
import { insertion, list, type Sql } from '../../sql/sql.ts';
import { dropHours, fillHours } from './sample-hours.ts';

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
