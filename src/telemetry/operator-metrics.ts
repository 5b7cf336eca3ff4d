import type { MetricRegistry } from './metric-registry.ts';

/** The values of each gauge, by its label. */
export interface OperatorGauges {
  readonly unacknowledged: ReadonlyMap<string, number>;
  readonly silences: ReadonlyMap<string, number>;
}

export interface OperatorMetrics {
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. If it rejects, the series are absent
   * from that scrape.
   */
  mirrorOperators(read: () => Promise<OperatorGauges>): void;
}

export function createOperatorMetrics(registry: MetricRegistry): OperatorMetrics {
  let read: (() => Promise<OperatorGauges>) | null = null;
  // The numbers of the present scrape: read once, used by two metrics.
  let now: OperatorGauges | null = null;
  registry.mirror('chainwarden_alerts_unacknowledged', async () => {
    now = (await read?.().catch(() => null)) ?? null;
    return [...(now?.unacknowledged ?? [])].map(([severity, count]) => [{ severity }, count]);
  });
  registry.mirror('chainwarden_silences', () => [...(now?.silences ?? [])].map(([state, count]) => [{ state }, count]));
  return {
    mirrorOperators(next) {
      read = next;
    },
  };
}
