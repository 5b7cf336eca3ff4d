/**
 * The new value of an instant from which a wait counts, after the clock was set. $1: the change in milliseconds; $2:
 * the time that the clock shows now. Instants that were stored since then are of the clock as it is now, and none is after
 * it.
 */
export function moved(column: string): string {
  return `CASE
    WHEN $1::bigint <= 0 THEN ${notAfter(column, '$2')}
    WHEN ${column} <= $2::bigint - $1::bigint THEN ${column} + $1::bigint
    ELSE ${notAfter(column, '$2')} END`;
}

/** The earlier of the two; null stays null. */
export function notAfter(column: string, instant: string): string {
  return `CASE WHEN ${column} > ${instant}::bigint THEN ${instant}::bigint ELSE ${column} END`;
}
