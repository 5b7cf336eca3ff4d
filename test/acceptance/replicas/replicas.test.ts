// Replicas as processes of their own over a real PostgreSQL, and an explorer in another one: what its owner and the people
// who are told notice of them. `npm run nemesis` is harder on them, and takes longer.
import { expect } from '@jest/globals';
import { join } from 'node:path';
import { RUNTIME_FLAGS } from '../../../src/cli/runtime-flags.ts';
import { createInbox, untilSo, type Arrivals } from '../../support/sinks.ts';
import { createFolder, start, type Folder, type Process } from '../../support/daemon.ts';
import { createTally, type Tally } from '../../support/crash/tally.ts';
import { execute, hasPostgres, postgresTest, startPostgres } from '../../support/store/postgres.ts';
import { databaseAt, INSTALLATION } from '../../support/store/story-state.ts';
import { openPostgresStore } from '../../../src/store/postgres/open.ts';
import { holderOf, keepLog, readLog } from '../../cluster/database.ts';
import { startExplorer } from '../../cluster/explorer-process.ts';
import type { Asked } from '../../cluster/explorer.ts';
import { findingsOf } from '../../cluster/judge.ts';
import { openProxy } from '../../cluster/proxy.ts';
import { hookOf, openSinks, type Sinks } from '../../cluster/sinks.ts';

const PLANS = 3;
const LEASE_MS = 15_000;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes long').toString('base64')}`;
const PLAN_NUMBERS = Array.from({ length: PLANS }, (_, plan) => plan);
const HOOKS = PLAN_NUMBERS.map(hookOf);
const RULES = `
watches:
${PLAN_NUMBERS.map((plan) => `  - { id: head-${plan}, explorer: plan-${plan}, kind: blocks, every: 1s, notify: [${hookOf(plan)}], alerts: [{ id: block, on: new, title: 'block {{ height }}.' }] }\n`).join('')}`;

const server = hasPostgres ? await startPostgres() : null;

interface Scene extends AsyncDisposable {
  readonly folder: Folder;
  readonly url: string;
  readonly asked: Arrivals<Asked>;
  readonly sinks: Sinks;
  readonly tally: Tally;
  /** From an address of its own, by which the explorer and the database know it; of `config.yaml` unless it is told. */
  replica(number: number, config?: string): Promise<Process>;
  /** Runs a command to its end; resolves with what it printed. */
  command(...args: readonly string[]): Promise<string>;
  /** So many bursts of blocks, each as soon as the one before is told; resolves with the height of the last block. */
  storm(bursts: number): Promise<number>;
  /** Everything that happened was told, and that is on record. */
  untilQuiet(): Promise<void>;
}

const addressOf = (number: number): string => `127.0.0.${10 + number}`;
const BLOCKS_IN_A_BURST = 5;

