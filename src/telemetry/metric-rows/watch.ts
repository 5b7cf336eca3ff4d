// Metrics of watches, alerts and rules.
import { DATA_STATES, type ConditionState, type EventState } from '../../core/model/memory.ts';
import type { MetricRow } from './row.ts';

/** The state of a condition or of an event; `open`: an event whose condition is still unknown. */
export type AlertState = ConditionState['state'] | EventState['state'] | 'open';

const ALERT_STATES: Readonly<Record<AlertState, string>> = {
  inactive: 'condition false',
  pending: 'true, waits for `for`',
  firing: 'true',
  recovering: 'false, waits for `keep_firing_for`',
  open: 'event whose condition is unknown',
  observed: 'event that waits for its confirmations',
  confirmed: 'sent',
  suspect: 'sent, missing from the last reading',
  retracted: 'sent and retracted',
  dropped: 'gone before it was sent',
};

function explained(meaningByState: Readonly<Record<string, string>>): string {
  return Object.entries(meaningByState)
    .map(([state, meaning]) => `${state} (${meaning})`)
    .join(', ');
}

export const WATCH_METRICS = {
  chainwarden_watch_up: {
    type: 'gauge',
    help: 'The value is 1 if the last poll of the watch got a usable answer, 0 if not.',
    labels: ['watch', 'of'],
  },
  chainwarden_watch_polls_total: {
    type: 'counter',
    help: 'Polls of the watch, by how they ended.',
    labels: ['watch', 'outcome'],
  },
  chainwarden_watch_last_success_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which a poll of the watch last got a usable answer, complete or partial; in whole seconds.',
    labels: ['watch', 'of'],
  },
  chainwarden_watch_data_state: {
    type: 'gauge',
    help: `Watches whose last poll left their data in this state: ${DATA_STATES.join(', ')}; absent for every other state.`,
    labels: ['watch', 'of', 'state'],
  },
  chainwarden_watch_blind: {
    type: 'gauge',
    help: 'Watches without data that is ok at three due times and for blind_after, with the reason; absent while a watch is not blind.',
    labels: ['watch', 'of', 'explorer', 'reason'],
  },
  chainwarden_watch_value: {
    type: 'gauge',
    help: 'The watched value in whole units, as a double; absent when not confirmed for a while; `token` of a native coin is its symbol, and empty for the kinds holdings and read.',
    labels: ['watch', 'of', 'token', 'field'],
  },
  chainwarden_watch_undecided_total: {
    type: 'counter',
    help: 'Items that were read no more (in lists that are swept: for 7 hours) while the condition of an alert on them was unknown.',
    labels: ['watch'],
  },
  chainwarden_watch_not_judged_total: {
    type: 'counter',
    help: 'Items that left the pages that are read before a poll had enough steps for the conditions of an alert on them.',
    labels: ['watch'],
  },
  chainwarden_watch_unfollowed_total: {
    type: 'counter',
    help: 'Events that were sent and are no longer checked, because 1,000 newer ones of their alert are.',
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
} as const satisfies Readonly<Record<string, MetricRow>>;
