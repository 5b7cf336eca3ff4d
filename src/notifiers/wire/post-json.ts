// One JSON call over HTTP, for all channels that use it. It follows no redirects, and does not retry, since the outbox
// tries again.
import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import got, { RequestError, type PlainResponse, type Request } from 'got';
import { createDeadline } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { createRedactor } from '../../lib/redact.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import type { NotifierTools } from '../notifier.ts';
import { notAllowed, readingOf, toOutcome, type ReceiverAnswer, type AnswerOverride } from './answers.ts';
import { createEgress, EGRESS_REFUSED, hostOf } from './egress.ts';

/** The limit of one attempt, from the first packet to the last byte of the answer. */
export const TOTAL_MS = 15_000;
const MOST_ANSWER_BYTES = 4096;
const MOST_ANSWER_SHOWN = 200;

interface PosterOptions {
  readonly tools: Pick<NotifierTools, 'clock' | 'version'>;
  readonly totalMs: number;
  /** Private networks that may be called nevertheless. */
  readonly allow: readonly string[];
  /** Removed from answers before they are shown. */
  readonly secrets: readonly string[];
  /** The part of an answer that is read, 4 KiB by default; more for services that repeat the message in their answer. */
  readonly mostAnswerBytes?: number | undefined;
}

export interface JsonCall {
  readonly url: string;
  readonly body: string;
  /** POST if left out. */
  readonly method?: 'POST' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Poster extends AsyncDisposable {
  /** The answer, or the outcome if there is none. Never throws. */
  exchange(call: JsonCall, signal: AbortSignal): Promise<ReceiverAnswer | Outcome>;
  outcomeOf(end: ReceiverAnswer | Outcome, read?: AnswerOverride): Outcome;
  /** Calls `exchange`, then `outcomeOf`. */
  postJson(call: JsonCall, signal: AbortSignal, read?: AnswerOverride): Promise<Outcome>;
}

export function createPoster(options: PosterOptions): Poster {
  const { tools, totalMs, allow, secrets, mostAnswerBytes = MOST_ANSWER_BYTES } = options;
  const egress = createEgress(allow);
  const { redact } = createRedactor(secrets);
  const show = (text: string): string => singleLine(redact(text), MOST_ANSWER_SHOWN);
  // Each call has its own connection. If the other side closed a kept connection just as the next call left, it would
  // be unknown whether that call arrived.
  const agents = { http: new http.Agent({ keepAlive: false }), https: new https.Agent({ keepAlive: false }) };
  const client = got.extend({
    agent: agents,
    dnsLookup: egress.lookup,
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    retry: { limit: 0 },
    headers: { 'user-agent': `chainwarden/${tools.version}`, 'content-type': 'application/json' },
  });

  async function exchange(
    { url, body, method = 'POST', headers = {} }: JsonCall,
    signal: AbortSignal,
  ): Promise<ReceiverAnswer | Outcome> {
    const { host } = new URL(url);
    // A bare address is not looked up, so it is checked here.
    const refusal = egress.refusalOf(hostOf(url));
    if (refusal !== null) return notAllowed(refusal);
    const deadline = createDeadline(signal, totalMs);
    try {
      const request = client.stream(url, { method, body, headers, signal: deadline.signal });
      absorbErrors(request);
      request.once('request', (sent: http.ClientRequest) => {
        sent.once('finish', () => {
          failpoint('send.posted');
        });
      });
      const [response] = (await once(request, 'response')) as [PlainResponse];
      const text = await firstBytes(request, mostAnswerBytes);
      return { type: 'answered', host, status: response.statusCode, headers: response.headers, text };
    } catch (error) {
      return outcomeOfError(error, host);
    } finally {
      deadline.done();
    }
  }

  function outcomeOf(end: ReceiverAnswer | Outcome, read?: AnswerOverride): Outcome {
    if (end.type !== 'answered') return end;
    return toOutcome(end, read?.(end) ?? readingOf(end.status), { show, now: tools.clock.now() });
  }

  return {
    exchange,
    outcomeOf,
    postJson: async (call, signal, read) => outcomeOf(await exchange(call, signal), read),
    async [Symbol.asyncDispose]() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

// The status is known already. If the answer breaks off, the text that has arrived is used.
async function firstBytes(request: Request, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch {
    // The text shows the part of the answer that has arrived.
  }
  request.destroy();
  return Buffer.concat(chunks).subarray(0, most).toString();
}

// Shows error codes only: the words of an error may quote the address.
function outcomeOfError(error: unknown, host: string): Outcome {
  if (!(error instanceof RequestError)) return { type: 'again', why: `${host}: the call could not be made` };
  if (error.code === EGRESS_REFUSED) return notAllowed(error.message);
  const why = `${host}: ${error.code === 'ERR_ABORTED' ? 'stopped before an answer came' : error.code}`;
  return { type: error.timings?.upload === undefined ? 'again' : 'unknown', why };
}

/** The error code of a request that was answered with 101. */
const SWITCHED_PROTOCOLS = 'SWITCHED_PROTOCOLS';

/**
 * Errors of a request can come after its answer was accepted: bytes behind its length, a body behind a 204, a bad chunk,
 * a bad trailer. Node emits each as an 'error' event on some object of the request, and an 'error' event without a
 * listener ends the process.
 *
 * Listens for the errors of one of got's request streams, and of the objects inside it, for its whole life. Must be
 * called in the turn in which the stream is made. Listeners of the caller are still called. An answer 101 would hand
 * over the bare connection. No request asks for this, so the connection is closed, and the stream fails.
 */
function absorbErrors(stream: Duplex): void {
  stream.on('error', ignore);
  stream.on('request', (request: ClientRequest) => request.on('error', ignore));
  stream.on('upgrade', (_answer: IncomingMessage, socket: Socket) => {
    socket.on('error', ignore);
    socket.destroy();
    stream.destroy(Object.assign(new Error('answered with 101'), { code: SWITCHED_PROTOCOLS }));
  });
}

function ignore(): void {
  // The caller that waits for the answer handles the error with its own listeners.
}
