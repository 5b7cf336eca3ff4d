// Copies of the state, and what a look at a state file finds.
import type { Instant } from '../../lib/clock.ts';

/** What is damaged, and what to do. */
export interface Finding {
  readonly what: string;
  /** Empty where `what` says it. */
  readonly advice: string;
}

/** What a look at every page and every row has found. */
export interface StateCheck {
  readonly schema: number;
  /** False: an older release wrote it, and only its pages were looked at. */
  readonly isCurrent: boolean;
  readonly bytes: number;
  /** By table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

/** A complete, checked copy of the state in a file of its own. */
export interface Backup {
  readonly file: string;
  readonly at: Instant;
}

/** `former`: where the state file that was replaced is now; null = there was none. */
export interface Restored {
  readonly former: string | null;
}

/** The directory of backups. Every method rejects with a StorageError. */
export interface Backups {
  /** The newest first. */
  list(): Promise<readonly Backup[]>;
  /**
   * Makes the backup of this second, beside the work of a daemon, and drops those that are too many. Rejects with the
   * signal's reason when it aborts; then none was made.
   */
  make(at: Instant, signal: AbortSignal): Promise<Backup>;
}

/** What took the place of a state that was damaged at the start: a backup, or a state that remembers nothing. */
export type Recovery = 'restored' | 'lost';
