// The address of the database, from its URL. Messages about it contain no password.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { StorageError } from '../contract/store.ts';

export interface PostgresAddress {
  /** For messages: `PostgreSQL at db.example.org:5432/chainwarden`. */
  readonly name: string;
  /** The URL without its parameters for TLS, which are in `ssl`. */
  readonly url: string;
  /** False: the connection does not leave the machine, so it needs no TLS. */
  readonly ssl: ConnectionOptions | false;
}

/** The names that libpq gives files of TLS in a URL. */
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;
/** The allowed values of `sslmode`. Other values ask for a connection to a server that is not verified. */
const VERIFIED: readonly string[] = ['verify-full', 'verify-ca', 'require'];

/** Throws a StorageError. Its message names the change to make. */
export function addressOf(text: string): PostgresAddress {
  const url = parsed(text);
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
  const name = `PostgreSQL at ${host === '' ? 'localhost' : host}:${url.port || '5432'}${url.pathname}`;
  refuseUnknown(url, name);
  // Without a host the driver would use PGHOST, which may be another machine.
  if (host === '') url.searchParams.set('host', 'localhost');
  const ssl = isLoopback(host) ? false : verified(url, host, name);
  for (const key of ['sslmode', ...Object.keys(FILES)]) url.searchParams.delete(key);
  return { name, url: url.href, ssl };
}

function parsed(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:\/\//.test(text))
    throw new StorageError(
      'the URL of the database is none. Write it as postgres://user:password@host:5432/database, with %-escapes where ' +
        'the password has signs of its own.',
    );
  return url;
}

/** Parameters that leave TLS unchanged. */
const PARAMETERS: readonly string[] = ['host', 'sslmode', ...Object.keys(FILES), 'application_name', 'options'];

/** An unknown or repeated parameter may turn TLS off, or lead to another host than the checked one. */
function refuseUnknown({ searchParams }: URL, name: string): void {
  for (const key of new Set(searchParams.keys())) {
    const known = `A URL of a database takes ${PARAMETERS.join(', ')}.`;
    if (!PARAMETERS.includes(key)) throw new StorageError(`${name}: the parameter ${key} is not known. ${known}`);
    if (searchParams.getAll(key).length > 1) throw new StorageError(`${name}: the parameter ${key} is there twice.`);
  }
}

/** A socket of this machine has a path as its host. */
function isLoopback(host: string): boolean {
  return host === '' || host === 'localhost' || host.startsWith('/') || /^127(\.\d+){3}$|^\[?::1\]?$/.test(host);
}

function verified(url: URL, host: string, name: string): ConnectionOptions {
  const mode = url.searchParams.get('sslmode');
  if (mode !== null && !VERIFIED.includes(mode))
    throw new StorageError(
      `${name}: sslmode=${mode} would send the password to any server that answers there. Leave sslmode out: the server's ` +
        'certificate is always checked unless the database is on the loopback. sslrootcert=FILE names its authority.',
    );
  const files = Object.entries(FILES).flatMap(([key, option]) => {
    const file = url.searchParams.get(key);
    return file === null ? [] : [[option, contentOf(file, key, name)] as const];
  });
  return { host: host.replace(/^\[|\]$/g, ''), rejectUnauthorized: true, ...Object.fromEntries(files) };
}

function contentOf(file: string, key: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StorageError(`${name}: ${key} cannot be read: ${String(error)}`, { cause: error });
  }
}
