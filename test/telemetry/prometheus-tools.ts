import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort } from '../support/free-port.ts';
import type { Arrivals } from '../support/sinks.ts';

/** Each with the package of Debian and Ubuntu that has it. */
const PACKAGES = {
  promtool: 'prometheus',
  prometheus: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager',
} as const;
type Tool = keyof typeof PACKAGES;

/** Whether a tool of Prometheus is installed; says loudly, once per test file, when they are not. */
export function hasTool(name: Tool): boolean {
  const found = spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
  if (!found)
    process.stderr.write(
      `\n!!! ${name} IS NOT INSTALLED: what only it can prove is NOT TESTED in this run. ` +
        `On Debian and Ubuntu: apt-get install ${PACKAGES[name]}\n\n`,
    );
  return found;
}

export interface ToolRun {
  readonly status: number | null;
  readonly output: string;
}

export function runTool(name: Tool, args: readonly string[], input = ''): ToolRun {
  const { status, stdout, stderr } = spawnSync(name, args, { input, encoding: 'utf8', timeout: 200_000 });
  return { status, output: `${stdout}${stderr}` };
}

/** What it says on standard error can be read; the caller ends it. */
export function startTool(name: Tool, args: readonly string[], cwd: string): ChildProcessByStdio<null, null, Readable> {
  return spawn(name, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Scrapes the target once a second; resolves with the address of its API. It ends with the stack. */
export async function startPrometheus(directory: string, target: string, stack: AsyncDisposableStack): Promise<string> {
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

/**
 * Time, in seconds, of the newest scrape that succeeded and is stored, once there are `count` of them in which the
 * expression has a value. A scrape that failed, on a slow machine, leaves every series absent until the next one.
 */
export async function stored(
  api: string,
  scrapes: Arrivals<unknown>,
  { count, having }: { readonly count: number; readonly having: string },
): Promise<string> {
  const times = `timestamp((${having}) and on() (up == 1))[1m:1s]`;
  for (let scraped = count; ; scraped++) {
    await scrapes.reached(scraped);
    const [held] = await query(api, `count_over_time(${times})`);
    const [at] = await query(api, `max_over_time(${times})`);
    if (at !== undefined && Number(held?.[0]) >= count) return at[0];
  }
}

/** Values at a time, in seconds, or now, with their labels but for those that name the metric and the target. */
export async function query(api: string, expression: string, at?: string): Promise<[string, Record<string, string>][]> {
  const asked = new URLSearchParams({ query: expression, ...(at === undefined ? {} : { time: at }) });
  const answer = await fetch(`${api}/api/v1/query?${asked.toString()}`);
  const { data } = (await answer.json()) as QueryAnswer;
  return data.result.map(({ metric, value }) => {
    const { __name__: _name, instance: _instance, ...labels } = metric;
    return [value[1], labels];
  });
}
