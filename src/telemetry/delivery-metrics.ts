import type { Outcome } from '../core/model/delivery.ts';
import type { Instant } from '../lib/clock.ts';
import type { MetricRegistry } from './metric-registry.ts';

interface OutboxCount {
  readonly channel: string;
  readonly rows: number;
  readonly oldest: Instant | null;
}

export interface DeliveryMetrics {
  /** Starts the channel's counters at zero, so that the first failure is an increase. */
  channelOpened(channel: string): void;
  delivery(delivery: { readonly channel: string; readonly outcome: Outcome['type'] }): void;
  deliveryDead(channel: string): void;
  /**
   * Sets the function that is called on each scrape; it replaces an earlier one. If it rejects, the series are absent
   * from that scrape.
   */
  mirrorOutbox(count: () => Promise<readonly OutboxCount[]>): void;
}

const OUTCOMES: readonly Outcome['type'][] = ['sent', 'again', 'rejected', 'unknown'];

export function createDeliveryMetrics(registry: MetricRegistry): DeliveryMetrics {
  const deliveries = registry.counter('chainwarden_deliveries_total');
  const dead = registry.counter('chainwarden_deliveries_dead_total');
  const opened = new Set<string>();
  // The counts of the current scrape: read once, used by two metrics.
  let owed: readonly OutboxCount[] | null = null;
  let countOutbox: () => Promise<readonly OutboxCount[]> = () => Promise.resolve([]);

  registry.mirror('chainwarden_outbox_rows', async () => {
    owed = await countOutbox().catch(() => null);
    return owed === null ? [] : rowsOf(owed, opened);
  });
  registry.mirror('chainwarden_outbox_oldest_timestamp_seconds', () => oldestOf(owed ?? []));

  return {
    channelOpened(channel) {
      opened.add(channel);
      for (const outcome of OUTCOMES) deliveries.inc({ channel, outcome }, 0);
      dead.inc({ channel }, 0);
    },
    delivery({ channel, outcome }) {
      deliveries.inc({ channel, outcome });
    },
    deliveryDead(channel) {
      dead.inc({ channel });
    },
    mirrorOutbox(count) {
      countOutbox = count;
    },
  };
}

/** A channel without pending deliveries exports 0; it is not absent. */
function rowsOf(owed: readonly OutboxCount[], opened: ReadonlySet<string>): [{ channel: string }, number][] {
  const rowsByChannel = new Map([...opened].map((channel) => [channel, 0]));
  for (const { channel, rows } of owed) rowsByChannel.set(channel, rows);
  return [...rowsByChannel].map(([channel, rows]) => [{ channel }, rows]);
}

function oldestOf(owed: readonly OutboxCount[]): [{ channel: string }, number][] {
  return owed.flatMap(({ channel, oldest }) => (oldest === null ? [] : [[{ channel }, oldest / 1000]]));
}
