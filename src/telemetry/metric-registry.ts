import { setImmediate as afterIo } from 'node:timers/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type LabelOf, type MetricName, type NameOf } from './metric-table.ts';
import type { MetricRow } from './metric-rows/row.ts';

type Labels<N extends MetricName> = Readonly<Record<LabelOf<N>, string>>;

/** The metrics of the table. Each is either made by name and counted as things happen, or mirrored on each scrape. */
export interface MetricRegistry {
  gauge<N extends NameOf<'gauge'>>(name: N): Gauge<LabelOf<N>>;
  counter<N extends NameOf<'counter'>>(name: N): Counter<LabelOf<N>>;
  histogram<N extends NameOf<'histogram'>>(name: N): Histogram<LabelOf<N>>;
  /**
   * A metric whose series are kept elsewhere and read before each rendering. Labels must differ from series to series;
   * what is beyond the limit of series is left out and counted.
   */
  mirror<N extends NameOf<'gauge' | 'counter'>>(name: N, read: () => MaybePromise<Iterable<Series<N>>>): void;
  text(): Promise<string>;
}

type Series<N extends MetricName> = readonly [labels: Labels<N>, value: number];
type MaybePromise<T> = T | Promise<T>;

/** A separate registry: prom-client's default metrics break the naming rules that promtool checks. */
export function createMetricRegistry(mostSeries: number): MetricRegistry {
  const registry = new Registry();
  const renderByName = new Map<MetricName, () => Promise<string>>();
  const leftOut = made('chainwarden_series_left_out', new Gauge(configuration('chainwarden_series_left_out')));

  function configuration<N extends MetricName>(name: N) {
    const { help, labels } = METRICS[name];
    return { name, help, labelNames: labels as readonly LabelOf<N>[], registers: [registry] };
  }

  function made<M>(name: MetricName, metric: M): M {
    renderByName.set(name, () => registry.getSingleMetricAsString(name));
    return metric;
  }

  // prom-client takes 35 ms to render 10,000 series, and as long to be filled with them. Mirrored series are written
  // directly in a tenth of that time.
  function render(name: MetricName, series: Iterable<readonly [Readonly<Record<string, string>>, number]>): string {
    const { type, help, labels, states }: MetricRow = METRICS[name];
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
    // A state set is exported whole or not at all.
    const most = mostSeries * (states?.length ?? 1);
    let seen = 0;
    for (const [values, value] of series)
      if (seen++ < most) lines.push(`${name}${labelsText(labels, values)} ${value}`);
    if (seen > most) leftOut.set({ metric: name }, seen - most);
    else leftOut.remove({ metric: name });
    return lines.join('\n');
  }

  return {
    gauge(name) {
      const gauge = made(name, new Gauge(configuration(name)));
      // prom-client starts a gauge without labels at 0; a gauge without a value must be absent.
      if (METRICS[name].labels.length === 0) gauge.remove({});
      return gauge;
    },
    counter: (name) => made(name, new Counter(configuration(name))),
    histogram: (name) => made(name, new Histogram({ ...configuration(name), buckets: [...METRICS[name].buckets] })),
    mirror(name, read) {
      renderByName.set(name, async () => render(name, await read()));
    },
    async text() {
      const parts: string[] = [];
      // The number of series left out is known once all other metrics are rendered.
      for (const [, renderOne] of [...renderByName].sort(leftOutLast)) {
        parts.push(await renderOne());
        // Yields between two metrics, so that polls that are due do not wait for all of them.
        await afterIo();
      }
      return `${parts.join('\n\n')}\n`;
    },
  };
}

function leftOutLast([a]: readonly [MetricName, unknown], [b]: readonly [MetricName, unknown]): number {
  return Number(a === 'chainwarden_series_left_out') - Number(b === 'chainwarden_series_left_out');
}

function labelsText(labels: readonly string[], values: Readonly<Record<string, string>>): string {
  if (labels.length === 0) return '';
  return `{${labels.map((label) => `${label}="${escapeLabel(values[label] ?? '')}"`).join(',')}}`;
}

function escapeLabel(value: string): string {
  return NEEDS_ESCAPE.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

const NEEDS_ESCAPE = /["\\\n]/;
