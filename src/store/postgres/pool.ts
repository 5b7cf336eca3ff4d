// Connections to a server, and how their values are read.
import pg from 'pg';
import type { PostgresAddress } from './address.ts';

export interface PostgresLimits {
  /** How many connections there are at most. */
  readonly connections: number;
  /** How long one statement may take. */
  readonly timeoutMs: number;
}

const CONNECT_MS = 5000;
const BOOL = 16;
const INT8 = 20;

// As SQLite hands them out, so that the rows of both engines are read by the same functions. No number that is kept goes
// beyond what a double holds exactly: amounts are text.
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
  // A connection that breaks is replaced by the next that is asked for; its user learns of it from the next statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}
