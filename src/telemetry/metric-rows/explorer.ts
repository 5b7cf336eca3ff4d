// Metrics of the explorers.
import type { MetricRow } from './row.ts';

export const EXPLORER_METRICS = {
  chainwarden_explorer_credits_remaining: {
    type: 'gauge',
    help: 'Credits left in the plan, as the explorer last reported; absent when it does not report them.',
    labels: ['explorer'],
  },
  chainwarden_explorer_credits_spent_total: {
    type: 'counter',
    help: 'Credits that the requests of the daemon cost, by the class of the request: first pages by the severity of the watch, further pages, known rows read again, probes. If several explorers share a plan, this series and the following ones have the name of the first explorer of the plan.',
    labels: ['explorer', 'class'],
  },
  chainwarden_explorer_credits_foreign_total: {
    type: 'counter',
    help: 'Credits that other programs spent with the same key.',
    labels: ['explorer'],
  },
  chainwarden_explorer_credits_planned_per_day: {
    type: 'gauge',
    help: 'Credits that requests cost in a day at the intervals in force, with further pages and retries.',
    labels: ['explorer'],
  },
  chainwarden_explorer_credits_at_reset: {
    type: 'gauge',
    help: 'Credits that will be left at the reset of the plan, computed from the planned requests and the expected spending of other programs; a negative value is the number of missing credits.',
    labels: ['explorer'],
  },
  chainwarden_explorer_credits_reset_timestamp_seconds: {
    type: 'gauge',
    help: 'Time at which the credits of the plan are refilled.',
    labels: ['explorer'],
  },
  chainwarden_explorer_stretch: {
    type: 'gauge',
    help: 'Factor by which the intervals of watches are longer so that the plan lasts, by their highest severity; 1: as they are written.',
    labels: ['explorer', 'severity'],
  },
  chainwarden_explorer_postponed_total: {
    type: 'counter',
    help: 'Polls that were put off by a minute, so that the credits suffice for critical watches.',
    labels: ['explorer', 'severity'],
  },
  chainwarden_explorer_ratelimit_limit: {
    type: 'gauge',
    help: 'Requests allowed in one window of the rate limit, as the explorer last reported.',
    labels: ['explorer'],
  },
  chainwarden_explorer_ratelimit_remaining: {
    type: 'gauge',
    help: 'Requests left in the present window of the rate limit, as the explorer last reported.',
    labels: ['explorer'],
  },
  chainwarden_explorer_ratelimit_reset_seconds: {
    type: 'gauge',
    help: 'Time until the window of the rate limit ends, as the explorer last reported.',
    labels: ['explorer'],
  },
  chainwarden_explorer_refused_until_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the next request to an explorer that refuses requests because credits or a key are missing; absent while it does not refuse.',
    labels: ['explorer', 'reason', 'doubted'],
  },
  chainwarden_explorer_requests_total: {
    type: 'counter',
    help: 'Requests sent to the explorer, by outcome: ok, or the reason why there was no usable answer.',
    labels: ['explorer', 'operation', 'outcome'],
  },
  chainwarden_explorer_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from sending a request until the last byte of its answer, failed requests included.',
    labels: ['explorer', 'operation'],
    // Healthy explorers answer within 50 ms to 1 s. The client's limits are 10 s (to the headers) and 30 s (to the last
    // byte).
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
  chainwarden_explorer_unknown_fields_total: {
    type: 'counter',
    help: 'Fields in answers that this release does not know, by the record they were found in; of lists one page an hour.',
    labels: ['explorer', 'record'],
  },
  chainwarden_explorer_head_height: {
    type: 'gauge',
    help: 'Height of the newest block that was read.',
    labels: ['explorer'],
  },
  chainwarden_explorer_head_timestamp_seconds: {
    type: 'gauge',
    help: 'Time of the newest block that was read.',
    labels: ['explorer'],
  },
  chainwarden_explorer_other_chain: {
    type: 'gauge',
    help: 'The value is 1 while the explorer shows another chain than before, so that its watches see nothing; else 0. Checked daily.',
    labels: ['explorer'],
  },
  chainwarden_explorer_forks: {
    type: 'gauge',
    help: 'The value is 1 while replicas of the explorer show different forks in turn: within the last ten pages, replaced blocks appeared again twice; else 0.',
    labels: ['explorer'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
