// Prints links that enter the page as the owner of the token file. They work once, for a minute, on this machine.
import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { bareHost } from '../../lib/network.ts';
import { ownNameOf } from '../../web/guard/hosts.ts';
import { signPass } from '../../web/guard/signed.ts';
import { LOCAL } from '../../web/guard/identity.ts';
import { daemonOf, type DaemonAddress, type Daemon } from './daemon-place.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

const VALID_MS = 60_000;
const TWO_LINKS =
  'The first link is safer: browsers send its session to no other program of this machine. The second link is for ' +
  'browsers that do not find names below localhost.\n';
const NO_PAGE =
  'The daemon serves no page: http.page of its config is false, or it listens for other machines (as in a container) and ' +
  'http.operators names nobody. Commands such as ack and silence work without it.';

export async function open(terminal: Terminal, options: Pick<DaemonAddress, 'config' | 'url'>): Promise<number> {
  // The environment is left out, since the link must be signed with the token of the file.
  const daemon = daemonOf({ ...terminal, env: {} }, options);
  if ((await statusOf(daemon.url, '/enter')) === 404) throw new CommandError(EXIT.problems, NO_PAGE);
  const until = terminal.clock.now() + VALID_MS;
  const code = signPass({ name: LOCAL, until, nonce: randomUUID() }, 'code', daemon.token);
  const own = await ownUrlOf(daemon);
  for (const url of [...(own === null ? [] : [own]), daemon.url])
    terminal.out(`${url}/enter?code=${encodeURIComponent(code)}`);
  if (own !== null) terminal.err(TWO_LINKS);
  return EXIT.ok;
}

/**
 * The URL with the daemon's own name. Null: the daemon does not run, or does not answer to this name. In the second
 * case it could not listen on both loopback addresses, so a program of another user may listen on the other one.
 */
async function ownUrlOf({ url, token }: Daemon): Promise<string | null> {
  const { protocol, port } = new URL(url);
  if (protocol !== 'http:') return null;
  const host = `${ownNameOf(token)}:${port}`;
  const status = await statusOf(url, '/healthz', host);
  return status === null || status === 421 ? null : `http://${host}`;
}

/** Null: there is no answer. */
function statusOf(url: string, path: string, host = new URL(url).host): Promise<number | null> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'http:') return Promise.resolve(null);
  return new Promise((resolve) => {
    const asked = request({ host: bareHost(hostname), port, path, headers: { host } });
    asked.setTimeout(ANSWER_MS, () => asked.destroy());
    asked.on('error', () => {
      resolve(null);
    });
    asked.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    asked.end();
  });
}

const ANSWER_MS = 2000;
