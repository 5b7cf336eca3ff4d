// The queries of pages. Each page shows the verdict and the number of unacknowledged alerts, so all pages of one period
// share one result.
import type { Queries } from '../../query/queries.ts';
import { summaryOf, type Overview, type OverviewSummary } from '../../query/shapes/overview.ts';
import type { OverviewFilter } from '../../query/shapes.ts';
import { createRendering, keepRecent, type Periods } from './frame/rendering.ts';

export type PageQueries = Queries;

/** Facts about the daemon that every page shows. */
export interface PageFacts {
  readonly version: string;
  readonly startedAt: number;
  /** The time at which the rules in force were loaded. */
  readonly loadedAt: number | null;
  /** The time at which the last heartbeat was accepted. */
  readonly heartbeatAt: number | null;
}

/** An overview of this age or older is marked as old. */
export const OLD_MS = 10_000;

/** The number of overviews by labels that are kept in case the state does not answer. */
const MOST_OVERVIEWS = 24;
const WHOLE = 'overview';

interface SharingOptions {
  readonly periods: Pick<Periods, 'current'>;
  readonly monotonic: () => number;
  readonly onFailed: (error: unknown) => void;
}

/**
 * Queries the overview, and the summary for the frames of all pages, once a period. If the state does not answer, the
 * last result is returned. An overview contains its time, so pages can mark it as old.
 */
export function withSharedOverview(queries: Queries, { periods, monotonic, onFailed }: SharingOptions): PageQueries {
  const overviews = createRendering<Overview>(periods);
  const summaries = createRendering<OverviewSummary>(periods);
  const lastOverviews = new Map<string, Last<Overview>>();
  const lastSummary = createLast<OverviewSummary>(onFailed);

  async function overview(filter: OverviewFilter | undefined): Promise<Overview> {
    const answer = await queries.overview(filter);
    lastSummary.keep(summaryOf(answer));
    return answer;
  }

  function lastOf(name: string): Last<Overview> {
    const last = lastOverviews.get(name) ?? createLast<Overview>(onFailed);
    keepRecent(lastOverviews, name, last, MOST_OVERVIEWS);
    return last;
  }

  return {
    ...queries,
    // If the state does not answer, pages show the last overview. The edition still changes every ten seconds, because
    // pages show the age of that overview.
    edition: () => queries.edition().catch(() => `not-known-${Math.floor(monotonic() / OLD_MS)}`),
    overview(filter) {
      const name = filter === undefined || filter.label.length === 0 ? WHOLE : JSON.stringify(filter.label);
      return overviews.of(name, () => lastOf(name).answerOf(() => overview(filter)));
    },
    // If the first page was made in this period, its overview contains the summary.
    summary: () =>
      overviews.made(WHOLE)?.then(summaryOf) ??
      summaries.of('summary', () => lastSummary.answerOf(() => queries.summary())),
  };
}

/** Keeps the last answer. */
interface Last<T> {
  keep(answer: T): void;
  /** The answer of `ask`; if it fails, the last answer. Rejects if there is no last answer either. */
  answerOf(ask: () => Promise<T>): Promise<T>;
}

function createLast<T>(onFailed: (error: unknown) => void): Last<T> {
  let last: { readonly answer: T } | null = null;
  return {
    keep(answer) {
      last = { answer };
    },
    async answerOf(ask) {
      try {
        const answer = await ask();
        last = { answer };
        return answer;
      } catch (error) {
        if (last === null) throw error;
        onFailed(error);
        return last.answer;
      }
    },
  };
}
