// How long a real Prometheus takes for each query of the dashboard with 10,000 watches: `node bench/dashboard.ts`. It is
// given an hour of samples, one a minute, of every series that a daemon has, those of a watch for each of them.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { systemClock } from '../src/lib/clock.ts';
import { freePort } from '../test/support/free-port.ts';
import { everythingHappens } from '../test/telemetry/everything-happens.ts';
import { parseExposition, type Sample } from '../test/telemetry/exposition.ts';

interface Panel {
  readonly title?: string;
  readonly targets?: readonly { readonly expr: string; readonly instant?: boolean }[];
  readonly panels?: readonly Panel[];
}

const WATCHES = Number(process.argv[2] ?? 10_000);
const STEP_S = 60;
const STEPS = 60;
/** The numbers of one watch in so many change. */
const CHANGING = 50;
/** Watches that a reader has chosen to look at. */
const CHOSEN = 'w1|w2|w3';

const dashboard = JSON.parse(readFileSync('deploy/grafana/chainwarden.json', 'utf8')) as Panel;
const targets = (dashboard.panels ?? [])
  .flatMap((panel) => [panel, ...(panel.panels ?? [])])
  .flatMap(({ title = '', targets: all = [] }) => all.map((target) => ({ title, ...target })));
const asked = new Set(targets.flatMap(({ expr }) => expr.match(/\b(?:chainwarden|process)_\w+/g) ?? []));

async function samples(): Promise<Sample[]> {
  const metrics = createMetrics({ clock: systemClock });
  everythingHappens(metrics);
  const families = parseExposition(String(await metrics.text()));
  return [...families.values()].flatMap((family) => family.samples).filter(({ name }) => asked.has(name));
}

function* lines(all: readonly Sample[], from: number): Generator<string> {
  for (const { name, labels, value } of all) {
    const watches = labels['watch'] === undefined ? [undefined] : Array.from({ length: WATCHES }, (_, n) => `w${n}`);
    for (const watch of watches) {
      const own = { job: 'chainwarden', instance: 'here', ...labels, ...(watch && { watch }) };
      const text = Object.entries(own).map(([label, of]) => `${label}=${JSON.stringify(of)}`);
      const series = `${name}{${text.join(',')}}`;
      const grows = watch === undefined || Number(watch.slice(1)) % CHANGING === 0 ? 1 : 0;
      const rows = Array.from({ length: STEPS }, (_, n) => `${series} ${value + n * grows} ${from + n * STEP_S}\n`);
      yield rows.join('');
    }
  }
  yield '# EOF\n';
}

const directory = mkdtempSync(join(tmpdir(), 'dashboard-'));
await using stack = new AsyncDisposableStack();
stack.defer(() => {
  rmSync(directory, { recursive: true, force: true });
});
const from = Math.floor(Date.now() / 1000) - STEPS * STEP_S;
const all = await samples();
const file = join(directory, 'samples.txt');
await pipeline(lines(all, from), createWriteStream(file));
spawnSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, join(directory, 'data')], {
  stdio: 'ignore',
});
const address = `127.0.0.1:${await freePort()}`;
writeFileSync(join(directory, 'prometheus.yml'), '');
const prometheus = spawn(
  'prometheus',
  [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=${address}`,
  ],
  { cwd: directory, stdio: 'ignore' },
);
stack.defer(() => {
  prometheus.kill('SIGKILL');
});
const api = `http://${address}`;
const isReady = async (): Promise<boolean> => {
  try {
    return (await fetch(`${api}/-/ready`)).ok;
  } catch {
    return false;
  }
};
while (!(await isReady())) await setTimeout(200);

const took: { title: string; series: number; ms: number }[] = [];
for (const { title, expr, instant = false } of targets) {
  const query = expr
    .replaceAll('$watch', CHOSEN)
    .replaceAll(/\$(?:instance|explorer)\b/g, '.*')
    .replaceAll('$__rate_interval', '4m');
  const until = from + (STEPS - 1) * STEP_S;
  const times = instant ? { time: until } : { start: from, end: until, step: STEP_S };
  const form = new URLSearchParams({
    query,
    ...Object.fromEntries(Object.entries(times).map(([k, v]) => [k, `${v}`])),
  });
  const begin = performance.now();
  const answer = await fetch(`${api}/api/v1/${instant ? 'query' : 'query_range'}?${form.toString()}`);
  const { data } = (await answer.json()) as { data?: { result: unknown[] } };
  took.push({ title, series: data?.result.length ?? -1, ms: Math.round(performance.now() - begin) });
}
for (const { title, series, ms } of took.toSorted((a, b) => b.ms - a.ms))
  process.stdout.write(`${String(ms).padStart(6)} ms ${String(series).padStart(6)} series  ${title}\n`);
