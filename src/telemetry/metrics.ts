import type { Clock } from '../lib/clock.ts';
import { createClusterMetrics, type ClusterMetrics } from './cluster-metrics.ts';
import { createDaemonMetrics, type DaemonMetrics, type ProcessFacts } from './daemon-metrics.ts';
import { createDeliveryMetrics, type DeliveryMetrics } from './delivery-metrics.ts';
import { createExplorerMetrics, type ExplorerMetrics } from './explorer-metrics.ts';
import { createHttpMetrics, type HttpMetrics } from './http-metrics.ts';
import { createMetricRegistry } from './metric-registry.ts';
import { createPlanMetrics, type PlanMetrics } from './plan-metrics.ts';
import { createOperatorMetrics, type OperatorMetrics } from './operator-metrics.ts';
import { createWatchMetrics, type WatchMetrics } from './watch-metrics.ts';

/**
 * One function for each counted event. None of them throws, and the program works without them. A folder takes only the
 * part that it needs, such as `Pick<ExplorerMetrics, 'request'>`. The metrics are listed in metric-table.ts.
 */
export interface Metrics
  extends
    ExplorerMetrics,
    PlanMetrics,
    WatchMetrics,
    DeliveryMetrics,
    DaemonMetrics,
    ClusterMetrics,
    HttpMetrics,
    OperatorMetrics {
  /** The text format 0.0.4, in UTF-8. Rendered at most once a second, and once for all concurrent requests. */
  text(): Promise<Buffer<ArrayBuffer>>;
}

export interface MetricsOptions {
  readonly clock: Clock;
  /** If left out, the `process_` metrics are absent. */
  readonly process?: ProcessFacts;
  /** The most series of one mirrored metric. Further series are left out and counted. */
  readonly mostSeries?: number;
}

// With 10,000 rules a scrape has 90,000 lines, written in turns of a few milliseconds.
const MOST_SERIES = 10_000;
const CACHED_MS = 1000;

export function createMetrics({ clock, process, mostSeries = MOST_SERIES }: MetricsOptions): Metrics {
  const registry = createMetricRegistry(mostSeries);
  return {
    ...createDaemonMetrics(registry, process),
    ...createClusterMetrics(registry),
    ...createExplorerMetrics(registry),
    ...createPlanMetrics(registry),
    ...createWatchMetrics(registry, clock),
    ...createDeliveryMetrics(registry),
    ...createHttpMetrics(registry),
    ...createOperatorMetrics(registry),
    text: onceASecond(clock, () => registry.text()),
  };
}

function onceASecond(clock: Clock, render: () => Promise<Buffer<ArrayBuffer>>): () => Promise<Buffer<ArrayBuffer>> {
  let inFlight: Promise<Buffer<ArrayBuffer>> | null = null;
  let last: { readonly at: number; readonly text: Buffer<ArrayBuffer> } | null = null;

  async function renderNow(): Promise<Buffer<ArrayBuffer>> {
    const at = clock.now();
    try {
      const text = await render();
      last = { at, text };
      return text;
    } finally {
      inFlight = null;
    }
  }

  return async () => {
    const ageMs = last === null ? Infinity : clock.now() - last.at;
    // A negative age means that the clock was set back: the last rendering may be of any age.
    if (last !== null && ageMs >= 0 && ageMs < CACHED_MS) return last.text;
    inFlight ??= renderNow();
    return inFlight;
  };
}
