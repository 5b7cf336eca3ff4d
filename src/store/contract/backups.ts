// Copies of the state, and the result of checking a state file.
import type { Instant } from '../../lib/clock.ts';

/** A damaged part, and advice about it. */
export interface Finding {
  readonly what: string;
  /** Empty if `what` contains it. */
  readonly advice: string;
}

/** The result of checking each page and each row. */
export interface StateCheck {
  readonly schema: number;
  /**
   * False: an older release wrote the file. Its pages were checked and its rows counted, but the rows were not checked.
   */
  readonly isCurrent: boolean;
  readonly bytes: number;
  /** The number of rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

/** A complete, checked copy of the state in its own file. */
export interface Backup {
  readonly file: string;
  readonly at: Instant;
}

/** `former`: the path at which the replaced state file is kept; null: there was none. */
export interface Restored {
  readonly former: string | null;
}

/** The directory of backups. Every method rejects with a StorageError. */
export interface Backups {
  /** The newest first. */
  list(): Promise<readonly Backup[]>;
  /**
   * Makes a backup, which is named by the second of `at`, also while a daemon runs. Removes the backups above the
   * limit. If the signal aborts, rejects with its reason, and no backup is made.
   */
  make(at: Instant, signal: AbortSignal): Promise<Backup>;
}

/** The replacement of a state that was damaged at the start: a backup, or an empty state. */
export type Recovery = 'restored' | 'lost';
