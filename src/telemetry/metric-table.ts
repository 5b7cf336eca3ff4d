// All metrics. Labels contain names from the configuration or words of fixed lists, never text from the chain, and
// never an address unless the rule's author wrote one: the number of series is bounded by the configuration. An unknown
// value is absent: it is not exported as -1 or 0. Times are exported as timestamps, not as ages, so that they stay
// right even if nothing updates them.
import { CLUSTER_METRICS } from './metric-rows/cluster.ts';
import { DAEMON_METRICS } from './metric-rows/daemon.ts';
import { DELIVERY_METRICS } from './metric-rows/delivery.ts';
import { EXPLORER_METRICS } from './metric-rows/explorer.ts';
import { HTTP_METRICS } from './metric-rows/http.ts';
import { OPERATOR_METRICS } from './metric-rows/operators.ts';
import type { MetricRow } from './metric-rows/row.ts';
import { WATCH_METRICS } from './metric-rows/watch.ts';

export const METRICS = {
  ...EXPLORER_METRICS,
  ...WATCH_METRICS,
  ...OPERATOR_METRICS,
  ...DELIVERY_METRICS,
  ...DAEMON_METRICS,
  ...CLUSTER_METRICS,
  ...HTTP_METRICS,
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;
export type LabelOf<N extends MetricName> = (typeof METRICS)[N]['labels'][number];
/** Names of one type: `MetricNameOf<'gauge'>`. */
export type MetricNameOf<T extends MetricRow['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
