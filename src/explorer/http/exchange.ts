// One request and its answer, on node:http, with a time limit for each stage and a size limit for the answer.
// bench/README.md compares the cost of client libraries.
//
// Errors of a connection may contain the request with its key, so none of them leaves this file, not even as a cause.
import http from 'node:http';
import https from 'node:https';
import { isIP, type OnReadOpts, type Socket } from 'node:net';
import { isRow } from '../../core/values/fields.ts';
import { type AbortListeners, after, whenIdle } from '../../lib/clock.ts';
import { freeOwnMemory, tooLarge } from './body.ts';
import { RequestFault } from './fault.ts';

export interface HttpLimits {
  /** The limit of the name lookup, and separately of the connection with its encryption. */
  readonly connectMs: number;
  readonly headersMs: number;
  /** After this time without a byte the request continues, but its slot is given to other requests. */
  readonly quietMs: number;
  /** The limit from the first packet to the last byte, retries included. */
  readonly totalMs: number;
  /** The limit of a body, before and after decompression. */
  readonly maxBytes: number;
}

export interface AnswerHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

export interface HttpAnswer extends AnswerHead {
  /** The received pieces, still compressed. */
  readonly wire: readonly Buffer[];
  /** Call it when the pieces are no longer needed: their memory is returned at once. */
  readonly free: () => void;
}

export interface ExchangeOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON that is posted; null: the request is a GET. */
  readonly body: string | null;
  readonly agents: Agents;
  /** The address as messages show it. */
  readonly where: string;
  readonly limits: HttpLimits;
  /** The time left until the last byte. */
  readonly leftMs: number;
  /** Its signal aborts the request before that time. */
  readonly aborts: AbortListeners;
  /** Called when nothing came for `quietMs`, perhaps more than once. */
  readonly onQuiet: () => void;
}

/** Rejects with a `RequestFault`. Redirects are answers like any other. */
export async function exchange(options: ExchangeOptions): Promise<HttpAnswer> {
  const { url, body, where, limits, leftMs, aborts, onQuiet } = options;
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const request = open(options);
  const stages = createStages(limits, (stage) => {
    reject(lateFault(stage, where));
  });
  const quiet = whenIdle(limits.quietMs, onQuiet);
  const onEnd = (): void => {
    reject(lateFault('end', where));
  };
  const cancelDeadline = after(leftMs, onEnd);
  const forget = aborts.add(onEnd);
  let hasAnswer = false;
  const onError = (error: Error): void => {
    reject(faultOf(error, hasAnswer, where));
  };
  // This listener stays, since a connection may also fail after the end of the answer.
  request.on('error', onError);
  request.once('socket', (socket) => {
    followStages(socket, url, stages);
  });
  // An answer 101 hands over the bare connection. No request asks for this, so it is a fault.
  request.once('upgrade', (_answer, socket) => {
    socket.on('error', () => undefined);
    socket.destroy();
    reject(new RequestFault('http', `${where}: what answers does not speak HTTP (101)`));
  });
  request.once('response', (answer) => {
    hasAnswer = true;
    stages.end();
    quiet.touch();
    answer.on('error', onError);
    const { statusCode: status = 0, headers } = answer;
    const onTooLarge = (): void => {
      reject(tooLarge(limits.maxBytes, where));
    };
    collect(answer, limits.maxBytes, {
      onBytes: () => {
        quiet.touch();
      },
      onTooLarge,
      onEnd: (wire) => {
        const free = (): void => {
          freeOwnMemory(wire);
        };
        resolve({ status, headers, wire, free });
      },
    });
  });
  request.end(body ?? undefined);
  try {
    return await promise;
  } catch (error) {
    request.destroy();
    throw error;
  } finally {
    stages.end();
    quiet.done();
    cancelDeadline();
    forget();
  }
}

function open({ url, headers: own, body, agents }: ExchangeOptions): http.ClientRequest {
  const length = body === null ? 0 : Buffer.byteLength(body);
  const headers =
    body === null ? own : { ...own, 'content-type': 'application/json', 'content-length': String(length) };
  const method = body === null ? 'GET' : 'POST';
  return url.protocol === 'https:'
    ? https.request(url, { method, headers, agent: agents.https })
    : http.request(url, { method, headers, agent: agents.http });
}

interface Collecting {
  readonly onBytes: () => void;
  readonly onTooLarge: () => void;
  readonly onEnd: (wire: readonly Buffer[]) => void;
}

