// Metrics of deliveries and the outbox.
import type { MetricRow } from './row.ts';

export const DELIVERY_METRICS = {
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
    help: 'Time since when the oldest owed delivery has been owed; absent when nothing is owed.',
    labels: ['channel'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
