// What pages ask of the daemon. The overview is asked for by every page, since each shows what nobody has in hand.
import type { Queries } from '../../query/queries.ts';
import type { Overview } from '../../query/shapes/overview.ts';

export type PageQueries = Queries;

/** What every page shows of the daemon. */
export interface DaemonFacts {
  readonly version: string;
  readonly startedAt: number;
  /** When the rules in force were loaded. */
  readonly loadedAt: number | null;
}

interface SharingOptions {
  readonly monotonic: () => number;
  readonly onFailed: (error: unknown) => void;
}

/** Asks at most once a second; where the state does not answer, the last overview is given, which says of when it is. */
export function withSharedOverview(queries: Queries, { monotonic, onFailed }: SharingOptions): PageQueries {
  let second = -1;
  let asked: Promise<Overview> | null = null;
  let last: Overview | null = null;

  async function ask(): Promise<Overview> {
    try {
      const fresh = await queries.overview();
      last = fresh;
      return fresh;
    } catch (error) {
      if (last === null) throw error;
      onFailed(error);
      return last;
    }
  }

  return {
    ...queries,
    overview() {
      const now = Math.floor(monotonic() / 1000);
      if (asked === null || now !== second) asked = ask();
      second = now;
      return asked;
    },
  };
}
