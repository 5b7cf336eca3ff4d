/**
 * New parts that are not in force yet: explorers, channels, or a whole setup. Disposing closes them, unless they were
 * committed.
 */
export interface Prepared extends AsyncDisposable {
  /** Puts the parts in force, in one synchronous step. Called at most once. */
  commit(): void;
}
