// Every metric there is. Labels hold names from the configuration or words of fixed lists, never text from the chain
// and never an address unless the rule's author wrote one: the number of series is bounded by the configuration.
// A value that is not known is absent: no -1, no 0 in its place. Times are exported as timestamps, not as ages, so
// that they cannot lie when nothing moves any more.
import { DATA_STATES, type ConditionState, type EventState } from '../core/model/memory.ts';

export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  readonly buckets?: readonly number[];
  /** A state set: one series for each of these values of the label `state`, 1 or 0. */
  readonly states?: readonly string[];
}

/** Of a condition or of an event; `open`: an event whose condition is still unknown. */
export type AlertState = ConditionState['state'] | EventState['state'] | 'open';

const ALERT_STATES: Readonly<Record<AlertState, string>> = {
  inactive: 'condition false',
  pending: 'true, waits for `for`',
  firing: 'true',
  recovering: 'false, waits for `keep_firing_for`',
  open: 'event whose condition is unknown',
  observed: 'event that waits for its confirmations',
  confirmed: 'told',
  suspect: 'told, missing from the last reading',
  retracted: 'told and taken back',
  dropped: 'gone before it was told',
};

function explained(meaningByState: Readonly<Record<string, string>>): string {
  return Object.entries(meaningByState)
    .map(([state, meaning]) => `${state} (${meaning})`)
    .join(', ');
}

