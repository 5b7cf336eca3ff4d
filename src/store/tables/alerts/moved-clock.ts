/** The place of an instant that a wait is counted from, after the clock was set by $1, so that it shows $2. */
export function moved(column: string): string {
  return `CASE WHEN $1::bigint > 0 THEN ${column} + $1::bigint ELSE ${notAfter(column, '$2')} END`;
}

/** The earlier of the two; null stays null. */
export function notAfter(column: string, instant: string): string {
  return `CASE WHEN ${column} > ${instant}::bigint THEN ${instant}::bigint ELSE ${column} END`;
}
