/**
 * SQL for the new value of an instant from which a wait counts, after the clock was set. $1: the change in
 * milliseconds; $2: the time that the clock shows now. After a change forward, an instant that was stored before the
 * change moves by $1. An instant that was stored after the change stays. The result is never after $2.
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
