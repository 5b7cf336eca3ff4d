// The database ends, goes back, has another time, is locked, or belongs to a newer release.
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { execute, type PostgresServer } from '../../support/store/postgres-server.ts';
import { MEMORY_FORMAT } from '../../../src/store/tables/memory/stored-memory.ts';
import { beyond, type Fault, type Struck } from './fault.ts';

export const OF_DATABASES = {
  'database restarts': {
    room: 'database',
    isOfAll: true,
    strike: ({ postgres }) => bounce(postgres, 'fast'),
  },
  'database crashes': {
    room: 'database',
    isOfAll: true,
    strike: ({ postgres }) => bounce(postgres, 'immediate'),
  },
  // As when a standby takes over that lacks the last seconds. Nobody was told of those.
  'the database goes back': {
    room: 'database',
    isOfAll: true,
    isUnpromised: true,
    async strike({ all, postgres, sinks, leaseMs, noted }) {
      await postgres.stop('fast');
      const putBack = postgres.copyData();
      sinks.refuse(true);
      await postgres.start();
      await pause(beyond(leaseMs));
      for (const one of all) one.signal('SIGSTOP');
      await noted.readLost(postgres);
      await postgres.stop('immediate');
      putBack();
      await postgres.start();
      sinks.refuse(false);
      for (const one of all) one.signal('SIGCONT');
    },
  },
  // A standby takes over that lacks so much, while replicas work and people are told.
  failover: {
    room: 'database',
    async strike({ postgres, roll, noted }) {
      const behindMs = BEHIND_MS[roll % BEHIND_MS.length] ?? 0;
      const standby = await postgres.standby();
      await pause(behindMs + 1000);
      const from = Date.now();
      const openFormer = await standby.takeOver(behindMs);
      const to = Date.now();
      noted.outages.push({ from, to });
      noted.forgotten.push({ from: from - behindMs, to });
      await using former = await openFormer();
      await noted.readLost(former);
    },
  },
  'the clock of the database': {
    room: 'database',
    async strike({ url, roll, leaseMs, noted }) {
      const minutes = AHEAD_MINUTES[roll % AHEAD_MINUTES.length] ?? 0;
      await setAhead(url, minutes);
      noted.clockMoves.push({ at: Date.now(), ms: minutes * 60_000 });
      await pause(beyond(leaseMs));
      await setAhead(url, 0);
      noted.clockMoves.push({ at: Date.now(), ms: -minutes * 60_000 });
    },
  },
  // As a migration, or VACUUM FULL.
  'table locks': { room: 'database', isOfAll: true, strike: lockTables },
  // A newer release has come and changed the tables: who does not know them writes nothing.
  'a newer schema': {
    room: 'database',
    isOfAll: true,
    async strike({ url, leaseMs, noted }) {
      await execute(url, 'UPDATE cluster SET schema = schema + 1');
      await pause(leaseMs);
      const [first] = await execute(url, LAST_LINE);
      await pause(beyond(leaseMs));
      const [last] = await execute(url, LAST_LINE);
      if (first?.['number'] !== last?.['number']) noted.findings.push('tables of a newer release were written');
      await execute(url, 'UPDATE cluster SET schema = schema - 1');
    },
  },
  // It has written one memory, which those that do not know its format leave as it is.
  'a newer memory': {
    room: 'database',
    victim: 'explorer:plan-0',
    async strike({ victim, url, leaseMs, noted }) {
      const newer = MEMORY_FORMAT + 1;
      await execute(url, `SET session_replication_role = replica; UPDATE memory SET format = ${newer} WHERE ${SPARE}`);
      const [before] = await execute(url, SPARE_ROW);
      await victim.restart('SIGTERM', { downMs: 500 });
      await pause(beyond(leaseMs));
      const [after] = await execute(url, SPARE_ROW);
      if (JSON.stringify(before) !== JSON.stringify(after))
        noted.findings.push('a memory of a newer release was written');
      await execute(
        url,
        `SET session_replication_role = replica; UPDATE memory SET format = ${MEMORY_FORMAT} WHERE ${SPARE}`,
      );
    },
  },
} as const satisfies Readonly<Record<string, Fault>>;

const BEHIND_MS = [0, 200, 1000, 3000, 10_000];
const AHEAD_MINUTES = [3, 10];

/** What replicas read as the clock of the server: `clock_timestamp()` of a schema that is looked in first. */
export async function makeClockMovable(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await execute(
    url,
    `CREATE TABLE public.shift (by interval);
    INSERT INTO public.shift VALUES ('0');
    CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
      'SELECT pg_catalog.clock_timestamp() + by FROM public.shift';
    ALTER DATABASE ${name} SET search_path = public, pg_catalog`,
  );
}

async function setAhead(url: string, minutes: number): Promise<void> {
  await execute(url, `UPDATE public.shift SET by = '${minutes} minutes'`);
}

const SPARE = `watch LIKE 'spare-0/%'`;
const SPARE_ROW = `SELECT * FROM memory WHERE ${SPARE}`;
const LAST_LINE = 'SELECT max(number)::int AS number FROM nemesis.log';

async function bounce(postgres: PostgresServer, how: 'fast' | 'immediate'): Promise<void> {
  await postgres.stop(how);
  await pause(500);
  await postgres.start();
}

/** Statements that are given up twice leave their connections behind, were they not ended. */
const LOCKED_SECONDS = 26;
/** As docs/cluster.md has it. */
const MOST_CONNECTIONS = 5;
/**
 * A statement that is given up is cancelled within some seconds. Where its line is cut as well, it is cancelled when the
 * line is back.
 */
const CROWDED_SECONDS = 10;
const CONNECTIONS = `
  SELECT host(client_addr) AS address, count(*)::int AS count FROM pg_stat_activity
  WHERE application_name = 'chainwarden' GROUP BY client_addr`;

async function lockTables({ url, noted }: Struck): Promise<void> {
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE memory, deliveries, notifications IN ACCESS EXCLUSIVE MODE');
  const crowded = new Map<string, number>();
  for (let second = 0; second < LOCKED_SECONDS; second += 1) {
    for (const { address, count } of await execute(url, CONNECTIONS)) {
      const name = String(address);
      if (Number(count) > MOST_CONNECTIONS) crowded.set(name, (crowded.get(name) ?? 0) + 1);
    }
    await pause(1000);
  }
  await locker.query('ROLLBACK');
  await locker.end();
  for (const [address, seconds] of crowded)
    if (seconds > CROWDED_SECONDS)
      noted.findings.push(`${address} had more than ${MOST_CONNECTIONS} connections for ${seconds} s`);
}
