// One JSON call over HTTP, for every channel that speaks it: no redirects, and no tries of its own, since the outbox
// tries again. What an answer means is one table for all; a channel says only where its service differs.
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import got, { RequestError, type PlainResponse, type Request } from 'got';
import { createDeadline, type Clock } from '../../lib/clock.ts';
import { createRedactor } from '../../lib/redact.ts';
import { absorbErrors } from '../../lib/request-errors.ts';
import { singleLine } from '../../lib/untrusted.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import type { NotifierTools } from '../notifier.ts';
import { createEgress, EGRESS_REFUSED } from './egress.ts';
import { hostOf } from './web-address.ts';

/** One try, from the first packet to the last byte of the answer. */
export const TOTAL_MS = 15_000;
const MOST_ANSWER_BYTES = 4096;
const MOST_ANSWER_SHOWN = 200;

interface PosterOptions {
  readonly tools: Pick<NotifierTools, 'clock' | 'version'>;
  readonly totalMs: number;
  /** Networks that are not public, and may be called all the same. */
  readonly allow: readonly string[];
  /** Taken out of what is shown of an answer. */
  readonly secrets: readonly string[];
  /** How much of an answer is read, 4 KiB by default. More for services that repeat the message in it. */
  readonly mostAnswerBytes?: number;
}

export interface JsonCall {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a server said. `text` is as it came, for programs: it may hold secrets. */
export interface Answer {
  readonly type: 'answered';
  readonly host: string;
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** What an answer means. `afterMs`: when the server wants to be asked again. `says`: shown in place of its words. */
export interface Reading {
  readonly as: 'sent' | 'again' | 'auth' | 'park' | 'rejected' | 'unknown';
  readonly afterMs?: number;
  readonly says?: string;
}

/** Where a service differs from the table; undefined leaves it to the table. */
export type ReadAnswer = (answer: Answer) => Reading | undefined;

export interface Poster extends AsyncDisposable {
  /** The answer, or what follows from there being none. Never throws. */
  exchange(call: JsonCall, signal: AbortSignal): Promise<Answer | Outcome>;
  outcomeOf(end: Answer | Outcome, read?: ReadAnswer): Outcome;
  /** Both in one. */
  postJson(call: JsonCall, signal: AbortSignal, read?: ReadAnswer): Promise<Outcome>;
}

export function createPoster(options: PosterOptions): Poster {
  const { tools, totalMs, allow, secrets, mostAnswerBytes = MOST_ANSWER_BYTES } = options;
  const egress = createEgress(allow);
  const { redact } = createRedactor(secrets);
  const show = (text: string): string => singleLine(redact(text), MOST_ANSWER_SHOWN);
  // A connection per call: one kept open may be closed by the other side just as the next call leaves, and then
  // nobody knows whether that call arrived.
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

  async function exchange({ url, body, headers = {} }: JsonCall, signal: AbortSignal): Promise<Answer | Outcome> {
    const { host } = new URL(url);
    // Nobody looks up a bare address.
    const refusal = egress.refusalOf(hostOf(url));
    if (refusal !== null) return notAllowed(refusal);
    const deadline = createDeadline(signal, totalMs);
    try {
      const request = client.stream.post(url, { body, headers, signal: deadline.signal });
      absorbErrors(request);
      const [response] = (await once(request, 'response')) as [PlainResponse];
      const text = await firstBytes(request, mostAnswerBytes);
      return { type: 'answered', host, status: response.statusCode, headers: response.headers, text };
    } catch (error) {
      return outcomeOfError(error, host);
    } finally {
      deadline.done();
    }
  }

  function outcomeOf(end: Answer | Outcome, read?: ReadAnswer): Outcome {
    if (end.type !== 'answered') return end;
    const reading = read?.(end) ?? readingOf(end.status);
    const afterMs = reading.afterMs ?? waitAsked(end.headers['retry-after'], tools.clock);
    return toOutcome(end, { ...reading, ...(afterMs === undefined ? {} : { afterMs: bounded(afterMs) }) }, show);
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

/** What an answer says as JSON; undefined when it is none. */
export function jsonOf({ text }: Answer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The status has decided by now. The rest is for people, so an answer that breaks off is what came of it.
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
    // Shown as far as it came.
  }
  request.destroy();
  return Buffer.concat(chunks).subarray(0, most).toString();
}

/** Those that a little patience cures: too slow, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const REFUSED: ReadonlySet<number> = new Set([401, 403, 404]);
const GONE = 410;

function readingOf(status: number): Reading {
  if (status >= 200 && status < 300) return { as: 'sent' };
  if (REFUSED.has(status)) return { as: 'auth' };
  if (status === GONE) return { as: 'park' };
  return { as: status >= 400 && status < 500 && !PASSING.has(status) ? 'rejected' : 'again' };
}

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** A person has to correct it; meanwhile services count such calls, and some lock out who makes many. */
const AFTER_REFUSAL_MS = HOUR_MS / 4;

function toOutcome(answer: Answer, { as, afterMs, says }: Reading, show: (text: string) => string): Outcome {
  const { host, status } = answer;
  const words = show(says ?? answer.text);
  const shown = words === '' ? String(status) : `${status} ${words}`;
  if (as === 'sent') return { type: 'sent', answer: shown };
  const why = status >= 300 && status < 400 ? movedTo(answer) : `${host} answered ${shown}`;
  if (as === 'rejected' || as === 'unknown') return { type: as, why };
  if (as === 'again') return { type: 'again', why, ...(afterMs === undefined ? {} : { afterMs }) };
  return { type: 'again', why, atLeastMs: AFTER_REFUSAL_MS, ...(as === 'auth' ? { auth: true } : { park: true }) };
}

// Redirects are not followed: whoever answers at the old address could send the alerts anywhere, inside included.
function movedTo({ host, status, headers: { location } }: Answer): string {
  const target = (location === undefined ? '' : URL.parse(location, `https://${host}`)?.host) || 'nowhere';
  return `moved: ${host} answered ${status} and points to ${target}; if that is right, set it as the channel's url`;
}

/** Retry-After in seconds or as a date (RFC 9110 10.2.3). */
function waitAsked(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND_MS : Date.parse(header) - clock.now();
  return Number.isNaN(ms) ? undefined : ms;
}

/** Between a second and an hour. */
function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), SECOND_MS), HOUR_MS);
}

// A name server may mend it by itself, else a person has to.
function notAllowed(why: string): Outcome {
  return { type: 'again', why: `not connected: ${why}`, atLeastMs: AFTER_REFUSAL_MS, auth: true };
}

// Only codes are shown: the words of an error may quote the address.
function outcomeOfError(error: unknown, host: string): Outcome {
  if (!(error instanceof RequestError)) return { type: 'again', why: `${host}: the call could not be made` };
  if (error.code === EGRESS_REFUSED) return notAllowed(error.message);
  const why = `${host}: ${error.code === 'ERR_ABORTED' ? 'stopped before an answer came' : error.code}`;
  return { type: error.timings?.upload === undefined ? 'again' : 'unknown', why };
}