export const METRICS = {
  chainwarden_build_info: {
    type: 'gauge',
    help: 'Always 1; the labels say which release runs, on which Node and with which SQLite.',
    labels: ['version', 'node', 'sqlite'],
  },

  chainwarden_explorer_credits_remaining: {
    type: 'gauge',
    help: 'Credits left in the plan, as the explorer last said; absent when it does not say.',
    labels: ['explorer'],
  },
  chainwarden_explorer_ratelimit_limit: {
    type: 'gauge',
    help: 'Requests allowed in one window of the rate limit, as the explorer last said.',
    labels: ['explorer'],
  },
  chainwarden_explorer_ratelimit_remaining: {
    type: 'gauge',
    help: 'Requests left in the present window of the rate limit, as the explorer last said.',
    labels: ['explorer'],
  },
  chainwarden_explorer_ratelimit_reset_seconds: {
    type: 'gauge',
    help: 'Time until the window of the rate limit ends, as the explorer last said.',
    labels: ['explorer'],
  },
  chainwarden_explorer_refused_until_timestamp_seconds: {
    type: 'gauge',
    help: 'When an explorer that refuses for want of credits or of a key is asked next; absent while it does not refuse.',
    labels: ['explorer', 'reason', 'doubted'],
  },
  chainwarden_explorer_requests_total: {
    type: 'counter',
    help: 'Requests sent to the explorer, by how they ended: ok, or why there was no usable answer.',
    labels: ['explorer', 'operation', 'outcome'],
  },
  chainwarden_explorer_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from sending a request until the last byte of its answer, failed requests included.',
    labels: ['explorer', 'operation'],
    // Healthy explorers answer within 50 ms to 1 s; 10 s (to the headers) and 30 s (to the last byte) are our limits.
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  chainwarden_explorer_unknown_fields_total: {
    type: 'counter',
    help: 'Fields in answers that this release does not know, by the record they were found in.',
    labels: ['explorer', 'record'],
  },
  chainwarden_explorer_head_height: {
    type: 'gauge',
    help: 'Height of the newest block that was read.',
    labels: ['explorer'],
  },
  chainwarden_explorer_head_timestamp_seconds: {
    type: 'gauge',
    help: 'When the newest block that was read was made.',
    labels: ['explorer'],
  },

  chainwarden_explorer_forks: {
    type: 'gauge',
    help: 'Whether replicas of the explorer show different forks in turn (1): blocks that were replaced came back twice in the last ten pages.',
    labels: ['explorer'],
  },

  chainwarden_watch_up: {
    type: 'gauge',
    help: 'Whether the last poll of the watch got a usable answer (1) or not (0).',
    labels: ['watch', 'of'],
  },
  chainwarden_watch_polls_total: {
    type: 'counter',
    help: 'Polls of the watch, by how they ended.',
    labels: ['watch', 'outcome'],
  },
  chainwarden_watch_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When a poll of the watch last got a usable answer, complete or partial.',
    labels: ['watch', 'of'],
  },
  chainwarden_watch_data_state: {
    type: 'gauge',
    help: `Whether the last poll left the data of the watch in this state (1) or not (0): ${DATA_STATES.join(', ')}.`,
    labels: ['watch', 'of', 'state'],
    states: DATA_STATES,
  },
  chainwarden_watch_blind: {
    type: 'gauge',
    help: 'Watches without data that is ok for max(3 polls, 5 minutes), with the reason; absent while a watch is not blind.',
    labels: ['watch', 'of', 'explorer', 'reason'],
  },
  chainwarden_watch_value: {
    type: 'gauge',
    help: 'The watched value in whole units, as a double; absent when not confirmed for a while; `token` of a native coin is its symbol.',
    labels: ['watch', 'of', 'token', 'field'],
  },
  chainwarden_watch_undecided_total: {
    type: 'counter',
    help: 'Items that left the pages that are read while the condition of an alert on them was still unknown.',
    labels: ['watch'],
  },
  chainwarden_watch_unfollowed_total: {
    type: 'counter',
    help: 'Events that were told and are no longer checked, because 1,000 newer ones of their alert are.',
    labels: ['watch'],
  },
  chainwarden_watch_not_examined_total: {
    type: 'counter',
    help: 'Polls that reached the limit of pages before they had read everything that was new.',
    labels: ['watch'],
  },

  chainwarden_alerts: {
    type: 'gauge',
    help: `Alerts by state: ${explained(ALERT_STATES)}.`,
    labels: ['watch', 'alert', 'severity', 'state'],
  },
  chainwarden_rule_health: {
    type: 'gauge',
    help: 'Watches whose alert is never-evaluated, never-true, always-true or unknown-too-long; absent when well.',
    labels: ['watch', 'alert', 'health'],
  },

  chainwarden_deliveries_total: {
    type: 'counter',
    help: 'Tries to send a delivery, by outcome: sent, again, rejected or unknown.',
    labels: ['channel', 'outcome'],
  },
  chainwarden_deliveries_dead_total: {
    type: 'counter',
    help: 'Deliveries that were given up: rejected, or not accepted before the give-up time.',
    labels: ['channel'],
  },
  chainwarden_outbox_rows: {
    type: 'gauge',
    help: 'Deliveries that are owed: due or being sent.',
    labels: ['channel'],
  },
  chainwarden_outbox_oldest_timestamp_seconds: {
    type: 'gauge',
    help: 'Since when the oldest owed delivery has been owed; absent when nothing is.',
    labels: ['channel'],
  },

  chainwarden_scheduler_lag_seconds: {
    type: 'histogram',
    help: 'How long after its due time a tick was started.',
    labels: [],
    // A quiet daemon is late by milliseconds; a quarter of a second is what nobody notices, a minute is an incident.
    buckets: [0.01, 0.05, 0.25, 1, 5, 15, 60],
  },
  chainwarden_scheduler_skipped_total: {
    type: 'counter',
    help: 'Ticks that were skipped because the watch was still being polled.',
    labels: ['watch'],
  },
  chainwarden_memory_recalls_total: {
    type: 'counter',
    help: 'Times the memory of a watch was read again, because the state file held another one (superseded) or refused a commit (rejected).',
    labels: ['cause'],
  },

  chainwarden_config_last_reload_successful: {
    type: 'gauge',
    help: 'Whether the last reading of the config and the rules was accepted (1) or the former ones were kept (0).',
    labels: [],
  },
  chainwarden_config_last_reload_success_timestamp_seconds: {
    type: 'gauge',
    help: 'When the config and the rules that are in force were accepted.',
    labels: [],
  },

  chainwarden_http_rejected_total: {
    type: 'counter',
    help: 'Connections and requests that the web server refused: too many sockets, or a foreign host name.',
    labels: ['reason'],
  },
  chainwarden_log_dropped_total: {
    type: 'counter',
    help: 'Log lines that were lost because nobody took them.',
    labels: [],
  },
  chainwarden_recording_failures_total: {
    type: 'counter',
    help: 'Writings to the recording that failed; alerts do not wait for them.',
    labels: [],
  },
  chainwarden_loop_restarts_total: {
    type: 'counter',
    help: 'Loops of the daemon that failed and were started again: scheduler, sender, reloader, retirement, housekeeping or recorder.',
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

  // The three facts about the process that every dashboard asks for, under the names that they expect.
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
    help: 'When the process started.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
export type LabelOf<N extends MetricName> = (typeof METRICS)[N]['labels'][number];
/** Names of one type: `NameOf<'gauge'>`. */
export type NameOf<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
