// What pages ask of the daemon. The overview is asked for by every page, since each shows what nobody has in hand.
import type { Queries } from '../../query/queries.ts';
import type { Overview } from '../../query/shapes/overview.ts';
import { createRendering, type Periods } from './frame/rendering.ts';

export type PageQueries = Queries;

/** What every page shows of the daemon. */
export interface DaemonFacts {
  readonly version: string;
  readonly startedAt: number;
  /** When the rules in force were loaded. */
  readonly loadedAt: number | null;
  /** When the last heartbeat was accepted. */
  readonly heartbeatAt: number | null;
}

/** An overview of this age is said to be old. */
export const OLD_MS = 10_000;

interface SharingOptions {
  readonly periods: Pick<Periods, 'current'>;
  readonly monotonic: () => number;
  readonly onFailed: (error: unknown) => void;
}

/** Asks for the overview once a period; where the state does not answer, the last one is given, which says of when it is. */
export function withSharedOverview(queries: Queries, { periods, monotonic, onFailed }: SharingOptions): PageQueries {
  const shared = createRendering<Overview>(periods);
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
    // While the state does not answer, pages show the last overview. They are made anew now and then: they say how old it is.
    edition: () => queries.edition().catch(() => `not-known-${Math.floor(monotonic() / OLD_MS)}`),
    overview: () => shared.of('overview', ask),
  };
}