async function aScene(): Promise<Scene> {
  if (server === null) throw new Error('PostgreSQL is not here');
  const { port } = server;
  await using opened = new AsyncDisposableStack();
  const asked = createInbox<Asked>();
  const explorer = opened.use(
    await startExplorer(PLANS, 1, (one) => {
      asked.push(one);
    }),
  );
  const { control, plans } = explorer.opened;
  const sinks = opened.use(await openSinks(PLANS));
  const tally = createTally(sinks.told.all);
  const url = await server.database();
  await (await openPostgresStore({ place: databaseAt(url), owner: 'the tables' }))[Symbol.asyncDispose]();
  await keepLog(url);
  const folder = opened.use(createFolder({ 'rules.yaml': RULES }));
  writeConfig(folder, 'config.yaml', `{ postgres: { env: DATABASE_URL, name: ${INSTALLATION} } }`);
  const all = opened.move();

  function writeConfig(to: Folder, file: string, state: string): void {
    const explorers = plans.map((plan, n) => `plan-${n}: { form: instance, instance_url: '${plan}' }`).join(', ');
    to.write(
      file,
      `explorers: { ${explorers} }
${sinks.yaml.replaceAll(', allow:', `, secret: '${SECRET}', allow:`)}
routes: [{ group_interval: 0s, repeat: off }]
self: none
http: { listen: 127.0.0.1:0 }
state: ${state}
rules: [rules.yaml]
`,
    );
  }
  writeConfig(folder, 'alone.yaml', '{ file: copy.db }');

  async function mine(): Promise<number> {
    const answer = await fetch(`${control}/control/mine`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const { head } = (await answer.json()) as { head: number };
    tally.owe(`block ${head}.`, HOOKS);
    return head;
  }

  const untilTold = async (): Promise<void> => {
    while (!tally.isAllTold()) await sinks.told.reached(sinks.told.all.length + 1);
  };

  return {
    folder,
    url,
    asked,
    sinks,
    tally,
    async replica(number, config = 'config.yaml') {
      const address = addressOf(number);
      const line = all.use(await openProxy({ target: port, address }));
      return all.use(
        start(['run', '-c', config, '--log-level', 'debug'], folder.path, {
          DATABASE_URL: url.replace(`:${port}/`, `:${line.port}/`),
          NEMESIS_ADDRESS: address,
          NODE_OPTIONS: [...RUNTIME_FLAGS, `--import=${join(import.meta.dirname, '../../cluster/skew.ts')}`].join(' '),
        }),
      );
    },
    async command(...args) {
      const command = all.use(start(args, folder.path, { DATABASE_URL: url }));
      expect([await command.ended, command.err()]).toEqual([{ code: 0, signal: null }, '']);
      return command.out();
    },
    async storm(bursts) {
      let height = 0;
      for (let burst = 0; burst < bursts; burst += 1) {
        for (let block = 0; block < BLOCKS_IN_A_BURST; block += 1) height = await mine();
        await untilTold();
      }
      return height;
    },
    async untilQuiet() {
      await untilTold();
      const owed = () => execute(url, "SELECT FROM deliveries WHERE state IN ('due', 'sending')");
      await untilSo(asked, async () => (await owed()).length === 0);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Only what happens after the first poll of a watch is told. */
async function everyWatchBegan({ asked, url }: Scene): Promise<void> {
  await untilSo(asked, async () => (await execute(url, 'SELECT FROM memory')).length >= PLANS);
}

async function stopped(process: Process): Promise<void> {
  process.kill('SIGTERM');
  expect(await process.ended).toEqual({ code: 0, signal: null });
}

postgresTest(
  'three replicas asked for everything three times, and when those that polled and sent were stopped in a storm, it was told twice',
  async () => {
    await using scene = await aScene();
    const { asked, tally, url } = scene;
    const replicas = await Promise.all([1, 2, 3].map((number) => scene.replica(number)));
    await everyWatchBegan(scene);
    for (const replica of replicas) await replica.says('"shard":"explorer:plan-');
    const byAddress = (address: string): Process => {
      const found = replicas.find((_, n) => addressOf(n + 1) === address);
      if (found === undefined) throw new Error(`no replica has the address ${address}`);
      return found;
    };

    const first = scene.storm(6);
    await stopped(byAddress(asked.all.findLast(({ plan }) => plan === 0)?.asker ?? ''));
    await first;
    const second = scene.storm(6);
    await stopped(byAddress(await holderOf(url, 'channel:hook-1')));
    await second;
    await scene.untilQuiet();

    for (const replica of replicas) if (replica.child.exitCode === null) await stopped(replica);
    expect(tally.faults()).toEqual([]);
    // Who is told to stop waits for what is under way, so that nobody has to guess.
    expect(tally.copies()).toBe(0);
    const happened = {
      asked: asked.all,
      log: await readLog(url),
      outages: [],
      woken: [],
      barred: [],
      clockMoves: [],
      crowded: [],
      leaseMs: LEASE_MS,
    };
    expect(findingsOf(happened)).toEqual([]);
  },
);

postgresTest(
  'a state that was copied to a file while replicas worked was damaged, or told again what had been told',
  async () => {
    await using scene = await aScene();
    const { sinks, tally } = scene;
    const replica = await scene.replica(1);
    await everyWatchBegan(scene);
    const height = await scene.storm(2);
    await scene.untilQuiet();

    const storm = scene.storm(6);
    await scene.command('state', 'copy', '--to', 'copy.db');
    await storm;
    await stopped(replica);
    expect(tally.faults()).toEqual([]);
    expect(await scene.command('state', 'check', '-c', 'alone.yaml')).toContain('sound: nothing is damaged');
    expect(await scene.command('history', '--verify', '-c', 'alone.yaml')).toMatch(/^unbroken from position 1 /);

    // One machine goes on with the copy: what had not happened yet by then is found and told.
    const alone = await scene.replica(2, 'alone.yaml');
    await alone.says('daemon:started');
    await scene.storm(1);
    await stopped(alone);
    const tellings = (hook: string, block: number): number =>
      sinks.told.all.filter(({ recipient, text }) => recipient === hook && text.includes(`block ${block}.`)).length;
    for (const hook of HOOKS)
      for (let block = height - BLOCKS_IN_A_BURST; block <= height; block += 1) expect(tellings(hook, block)).toBe(1);
  },
);
