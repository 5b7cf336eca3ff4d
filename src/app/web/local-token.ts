// The token file beside the state file. A local user who may read the file may use the API from this machine. The token
// stays valid after a restart, so that a client without an answer can repeat its request to the next process.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Log } from '../../telemetry/log.ts';

/** `tokenFileOf('/data/state.db') // '/data/state.db.token'` */
export function tokenFileOf(stateFile: string): string {
  return `${stateFile}.token`;
}

/**
 * Reads the token. Makes a new one if there is none, or if others may have read it. Null: the file cannot be written.
 */
export function openLocalToken(
  stateFile: string,
  log: Pick<Log, 'warn' | 'error'>,
  owner: number | undefined = userInfo().uid,
): string | null {
  const file = tokenFileOf(stateFile);
  const found = readToken(file, owner);
  if (found !== null && 'token' in found) return found.token;
  if (found !== null) log.warn('api:token-replaced', { file, why: found.why });
  try {
    return writeToken(file);
  } catch (error) {
    const effect = 'the API accepts only the tokens of http.operators';
    log.error('api:no-token-file', { file, error, effect });
    return null;
  }
}

const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
const OF_OTHERS = 0o077;

/** Null: there is no file. `owner`: undefined if the system has no user ids. */
function readToken(
  file: string,
  owner: number | undefined,
): { readonly token: string } | { readonly why: string } | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : 'no reason given';
    return code === 'ENOENT' ? null : { why: `it cannot be read (${String(code)})` };
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return { why: 'it is no regular file' };
    if (owner !== undefined && stats.uid !== owner) return { why: 'it belongs to another user' };
    if ((stats.mode & OF_OTHERS) !== 0) return { why: 'others may read or write it' };
    const token = readFileSync(fd, 'utf8').trim();
    return TOKEN.test(token) ? { token } : { why: 'it holds no token' };
  } finally {
    closeSync(fd);
  }
}

/**
 * The token is written under another name first. So the token file never exists without a token, and a link in the
 * place of the file is replaced, not followed.
 */
function writeToken(file: string): string {
  const token = randomBytes(BYTES).toString('base64url');
  const fresh = `${file}.new`;
  // If a database stores the state, the directory may not exist yet.
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${token}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(fresh, file);
  return token;
}
