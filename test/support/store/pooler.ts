// A PgBouncer that hands out transactions, as people put one before their database.
import { execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';
import type { PostgresServer } from './postgres-server.ts';

export const hasPooler = isThere();

function isThere(): boolean {
  try {
    execFileSync('pgbouncer', ['--version']);
    return true;
  } catch {
    return false;
  }
}

export interface Pooler extends AsyncDisposable {
  /** The URL of a database of the server, through the pooler. */
  through(url: string): string;
}

/** PgBouncer refuses to run as root; this is nobody. */
const NOBODY = 65_534;
const asOrdinaryUser: Pick<SpawnOptions, 'uid' | 'gid'> = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** So few sessions that the transactions of one client come to several of them. */
export async function openPooler(server: PostgresServer): Promise<Pooler> {
  const { port: target, username: user } = new URL(server.urlOf('postgres'));
  const folder = mkdtempSync(join(tmpdir(), 'chainwarden-pooler-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${target} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 500
`,
  );
  chmodSync(folder, 0o755);
  if (asOrdinaryUser.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
  const child = spawn('pgbouncer', [file], { ...asOrdinaryUser, stdio: ['ignore', 'ignore', 'pipe'] });
  await isListening(createInterface({ input: child.stderr }));
  return {
    through: (url) => url.replace(`:${target}/`, `:${port}/`),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Its log goes on being read, so that it never waits for us. */
async function isListening(lines: NodeJS.EventEmitter): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const said: string[] = [];
  lines.on('line', (line: string) => {
    said.push(line);
    if (line.includes('process up')) resolve(undefined);
  });
  lines.on('close', () => {
    reject(new Error(`PgBouncer did not start: ${said.join('\n')}`));
  });
  await promise;
}
