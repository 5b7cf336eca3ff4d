import type { Instant } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';
import { LOOPS } from './metric-rows/daemon.ts';

/** Metrics of the process, read by cli/terminal.ts. */
export interface ProcessFacts {
  readonly startedAt: Instant;
  cpuSeconds(): number;
  residentBytes(): number;
}

/**
 * `not-taken`: the service did not accept the heartbeat. `withheld`: the daemon could not have sent an alert, so it did
 * not report that it works.
 */
export const BEAT_OUTCOMES = ['sent', 'not-taken', 'withheld'] as const;
export type BeatOutcome = (typeof BEAT_OUTCOMES)[number];

export type LoopName = (typeof LOOPS)[number];

export interface DaemonMetrics {
  buildInfo(build: { readonly version: string; readonly node: string; readonly sqlite: string }): void;
  schedulerLag(seconds: number): void;
  /** Whether config and rules were accepted, at the start or at a reload. */
  reload(accepted: boolean, at: Instant): void;
  logDropped(lines: number): void;
  recordingFailed(): void;
  /** The time of the newest backup of the state. */
  backupMade(at: Instant): void;
  backupFailed(): void;
  stateMeasured(use: { readonly fileBytes: number; readonly logBytes: number; readonly freeBytes: number }): void;
  /** The memory of a watch was read again because a commit was not stored. */
  memoryRecalled(cause: 'superseded' | 'rejected'): void;
  /** A loop failed and was restarted. */
  loopRestarted(loop: LoopName): void;
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. It returns the names of the loops that
   * fail again and again.
   */
  mirrorFailing(read: () => Iterable<LoopName>): void;
  /** Counts a heartbeat that was due. */
  beat(outcome: BeatOutcome, at: Instant): void;
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. It returns true if the last write to
   * the state succeeded.
   */
  mirrorStorage(read: () => boolean): void;
  /** A network error without a listener, after which the daemon continued. */
  networkErrorUncaught(): void;
}

export function createDaemonMetrics(registry: MetricRegistry, process: ProcessFacts | undefined): DaemonMetrics {
  const build = registry.gauge('chainwarden_build_info');
  const lag = registry.histogram('chainwarden_scheduler_lag_seconds');
  const reloadSuccessful = registry.gauge('chainwarden_config_last_reload_successful');
  const reloadTimestamp = registry.gauge('chainwarden_config_last_reload_success_timestamp_seconds');
  const dropped = registry.counter('chainwarden_log_dropped_total');
  const recordingFailures = registry.counter('chainwarden_recording_failures_total');
  const backupTimestamp = registry.gauge('chainwarden_backup_last_success_timestamp_seconds');
  const stateBytes = registry.gauge('chainwarden_state_bytes');
  const freeBytes = registry.gauge('chainwarden_state_disk_free_bytes');
  const backupFailures = registry.counter('chainwarden_backup_failures_total');
  const recalls = registry.counter('chainwarden_memory_recalls_total');
  const restarts = registry.counter('chainwarden_loop_restarts_total');
  const beats = registry.counter('chainwarden_heartbeats_total');
  const beatTimestamp = registry.gauge('chainwarden_heartbeat_last_timestamp_seconds');
  const uncaught = registry.counter('chainwarden_uncaught_network_errors_total');
  let isWritable: (() => boolean) | null = null;
  registry.mirror('chainwarden_storage_writable', () => (isWritable === null ? [] : [[{}, isWritable() ? 1 : 0]]));
  let readFailing: () => Iterable<LoopName> = () => [];
  registry.mirror('chainwarden_loops_failing', () => {
    const failing = [...readFailing()];
    return LOOPS.map((loop) => [{ loop }, failing.filter((name) => name === loop).length] as const);
  });
  // The counters start at zero, so that the first failure is an increase.
  for (const loop of LOOPS) restarts.inc({ loop }, 0);
  for (const outcome of BEAT_OUTCOMES) beats.inc({ outcome }, 0);
  for (const cause of ['superseded', 'rejected']) recalls.inc({ cause }, 0);
  if (process !== undefined) mirrorProcess(registry, process);

  return {
    buildInfo({ version, node, sqlite }) {
      build.set({ version, node, sqlite }, 1);
    },
    schedulerLag(seconds) {
      // After a clock was set back, a tick is early. Then the lag counts as zero.
      lag.observe(Math.max(0, seconds));
    },
    reload(accepted, at) {
      reloadSuccessful.set(accepted ? 1 : 0);
      if (accepted) reloadTimestamp.set(at / 1000);
    },
    logDropped(lines) {
      dropped.inc(lines);
    },
    memoryRecalled(cause) {
      recalls.inc({ cause });
    },
    recordingFailed() {
      recordingFailures.inc();
    },
    backupMade(at) {
      backupTimestamp.set(at / 1000);
    },
    stateMeasured({ fileBytes, logBytes, freeBytes: free }) {
      stateBytes.set({ part: 'file' }, fileBytes);
      stateBytes.set({ part: 'log' }, logBytes);
      freeBytes.set(free);
    },
    backupFailed() {
      backupFailures.inc();
    },
    loopRestarted(loop) {
      restarts.inc({ loop });
    },
    mirrorFailing(read) {
      readFailing = read;
    },
    beat(outcome, at) {
      beats.inc({ outcome });
      if (outcome === 'sent') beatTimestamp.set(at / 1000);
    },
    mirrorStorage(read) {
      isWritable = read;
    },
    networkErrorUncaught() {
      uncaught.inc();
    },
  };
}

function mirrorProcess(registry: MetricRegistry, process: ProcessFacts): void {
  registry.mirror('process_cpu_seconds_total', () => [[{}, process.cpuSeconds()]]);
  registry.mirror('process_resident_memory_bytes', () => [[{}, process.residentBytes()]]);
  registry.mirror('process_start_time_seconds', () => [[{}, process.startedAt / 1000]]);
}
