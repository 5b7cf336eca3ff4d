// Copies of the state, and the result of checking a state file.
import type { Instant } from '../../lib/clock.ts';

/** A damage, and the advice about it. */
export interface Finding {
  readonly what: string;
  /** Empty if `what` says it. */
  readonly advice: string;
}

/** The result of checking each page and each row. */
export interface StateCheck {
  readonly schema: number;
  /** False: an older release wrote it, and only its pages were checked. */
  readonly isCurrent: boolean;
  readonly bytes: number;
  /** By table. */
  readonly rows: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

/** A complete, checked copy of the state in its own file. */
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
   * Makes the backup of this second while a daemon may run, and removes the oldest above the limit. Rejects with the
   * signal's reason when it aborts; then no backup was made.
   */
  make(at: Instant, signal: AbortSignal): Promise<Backup>;
}

/** The replacement of a state that was damaged at the start: a backup, or an empty state. */
export type Recovery = 'restored' | 'lost';