function collect(answer: http.IncomingMessage, maxBytes: number, { onBytes, onTooLarge, onEnd }: Collecting): void {
  const wire: Buffer[] = [];
  let size = 0;
  if (Number(answer.headers['content-length']) > maxBytes) onTooLarge();
  answer.on('data', (piece: Buffer) => {
    onBytes();
    size += piece.length;
    if (size > maxBytes) onTooLarge();
    else wire.push(piece);
  });
  answer.once('end', () => {
    onEnd(wire);
  });
}

/** The stage that the request waits for. */
type Stage = 'name' | 'connection' | 'answer' | 'end';

interface Stages {
  /** Ends the previous stage. */
  enter(stage: Exclude<Stage, 'end'>): void;
  end(): void;
}

function createStages({ connectMs, headersMs }: HttpLimits, onLate: (stage: Stage) => void): Stages {
  let cancel: (() => void) | null = null;
  return {
    enter(stage) {
      cancel?.();
      cancel = after(stage === 'answer' ? headersMs : connectMs, () => {
        onLate(stage);
      });
    },
    end() {
      cancel?.();
    },
  };
}

function followStages(socket: Socket, { hostname, protocol }: URL, stages: Stages): void {
  if (!socket.connecting) {
    stages.enter('answer');
    return;
  }
  stages.enter(isIP(hostname) === 0 ? 'name' : 'connection');
  socket.once('lookup', () => {
    stages.enter('connection');
  });
  socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => {
    stages.enter('answer');
  });
}

function faultOf(error: Error, hasAnswer: boolean, where: string): RequestFault {
  const code = codeOf(error);
  if (DNS.test(code))
    return new RequestFault('dns', `${where}: the name of the host does not resolve (${code})`, { isUnreached: true });
  if (TLS.test(code)) {
    const detail = `${where}: the certificate or the encryption is not acceptable (${code})`;
    return new RequestFault('tls', detail, { isUnreached: true });
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new RequestFault('too-large', `${where}: the headers are too large`);
  if (hasAnswer) return new RequestFault('truncated', `${where}: the answer broke off (${code})`, { retry: 'soon' });
  if (code.startsWith('HPE_')) return new RequestFault('http', `${where}: what answers does not speak HTTP (${code})`);
  const isStale = code === 'ECONNRESET' || code === 'EPIPE';
  const retry = isStale ? 'now' : 'no';
  return new RequestFault('network', `${where}: no connection (${code})`, { retry, isUnreached: true });
}

function codeOf(error: unknown): string {
  return isRow(error) && typeof error['code'] === 'string' ? error['code'] : 'unknown';
}

const DNS = /^(?:ENOTFOUND|EAI_[A-Z]+|ENODATA|ESERVFAIL)$/;
const TLS = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO)/;

const LATE = {
  name: { reason: 'dns', what: 'the name of the host did not resolve in time', isUnreached: true },
  connection: { reason: 'timeout', what: 'no connection in time', isUnreached: true },
  answer: { reason: 'timeout', what: 'no answer in time', isUnreached: false },
  end: { reason: 'timeout', what: 'the answer was not complete in time', isUnreached: false },
} as const;

function lateFault(stage: Stage, where: string): RequestFault {
  const { reason, what, isUnreached } = LATE[stage];
  return new RequestFault(reason, `${where}: ${what}`, { isUnreached });
}

// Kept connections, each with one buffer for all of its reads. Without it each read would allocate 64 kB, from which
// the HTTP parser copies, so the garbage collector would have to handle twice as many bytes.

interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

export function createAgents(): Agents {
  return {
    http: withOneBuffer(new http.Agent({ keepAlive: true })),
    https: withOneBuffer(new https.Agent({ keepAlive: true })),
  };
}

/** The highest number of bytes in one read. */
const BUFFER_BYTES = 64 * 1024;

function withOneBuffer<Kept extends http.Agent>(agent: Kept): Kept {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const onread: OnReadOpts = {
      buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
      // The client of node:http listens to this event, and copies the bytes before `emit` returns. So the buffer can be
      // used again.
      callback: (size, buffer) => {
        socket?.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, size));
        return true;
      },
    };
    const withBuffer = { ...options, onread };
    const socket = connect(withBuffer, callback);
    return socket;
  };
  return agent;
}
