/**
 * Something that was built and is not in force yet: explorers, channels, or a whole setup. Disposing of it closes what
 * was built, unless it was committed.
 */
export interface Prepared extends AsyncDisposable {
  /** Puts it in force, in one synchronous step. Called at most once. */
  commit(): void;
}
