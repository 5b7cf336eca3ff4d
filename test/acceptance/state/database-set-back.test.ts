// A database that goes back under a daemon that works: a standby without the last seconds, and a clock that was ahead.
import { expect, jest } from '@jest/globals';
import { systemClock } from '../../../src/lib/clock.ts';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { serveSandbox } from '../../../src/sandbox/server.ts';
import { createFolder, start, type Process } from '../../support/daemon.ts';
import { createInbox, createWebhookSink, type Arrivals } from '../../support/sinks.ts';
import { execute, postgresTest } from '../../support/store/postgres.ts';
import { openPostgres, type PostgresServer } from '../../support/store/postgres-server.ts';

jest.setTimeout(240_000);

const PURSES = [0, 1, 2];
const purseOf = (n: number): string => `0x${String(n + 16).repeat(20)}`;
const RULES = `
watches:
${PURSES.map((n) => `  - { id: coins-${n}, kind: balance, of: purse_${n}, every: 1s, notify: [hook], alerts: [{ id: low, while: balance < 1, severity: critical }] }\n`).join('')}`;

interface Scene extends AsyncDisposable {
  readonly postgres: PostgresServer;
  /** Subjects of what the receiver has taken. */
  readonly told: Arrivals<string>;
  /** While it refuses, nothing counts as told. */
  readonly setRefusing: (isRefusing: boolean) => void;
  /** Sets the balance of a purse. */
  readonly fill: (purse: number, coins: number) => Promise<void>;
  readonly sql: (statement: string) => Promise<readonly Record<string, unknown>[]>;
  /** Resolves once each watch has begun. */
  readonly daemon: () => Promise<Process>;
}

async function aScene(settings: Readonly<Record<string, string>> = {}): Promise<Scene> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await openPostgres(settings));
  const url = await postgres.database();
  const sandbox = createSandbox({ seed: 7, blockTimeMs: 'manual', clock: systemClock, quiet: true, control: true });
  const served = opened.use(await serveSandbox(sandbox));
  const told = createInbox<string>();
  let isRefusing = false;
  const sink = opened.use(
    await createWebhookSink((response, { body }) => {
      if (!isRefusing) told.push((JSON.parse(body) as { data: { subject: string } }).data.subject);
      response.writeHead(isRefusing ? 503 : 204).end();
    }),
  );
  const fill = async (purse: number, coins: number): Promise<void> => {
    const answer = await fetch(`${served.url}/control/set-balance`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: purseOf(purse), value: String(BigInt(coins) * 10n ** 18n) }),
    });
    expect(answer.ok).toBe(true);
  };
  for (const purse of PURSES) await fill(purse, 5);
  const folder = opened.use(
    createFolder({
      'rules.yaml': RULES,
      'config.yaml': `explorers: { chain: { form: instance, instance_url: '${served.url}' } }
addresses: { ${PURSES.map((n) => `purse_${n}: '${purseOf(n)}'`).join(', ')} }
channels: { hook: { type: webhook, url: '${sink.origin}/hook', allow: [127.0.0.0/8] } }
routes: [{ group_interval: 0s, repeat: off }]
self: none
http: { listen: 127.0.0.1:0 }
state: { postgres: { env: DATABASE_URL } }
rules: [rules.yaml]
`,
    }),
  );
  const all = opened.move();
  const sql: Scene['sql'] = (statement) => execute(url, statement);
  return {
    postgres,
    told,
    setRefusing(value) {
      isRefusing = value;
    },
    fill,
    sql,
    async daemon() {
      const daemon = all.use(start(['run'], folder.path, { DATABASE_URL: url }));
      await daemon.says('daemon:started');
      while ((await sql('SELECT FROM memory')).length < PURSES.length);
      return daemon;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

postgresTest(
  'two alerts and an end that a standby had not got were never told, since their values stayed',
  async () => {
    await using scene = await aScene({ fsync: 'on' });
    const { postgres, told, fill, sql } = scene;
    const daemon = await scene.daemon();
    await fill(2, 0);
    await told.reached(1);
    while ((await sql("SELECT FROM deliveries WHERE state <> 'sent'")).length > 0);

    // The last renewal was written before, so that nothing in the tables says that they are older.
    await sql(`UPDATE replicas SET until = until + interval '1 hour'`);
    await postgres.stop('fast');
    const putBack = postgres.copyData();
    await postgres.start();
    scene.setRefusing(true);
    await fill(0, 0);
    await fill(1, 0);
    await fill(2, 5);
    while ((await sql('SELECT FROM notifications')).length < 4);
    await postgres.stop('immediate');
    putBack();
    await postgres.start();
    scene.setRefusing(false);

    await told.reached(4);
    expect(daemon.err()).toContain('cluster:database-restarted');
    daemon.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ code: 0, signal: null });
    const [first, ...others] = told.all;
    expect(first).toMatch(/^\[CRITICAL\] purse_2 /);
    expect(others.toSorted().map((subject) => subject.split(' ').slice(0, 2).join(' '))).toEqual([
      expect.stringMatching(/^\[CRITICAL\] purse_0$/),
      expect.stringMatching(/^\[CRITICAL\] purse_1$/),
      expect.stringMatching(/^\[RESOLVED/),
    ]);
  },
);

/** The statements of daemons read a clock that is moved: `clock_timestamp()` of a schema that is looked in first. */
async function movableClock({ sql }: Scene): Promise<(ahead: string) => Promise<void>> {
  const [{ name } = {}] = await sql('SELECT current_database() AS name');
  await sql(`CREATE TABLE public.shift (by interval);
    INSERT INTO public.shift VALUES ('0');
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      'SELECT pg_catalog.clock_timestamp() + by FROM public.shift';
    ALTER DATABASE ${String(name)} SET search_path = public, pg_catalog`);
  return async (ahead) => {
    await sql(`UPDATE public.shift SET by = '${ahead}'`);
  };
}

const AHEAD = '10 minutes';

/** A daemon has renewed what it holds by that clock. */
async function untilRenewed({ sql }: Scene, isAhead: boolean): Promise<void> {
  const inAMinute = `pg_catalog.clock_timestamp() + interval '1 minute'`;
  while ((await sql(`SELECT FROM shards WHERE (until > ${inAMinute}) <> ${String(isAhead)}`)).length > 0);
}

postgresTest(
  'the clock of the database was ahead for some seconds, and nobody polled until it had caught up',
  async () => {
    await using scene = await aScene();
    const setAhead = await movableClock(scene);
    await scene.daemon();
    await setAhead(AHEAD);
    await untilRenewed(scene, true);
    await setAhead('0');
    await untilRenewed(scene, false);
    await scene.fill(0, 0);
    expect(await scene.told.reached(1)).toEqual([expect.stringMatching(/^\[CRITICAL\] purse_0 /)]);
  },
);

postgresTest('what a daemon gave back while that clock was ahead could not be claimed once it was right', async () => {
  await using scene = await aScene();
  const setAhead = await movableClock(scene);
  const first = await scene.daemon();
  await setAhead(AHEAD);
  await untilRenewed(scene, true);
  first.kill('SIGTERM');
  await first.ended;
  await setAhead('0');
  await scene.fill(1, 0);
  await scene.daemon();
  expect(await scene.told.reached(1)).toEqual([expect.stringMatching(/^\[CRITICAL\] purse_1 /)]);
});
