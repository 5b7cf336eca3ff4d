/** Of each table of samples, so that none grows beyond a gigabyte. */
const MOST_ROWS = 6_000_000;
/** At once: takes a few tens of milliseconds. */
const MOST_DROPPED = 50_000;

/** Statement that drops the oldest rows of a numbered table, where it has too many. */
export function dropOldest(table: 'samples' | 'sample_buckets' | 'unknown_spans'): string {
  return `
    DELETE FROM ${table} WHERE number IN (
      SELECT number FROM ${table} WHERE number <= (SELECT max(number) FROM ${table}) - ${MOST_ROWS}
      ORDER BY number LIMIT ${MOST_DROPPED})`;
}
