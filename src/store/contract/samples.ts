// What was measured, and when nothing was known, for those who look at it.
import type { WatchId } from '../../core/model/ids.ts';
import type { Run } from '../../core/model/memory.ts';
import type { Instant } from '../../lib/clock.ts';

export interface PathOfWatch {
  readonly watch: WatchId;
  readonly path: string;
}

/** What the values of one hour were. */
export interface Bucket {
  /** Where the hour begins. */
  readonly at: Instant;
  readonly first: string;
  readonly last: string;
  readonly min: string;
  readonly max: string;
}

/** A time in which no data of a watch was `ok`. */
export interface UnknownSpan {
  readonly watch: WatchId;
  readonly since: Instant;
  /** Null: it lasts. */
  readonly until: Instant | null;
  /** The data state with which it began. */
  readonly cause: string;
}

/** Every method rejects with a `StorageError`. */
export interface SamplesView {
  /** Of each path the runs that ended after then, the oldest first; in the order of the paths. At most so many in all. */
  runsAfter(of: readonly PathOfWatch[], after: Instant, limit: number): Promise<Run[][]>;
  /** The hours of a path from then on, of runs that are kept no more; the oldest first. */
  buckets(of: PathOfWatch, from: Instant): Promise<Bucket[]>;
  /** What was not over by then, the oldest first; of one watch, or of all. */
  unknownSpans(since: Instant, watch: WatchId | null): Promise<UnknownSpan[]>;
  /** When each of these was first polled; without those of which that is not known any more. */
  firstPolls(watches: readonly WatchId[]): Promise<ReadonlyMap<WatchId, Instant>>;
}
