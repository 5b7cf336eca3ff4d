// One size of the growth table, in a process of its own, so that its memory is not that of what was measured before.
import type { Watch } from '../src/core/model.ts';
import { labelsOf } from '../src/engine/report.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { systemClock as clock } from '../src/lib/clock.ts';
import { cpuOf, openDaemon, watchesOf } from './measure.ts';

/** What this process tells its parent. */
export interface Growth {
  readonly watches: number;
  readonly loadCpuMs: number;
  readonly cpuMsPerPoll: number;
  readonly rssMb: number;
  readonly metricsMs: number;
}

// An interval spreads the watches over its ticks: so many are due at once.
const PER_TICK = 100;
// Bounded, whatever the size: enough to see a trend.
const MOST_POLLS = 10_000;
const LEAST_POLLS = 2000;

const [size = 0, port = 0] = process.argv.slice(2).map(Number);
const RULE =
  '- { id: w, kind: internal-transactions, of: everyone, every: 10s, alerts: [{ id: x, on: new, if: success == false }] }';

let watches: readonly Watch[] = [];
const loadCpuMs = await cpuOf(() => (watches = watchesOf(RULE, size, port)));
const ticks = Array.from({ length: Math.ceil(size / PER_TICK) }, (_, n) =>
  watches.slice(n * PER_TICK, (n + 1) * PER_TICK),
);
await using daemon = await openDaemon(watches, `http://127.0.0.1:${port}/same`);

/** Ten seconds of the daemon: each watch is polled once, then coverage is written down. */
async function round(): Promise<void> {
  for (const tick of ticks) await daemon.poll(tick);
  await daemon.flush();
}

// The baseline, which is written down.
await round();

const polls = Math.min(Math.max(size, LEAST_POLLS), MOST_POLLS);
const cpu = await cpuOf(async () => {
  for (let done = 0; done < polls; done += size) await round();
});
globalThis.gc?.();
const rssMb = process.memoryUsage.rss() / 2 ** 20;

const metrics = createMetrics({ clock });
for (const watch of watches) metrics.watchUp(labelsOf(watch), true);
const metricsMs = await cpuOf(() => metrics.text());

const growth: Growth = { watches: size, loadCpuMs, cpuMsPerPoll: cpu / polls, rssMb, metricsMs };
process.send?.(growth);
