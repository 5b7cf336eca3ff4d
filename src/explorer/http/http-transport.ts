// The HTTP transport: one GET, one deadline that ends with the last byte, one cap on what comes in.
//
// got's errors carry the whole request, key and all, so none of them leaves this file, not even as a cause.
import { setMaxListeners } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import got, { TimeoutError, type Got, type PlainResponse } from 'got';
import { absorbErrors, SWITCHED_PROTOCOLS } from '../../lib/request-errors.ts';
import { ENCODINGS, tooLarge } from './body.ts';
import { Fault } from './fault.ts';

export interface HttpLimits {
  readonly connectMs: number;
  readonly headersMs: number;
  /** From the first packet to the last byte, retries included. */
  readonly totalMs: number;
  /** Of a body, before and after decompression. */
  readonly maxBytes: number;
}

/** Decision 26. */
export const HTTP_LIMITS: HttpLimits = {
  connectMs: 5_000,
  headersMs: 10_000,
  totalMs: 30_000,
  maxBytes: 8 * 1024 * 1024,
};

/** How the API key travels. `key` is asked for each request, so that a changed secret takes effect. */
export type Auth =
  | { readonly type: 'none' }
  | { readonly type: 'bearer'; readonly key: () => string }
  | { readonly type: 'query'; readonly key: () => string };

export interface AnswerHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

export interface Answer extends AnswerHead {
  /** The pieces as they came over the wire, still compressed. */
  readonly wire: readonly Buffer[];
}

export interface HttpTransport {
  /** `target` is a whole address, without the key. Throws `Fault`, or the signal's reason when it aborts. */
  get(target: string, where: string, leftMs: number): Promise<Answer>;
  /** Lets go of idle connections. */
  close(): void;
}

export interface HttpTransportOptions {
  readonly auth: Auth;
  /** Of the explorer, such as a Referer that a firewall requires. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly limits: HttpLimits;
  readonly signal: AbortSignal;
}

export function createHttpTransport({ auth, headers, userAgent, limits, signal }: HttpTransportOptions): HttpTransport {
  const agent = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };
  // Every request listens to the same signal for as long as it lasts.
  setMaxListeners(0, signal);
  const base = got.extend({
    agent,
    signal,
    headers: ownHeaders(headers, userAgent),
    followRedirect: false,
    throwHttpErrors: false,
    // One decoder over the whole body costs a quarter of got's stream of them.
    decompress: false,
    retry: { limit: 0 },
    timeout: {
      lookup: limits.connectMs,
      connect: limits.connectMs,
      secureConnect: limits.connectMs,
      response: limits.headersMs,
      request: limits.totalMs,
    },
  });
  const withKey = clientWithKey(base, auth);

  return {
    async get(target, where, leftMs) {
      signal.throwIfAborted();
      const { client, url } = withKey(target, where);
      try {
        return await receive(client, url, leftMs < limits.totalMs ? leftMs : null, limits.maxBytes, where);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    },
    close() {
      agent.http.destroy();
      agent.https.destroy();
    },
  };
}

// Real lists hide scam tokens unless both are sent.
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

/** The key is the last thing that is added, and nothing that is logged or counted comes after. */
function clientWithKey(base: Got, auth: Auth): (target: string, where: string) => { client: Got; url: string } {
  if (auth.type === 'none') return (target) => ({ client: base, url: target });
  if (auth.type === 'query')
    return (target) => {
      const sign = target.includes('?') ? '&' : '?';
      return { client: base, url: `${target}${sign}apikey=${encodeURIComponent(auth.key())}` };
    };
  // A client per key, not headers per request: merging options is a tenth of what a request costs.
  let known: { key: string; client: Got } | undefined;
  return (target, where) => {
    const key = auth.key();
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new Fault('unauthorized', `${where}: not asked, the API key is empty or holds what no header can carry`);
    if (known?.key !== key) known = { key, client: base.extend({ headers: { authorization: `Bearer ${key}` } }) };
    return { client: known.client, url: target };
  };
}

function receive(client: Got, url: string, leftMs: number | null, maxBytes: number, where: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(url, leftMs === null ? {} : { timeout: { request: leftMs } });
    absorbErrors(stream);
    const chunks: Buffer[] = [];
    let size = 0;
    let response: PlainResponse | undefined;

    const refuse = (): void => {
      reject(tooLarge(maxBytes, where));
      stream.destroy();
    };
    stream.once('response', (arrived: PlainResponse) => {
      response = arrived;
      if (Number(arrived.headers['content-length']) > maxBytes) refuse();
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) refuse();
      else chunks.push(chunk);
    });
    stream.once('end', () => {
      if (response === undefined) return;
      resolve({ status: response.statusCode, headers: response.headers, wire: chunks });
    });
    stream.once('error', (error: Error) => {
      reject(faultOf(error, response !== undefined, where));
    });
  });
}

function faultOf(error: Error, hasResponse: boolean, where: string): Fault {
  if (error instanceof TimeoutError) return timeoutFault(error.event, where);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  if (DNS.test(code)) return new Fault('dns', `${where}: the name of the host does not resolve (${code})`);
  if (TLS.test(code))
    return new Fault('tls', `${where}: the certificate or the encryption is not acceptable (${code})`);
  if (code === 'HPE_HEADER_OVERFLOW') return new Fault('too-large', `${where}: the headers are too large`);
  if (hasResponse) return new Fault('truncated', `${where}: the answer broke off (${code})`, { retry: 'soon' });
  if (code.startsWith('HPE_') || code === SWITCHED_PROTOCOLS)
    return new Fault('http', `${where}: what answers does not speak HTTP (${code})`);
  const isStale = code === 'ECONNRESET' || code === 'EPIPE';
  return new Fault('network', `${where}: no connection (${code})`, { retry: isStale ? 'now' : 'no' });
}

const DNS = /^(?:ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL)$/;
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

function timeoutFault(event: string, where: string): Fault {
  switch (event) {
    case 'lookup':
      return new Fault('dns', `${where}: the name of the host did not resolve in time`);
    case 'connect':
    case 'secureConnect':
      return new Fault('timeout', `${where}: no connection in time`);
    case 'response':
      return new Fault('timeout', `${where}: no answer in time`);
    default:
      return new Fault('timeout', `${where}: the answer was not complete in time`);
  }
}
