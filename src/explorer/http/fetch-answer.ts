// One request after the other until there is an answer, or a reason why there is none. The budget says when each may
// leave; every one that left is counted, with what came of it.
import type { AnyView, Units } from '../../core/values/fields.ts';
import type { Operation, Page, Question } from '../../core/model/question.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { problemOf } from './answer-problem.ts';
import type { AnswerCache } from './answer-cache.ts';
import { decompress, readEncoding } from './body.ts';
import type { Budget } from '../spending/budget.ts';
import { decodeAnswer, decodeJson, type Decoded } from '../reading/decode.ts';
import { Fault } from './fault.ts';
import type { Answer, HttpLimits } from './exchange.ts';
import type { HttpTransport } from './http-transport.ts';
import type { LargeBodies } from './large-bodies.ts';
import type { ExplorerMeter } from './meter.ts';
import { readPlanHeaders, type PlanHeaders } from '../spending/plan-headers.ts';
import type { Ticket } from '../spending/rate-window.ts';

/** A question as it goes over the wire. */
export interface Request {
  readonly question: Question;
  /** Whole, but without the key. */
  readonly address: string;
  /** `explorer.example.com/api/v2/tokens/{address}`: what messages show of it. */
  readonly where: string;
}

export interface FetchAnswerOptions {
  readonly explorer: string;
  readonly transport: HttpTransport;
  readonly budget: Budget;
  readonly answers: AnswerCache;
  readonly largeBodies: LargeBodies;
  readonly meter: ExplorerMeter | null;
  readonly units: Units;
  readonly limits: HttpLimits;
  readonly hasKey: boolean;
  /** Takes the key out of a text that a server may have echoed it into. */
  readonly mask: (text: string) => string;
  /** Called with every answer that was decoded and what it was decoded from; not again for bytes that came before. */
  readonly onAnswer: ((answer: object, body: Buffer) => void) | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type FetchAnswer = (request: Request) => Promise<AnyView | Page>;

const MOST_RETRIES = 2;

export function createFetchAnswer(options: FetchAnswerOptions): FetchAnswer {
  const { budget, limits, clock, signal } = options;
  const attempt = createAttempt(options);
  // An operation that failed the last time is asked once, not three times: outages of one path last for days.
  const failing = new Set<Operation>();

  async function fetchWithRetries(request: Request): Promise<AnyView | Page> {
    const { operation } = request.question;
    const retries = failing.has(operation) ? 0 : MOST_RETRIES;
    let until: Instant | null = null;
    for (let made = 0; ; made += 1) {
      const ticket = await budget.pass(request.where, signal);
      until ??= clock.now() + limits.totalMs;
      try {
        const answer = await attempt(request, ticket, until - clock.now());
        failing.delete(operation);
        return answer;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const waitMs = made < retries ? waitBeforeRetry(error, made) : null;
        if (waitMs === null || clock.now() + waitMs >= until) {
          if (error.retry === 'soon') failing.add(operation);
          else failing.delete(operation);
          throw error;
        }
        await clock.sleep(waitMs, signal);
        signal.throwIfAborted();
      }
    }
  }

  return async (request) => {
    signal.throwIfAborted();
    budget.assertOpen(request.where);
    return budget.hold(() => fetchWithRetries(request));
  };
}

const FIRST_WAIT_MS = 500;
/** A retry comes soon or not at all: the next poll is a retry too. */
const LONGEST_WAIT_MS = 5_000;

/** Null when asking again at once would help nobody. */
function waitBeforeRetry({ retry, retryAfterMs }: Fault, made: number): number | null {
  const announced = retryAfterMs ?? 0;
  if (retry === 'no' || announced > LONGEST_WAIT_MS) return null;
  // The budget lets nothing pass before the reset, so there is nothing to wait for here.
  if (retry === 'after-reset' || (retry === 'now' && made === 0)) return 0;
  return Math.max(announced, FIRST_WAIT_MS * 2 ** made);
}

type Attempt = (request: Request, ticket: Ticket, leftMs: number) => Promise<AnyView | Page>;

function createAttempt(options: FetchAnswerOptions): Attempt {
  const { explorer, transport, budget, meter, hasKey, clock } = options;
  return async (request, ticket, leftMs) => {
    const startedAt = clock.now();
    let planHeaders: PlanHeaders | null = null;
    const ended = (fault: Fault | null): void => {
      const reason = fault?.reason ?? null;
      const { operation } = request.question;
      // Without a key, 401 speaks of one path, not of the plan.
      const forPlan = reason === 'unauthorized' && !hasKey ? 'forbidden' : reason;
      budget.settle(ticket, { reason: forPlan, retryAfterMs: fault?.retryAfterMs ?? null, planHeaders });
      meter?.request({ explorer, operation, outcome: reason ?? 'ok', seconds: (clock.now() - startedAt) / 1000 });
    };
    try {
      const answer = await transport.get(request.address, request.where, leftMs);
      planHeaders = readPlanHeaders(answer.headers);
      report(planHeaders, options);
      const value = await valueOf(answer, request, options);
      ended(null);
      return value;
    } catch (error) {
      if (error instanceof Fault) ended(error);
      throw error;
    }
  };
}

function report({ credits, limit, remaining, resetMs }: PlanHeaders, { explorer, meter }: FetchAnswerOptions): void {
  const resetSeconds = resetMs === null ? null : resetMs / 1000;
  meter?.explorerHeaders({ explorer, credits, limit, remaining, resetSeconds });
}

async function valueOf(answer: Answer, request: Request, options: FetchAnswerOptions): Promise<AnyView | Page> {
  const { explorer, answers, meter, onAnswer } = options;
  const id = `${explorer} ${request.address}`;
  const known = answer.status === 200 ? answers.get(id, answer.wire) : null;
  if (known?.type === 'decoded') return known.decoded as AnyView | Page;
  // A recording wants each answer whole.
  if (known?.type === 'same' && onAnswer === null)
    return pageAgain(known.content, () => readSmall(answer, request, options)?.decoded.value as Page);
  const { body, weight, decoded, isSmall } =
    readSmall(answer, request, options) ?? (await readLarge(answer, request, options));
  const { value, content, unknownFields } = decoded;
  if (unknownFields > 0) meter?.unknownFields({ explorer, record: request.question.record.name, count: unknownFields });
  // What is known by its content only is decoded when somebody looks at it, so it must be small.
  answers.put(id, answer.wire, { decoded: value, bytes: weight, content: isSmall ? content : null });
  onAnswer?.(value, body);
  return value;
}

/** Its rows are decoded when they are looked at, for most polls do not: the answer held no news the last time. */
function pageAgain(content: object, decode: () => Page): Page {
  let page: Page | null = null;
  const whole = (): Page => (page ??= decode());
  return {
    content,
    get rows() {
      return whole().rows;
    },
    get next() {
      return whole().next;
    },
  };
}

interface WholeAnswer {
  readonly body: Buffer;
  /** In bytes of an ordinary body. */
  readonly weight: number;
  readonly isSmall: boolean;
  readonly decoded: Decoded;
}

/** What is larger than this, decompressed, would hold up everything else for too long. */
const MOST_AT_ONCE = 256 * 1024;

/** Null for an answer that is too large for now. Throws `Fault` for a refusal, and for what cannot be read. */
function readSmall(answer: Answer, { question, where }: Request, options: FetchAnswerOptions): WholeAnswer | null {
  const { units, hasKey, mask, limits, clock } = options;
  const body = smallBodyOf(answer, limits.maxBytes, where);
  // A refusal of that size says nothing that people could read; its status counts.
  const problem = problemOf(answer, body ?? NOTHING, { where, hasKey, mask, now: clock.now() });
  if (problem !== null) throw problem;
  if (body === null) return null;
  return { body, weight: body.length, isSmall: true, decoded: decodeAnswer(body, question, units, where) };
}

const NOTHING = Buffer.alloc(0);

/** Null where it is larger than what is decoded at once, but not known to be larger than it may be. */
function smallBodyOf({ status, headers, wire }: Answer, maxBytes: number, where: string): Buffer | null {
  const most = Math.min(maxBytes, MOST_AT_ONCE);
  const size = sizeOf(wire);
  try {
    const encoding = readEncoding(headers['content-encoding'], where);
    return size > most ? null : decompress(Buffer.concat(wire, size), encoding, most, where);
  } catch (error) {
    if (status !== 200) return NOTHING;
    if (error instanceof Fault && error.reason === 'too-large' && most < maxBytes) return null;
    throw error;
  }
}

async function readLarge(
  answer: Answer,
  { question, where }: Request,
  options: FetchAnswerOptions,
): Promise<WholeAnswer> {
  const { units, limits, largeBodies, signal } = options;
  const encoding = readEncoding(answer.headers['content-encoding'], where);
  const job = { wire: joined(answer.wire), encoding, maxBytes: limits.maxBytes, where };
  const { raw, body, weight } = await largeBodies.read(job).finally(() => {
    signal.throwIfAborted();
  });
  return { body, weight, isSmall: false, decoded: decodeJson(raw, question, units, where) };
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** In memory of its own, that can move to a thread. */
function joined(pieces: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(sizeOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
