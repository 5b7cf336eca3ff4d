// Every answer that is not the one hoped for has a reason. Which one decides what happens next: a wall is not an
// outage, a wrong path is not an unknown token, and one status has two meanings (facts, section 5).
import { isRow } from '../core/fields.ts';
import type { MissReason } from '../core/model.ts';
import { plain, untrusted } from '../lib/untrusted.ts';
import type { Instant } from '../lib/clock.ts';
import { isJsonType, parseJson } from './body.ts';
import { Fault, type Retry } from './fault.ts';
import { readMeters, readRetryAfter } from './meters.ts';
import type { AnswerHead } from './http.ts';

export interface Asked {
  /** Host and path template: the only part of an address that a message shows. */
  readonly where: string;
  readonly hasKey: boolean;
  /** Takes the key out of a text that a server may have echoed it into. */
  readonly mask: (text: string) => string;
  readonly now: Instant;
}

const MOST_SHOWN = 120;
/** However long a server asks for. */
const LONGEST_PAUSE_MS = 600_000;

/** What is wrong with an answer; null when it is a JSON answer with status 200. `body` is decompressed. */
export function problemOf(answer: AnswerHead, body: Buffer, asked: Asked): Fault | null {
  const { status, headers } = answer;
  const isJson = isJsonType(headers['content-type']);
  if (status === 200 && isJson) return null;
  const said = saidBy(body, isJson);
  const verdict = judge(answer, body, said, asked);
  const words = said.text === null ? '' : `: ${plain(untrusted(asked.mask(said.text)), MOST_SHOWN)}`;
  return new Fault(verdict.reason, `${asked.where}: ${status}, ${verdict.meaning}${words}`, {
    retry: verdict.retry ?? 'no',
    retryAfterMs: verdict.retryAfterMs ?? retryAfter(answer, asked.now),
  });
}

interface Verdict {
  readonly reason: MissReason;
  readonly meaning: string;
  readonly retry?: Retry;
  readonly retryAfterMs?: number | null;
}

/** `shape`: which of the two bodies of the API it is, `message` (the explorer) or `error` (the proxy before it). */
interface Said {
  readonly shape: 'message' | 'error' | 'errors' | 'json' | 'other';
  readonly text: string | null;
}

function judge(answer: AnswerHead, body: Buffer, said: Said, { hasKey, now }: Asked): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) return judgeSuccess(answer, body);
  if (status >= 300 && status < 400) return { reason: 'redirect', meaning: `moved to ${targetHost(answer)}` };
  if (status >= 500) return judgeServerError(answer, body);
  switch (status) {
    case 400:
      return /unknown api/i.test(said.text ?? '')
        ? { reason: 'wrong-path', meaning: 'this explorer has no such path: too old, or not the API' }
        : { reason: 'unprocessable', meaning: 'the question was refused' };
    case 401:
      return { reason: 'unauthorized', meaning: hasKey ? 'the API key was refused' : 'an API key is asked for' };
    case 402:
      return judgePayment(said, hasKey);
    case 403:
      return said.shape === 'other' || isWall(answer, body)
        ? { reason: 'blocked', meaning: 'a wall in front of the explorer refused' }
        : { reason: 'forbidden', meaning: 'the explorer does not allow this' };
    case 404:
      return judgeNotFound(said);
    case 422:
      return /indexing now/i.test(said.text ?? '')
        ? { reason: 'server-error', meaning: 'the chain is being indexed' }
        : { reason: 'unprocessable', meaning: 'the question was refused' };
    case 429:
      return { ...limited(answer, now), reason: 'rate-limited', meaning: 'too many requests' };
    default:
      return { reason: 'http', meaning: 'an answer that the API does not have' };
  }
}

function judgeSuccess(answer: AnswerHead, body: Buffer): Verdict {
  if (isWall(answer, body)) return { reason: 'blocked', meaning: 'a challenge of a wall in front of the explorer' };
  return answer.status === 200
    ? { reason: 'not-json', meaning: 'not JSON but a page for people' }
    : { reason: 'http', meaning: 'an answer that the API does not have' };
}

function judgeServerError(answer: AnswerHead, body: Buffer): Verdict {
  if (isWall(answer, body)) return { reason: 'blocked', meaning: 'a challenge of a wall in front of the explorer' };
  const isForGood = answer.status === 501;
  return { reason: 'server-error', meaning: 'the explorer failed', retry: isForGood ? 'no' : 'soon' };
}

function judgePayment(said: Said, hasKey: boolean): Verdict {
  const text = said.text ?? '';
  const isKeyMissing = /out of credits/i.test(text) ? false : /api key|x402/i.test(text) || !hasKey;
  return isKeyMissing
    ? { reason: 'no-key', meaning: 'no API key arrived' }
    : { reason: 'out-of-credits', meaning: 'the credits of the plan are used up' };
}

/** `message` = the thing is not known; `error` or a page for people = there is no such chain or path. */
function judgeNotFound(said: Said): Verdict {
  const isUnknownThing = said.shape === 'message' && !/api v2 is disabled/i.test(said.text ?? '');
  return isUnknownThing
    ? { reason: 'not-found', meaning: 'the explorer does not know it' }
    : { reason: 'wrong-path', meaning: 'no such chain or path: check the address of the explorer' };
}

/** The limiter says milliseconds, a wall before it may say seconds: the longer one is safe. */
function limited(answer: AnswerHead, now: Instant): { retry: Retry; retryAfterMs: number | null } {
  const said = [readMeters(answer.headers).resetMs, readRetryAfter(answer.headers, now)].filter((ms) => ms !== null);
  const longest = Math.max(0, ...said);
  return { retry: 'after-reset', retryAfterMs: longest === 0 ? null : Math.min(longest, LONGEST_PAUSE_MS) };
}

function retryAfter(answer: AnswerHead, now: Instant): number | null {
  const ms = answer.status >= 500 ? readRetryAfter(answer.headers, now) : null;
  return ms === null ? null : Math.min(ms, LONGEST_PAUSE_MS);
}

const WALL = /cf-chl|challenge-platform|just a moment\.\.\.|attention required! \| cloudflare|error code: 10\d\d\b/i;
const WALL_BYTES = 20_000;

function isWall({ headers }: AnswerHead, body: Buffer): boolean {
  if (headers['cf-mitigated'] !== undefined) return true;
  return !isJsonType(headers['content-type']) && WALL.test(body.subarray(0, WALL_BYTES).toString('latin1'));
}

function targetHost({ headers }: AnswerHead): string {
  const location = headers.location;
  return location !== undefined && URL.canParse(location) && new URL(location).host !== ''
    ? new URL(location).host
    : 'another path';
}

function saidBy(body: Buffer, isJson: boolean): Said {
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
