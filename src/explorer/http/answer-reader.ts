// Decodes answers, or throws the reason why that is impossible. A small answer is decoded at once, a large one in a
// thread and in steps.
import type { MissReason } from '../../core/model/observation.ts';
import { isRow, type Units } from '../../core/values/fields.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { createRedactor } from '../../lib/redact.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';
import { decodeAnswer, type Decoded, decodeJson } from '../reading/decode.ts';
import { createPageSizes } from '../reading/page-sizes.ts';
import { readPlanHeaders, readRetryAfter } from '../spending/plan-headers.ts';
import { decompress, isJsonType, parseJson, readEncoding } from './body.ts';
import type { AnswerHead, HttpAnswer, HttpLimits } from './exchange.ts';
import { RequestFault, type Retry } from './fault.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { Request } from './http-transport.ts';

export interface AnswerReaderOptions {
  readonly largeBodies: LargeBodies;
  readonly units: Units;
  readonly limits: HttpLimits;
  readonly hasKey: boolean;
  /** These texts are removed from an answer before it is used, since a server may echo the request. */
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface WholeAnswer {
  readonly decoded: Decoded;
  /** The body that was decoded. */
  readonly body: Buffer;
  /**
   * A measure for the memory that the decoded body needs: the number of bytes of an ordinary body that needs as much.
   */
  readonly weight: number;
  readonly isSmall: boolean;
}

/** Both methods throw `RequestFault` for a refusal, and for a body that cannot be read. */
export interface AnswerReader {
  read(answer: HttpAnswer, request: Request): Promise<WholeAnswer>;
  /** Null for an answer that is too large to be decoded at once. */
  readSmall(answer: HttpAnswer, request: Request): WholeAnswer | null;
}

/** In bytes after decompression: a larger body would block the event loop for too long. */
const MOST_AT_ONCE = 256 * 1024;

export function createAnswerReader(options: AnswerReaderOptions): AnswerReader {
  const { largeBodies, units, limits, hasKey, secrets, clock, signal } = options;
  const pageSizes = createPageSizes();
  const { redact, redactJson, add } = createRedactor();

  function readSmall(answer: HttpAnswer, { question, where }: Request): WholeAnswer | null {
    const whole = smallBodyOf(answer, limits.maxBytes, where);
    add(secrets());
    // If a refusal is too large to be decoded at once, its body has no message for people. Only its status counts then.
    const problem = problemOf(answer, whole ?? NOTHING, { where, hasKey, redact, now: clock.now() });
    if (problem !== null) throw problem;
    if (whole === null) return null;
    const body = redactJson(whole);
    return {
      body,
      weight: body.length,
      isSmall: true,
      decoded: decodeAnswer(body, question, { units, where, pageSizes }),
    };
  }

  async function readLarge(answer: HttpAnswer, { question, where }: Request): Promise<WholeAnswer> {
    const encoding = readEncoding(answer.headers['content-encoding'], where);
    const job = { wire: joined(answer.wire), encoding, maxBytes: limits.maxBytes, where, secrets: secrets() };
    const { raw, body, weight } = await largeBodies.read(job).finally(() => {
      signal.throwIfAborted();
    });
    return { body, weight, isSmall: false, decoded: decodeJson(raw, question, { units, where, pageSizes }) };
  }

  return {
    readSmall,
    read: async (answer, request) => readSmall(answer, request) ?? (await readLarge(answer, request)),
  };
}

const NOTHING = Buffer.alloc(0);

/** Null if the body is too large to be decoded at once but may be within the limit. */
function smallBodyOf({ status, headers, wire }: HttpAnswer, maxBytes: number, where: string): Buffer | null {
  const most = Math.min(maxBytes, MOST_AT_ONCE);
  const size = sizeOf(wire);
  try {
    const encoding = readEncoding(headers['content-encoding'], where);
    return size > most ? null : decompress(Buffer.concat(wire, size), encoding, most, where);
  } catch (error) {
    if (status !== 200) return NOTHING;
    if (error instanceof RequestFault && error.reason === 'too-large' && most < maxBytes) return null;
    throw error;
  }
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Copies the pieces to one new buffer, which can be moved to a thread. */
function joined(pieces: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

// Gives each failed answer a reason, which decides what happens next. The status alone is not enough: a 403 may come
// from a firewall, and a 404 may mean an unknown object or a wrong path.

interface RequestContext {
  /** Host and path template: the only part of a URL that a message shows. */
  readonly where: string;
  readonly hasKey: boolean;
  /** Redacts a text that a server may have echoed secrets into. */
  readonly redact: (text: string) => string;
  readonly now: Instant;
}

const MOST_SHOWN = 120;
/** Upper limit of the pause that a server asks for. */
const LONGEST_PAUSE_MS = 600_000;

/** The fault of an answer; null for a JSON answer with status 200. `body` is decompressed. */
export function problemOf(answer: AnswerHead, body: Buffer, context: RequestContext): RequestFault | null {
  const { status, headers } = answer;
  const isJson = isJsonType(headers['content-type']);
  if (status === 200 && isJson) return null;
  const errorBody = errorBodyOf(body, isJson);
  const classification = classify(answer, body, errorBody, context);
  const meaning = context.redact(classification.meaning);
  const words = errorBody.text === null ? '' : `: ${plain(untrusted(context.redact(errorBody.text)), MOST_SHOWN)}`;
  return new RequestFault(classification.reason, `${context.where}: ${status}, ${meaning}${words}`, {
    retry: classification.retry ?? 'no',
    retryAfterMs: classification.retryAfterMs ?? retryAfter(answer, context.now),
  });
}

interface Classification {
  readonly reason: MissReason;
  readonly meaning: string;
  readonly retry?: Retry;
  readonly retryAfterMs?: number | null;
}

/** `shape`: `message` is an error body of the explorer itself, `error` one of the proxy in front of it. */
interface ErrorBody {
  readonly shape: 'message' | 'error' | 'errors' | 'json' | 'other';
  readonly text: string | null;
}

function classify(
  answer: AnswerHead,
  body: Buffer,
  errorBody: ErrorBody,
  { hasKey, now }: RequestContext,
): Classification {
  const { status } = answer;
  if (status >= 200 && status < 300) return classifySuccess(answer, body);
  if (status >= 300 && status < 400) return { reason: 'redirect', meaning: `moved to ${targetHost(answer)}` };
  if (status >= 500) return classifyServerError(answer, body);
  switch (status) {
    case 400:
      return /unknown api/i.test(errorBody.text ?? '')
        ? {
            reason: 'wrong-path',
            meaning: 'this explorer has no such path: its release is too old, or the URL does not lead to its API',
          }
        : { reason: 'unprocessable', meaning: 'the explorer rejected the request as invalid' };
    case 401:
      return hasKey
        ? { reason: 'unauthorized', meaning: 'the API key was rejected', retry: 'after-reset' }
        : { reason: 'unauthorized', meaning: 'an API key is required' };
    case 402:
      return classifyPayment(errorBody, hasKey);
    case 403:
      return errorBody.shape === 'other' || isFirewall(answer, body)
        ? { reason: 'blocked', meaning: 'blocked by a firewall in front of the explorer' }
        : { reason: 'forbidden', meaning: 'the explorer does not allow this' };
    case 404:
      return classifyNotFound(errorBody);
    case 422:
      return /indexing now/i.test(errorBody.text ?? '')
        ? { reason: 'server-error', meaning: 'the chain is being indexed' }
        : { reason: 'unprocessable', meaning: 'the explorer rejected the request as invalid' };
    case 429:
      return { ...limited(answer, now), reason: 'rate-limited', meaning: 'too many requests' };
    default:
      return { reason: 'http', meaning: 'a status that the API does not use' };
  }
}

const CHALLENGED: Classification = {
  reason: 'blocked',
  meaning: 'a firewall in front of the explorer sent a challenge page',
};

function classifySuccess(answer: AnswerHead, body: Buffer): Classification {
  if (isFirewall(answer, body)) return CHALLENGED;
  return answer.status === 200
    ? { reason: 'not-json', meaning: 'the content type is not JSON' }
    : { reason: 'http', meaning: 'a status that the API does not use' };
}

function classifyServerError(answer: AnswerHead, body: Buffer): Classification {
  if (isFirewall(answer, body)) return CHALLENGED;
  const isForGood = answer.status === 501;
  return { reason: 'server-error', meaning: 'the explorer failed', retry: isForGood ? 'no' : 'soon' };
}

function classifyPayment(errorBody: ErrorBody, hasKey: boolean): Classification {
  const text = errorBody.text ?? '';
  const isKeyMissing = /out of credits/i.test(text) ? false : /api key|x402/i.test(text) || !hasKey;
  return isKeyMissing
    ? { reason: 'no-key', meaning: 'no API key arrived', retry: 'after-reset' }
    : { reason: 'out-of-credits', meaning: 'the credits of the plan are used up', retry: 'after-reset' };
}

/** `message`: the object does not exist. `error`, or an HTML page: the chain or path does not exist. */
function classifyNotFound(errorBody: ErrorBody): Classification {
  const isUnknownThing = errorBody.shape === 'message' && !/api v2 is disabled/i.test(errorBody.text ?? '');
  return isUnknownThing
    ? { reason: 'not-found', meaning: 'the explorer does not know this object' }
    : { reason: 'wrong-path', meaning: 'no such chain or path: check the address of the explorer' };
}

function limited(answer: AnswerHead, now: Instant): { retry: Retry; retryAfterMs: number | null } {
  return { retry: 'after-reset', retryAfterMs: readPlanHeaders(answer.headers, now).resetMs };
}

function retryAfter(answer: AnswerHead, now: Instant): number | null {
  const ms = answer.status >= 500 ? readRetryAfter(answer.headers, now) : null;
  return ms === null ? null : Math.min(ms, LONGEST_PAUSE_MS);
}

const FIREWALL =
  /cf-chl|challenge-platform|just a moment\.\.\.|attention required! \| cloudflare|error code: 10\d\d\b/i;
const FIREWALL_BYTES = 20_000;

function isFirewall({ headers }: AnswerHead, body: Buffer): boolean {
  if (headers['cf-mitigated'] !== undefined) return true;
  return !isJsonType(headers['content-type']) && FIREWALL.test(body.subarray(0, FIREWALL_BYTES).toString('latin1'));
}

function targetHost({ headers }: AnswerHead): string {
  const location = headers.location;
  return location !== undefined && URL.canParse(location) && new URL(location).host !== ''
    ? new URL(location).host
    : 'another path';
}

function errorBodyOf(body: Buffer, isJson: boolean): ErrorBody {
  const raw = isJson ? parsed(body) : undefined;
  if (raw === undefined) return { shape: 'other', text: null };
  if (typeof raw === 'string') return { shape: 'json', text: raw };
  if (!isRow(raw)) return { shape: 'json', text: null };
  if (Array.isArray(raw['errors'])) return { shape: 'errors', text: firstError(raw['errors']) };
  if (typeof raw['error'] === 'string') return { shape: 'error', text: raw['error'] };
  return typeof raw['message'] === 'string'
    ? { shape: 'message', text: raw['message'] }
    : { shape: 'json', text: null };
}

/** 422: `{ title, source: { pointer }, detail }`. */
function firstError([first]: readonly unknown[]): string | null {
  if (!isRow(first)) return null;
  const source = isRow(first['source']) ? first['source']['pointer'] : undefined;
  const parts = [first['title'], source, first['detail']].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(' ');
}

function parsed(body: Buffer): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
