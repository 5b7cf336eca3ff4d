// Requests to one explorer over kept connections, with its headers, its key, and one deadline for each request.
import http from 'node:http';
import { type Reachability, reachabilityAfter } from '../../core/model/quality/reachability.ts';
import type { Question } from '../../core/model/watch/question.ts';
import type { Spend } from '../../core/spending/spend.ts';
import { type Clock, createAbortListeners } from '../../lib/clock.ts';
import { ENCODINGS } from './body.ts';
import { createAgents, exchange, type HttpAnswer, type HttpLimits } from './exchange.ts';
import { RequestFault } from './fault.ts';

/** A list takes up to 8 s. With longer limits a slow poll would delay the next one. */
export const HTTP_LIMITS: HttpLimits = {
  connectMs: 5_000,
  headersMs: 10_000,
  quietMs: 1_000,
  totalMs: 30_000,
  maxBytes: 8 * 1024 * 1024,
};

/** The form in which the API key is sent. `key` is called for each request, so that a changed secret takes effect. */
export type Auth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly key: () => string }
  | { readonly type: 'query'; readonly key: () => string };

export interface SentRequest {
  /** A whole address, without the key. */
  readonly target: string;
  /** JSON that is posted; null: the request is a GET. */
  readonly body: string | null;
  /** The address as messages show it. */
  readonly where: string;
}

export interface HttpTransport {
  /**
   * `onQuiet` is called when no byte came for a second, perhaps repeatedly. Throws `RequestFault`, or the signal's
   * reason when it aborts.
   */
  send(request: SentRequest, leftMs: number, onQuiet?: () => void): Promise<HttpAnswer>;
  /** Closes idle connections. */
  close(): void;
}

export interface HttpTransportOptions {
  readonly auth: Auth;
  /** Headers of the explorer, such as a Referer that a firewall requires. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly limits: HttpLimits;
  readonly signal: AbortSignal;
}

export function createHttpTransport({ auth, headers, userAgent, limits, signal }: HttpTransportOptions): HttpTransport {
  const agents = createAgents();
  const aborts = createAbortListeners(signal);
  const withKey = createKeyAdder(ownHeaders(headers, userAgent), auth);

  return {
    async send({ target, body, where }, timeLeftMs, onQuiet = () => undefined) {
      signal.throwIfAborted();
      const leftMs = Math.min(timeLeftMs, limits.totalMs);
      try {
        return await exchange({ ...withKey(target, where), body, agents, where, limits, leftMs, aborts, onQuiet });
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    close() {
      aborts[Symbol.dispose]();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

// Explorers hide scam tokens unless both are sent.
const SHOW_SCAM = { header: 'show-scam-tokens', cookie: 'show_scam_tokens=true' };

function ownHeaders(extra: Readonly<Record<string, string>>, userAgent: string): Record<string, string> {
  const given = Object.fromEntries(Object.entries(extra).map(([name, value]) => [name.toLowerCase(), value]));
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: 'application/json',
    'accept-encoding': ENCODINGS,
    ...given,
    [SHOW_SCAM.header]: 'true',
    cookie: given['cookie'] === undefined ? SHOW_SCAM.cookie : `${given['cookie']}; ${SHOW_SCAM.cookie}`,
  };
  for (const [name, value] of Object.entries(headers)) {
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
  }
  return headers;
}

/** The key is added last, after everything that is logged or counted. */
function createKeyAdder(headers: Headers, auth: Auth): (target: string, where: string) => WithKey {
  if (auth.type === 'none') return (target) => ({ url: new URL(target), headers });
  if (auth.type === 'query')
    return (target) => {
      const sign = target.includes('?') ? '&' : '?';
      return { url: new URL(`${target}${sign}apikey=${encodeURIComponent(auth.key())}`), headers };
    };
  return (target, where) => {
    const key = auth.key();
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new RequestFault(
        'unauthorized',
        `${where}: not asked, the API key is empty or holds what no header can carry`,
      );
    return { url: new URL(target), headers: { ...headers, authorization: `Bearer ${key}` } };
  };
}

type Headers = Readonly<Record<string, string>>;

interface WithKey {
  readonly url: URL;
  readonly headers: Headers;
}

/** A question in the form of a request. */
export interface Request {
  readonly question: Question;
  /** The whole address, without the key. */
  readonly address: string;
  /** JSON that is posted; null: the request is a GET. */
  readonly body: string | null;
  /** `explorer.example.com/api/v2/tokens/{address}`: the address as messages show it. */
  readonly where: string;
  readonly spend: Spend;
}

/** Requests with equal keys get one answer. */
export function requestKey({ address, body }: Pick<Request, 'address' | 'body'>): string {
  return body === null ? address : `${address} ${body}`;
}

// Records whether one host can be reached from here, as its requests show.

export interface ReachRecord {
  now(): Reachability;
  /** Returns a transport that sends through the given one and records each request. */
  noting(transport: HttpTransport): HttpTransport;
}

export function createReachRecord(clock: Clock): ReachRecord {
  let reachability: Reachability = { type: 'unknown' };

  const noteEnd = (error: unknown): void => {
    const end = endOf(error);
    if (end !== null) reachability = reachabilityAfter(reachability, end, clock.monotonic());
  };

  return {
    now: () => reachability,
    noting: (transport) => ({
      ...transport,
      async send(...args) {
        try {
          const answer = await transport.send(...args);
          noteEnd(null);
          return answer;
        } catch (error) {
          noteEnd(error);
          throw error;
        }
      },
    }),
  };
}

/**
 * Null: the request does not show whether the host can be reached. Examples: the answer did not come in time, or the
 * request was not sent (`unauthorized`).
 */
function endOf(error: unknown): 'answered' | 'unreached' | null {
  if (error === null) return 'answered';
  if (!(error instanceof RequestFault)) return null;
  if (error.isUnreached) return 'unreached';
  return error.reason === 'timeout' || error.reason === 'unauthorized' ? null : 'answered';
}
