// Metrics of the daemon and its process.
import type { MetricRow } from './row.ts';

/** The loops that a supervisor keeps running. */
export const LOOPS = [
  'scheduler',
  'spending',
  'dispatcher',
  'sender',
  'mirror',
  'acknowledgements',
  'reloader',
  'retirement',
  'housekeeping',
  'blind-report',
  'health',
  'backup',
  'journal',
  'pause-report',
  'self-alerts',
  'operators',
  'heartbeat',
  'daily-report',
  'reports',
  'recorder',
  'replicas',
  'outvoted',
] as const;

export const DAEMON_METRICS = {
  chainwarden_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say which release runs, on which Node and with which SQLite.',
    labels: ['version', 'node', 'sqlite'],
  },
  chainwarden_scheduler_lag_seconds: {
    type: 'histogram',
    help: 'Time from the due time of a tick until it was started.',
    labels: [],
    // The usual lag is milliseconds; up to a quarter of a second has no effect; a minute is an incident.
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60],
  },
  chainwarden_scheduler_skipped_total: {
    type: 'counter',
    help: 'Ticks that were skipped because the watch was still being polled.',
    labels: ['watch'],
  },
  chainwarden_memory_recalls_total: {
    type: 'counter',
    help: 'Times the memory of a watch was read again, because the state held another one (superseded) or refused a commit (rejected).',
    labels: ['cause'],
  },
  chainwarden_config_last_reload_successful: {
    type: 'gauge',
    help: 'The value is 1 if the config and the rules were accepted when they were last read, 0 if the former ones were kept.',
    labels: [],
  },
  chainwarden_config_last_reload_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the config and the rules that are in force were accepted.',
    labels: [],
  },
  chainwarden_log_dropped_total: {
    type: 'counter',
    help: 'Log lines that were lost because standard output was not read.',
    labels: [],
  },
  chainwarden_recording_failures_total: {
    type: 'counter',
    help: 'Writings to the recording that failed; alerts do not wait for them.',
    labels: [],
  },
  chainwarden_state_bytes: {
    type: 'gauge',
    help: "Size of the state file, and of SQLite's log beside it (part: file, log).",
    labels: ['part'],
  },
  chainwarden_state_disk_free_bytes: {
    type: 'gauge',
    help: 'Free space on the disk of the state file.',
    labels: [],
  },
  chainwarden_backup_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the newest backup of the state file was made and checked; absent while none is known.',
    labels: [],
  },
  chainwarden_backup_failures_total: {
    type: 'counter',
    help: 'Daily backups of the state file that could not be made; each is tried again after ten minutes.',
    labels: [],
  },
  chainwarden_storage_writable: {
    type: 'gauge',
    help: 'The value is 1 if the last write to the state was kept, 0 if not.',
    labels: [],
  },
  chainwarden_heartbeats_total: {
    type: 'counter',
    help: 'Heartbeats that were due: sent, not-taken (the service did not accept it) or withheld (the daemon could not have sent an alert if something was wrong).',
    labels: ['outcome'],
  },
  chainwarden_heartbeat_last_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the service outside last accepted a heartbeat; absent before the first one.',
    labels: [],
  },
  chainwarden_loop_restarts_total: {
    type: 'counter',
    help: `Loops of the daemon that failed and were started again: ${LOOPS.slice(0, -1).join(', ')} or ${LOOPS.at(-1)}.`,
    labels: ['loop'],
  },
  chainwarden_loops_failing: {
    type: 'gauge',
    help: 'Loops of the daemon that failed three times in a row or more, the last time within ten minutes.',
    labels: ['loop'],
  },
  chainwarden_uncaught_network_errors_total: {
    type: 'counter',
    help: 'Network errors that no part of the daemon was listening for; the daemon went on.',
    labels: [],
  },
  chainwarden_series_left_out: {
    type: 'gauge',
    help: 'Series of a metric that are not exported, because it has reached its limit of series.',
    labels: ['metric'],
  },
  // Metrics of the process that dashboards expect under these names.
  process_cpu_seconds_total: {
    type: 'counter',
    help: 'User and system CPU time spent.',
    labels: [],
  },
  process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory.',
    labels: [],
  },
  process_start_time_seconds: {
    type: 'gauge',
    help: 'Time at which the process started.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
