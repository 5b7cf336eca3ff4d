/** Where an instant that a wait is counted from lies after the clock was set by ?1, so that it shows ?2. */
export const MOVED = (column: string): string => `CASE WHEN ?1 > 0 THEN ${column} + ?1 ELSE min(${column}, ?2) END`;
