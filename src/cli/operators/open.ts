// Prints a link that enters the page as the owner of the token file. It works once, for a minute, on this machine.
import { randomUUID } from 'node:crypto';
import { signPass } from '../../web/guard/signed.ts';
import { LOCAL } from '../../web/guard/identity.ts';
import { daemonOf, type DaemonAddress } from './daemon-place.ts';
import { EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

const VALID_MS = 60_000;

export function open(terminal: Terminal, options: Pick<DaemonAddress, 'config' | 'url'>): number {
  // The link is signed with the token of the file, whatever other token there is.
  const { url, token } = daemonOf({ ...terminal, env: {} }, options);
  const until = terminal.clock.now() + VALID_MS;
  const code = signPass({ name: LOCAL, until, nonce: randomUUID() }, 'code', token);
  terminal.out(`${url}/enter?code=${encodeURIComponent(code)}`);
  return EXIT.ok;
}
