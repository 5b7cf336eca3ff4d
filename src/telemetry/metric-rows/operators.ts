// Metrics of alerts that wait for people, and of decisions of operators.
import type { MetricRow } from './row.ts';

export const OPERATOR_METRICS = {
  chainwarden_alerts_unacknowledged: {
    type: 'gauge',
    help: 'Open alerts that are neither acknowledged nor held back: conditions, and events that have to be acknowledged, all of a rule as one.',
    labels: ['severity'],
  },
  chainwarden_silences: {
    type: 'gauge',
    help: 'Silences that are active or scheduled; ending-while-firing ends within 15 minutes while an alert that it holds back fires.',
    labels: ['state'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;
