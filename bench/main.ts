// What the built daemon costs, as the process that users start, beside the goals. bench/README.md says how to read it.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { measureKinds } from './kinds.ts';
import { measureLoading } from './load.ts';
import { startServer, type Server } from './processes.ts';
import { printGoals, printRun, ratioTo, type Goal } from './report.ts';
import { run, type Measured, type Phase, type RunResult } from './run.ts';

const { values: options } = parseArgs({
  options: {
    watches: { type: 'string', multiple: true },
    every: { type: 'string', default: '10s' },
    /** Of each warm phase. */
    seconds: { type: 'string', default: '25' },
    /** Minutes. */
    soak: { type: 'string' },
    /** `kinds`: instead of the mix, single kinds and a mix of the newer ones. */
    mix: { type: 'string' },
    /** For the daemon's node, such as --node=--cpu-prof. */
    node: { type: 'string', multiple: true, default: [] },
  },
});

const COLD_SECONDS = 60;
const SMALL = 1000;
const LARGE = 10_000;

const seconds = Number(options.seconds);
const COLD: Phase = { name: 'cold, 2 % changed', seconds: COLD_SECONDS, changed: 0.02, isTold: true, readers: 0 };
const WARM: Phase = { name: 'warm, 2 % changed', seconds, changed: 0.02, isTold: true, readers: 0 };
/** Ten alerts a second at 100 polls a second: enough of them for a p99. */
const ALERTS: Phase = { name: 'warm, 30 % changed', seconds, changed: 0.3, isTold: true, readers: 0 };
const READ: Phase = { ...WARM, name: 'warm, 50 readers', readers: 50 };
const UNCHANGED: Phase = { name: 'warm, unchanged', seconds, changed: 0, isTold: false, readers: 0 };
const CHANGED: Phase = { name: 'warm, all changed', seconds, changed: 1, isTold: false, readers: 0 };

const load = loadavg()[0]?.toFixed(1) ?? '';
console.log(`Node ${process.version}, ${availableParallelism()} cores, load ${load} before`);
if (options.mix === 'kinds') {
  const watches = Number(options.watches?.[0] ?? SMALL);
  printGoals(await measureKinds({ watches, every: options.every, seconds, nodeOptions: options.node }));
} else {
  const server = await startServer();
  if (options.soak === undefined) await measureSizes(server);
  else await soak(server, Number(options.soak));
  server.stop();
}

async function measureSizes(at: Server): Promise<void> {
  const sizes = options.watches?.map(Number) ?? [SMALL, LARGE];
  const results: RunResult[] = [];
  for (const watches of sizes) {
    // At ten times the polls the unchanged and the changed answers tell nothing that those of the mix do not.
    const phases = watches < LARGE ? [COLD, WARM, ALERTS, READ, UNCHANGED, CHANGED] : [COLD, WARM, READ];
    const result = await run(at, { watches, every: options.every, phases, nodeOptions: options.node });
    printRun(result);
    results.push(result);
  }
  if (options.watches === undefined) await measureLoading();
  printGoals(results.flatMap(goalsOf));
}

function goalsOf({ watches, phases, skipped, peakRssMb }: RunResult): Goal[] {
  const of = (phase: Phase): Measured | undefined => phases.find((measured) => measured.phase === phase);
  const warm = of(WARM);
  const alerts = of(ALERTS) ?? warm;
  const at = `${watches} watches: `;
  const common: Goal[] = [
    { what: `${at}answer -> webhook p99, ms`, measured: alerts?.answerToWebhook.p99 ?? null, target: 25 },
    { what: `${at}late p99 with 50 readers, ms`, measured: of(READ)?.late.p99 ?? null, target: warm?.late.p99 ?? 0 },
    { what: `${at}ticks skipped`, measured: skipped, target: 0 },
    { what: `${at}warm polls due and not made, %`, measured: warm === undefined ? null : missing(warm), target: 0 },
  ];
  if (watches < LARGE)
    return [
      { what: `${at}unchanged / bare`, measured: ratioTo(of(UNCHANGED)), target: 0.85 },
      { what: `${at}changed / bare, first`, measured: ratioTo(of(CHANGED)), target: 1.5 },
      { what: `${at}changed / bare, aim`, measured: ratioTo(of(CHANGED)), target: 1.25 },
      { what: `${at}peak RSS, MB`, measured: peakRssMb, target: 200 },
      ...common,
    ];
  return [
    { what: `${at}cores at 1,000 polls a second`, measured: warm?.cpu ?? null, target: 1 },
    { what: `${at}peak RSS, MB`, measured: peakRssMb, target: 400 },
    ...common,
  ];
}

function missing({ polls, due }: Measured): number {
  return Math.max(0, (1 - polls / due) * 100);
}

/** Memory must end as it began: the median of the first minutes after the warm-up beside that of the last. */
async function soak(at: Server, minutes: number): Promise<void> {
  const watches = Number(options.watches?.[0] ?? SMALL);
  const minute: Phase = { ...WARM, seconds: 58 };
  const phases = [COLD, ...Array.from({ length: minutes }, (_, n) => ({ ...minute, name: `minute ${n + 1}` }))];
  const onMeasured = ({ phase, rssMb, cpu, polls, due }: Measured): void => {
    const cost = `${cpu.toFixed(2)} CPU s per 1,000 polls`;
    console.log(`${phase.name}: ${rssMb.toFixed(0)} MB, ${cost}, ${polls} of ${due} polls`);
  };
  const result = await run(at, { watches, every: options.every, phases, nodeOptions: options.node, onMeasured });
  printRun({ ...result, phases: result.phases.slice(-1) });
  const rss = result.phases.slice(1).map(({ rssMb }) => rssMb);
  const part = Math.ceil(rss.length / 6);
  const [first, last] = [rss.slice(0, part), rss.slice(-part)].map(mean);
  printGoals([{ what: 'RSS at the end / at the beginning', measured: (last ?? 0) / (first ?? 1), target: 1.05 }]);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
