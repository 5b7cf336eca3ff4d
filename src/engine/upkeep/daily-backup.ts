// Copies the state once a day, and checks the copy. The time of the last backup is read from the directory of backups,
// so that a restart makes no backup too many or too few.
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Backups } from '../../store/contract/backups.ts';
import type { Log } from '../../telemetry/log.ts';
import type { BackupHealth } from './backup-health.ts';

export interface DailyBackupOptions {
  /** The backups by the config in force; null: no backups are wanted. */
  readonly backups: () => Backups | null;
  readonly onBackup: (at: Instant) => void;
  readonly onFailed: () => void;
  readonly health: Pick<BackupHealth, 'begin' | 'well' | 'failed'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The first check comes after the first polls of a daemon that has just started. */
const LOOK_MS = 600_000;
const DAY_MS = 86_400_000;

/** Runs until the signal aborts. A failed backup is tried again ten minutes later, and logged once per cause. */
export async function runDailyBackup(options: DailyBackupOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, onFailed, health } = options;
  let lastFailure: string | null = null;

  async function look(): Promise<void> {
    try {
      const file = await backUpWhenDue(options, signal);
      health.well();
      if (file === null) return;
      log.info('storage:backed-up', { file });
      lastFailure = null;
    } catch (error) {
      if (signal.aborted) return;
      onFailed();
      health.failed(error);
      const effect =
        'a damaged state file can be restored only to an older day; the backup is tried again in 10 minutes';
      if (lastFailure !== String(error)) log.error('storage:backup-failed', { error, effect });
      lastFailure = String(error);
    }
  }

  health.begin();
  for (;;) {
    await clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return;
    await look();
  }
}

/** Returns the file of the backup; null: none was due. */
async function backUpWhenDue(
  { backups: current, clock, onBackup }: DailyBackupOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const backups = current();
  if (backups === null) return null;
  const now = clock.now();
  const nearest = nearestTo(now, await backups.list());
  if (nearest !== null) onBackup(nearest);
  if (nearest !== null && Math.abs(now - nearest) < DAY_MS) return null;
  const { file, at } = await backups.make(now, signal);
  onBackup(at);
  return file;
}

/** A backup with a future time, after the clock was set back, does not count as today's. */
function nearestTo(now: Instant, made: readonly { readonly at: Instant }[]): Instant | null {
  const instants = made.map(({ at }) => at);
  return instants.reduce<Instant | null>(
    (nearest, at) => (nearest === null || Math.abs(now - at) < Math.abs(now - nearest) ? at : nearest),
    null,
  );
}
