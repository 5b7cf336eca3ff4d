// Queries about measured values, and the spans in which none was known.
import type { WatchId } from '../../core/model/ids.ts';
import type { Run } from '../../core/model/memory.ts';
import type { Instant } from '../../lib/clock.ts';

export interface PathOfWatch {
  readonly watch: WatchId;
  readonly path: string;
}

/** The values of one hour. */
export interface Bucket {
  /** The start of the hour. */
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
  /**
   * The runs of each path that ended after `after`, the oldest first, in the order of the paths; at most `limit` in
   * all.
   */
  runsAfter(of: readonly PathOfWatch[], after: Instant, limit: number): Promise<Run[][]>;
  /** The values of a path by hour, from `from` on, the oldest first. They stand for runs that are no longer stored. */
  buckets(of: PathOfWatch, from: Instant): Promise<Bucket[]>;
  /** Spans that ended after `since` or still last, the oldest first. `watch`: null for all watches. */
  unknownSpans(since: Instant, watch: WatchId | null): Promise<UnknownSpan[]>;
  /** The time of the first poll of each of these watches; unknown ones are left out. */
  firstPolls(watches: readonly WatchId[]): Promise<ReadonlyMap<WatchId, Instant>>;
}
