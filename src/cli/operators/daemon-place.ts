// Finds the daemon that a command talks to, and the token for it.
import { tokenFileOf } from '../../app/web/local-token.ts';
import { readDaemonPlace, type DaemonPlace } from '../../config/service/daemon-place.ts';
import { formatProblems, reasonOf } from '../../config/problem.ts';
import type { Moment } from '../../lib/time-zone.ts';
import { bareHost, isLoopback } from '../../lib/network.ts';
import { isUserName } from '../../web/guard/identity.ts';
import { openReader } from '../../store/open.ts';
import type { StoreReader } from '../../store/contract/store.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

/** The options of every command that changes something in a daemon. */
export interface DaemonAddress {
  readonly config: string;
  readonly url?: string;
  /** The idempotency key of a call that is repeated. */
  readonly key?: string;
  /** The name of the acting person, if the token does not identify one. */
  readonly as?: string;
}

export interface Daemon {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** The name of the person using the token file; null: the token identifies the person, or the name is unknown. */
  readonly as: string | null;
}

/**
 * Returns the daemon of `--url`, else of the config, with the token of `CHAINWARDEN_TOKEN`, else of the file beside the
 * state file. The token of the file is never sent to another machine. Throws a `CommandError`.
 */
export function daemonOf(terminal: Terminal, { config, url: named, as }: DaemonAddress): Daemon {
  const given = terminal.env['CHAINWARDEN_TOKEN'] ?? '';
  if (given !== '' && as !== undefined)
    throw new CommandError(EXIT.usage, '--as is for the token file: CHAINWARDEN_TOKEN says already who you are.');
  if (named !== undefined && given !== '') return { url: checkedUrl(terminal, named), token: given, as: null };
  if (named !== undefined && !isOnThisMachine(new URL(checkedUrl(terminal, named))))
    throw new CommandError(
      EXIT.usage,
      'Set CHAINWARDEN_TOKEN to your token: that of the token file is for its machine.',
    );
  const place = readDaemonPlace(config, terminal);
  if ('problems' in place) throw new CommandError(EXIT.config, formatProblems(place.problems));
  const url = named === undefined ? urlOf(place) : checkedUrl(terminal, named);
  if (given !== '') return { url, token: given, as: null };
  return { url, token: readToken(terminal, place), as: nameOf(terminal, as) };
}

/** Opens the state of the daemon of the config. Throws a `CommandError`, or a `StorageError` if there is no state. */
export function openStateOf(terminal: Terminal, { config }: Pick<DaemonAddress, 'config'>): Promise<StoreReader> {
  const place = readDaemonPlace(config, terminal);
  if ('problems' in place) throw new CommandError(EXIT.config, formatProblems(place.problems));
  return openReader({ file: place.stateFile, postgres: place.postgres });
}

/** The present time, in the time zone of the config; in UTC if the config cannot be read. */
export function momentOf(terminal: Terminal, { config }: Pick<DaemonAddress, 'config'>): Moment {
  const place = readDaemonPlace(config, terminal);
  return { now: terminal.clock.now(), zone: 'problems' in place ? 'UTC' : place.timeZone };
}

function nameOf({ login }: Terminal, as: string | undefined): string | null {
  if (as !== undefined && !isUserName(as))
    throw new CommandError(EXIT.usage, '--as: a name has 1 to 64 letters, digits or any of _ . @ + -');
  return as ?? (login !== null && isUserName(login) ? login : null);
}

function checkedUrl(terminal: Terminal, text: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
    throw new CommandError(EXIT.usage, `--url: it is not an address such as http://127.0.0.1:9797`);
  const url = new URL(text);
  if (url.protocol === 'http:' && !isOnThisMachine(url))
    terminal.err('chainwarden: the token is sent without encryption: use https:// where others share the network\n');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function isOnThisMachine({ hostname }: URL): boolean {
  return isLoopback(bareHost(hostname));
}

const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function urlOf({ listen: { host, port } }: DaemonPlace): string {
  const address = EVERYWHERE[host] ?? host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function readToken({ readFile }: Terminal, { stateFile }: DaemonPlace): string {
  const file = tokenFileOf(stateFile);
  try {
    return readFile(file).trim();
  } catch (error) {
    const advice = 'The daemon writes it when it starts. Run this as its user, or set CHAINWARDEN_TOKEN.';
    throw new CommandError(EXIT.unavailable, `the token file ${file} cannot be read: ${reasonOf(error)}. ${advice}`);
  }
}
