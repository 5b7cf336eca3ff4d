// A database that goes back under a daemon that works: a standby without the last seconds, and a clock that was ahead. And one
// that a daemon does not reach any more, while another does.
import { expect } from '@jest/globals';
import { openProxy } from '../../cluster/proxy.ts';
import { openReplicaScene, RULES, type Replica, type ReplicaScene } from '../../support/cluster/replica-scene.ts';
import type { WebhookCall } from '../../support/sinks.ts';
import { concurrentPostgresTest } from '../../support/store/postgres.ts';

/** Attempts. The first comes soon after a start of the database, which may have lost something, too. */
const FIRST_AND_COPY = [expect.stringMatching(/^1(; may be a copy)?$/), '1; may be a copy'];

/** Resolves once each watch has begun. */
async function daemonOf(scene: ReplicaScene): Promise<Replica> {
  const daemon = await scene.replica();
  await scene.begun();
  return daemon;
}

concurrentPostgresTest(
  'two alerts and an end that a standby had not got were never told, since their values stayed',
  async () => {
    await using scene = await openReplicaScene({ fsync: 'on' });
    const { postgres, told, fill, sql, until } = scene;
    const daemon = await daemonOf(scene);
    await fill(2, 0);
    await told.reached(1);
    await until(async () => (await sql("SELECT FROM deliveries WHERE state <> 'sent'")).length === 0);

    // The last renewal was written before, so that nothing in the tables says that they are older.
    await sql(`UPDATE replicas SET until = until + interval '1 hour'`);
    await postgres.stop('fast');
    const putBack = postgres.copyData();
    await postgres.start();
    scene.setRefusing(true);
    await fill(0, 0);
    await fill(1, 0);
    await fill(2, 5);
    await until(async () => (await sql('SELECT FROM notifications')).length >= 4);
    await postgres.stop('immediate');
    putBack();
    await postgres.start();
    scene.setRefusing(false);

    await told.reached(4);
    expect(daemon.err()).toContain('cluster:database-restarted');
    await daemon.stop();
    const [first, ...others] = told.all;
    expect(first).toMatch(/^\[CRITICAL\] purse_2 /);
    expect(others.toSorted().map((subject) => subject.split(' ').slice(0, 2).join(' '))).toEqual([
      expect.stringMatching(/^\[CRITICAL\] purse_0$/),
      expect.stringMatching(/^\[CRITICAL\] purse_1$/),
      expect.stringMatching(/^\[RESOLVED/),
    ]);
  },
);

concurrentPostgresTest('a warning that a standby had not got comes again as a possible copy', async () => {
  await using scene = await openReplicaScene({ fsync: 'on' });
  const { postgres, told, calls, fill, sql, until } = scene;
  const daemon = await scene.replica({ rules: RULES.replaceAll('severity: critical', 'severity: warning') });
  await scene.begun();
  await postgres.stop('fast');
  const putBack = postgres.copyData();
  await postgres.start();
  await fill(0, 0);
  await told.reached(1);
  await until(async () => (await sql("SELECT FROM deliveries WHERE state = 'sent'")).length === 1);
  await postgres.stop('immediate');
  putBack();
  await postgres.start();

  await told.reached(2);
  await daemon.stop();
  const hooked = calls.all.filter(({ path }) => path === '/hook');
  expect(new Set(hooked.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(hooked.map(({ headers }) => headers['chainwarden-attempt'])).toEqual(FIRST_AND_COPY);
});

concurrentPostgresTest('it comes as a possible copy from another replica, too', async () => {
  await using scene = await openReplicaScene({ fsync: 'on' });
  const { postgres, told, calls, fill, sql, until } = scene;
  const rules = RULES.replaceAll('severity: critical', 'severity: warning');
  const replicas = [await scene.replica({ rules }), await scene.replica({ rules })];
  await scene.begun();
  await postgres.stop('fast');
  const putBack = postgres.copyData();
  await postgres.start();
  await fill(0, 0);
  await told.reached(1);
  await until(async () => (await sql("SELECT FROM deliveries WHERE state = 'sent'")).length === 1);
  const [{ name } = {}] = await sql(
    `SELECT replicas.name FROM shards JOIN replicas ON replicas.id = owner WHERE key = 'channel:hook'`,
  );
  const sender = replicas.find(({ pid }) => String(name).endsWith(`pid ${pid}`));
  const other = replicas.find((one) => one !== sender);
  await postgres.stop('immediate');
  sender?.kill('SIGKILL');
  putBack();
  await postgres.start();

  await told.reached(2);
  await until(async () => (await sql("SELECT FROM deliveries WHERE state = 'sent'")).length === 1);
  const hooked = calls.all.filter(({ path }) => path === '/hook');
  expect(new Set(hooked.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(hooked.map(({ headers }) => headers['chainwarden-attempt'])).toEqual(FIRST_AND_COPY);
  await other?.stop();
});

/** The statements of daemons read a clock that is moved: `clock_timestamp()` of a schema that is looked in first. */
async function movableClock({ sql }: ReplicaScene): Promise<(ahead: string) => Promise<void>> {
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
async function untilRenewed({ sql, until }: ReplicaScene, isAhead: boolean): Promise<void> {
  const inAMinute = `pg_catalog.clock_timestamp() + interval '1 minute'`;
  const others = `SELECT FROM shards WHERE (until > ${inAMinute}) <> ${String(isAhead)}`;
  await until(async () => (await sql(others)).length === 0);
}

concurrentPostgresTest(
  'the clock of the database was ahead for some seconds, and nobody polled until it had caught up',
  async () => {
    await using scene = await openReplicaScene();
    const setAhead = await movableClock(scene);
    await daemonOf(scene);
    await setAhead(AHEAD);
    await untilRenewed(scene, true);
    await setAhead('0');
    await untilRenewed(scene, false);
    await scene.fill(0, 0);
    expect(await scene.told.reached(1)).toEqual([expect.stringMatching(/^\[CRITICAL\] purse_0 /)]);
  },
);

concurrentPostgresTest(
  'what a daemon gave back while that clock was ahead could not be claimed once it was right',
  async () => {
    await using scene = await openReplicaScene();
    const setAhead = await movableClock(scene);
    const first = await daemonOf(scene);
    await setAhead(AHEAD);
    await untilRenewed(scene, true);
    await first.stop();
    await setAhead('0');
    await scene.fill(1, 0);
    await daemonOf(scene);
    expect(await scene.told.reached(1)).toEqual([expect.stringMatching(/^\[CRITICAL\] purse_1 /)]);
  },
);

const CRITICAL = /^\[CRITICAL\] purse_0 /;

for (const [what, rules] of [
  ['a condition', RULES],
  ['an event', RULES.replaceAll('while: balance < 1', 'on: changed')],
] as const)
  concurrentPostgresTest(
    `${what} that a replica told from memory, cut off from the database, was told again by the next one as if it were new`,
    async () => {
      await using scene = await openReplicaScene();
      const { told, calls, fill } = scene;
      await using line = await openProxy({ target: scene.postgres.port, address: '127.0.0.11' });
      const first = await scene.replica({ rules, databasePort: line.port });
      await scene.begun();
      const second = await scene.replica({ rules });
      line.set({ type: 'cut' });
      await fill(0, 0);
      await told.reached(2);
      expect(told.all).toEqual([expect.stringMatching(CRITICAL), expect.stringMatching(CRITICAL)]);
      const [before, again] = calls.all.filter(({ path }) => path === '/hook');
      const nameOf = (call: WebhookCall | undefined): unknown => [call?.headers['webhook-id'], keyIn(call)];
      expect(nameOf(again)).toEqual(nameOf(before));
      expect([before, again].map((call) => call?.headers['chainwarden-attempt'])).toEqual([
        '1; unrecorded',
        '1; may be a copy',
      ]);
      if (what === 'a condition') {
        await fill(0, 5);
        await told.reached(3);
        expect(told.all[2]).toMatch(/^\[RESOLVED/);
        expect(keyIn(calls.all.findLast(({ path }) => path === '/hook'))).toBe(keyIn(before));
      }
      await second.stop();
      first.kill('SIGKILL');
    },
  );

function keyIn(call: WebhookCall | undefined): unknown {
  return (JSON.parse(call?.body ?? '{}') as { data?: { key?: string } }).data?.key;
}
