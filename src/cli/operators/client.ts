// Calls the API of a daemon. If the answer to a call is lost, the call is repeated with the same key. The daemon then
// acts only once, and repeats its first answer, also after a restart.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { singleLine } from '../../lib/untrusted.ts';
import type { Action } from '../../operators/action.ts';
import { CommandError, EXIT } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { daemonOf, type DaemonAddress, type Daemon } from './daemon-place.ts';

/** Both methods throw a `CommandError` if the call is refused, the daemon is unreachable, or the result is unknown. */
export interface Client {
  /** Carries out an action: `act(ack, { key, episode }, { seq })`. */
  act<Answer extends object>(
    action: Pick<Action<unknown, never, object, Answer>, 'path' | 'answer'>,
    named: Readonly<Record<string, string | number>>,
    body: object,
  ): Promise<Answer>;
  /** Resolves with the body of the answer, parsed by `shape`. */
  post<T>(path: string, body: object, shape: z.ZodType<T>): Promise<T>;
}

export function createClient(terminal: Terminal, options: DaemonAddress): Client {
  const daemon = daemonOf(terminal, options);
  const key = options.key ?? randomUUID();

  async function post<T>(path: string, body: object, shape: z.ZodType<T>): Promise<T> {
    const answer = await repeated(terminal, daemon, key, () => send(daemon, key, path, body));
    const text = await answer.text();
    if (!answer.ok) throw refusal(daemon, answer.status, text);
    const read = readKnown(shape, jsonOf(text));
    if (read.success) return read.data;
    throw new CommandError(EXIT.unavailable, `${daemon.url} sent an answer that no daemon of this release sends`);
  }

  return {
    post,
    act: ({ path, answer }, named, body) =>
      post(
        path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(named[name] ?? '')),
        body,
        answer,
      ),
  };
}

/** Unknown top-level keys are dropped, since a later release may add some. */
function readKnown<T>(shape: z.ZodType<T>, value: unknown): z.ZodSafeParseResult<T> {
  const read = shape.safeParse(value);
  const issues = read.error?.issues ?? [];
  const unknown = issues.flatMap((one) => (one.code === 'unrecognized_keys' && one.path.length === 0 ? one.keys : []));
  if (unknown.length === 0 || typeof value !== 'object' || value === null) return read;
  return shape.safeParse(Object.fromEntries(Object.entries(value).filter(([key]) => !unknown.includes(key))));
}

const ANSWER_MS = 15_000;

function send({ url, token, as }: Daemon, key: string, path: string, body: object): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-chainwarden-request': '1',
      'idempotency-key': key,
      ...(as !== null && { 'x-chainwarden-actor': as }),
    },
    body: JSON.stringify(body),
    // Redirects are not followed, since the token is for this daemon only.
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_MS),
  });
}

/**
 * The daemon did not receive the whole request in time. The call is repeated. Until it is answered, the action may have
 * been carried out.
 */
const TOO_LATE = 408;
const TRIES = 10;
const PAUSE_MS = 1000;

/** No connection was made, so the daemon cannot have acted. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Repeats a call that may have reached the daemon until there is an answer, at most `TRIES` times: the daemon may be
 * restarting.
 */
async function repeated(
  { clock }: Terminal,
  { url }: Daemon,
  key: string,
  call: () => Promise<Response>,
): Promise<Response> {
  let mayBeDone = false;
  let why = '';
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) await clock.sleep(PAUSE_MS);
    try {
      const answer = await call();
      if (answer.status !== TOO_LATE) return answer;
      why = `${TOO_LATE}, the request took too long to arrive`;
      mayBeDone = true;
    } catch (error) {
      why = causeOf(error);
      mayBeDone ||= !NOT_CONNECTED.has(why);
    }
    if (!mayBeDone) break;
  }
  const advice = mayBeDone
    ? `The action may have been carried out. To be sure, repeat the command with --key ${key}: it is not carried out twice.`
    : 'Is the daemon running? Name another address with --url.';
  throw new CommandError(EXIT.unavailable, `${url} does not answer (${why}). ${advice}`);
}

/** The code of the error, such as `ECONNREFUSED`; the message if the error has no code. */
function causeOf(error: unknown): string {
  const cause = partOf(error, 'cause') ?? error;
  const text = partOf(cause, 'code') ?? partOf(cause, 'message');
  return singleLine(typeof text === 'string' ? text : String(cause));
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

const ProblemBody = z.object({ detail: z.string() });

function refusal({ url }: Daemon, status: number, text: string): CommandError {
  const problem = ProblemBody.safeParse(jsonOf(text)).data;
  if (problem === undefined) return new CommandError(EXIT.unavailable, `${url} answered with ${status}`);
  const code = status >= 500 ? EXIT.unavailable : EXIT.problems;
  return new CommandError(code, singleLine(problem.detail, 2000));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
