// What a poll costs and how that grows, as ratios within one run, beside the goals. Absolute figures move with the
// machine; nothing here is asserted. Ends by itself within three minutes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import got from 'got';
import type { Growth } from './growth.ts';
import { measureLoading } from './load.ts';
import { CONCURRENCY, cpuOf, openDaemon, printGoals, watchesOf, type Measured } from './measure.ts';

const POLLS = 400;
const ROUNDS = 8;
const SIZES = [100, 1000, 10_000];
/** Watches that are due at once share one commit. A chain has one list of blocks, so there it is one watch. */
const DUE_AT_ONCE = 20;

const LISTS = [
  { list: 'blocks', due: 1, rule: 'kind: blocks', on: 'new', if: 'gas_used > 99999999999' },
  {
    list: 'internal-transactions',
    due: DUE_AT_ONCE,
    rule: 'kind: internal-transactions, of: everyone',
    on: 'new',
    if: 'error == "never"',
  },
  {
    list: 'tokens',
    due: DUE_AT_ONCE,
    rule: 'kind: holdings, of: everyone',
    on: 'changed',
    if: 'token.symbol == "never"',
  },
] as const;
type List = (typeof LISTS)[number];

const server = fork(new URL('server.ts', import.meta.url), { stdio: 'inherit' });
const [port] = (await once(server, 'message')) as [number];
console.log(`Node ${process.version}; CPU of this process only; the least of ${ROUNDS} rounds of ${POLLS} polls\n`);

const perPoll: Record<string, Record<string, string>> = {};
const goals: Measured[] = [];
for (const list of LISTS) {
  const { bare, same, changed } = await costsOf(list);
  perPoll[list.list] = { 'bare got + JSON.parse': ms(bare), unchanged: ms(same), changed: ms(changed) };
  goals.push({ goal: 'P1', what: `${list.list}: unchanged / bare`, measured: same / bare, target: 0.85 });
  goals.push({ goal: 'P1', what: `${list.list}: changed / bare`, measured: changed / bare, target: 1.25 });
}
console.table(perPoll);

const growth: Growth[] = [];
for (const size of SIZES) growth.push(await growthOf(size));
await measureLoading();
server.disconnect();
console.table(
  Object.fromEntries(
    growth.map(({ watches, loadCpuMs, cpuMsPerPoll, rssMb, metricsMs }) => [
      `${watches} watches`,
      {
        'load, CPU': ms(loadCpuMs),
        'CPU s per 1,000 polls': cpuMsPerPoll.toFixed(2),
        'RSS, MB': rssMb.toFixed(0),
        '/metrics, CPU': ms(metricsMs),
      },
    ]),
  ),
);
const [smallest, largest] = [growth[0], growth.at(-1)];
if (smallest !== undefined && largest !== undefined) {
  const what = `${largest.watches} watches`;
  goals.push(
    { goal: 'P3', what: `${what}: cores at 1,000 polls/s`, measured: largest.cpuMsPerPoll, target: 1 },
    { goal: 'P3', what: `${what}: RSS, MB`, measured: largest.rssMb, target: 300 },
    {
      goal: 'P4',
      what: `CPU per poll, ${what} / ${smallest.watches}`,
      measured: largest.cpuMsPerPoll / smallest.cpuMsPerPoll,
      target: 1.2,
    },
    { goal: 'P7', what: `${what}: load, CPU s`, measured: largest.loadCpuMs / 1000, target: 3 },
    { goal: 'P7', what: `${what}: /metrics, CPU ms`, measured: largest.metricsMs, target: 50 },
  );
}
printGoals(goals);

type Tick = () => Promise<unknown>;

async function costsOf(list: List): Promise<{ bare: number; same: number; changed: number }> {
  const { due, rule, on, if: condition } = list;
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const watches = watchesOf(
    `- { id: w, ${rule}, every: 1s, alerts: [{ id: x, on: ${on}, if: '${condition}' }] }`,
    due,
    port,
  );
  await using quiet = await openDaemon(watches, `http://127.0.0.1:${port}/same`);
  await using busy = await openDaemon(watches, `http://127.0.0.1:${port}/changed`);
  const [bare = 0, same = 0, changed = 0] = await leastOf(due, [
    () => Promise.all(Array.from({ length: due }, () => askBarely(list, agent))),
    () => quiet.poll(watches),
    () => busy.poll(watches),
  ]);
  agent.destroy();
  return { bare, same, changed };
}

async function askBarely({ list }: List, agent: Agent): Promise<unknown> {
  const path = list === 'blocks' ? 'blocks' : `addresses/0x1/${list}`;
  const url = `http://127.0.0.1:${port}/changed/api/v2/${path}`;
  return JSON.parse((await got(url, { agent: { http: agent }, retry: { limit: 0 } })).body);
}

/** CPU milliseconds per poll, the least of some rounds in turn: what else the machine does falls on all alike. */
async function leastOf(due: number, ticks: readonly Tick[]): Promise<number[]> {
  const least = ticks.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, tick] of ticks.entries()) {
      globalThis.gc?.();
      const cost = await cpuOf(async () => {
        for (let polls = 0; polls < POLLS; polls += due) await tick();
      });
      least[at] = Math.min(least[at] ?? Infinity, cost / POLLS);
    }
  return least;
}

async function growthOf(size: number): Promise<Growth> {
  const child = fork(new URL('growth.ts', import.meta.url), [String(size), String(port)], {
    // As the unit and the image start it.
    execArgv: ['--expose-gc', '--no-warnings', '--max-semi-space-size=8', '--heap-growing-percent=20'],
  });
  const [growth] = (await once(child, 'message')) as [Growth];
  await once(child, 'exit');
  return growth;
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}
