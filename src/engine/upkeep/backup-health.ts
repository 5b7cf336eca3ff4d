// The results of the daily backups since the start of the process.
import type { Clock, Instant } from '../../lib/clock.ts';

/** The reason why there is no backup of today; null while there is one. */
export type BackupTrouble =
  | { readonly type: 'failed'; readonly since: Instant; readonly why: string }
  /** For two days no backup has succeeded and none has failed: probably one hangs. */
  | { readonly type: 'old'; readonly since: Instant };

export interface BackupHealth {
  /** Call this at the start: backups are expected from now on. */
  begin(): void;
  /** Call this when there is a backup younger than a day, or none is wanted. */
  well(): void;
  failed(error: unknown): void;
  trouble(): BackupTrouble | null;
  /** True before the first check since the start. */
  isUnknown(): boolean;
}

const OLD_MS = 2 * 86_400_000;

export function createBackupHealth(clock: Pick<Clock, 'now' | 'monotonic'>): BackupHealth {
  let wellAt: { readonly wall: Instant; readonly steady: number } | null = null;
  let failure: Extract<BackupTrouble, { type: 'failed' }> | null = null;
  let isUnknown = true;

  const present = () => ({ wall: clock.now(), steady: clock.monotonic() });

  return {
    begin() {
      wellAt ??= present();
    },
    well() {
      wellAt = present();
      failure = null;
      isUnknown = false;
    },
    failed(error) {
      const why = error instanceof Error ? error.message : String(error);
      failure = { type: 'failed', since: failure?.since ?? clock.now(), why };
      isUnknown = false;
    },
    trouble() {
      if (failure !== null) return failure;
      if (wellAt === null || clock.monotonic() - wellAt.steady <= OLD_MS) return null;
      return { type: 'old', since: wellAt.wall };
    },
    isUnknown: () => isUnknown,
  };
}
