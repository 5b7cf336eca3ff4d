// The spans of time in which the data state of a watch was not `ok`. The span before its first poll starts at 0.
import type { Decision } from '../../../core/model/decision.ts';
import type { WatchId } from '../../../core/model/ids.ts';
import type { Instant } from '../../../lib/clock.ts';
import type { UnknownSpan } from '../../contract/samples.ts';
import { later } from '../../sql/dialect.ts';
import { int, ints, intsOrNull, text, texts } from '../../sql/rows.ts';
import { insertion, list, type Sql } from '../../sql/sql.ts';

const SPAN = { watch: 'text', since: 'int', until: 'int', cause: 'text' } as const;
const BEGIN_FIRST = insertion('unknown_spans', SPAN, 'ON CONFLICT (watch, since) DO NOTHING');

/** Adds the span before the first poll, for watches that were polled for the first time. */
export async function noteFirst(sql: Sql, decisions: readonly Decision[], at: Instant): Promise<void> {
  const first = decisions.filter(({ expects }) => expects === 0);
  const spans = first.map(({ watchId: watch }) => ({ watch, since: 0, until: at, cause: 'not-yet' }));
  await sql.each(BEGIN_FIRST, spans);
}

const END = list(
  { watch: 'text', at: 'int' },
  (row) => `
  UPDATE unknown_spans SET until = ${later('unknown_spans.since', row.at)}
  ${row.from} WHERE unknown_spans.watch = ${row.watch} AND unknown_spans.until IS NULL`,
);

const BEGIN = list(
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
  await sql.each(END, good);
  await sql.each(BEGIN, bad);
}

const FIRST = list(
  { watch: 'text' },
  (row) => `
  SELECT span.watch, span.until FROM unknown_spans AS span ${row.also} WHERE span.watch = ${row.watch} AND span.since = 0`,
);

/** The time of the first poll of each of these watches, except those without a stored first poll. */
export async function firstPolls(sql: Sql, watches: readonly WatchId[]): Promise<Map<WatchId, Instant>> {
  const asked = watches.map((watch) => ({ watch }));
  const rows = await sql.allOf(FIRST, asked);
  return new Map(rows.map((row) => [text(row, 'watch'), int(row, 'until')]));
}

const MOST_SPANS = 50_000;

const SINCE = `
  SELECT watch, since, until, cause FROM unknown_spans
  WHERE (until IS NULL OR until > $1) AND since > 0 AND ($2::text IS NULL OR watch = $2::text)
  ORDER BY since LIMIT ${MOST_SPANS}`;

/**
 * Spans that ended after `since` or still last, the oldest first, without those before a first poll. `watch`: null for
 * all watches.
 */
export async function unknownSpans(sql: Sql, since: Instant, watch: WatchId | null): Promise<UnknownSpan[]> {
  const rows = await sql.all(SINCE, [since, watch]);
  return rows.map((row) => ({ ...texts(row, 'watch', 'cause'), ...ints(row, 'since'), ...intsOrNull(row, 'until') }));
}
