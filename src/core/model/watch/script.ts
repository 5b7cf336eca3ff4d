import type { Instant } from '../../../lib/clock.ts';
import type { AnyRecord, AnyView } from '../../values/fields.ts';
import type { Head } from '../observation.ts';
import type { Target } from './target.ts';

/** The form in which a rule test writes the reading of one poll. */
export interface Script<E, S, O> {
  /** The key of the list of rows; null if a poll reads one thing, whose fields the test then writes directly. */
  readonly rows: string | null;
  /** The fields of a row, or of the one thing. */
  readonly record: AnyRecord;
  /**
   * Pure: the result that `observe` would have had. Missing fields that the kind needs to identify items are
   * synthesized.
   */
  synthesize(target: Target<E>, written: SyntheticReading, state: S | null): O;
  /** Finds the chain's head in the written rows. Absent if the kind's rows never show it. */
  head?(rows: readonly SyntheticRow[], at: Instant): Head | null;
}

export interface SyntheticReading {
  /** For a kind that reads one thing: that thing, or no row if nothing was read. */
  readonly rows: readonly SyntheticRow[];
}

export interface SyntheticRow {
  readonly view: AnyView;
  /** The fields that were written, also those written as `null`: they are not synthesized. */
  readonly says: ReadonlySet<string>;
  /** Rows with the same id are the same item; null if the test gives none. */
  readonly id: string | null;
  /** Its place in the test file, different for each row. */
  readonly place: string;
}
