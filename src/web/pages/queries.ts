// What pages ask of the daemon.
import type { Queries } from '../../query/queries.ts';

export type PageQueries = Queries;

/** What every page shows of the daemon. */
export interface DaemonFacts {
  readonly version: string;
  readonly startedAt: number;
  /** When the rules in force were loaded. */
  readonly loadedAt: number | null;
}
