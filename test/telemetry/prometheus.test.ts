import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { freePort } from '../support/free-port.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createInbox } from '../support/sinks.ts';
import { serveTestWeb } from '../support/web.ts';
import { everythingHappens } from './everything-happens.ts';
import { parseExposition } from './exposition.ts';
import { hasTool, startTool } from './prometheus-tools.ts';

const HAS_PROMETHEUS = hasTool('prometheus');

test('what is served is what was rendered, and a real Prometheus takes all of it', async () => {
  const metrics = createMetrics({ clock: createFakeClock() });
  everythingHappens(metrics);
  const scrapes = createInbox<undefined>();
  await using stack = new AsyncDisposableStack();
  const web = await serveTestWeb({
    metricsText: () => {
      scrapes.push(undefined);
      return metrics.text();
    },
  });
  stack.defer(() => web.close());

  const served = await (await fetch(`${web.url}/metrics`)).text();
  const samples = [...parseExposition(served).values()].flatMap((family) => family.samples);
  expect(samples.length).toBeGreaterThan(50);
  if (!HAS_PROMETHEUS) return;

  const directory = await mkdtemp(join(tmpdir(), 'prometheus-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const api = await startPrometheus(directory, new URL(web.url).host, stack);
  // Ours was the first; when Prometheus comes for the second time, its first scrape is stored.
  await scrapes.reached(3);
  expect(await query(api, 'up')).toEqual([['1', { job: 'chainwarden' }]]);
  expect(await query(api, 'scrape_samples_scraped')).toEqual([[String(samples.length), { job: 'chainwarden' }]]);
  expect(await query(api, 'chainwarden_watch_value')).toEqual([
    ['1500000', { job: 'chainwarden', watch: 'treasury-usdc', of: 'treasury', token: 'USDC', field: 'balance' }],
  ]);
});

async function startPrometheus(directory: string, target: string, stack: AsyncDisposableStack): Promise<string> {
  const config = join(directory, 'prometheus.yml');
  const job = `{ job_name: chainwarden, static_configs: [{ targets: ['${target}'] }] }`;
  await writeFile(config, `global: { scrape_interval: 1s, scrape_timeout: 1s }\nscrape_configs: [${job}]\n`);
  const address = `127.0.0.1:${await freePort()}`;
  const prometheus = startTool(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.format=json',
    ],
    directory,
  );
  stack.defer(() => ended(prometheus));
  for await (const line of createInterface({ input: prometheus.stderr }))
    if (line.includes('ready to receive web requests')) break;
  // Nobody reads the rest; a full pipe would stop it.
  prometheus.stderr.resume();
  return `http://${address}`;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

interface QueryAnswer {
  readonly status: string;
  readonly data: { readonly result: readonly { metric: Record<string, string>; value: [number, string] }[] };
}

/** Values with their labels, but for those that name the metric and the target. */
async function query(api: string, expression: string): Promise<[string, Record<string, string>][]> {
  const answer = await fetch(`${api}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const { data } = (await answer.json()) as QueryAnswer;
  return data.result.map(({ metric, value }) => {
    const { __name__: _name, instance: _instance, ...labels } = metric;
    return [value[1], labels];
  });
}
