// Errors of PostgreSQL and of the network, in words for the operator.
import { isRow } from '../../core/values/fields.ts';
import { StorageError } from '../contract/store.ts';

// By SQLSTATE, or by the network's error code; the first two characters of a SQLSTATE name its class.
const ADVICE: Readonly<Record<string, string>> = {
  '08': 'The connection broke. It is tried again.',
  '25006': 'This server is a standby: name the primary in the URL.',
  '28': 'Check the user and the password of the URL, and pg_hba.conf of the server.',
  '3D000': 'Create the database, or name another one.',
  '40': 'It is tried again.',
  '42501': 'Let the user of the URL create and change tables in its schema.',
  '42P07': 'Another program has tables there: give Chainwarden a database of its own.',
  '53100': 'Free some space on the disk of the server.',
  '53300': 'Raise max_connections of the server, or put a pooler before it.',
  '57P': 'The server stops or starts. It is tried again.',
  ECONNREFUSED: 'Check that the server runs and listens there. It is tried again.',
  ENOTFOUND: 'Check the host of the URL.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Name the authority of its certificate: sslrootcert=FILE in the URL.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Name its certificate: sslrootcert=FILE in the URL.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Name the authority of its certificate: sslrootcert=FILE in the URL.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Name the host as its certificate does.',
};

/** `name`: the name of the database, for the message. */
export function databaseError(name: string, action: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
  const advice = code === null ? undefined : adviceFor(code);
  const why = `${messageOf(error)}${code === null ? '' : ` (${code})`}`;
  return new StorageError(`cannot ${action} ${name}: ${why}.${advice === undefined ? '' : ` ${advice}`}`, {
    cause: error,
  });
}

/** True if the server has answered the statement, so that the connection is still usable. */
export function isAnswered(error: unknown): boolean {
  const code = codeOf(error);
  return code !== null && /^[0-9A-Z]{5}$/.test(code) && !/^(08|25006|57P)/.test(code);
}

function adviceFor(code: string): string | undefined {
  const found = [code, code.slice(0, 3), code.slice(0, 2)].find((part) => Object.hasOwn(ADVICE, part));
  return found === undefined ? undefined : ADVICE[found];
}

/** Null: the error is neither PostgreSQL's nor the network's. */
export function codeOf(error: unknown): string | null {
  const code = isRow(error) ? error['code'] : null;
  return typeof code === 'string' ? code : null;
}

/** The message of the first error, if several addresses were tried. */
function messageOf(error: unknown): string {
  if (!isRow(error)) return String(error);
  const { errors, message } = error;
  return Array.isArray(errors) && errors.length > 0 ? messageOf(errors[0]) : String(message);
}
