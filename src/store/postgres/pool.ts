// Connections to a server, and how their values are read.
import net from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import type { PostgresAddress } from './address.ts';

export interface PostgresLimits {
  /** The greatest number of connections. */
  readonly connections: number;
  /** The longest time that one statement may take. */
  readonly timeoutMs: number;
}

const CONNECT_MS = 5000;
const CANCEL_MS = 1000;
const BOOL = 16;
const INT8 = 20;

// Values get the types that SQLite returns, so that the same functions read the rows of both engines. No stored number
// exceeds the exact range of a double, since amounts are text.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    if (oid === BOOL) return (text: string) => Number(text === 't');
    const parser: unknown = pg.types.getTypeParser(oid, format);
    return parser;
  },
};

/** Opens no connection yet. */
export function createPool({ url, ssl, connections, timeoutMs }: PostgresAddress & PostgresLimits): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    ssl,
    max: connections,
    query_timeout: timeoutMs,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'chainwarden',
    types,
  });
  // A broken connection is replaced at the next request; its user gets the error from the next statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}

/**
 * The data for a request to cancel. The server sends it when a client connects; the types of the library do not contain
 * it.
 */
const Backend = z.object({ host: z.string(), port: z.number(), processID: z.number(), secretKey: z.number() });

type Backend = z.output<typeof Backend>;

/** The code of a request to cancel in the protocol. Every server accepts it in place of a login, also without TLS. */
const CANCEL_REQUEST = 80_877_102;

/** If the host is a folder, the server's socket is in it. */
function placeOf({ host, port }: Backend): { host: string; port: number } | { path: string } {
  return host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

export interface Cancels {
  /** Cancels the running statement of this connection, if any. Resolves soon in any case. */
  readonly cancel: (client: pg.PoolClient) => Promise<void>;
  /** Sends the requests again that did not reach the server, as while its line was cut. Resolves soon in any case. */
  readonly repeat: () => Promise<void>;
}

export function createCancels(): Cancels {
  let unsent: Backend[] = [];

  async function repeat(): Promise<void> {
    const asked = unsent;
    unsent = [];
    const ends = await Promise.all(asked.map(async (backend) => ({ backend, isSent: await sendCancel(backend) })));
    unsent.push(...ends.filter(({ isSent }) => !isSent).map(({ backend }) => backend));
  }

  return {
    async cancel(client) {
      const backend = Backend.safeParse(client).data;
      if (backend !== undefined) unsent.push(backend);
      await repeat();
    },
    repeat,
  };
}

/** False: it is not known to have reached the server. */
async function sendCancel(backend: Backend): Promise<boolean> {
  const request = Buffer.alloc(16);
  for (const [n, value] of [request.length, CANCEL_REQUEST, backend.processID, backend.secretKey].entries())
    request.writeInt32BE(value, n * 4);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = net.connect({ ...placeOf(backend), timeout: CANCEL_MS });
  socket.on('connect', () => socket.end(request));
  socket.on('timeout', () => socket.destroy(new Error('no answer')));
  // The server closes the connection after it has passed on the request.
  socket.on('error', () => undefined);
  socket.on('close', (hasFailed) => {
    resolve(!hasFailed);
  });
  socket.resume();
  return promise;
}
