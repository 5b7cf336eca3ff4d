// The loops that prune the state, measure its disk and make the daily backup.
import type { Config } from '../../config/model.ts';
import type { BackupHealth } from '../../engine/upkeep/backup-health.ts';
import { runDailyBackup } from '../../engine/upkeep/daily-backup.ts';
import { createDiskWatch } from '../../engine/upkeep/disk-watch.ts';
import { runHousekeeping } from '../../engine/upkeep/housekeeping.ts';
import type { Loop } from '../../engine/upkeep/supervisor.ts';
import type { Clock } from '../../lib/clock.ts';
import { measureDisk, type DiskUse } from '../../store/disk.ts';
import { openBackups } from '../../store/open.ts';
import type { Backups } from '../../store/contract/backups.ts';
import type { Store } from '../../store/contract/store.ts';
import type { DaemonMetrics } from '../../telemetry/daemon-metrics.ts';
import type { Log } from '../../telemetry/log.ts';

type StateSettings = Config['state'];

/** The state as a file on a disk. */
export interface StateFile {
  /** Null if the settings turn backups off. */
  backups(settings: StateSettings): Backups | null;
  /** Throws if the file system does not answer. */
  readonly measure: () => DiskUse;
}

/** The state file that was opened at the start. It stays in use even if a reload names another one. */
export function stateFileOf({ state }: Config): StateFile {
  return {
    backups: ({ backup }) => (backup.keep === 0 ? null : openBackups({ ...state, backup })),
    measure: () => measureDisk(state.file),
  };
}

export interface UpkeepOptions {
  readonly store: Store;
  /** Null if there is no file, as in a dry run. */
  readonly stateFile: StateFile | null;
  /** The settings in force; null until a config is in force. */
  readonly settings: () => StateSettings | null;
  readonly flush: () => Promise<void>;
  readonly isFull: () => boolean;
  readonly isPruner: () => boolean;
  readonly backupHealth: BackupHealth;
  /** Called after each check of the disk: with the number of free bytes if it is too low, with null otherwise. */
  readonly onDiskLow: (freeBytes: number | null) => void;
  readonly metrics: Pick<DaemonMetrics, 'backupMade' | 'backupFailed' | 'stateMeasured'>;
  readonly clock: Clock;
  readonly log: Log;
}

export function upkeepLoops(options: UpkeepOptions): Loop[] {
  const { stateFile } = options;
  const keepHouse = (lookAtDisk: () => void): Loop => ({
    name: 'housekeeping',
    run: (signal) => runHousekeeping({ ...options, lookAtDisk }, signal),
  });
  if (stateFile === null) return [keepHouse(() => undefined)];
  return [keepHouse(diskWatch(stateFile, options)), backupLoop(stateFile, options)];
}

function diskWatch(stateFile: StateFile, { settings, metrics, onDiskLow, log }: UpkeepOptions): () => void {
  return createDiskWatch({
    measure: stateFile.measure,
    maxBytes: () => settings()?.maxBytes ?? 0,
    onMeasured: (use) => {
      metrics.stateMeasured(use);
    },
    onLow: onDiskLow,
    log,
  });
}

function backupLoop(stateFile: StateFile, { settings, backupHealth, metrics, clock, log }: UpkeepOptions): Loop {
  const options = {
    health: backupHealth,
    backups: (): Backups | null => {
      const current = settings();
      return current === null ? null : stateFile.backups(current);
    },
    onBackup: (at: number) => {
      metrics.backupMade(at);
    },
    onFailed: () => {
      metrics.backupFailed();
    },
    clock,
    log,
  };
  return { name: 'backup', run: (signal) => runDailyBackup(options, signal) };
}
