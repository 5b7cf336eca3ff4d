// One daemon of some size, through its phases: cold, then warm with a share of answers that changed.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  cpuSecondsOf,
  peakRssMbOf,
  rssMbOf,
  startBare,
  startDaemon,
  type Bare,
  type Daemon,
  type Server,
} from './processes.ts';
import type { Percentiles } from './protocol.ts';
import { percentile } from './samples.ts';
import { openReaders } from './readers.ts';
import { writeSetup, type Setup } from './setup.ts';
import { freePort } from '../test/support/free-port.ts';

export interface Phase {
  readonly name: string;
  readonly seconds: number;
  /** Of the answers that changed since they were last given. */
  readonly changed: number;
  /** Whether new calls are told. */
  readonly isTold: boolean;
  /** People who keep a page open. */
  readonly readers: number;
}

export interface Measured {
  readonly phase: Phase;
  /** Seconds per 1,000 polls. */
  readonly cpu: number;
  /** Of got and JSON.parse alone; null where nobody measured it. */
  readonly bareCpu: number | null;
  /** Of one core. */
  readonly cores: number;
  readonly polls: number;
  readonly due: number;
  readonly late: Percentiles;
  readonly answerToWebhook: Percentiles;
  readonly untold: number;
  /** The median. */
  readonly rssMb: number;
}

export interface RunResult {
  readonly watches: number;
  /** CPU seconds from the start of the process until it polls. */
  readonly startCpu: number;
  readonly phases: readonly Measured[];
  readonly peakRssMb: number;
  readonly stateMb: number;
  /** Ticks that found their watch still being polled. */
  readonly skipped: number;
  /** How long /metrics took. */
  readonly metricsMs: number;
}

export interface RunOptions {
  readonly watches: number;
  readonly every: string;
  /** The first begins with the process. */
  readonly phases: readonly Phase[];
  /** For the daemon's own node, such as `--cpu-prof`. */
  readonly nodeOptions: readonly string[];
  readonly onMeasured?: (measured: Measured) => void;
}

/** At more polls a second the bare client would take the daemon's place on a small machine. */
const MOST_BARE_POLLS_PER_SECOND = 200;
const RSS_EVERY_MS = 250;
/** Polls that were due in a phase may come this much later. */
const SETTLE_MS = 1000;

export async function run(server: Server, options: RunOptions): Promise<RunResult> {
  const listen = await freePort();
  const setup = writeSetup({ ...options, port: server.port, listen });
  const origin = `http://127.0.0.1:${listen}`;
  const { intervalMs, dues, folder } = setup;
  await using opened = new AsyncDisposableStack();
  opened.defer(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  await server.send({ type: 'lists', intervalMs, dues });
  const [cold, ...warm] = options.phases;
  if (cold === undefined) throw new Error('no phases');
  const isBareMeasured = dues.length / (intervalMs / 1000) <= MOST_BARE_POLLS_PER_SECOND;
  const bare = isBareMeasured ? startBare({ origin: `http://127.0.0.1:${server.port}`, intervalMs, dues }) : null;
  opened.defer(() => bare?.stop());
  await server.send({ type: 'changes', share: cold.changed, isTold: cold.isTold });
  const startedAt = Date.now();
  const daemon = await startDaemon(folder, origin, options.nodeOptions);
  opened.defer(() => daemon.stop());
  const startCpu = cpuSecondsOf(daemon.pid);
  const meter = createMeter({ server, setup, daemon, bare });
  const phases: Measured[] = [];
  const keep = (measured: Measured): void => {
    phases.push(measured);
    options.onMeasured?.(measured);
  };
  keep(await meter.measure(cold, { from: startedAt, cpu: 0 }));
  for (const phase of warm) {
    await server.send({ type: 'changes', share: phase.changed, isTold: phase.isTold });
    const readers = openReaders(origin, phase.readers);
    await sleep(SETTLE_MS);
    keep(await meter.measure(phase));
    const { fresh, same, streams, bytes } = readers.loads();
    await readers.stop();
    if (phase.readers > 0)
      console.log(
        `${phase.name}: ${streams} streams; pages were sent ${fresh} times, and ${same} times not anew, ${perSecond(bytes, phase)} kB a second for each`,
      );
  }
  const { skipped, metricsMs } = await scrape(`${origin}/metrics`);
  const peakRssMb = peakRssMbOf(daemon.pid);
  await daemon.stop();
  return { watches: dues.length, startCpu, phases, peakRssMb, stateMb: sizeOfState(folder), skipped, metricsMs };
}

/** Kilobytes a second for each reader. */
function perSecond(bytes: number, { readers, seconds }: Phase): string {
  return (bytes / 1000 / readers / seconds).toFixed(2);
}

interface Parts {
  readonly server: Server;
  readonly setup: Setup;
  readonly daemon: Daemon;
  readonly bare: Bare | null;
}

function createMeter({ server, setup, daemon, bare }: Parts) {
  return {
    /** `began`: when the phase began and the daemon's CPU then, where that is not now. */
    async measure(phase: Phase, began = { from: Date.now(), cpu: cpuSecondsOf(daemon.pid) }): Promise<Measured> {
      const { from, cpu } = began;
      const to = from + phase.seconds * 1000;
      const bareCpu = bare === null ? null : cpuSecondsOf(bare.pid);
      const rssMb = await medianRss(daemon, to);
      const used = cpuSecondsOf(daemon.pid) - cpu;
      const bareUsed = bare === null || bareCpu === null ? null : cpuSecondsOf(bare.pid) - bareCpu;
      await sleep(SETTLE_MS);
      const { polls, late, answerToWebhook, untold } = await server.send({ type: 'report', from, to });
      return {
        phase,
        cpu: (used / polls.daemon) * 1000,
        bareCpu: bareUsed === null ? null : (bareUsed / polls.bare) * 1000,
        cores: used / phase.seconds,
        polls: polls.daemon,
        due: dueBetween(setup, from, to),
        late,
        answerToWebhook,
        untold,
        rssMb,
      };
    },
  };
}

/** Ends at `to`. */
async function medianRss({ pid }: Daemon, to: number): Promise<number> {
  const samples: number[] = [];
  while (Date.now() < to) {
    samples.push(rssMbOf(pid));
    await sleep(Math.min(RSS_EVERY_MS, Math.max(0, to - Date.now())));
  }
  return (
    percentile(
      samples.toSorted((a, b) => a - b),
      0.5,
    ) ?? 0
  );
}

function dueBetween({ dues, intervalMs }: Setup, from: number, to: number): number {
  const before = (at: number, phaseMs: number): number => Math.ceil((at - phaseMs) / intervalMs);
  return dues.reduce((sum, { phaseMs }) => sum + before(to, phaseMs) - before(from, phaseMs), 0);
}

async function scrape(url: string): Promise<{ skipped: number; metricsMs: number }> {
  const startedAt = performance.now();
  // Minutes after the last call: a connection that was kept may be closed by then.
  const text = await (await fetch(url, { headers: { connection: 'close' } })).text();
  const metricsMs = performance.now() - startedAt;
  const counts = [...text.matchAll(/^chainwarden_scheduler_skipped_total\S* (\d+)$/gm)];
  return { skipped: counts.reduce((sum, [, count]) => sum + Number(count), 0), metricsMs };
}

function sizeOfState(folder: string): number {
  const files = readdirSync(folder).filter((file) => file.startsWith('state.db'));
  return files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0) / 2 ** 20;
}
