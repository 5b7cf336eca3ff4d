import { setImmediate as afterIo } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type LabelOf, type MetricName, type MetricNameOf } from './metric-table.ts';
import type { WrittenLines } from './series/kept-lines.ts';
import { createSeriesText } from './series/series-text.ts';

type Labels<N extends MetricName> = Readonly<Record<LabelOf<N>, string>>;

/**
 * The metrics of the table. Each metric is either created by name and counted at each event, or mirrored on each
 * scrape.
 */
export interface MetricRegistry {
  gauge<N extends MetricNameOf<'gauge'>>(name: N): Gauge<LabelOf<N>>;
  counter<N extends MetricNameOf<'counter'>>(name: N): Counter<LabelOf<N>>;
  histogram<N extends MetricNameOf<'histogram'>>(name: N): Histogram<LabelOf<N>>;
  /**
   * A metric whose series are kept elsewhere and read before each rendering; no two series have equal labels. Series
   * beyond the limit are left out and counted.
   */
  mirror: Mirror;
  /**
   * Like `mirror`, but series with equal labels are added up, and null is left out. They are read in several turns of
   * the event loop. If reading throws, the metric has no series in this scrape.
   */
  mirrorSums: <N extends MetricNameOf<'gauge'>>(name: N, read: () => Iterable<Series<N> | null>) => void;
  /** The text format 0.0.4. */
  text(): Promise<Buffer<ArrayBuffer>>;
}

type Mirror = <N extends MetricNameOf<'gauge' | 'counter'>>(
  name: N,
  read: () => MaybePromise<Iterable<Series<N>>>,
) => void;
type Series<N extends MetricName> = readonly [labels: Labels<N>, value: number];
type MaybePromise<T> = T | Promise<T>;

/** Makes a separate registry, since prom-client's default metrics break the naming rules that promtool checks. */
export function createMetricRegistry(mostSeries: number): MetricRegistry {
  const registry = new Registry();
  const renderByName = new Map<MetricName, () => Promise<readonly Buffer[]>>();
  const leftOut = made('chainwarden_series_left_out', new Gauge(configuration('chainwarden_series_left_out')));

  function configuration<N extends MetricName>(name: N) {
    const { help, labels } = METRICS[name];
    return { name, help, labelNames: labels as readonly LabelOf<N>[], registers: [registry] };
  }

  function made<M>(name: MetricName, metric: M): M {
    renderByName.set(name, async () => [Buffer.from(`${await registry.getSingleMetricAsString(name)}\n`)]);
    return metric;
  }

  function noteLeftOut(metric: MetricName, count: number): void {
    if (count > 0) leftOut.set({ metric }, count);
    else leftOut.remove({ metric });
  }

  function written(name: MetricName, write: () => Promise<WrittenLines>): void {
    renderByName.set(name, async () => {
      const { pieces, more } = await write();
      noteLeftOut(name, more);
      return pieces;
    });
  }

  return {
    gauge(name) {
      const gauge = made(name, new Gauge(configuration(name)));
      // prom-client starts a gauge without labels at 0, but a gauge without a value must be absent.
      if (METRICS[name].labels.length === 0) gauge.remove({});
      return gauge;
    },
    counter: (name) => made(name, new Counter(configuration(name))),
    histogram: (name) => made(name, new Histogram({ ...configuration(name), buckets: [...METRICS[name].buckets] })),
    mirror(name, read) {
      const text = createSeriesText(name, mostSeries);
      written(name, async () => text.write(await read()));
    },
    mirrorSums(name, read) {
      const text = createSeriesText(name, mostSeries);
      written(name, () => text.writeSums(read));
    },
    async text() {
      const rendered: (readonly Buffer[])[] = [];
      // The metric of left out series comes last, since its numbers are known after all others are rendered.
      for (const [, renderOne] of [...renderByName].sort(leftOutLast)) {
        rendered.push(await renderOne());
        // Yields between two metrics, so that due polls do not wait for all of them.
        await afterIo();
      }
      return Buffer.concat(rendered.flatMap((pieces, i) => (i === 0 ? pieces : [EMPTY_LINE, ...pieces])));
    },
  };
}

const EMPTY_LINE = Buffer.from('\n');

function leftOutLast([a]: readonly [MetricName, unknown], [b]: readonly [MetricName, unknown]): number {
  return Number(a === 'chainwarden_series_left_out') - Number(b === 'chainwarden_series_left_out');
}
