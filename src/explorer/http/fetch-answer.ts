// Sends a request, with retries, until there is an answer or a reason for having none. The budget decides when each
// attempt may be sent. Every attempt that was sent is counted, with its result.
import type { AnyView } from '../../core/values/fields.ts';
import type { OperationName, Page } from '../../core/model/watch/question.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { AnswerCache } from './answer-cache.ts';
import type { Budget, BudgetTicket, Slot } from '../spending/budget.ts';
import { RequestFault } from './fault.ts';
import { freeOwnMemory } from './body.ts';
import { PageAgain } from './page-again.ts';
import type { HttpAnswer } from './exchange.ts';
import { type HttpTransport, type Request, requestKey, type SentRequest } from './http-transport.ts';
import type { AnswerReader } from './answer-reader.ts';
import type { Decoded } from '../reading/decode.ts';
import type { ExplorerMeter } from './meter.ts';
import { readPlanHeaders, type PlanHeaders } from '../spending/plan-headers.ts';

export interface FetchAnswerOptions {
  readonly explorer: string;
  readonly transport: HttpTransport;
  readonly budget: Budget;
  readonly answers: AnswerCache;
  readonly reader: AnswerReader;
  readonly meter: ExplorerMeter | null;
  /** The limit from the first request to the end of the last retry. */
  readonly totalMs: number;
  readonly hasKey: boolean;
  /**
   * Called with every decoded answer and its body. Not called if the cache has the decoded answer of the same bytes.
   */
  readonly onAnswer: ((answer: object, body: Buffer) => void) | null;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type FetchAnswer = (request: Request) => Promise<AnyView | Page>;

const MOST_RETRIES = 2;

export function createFetchAnswer(options: FetchAnswerOptions): FetchAnswer {
  const { budget, totalMs, clock, signal } = options;
  const attempt = createAttempt(options);
  // An operation that failed the last time is tried once, not three times: outages of one path last for days.
  const failing = new Set<OperationName>();

  async function fetchWithRetries(request: Request, slot: Slot): Promise<AnyView | Page> {
    const { operation } = request.question;
    const last = request.spend.until ?? null;
    const retries = failing.has(operation) || last !== null ? 0 : MOST_RETRIES;
    let until: Instant | null = null;
    for (let made = 0; ; made += 1) {
      const ticket = await budget.pass(request.where, signal, {
        ...request.spend,
        isExtra: request.spend.isExtra || made > 0,
      });
      until ??= Math.min(clock.now() + totalMs, last ?? Infinity);
      try {
        const answer = await attempt(request, ticket, until - clock.now(), slot);
        failing.delete(operation);
        return answer;
      } catch (error) {
        if (!(error instanceof RequestFault)) throw error;
        const waitMs = made < retries ? waitBeforeRetry(error, made) : null;
        if (waitMs === null || budget.restsLong() || clock.now() + waitMs >= until) {
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
    return budget.hold((slot) => fetchWithRetries(request, slot), request.spend);
  };
}

const FIRST_WAIT_MS = 500;
/** Retries come soon or not at all: the next poll is a retry too. */
const LONGEST_WAIT_MS = 5_000;

/** Null when a retry would not help. */
function waitBeforeRetry({ retry, retryAfterMs }: RequestFault, made: number): number | null {
  const announced = retryAfterMs ?? 0;
  if (retry === 'no' || announced > LONGEST_WAIT_MS) return null;
  // The budget lets no request pass before the reset, so there is no wait here.
  if (retry === 'after-reset' || (retry === 'now' && made === 0)) return 0;
  return Math.max(announced, FIRST_WAIT_MS * 2 ** made);
}

type Attempt = (request: Request, ticket: BudgetTicket, leftMs: number, slot: Slot) => Promise<AnyView | Page>;

function createAttempt(options: FetchAnswerOptions): Attempt {
  const { explorer, transport, budget, meter, hasKey, clock } = options;
  const valueOptions = { ...options, isCounted: onceAnHour(clock) };
  return async (request, ticket, leftMs, slot) => {
    const startedAt = clock.now();
    let planHeaders: PlanHeaders | null = null;
    const { operation } = request.question;
    const ended = (fault: RequestFault | null): void => {
      const reason = fault?.reason ?? null;
      // Without a key, a 401 concerns one path, not the plan.
      const forPlan = reason === 'unauthorized' && !hasKey ? 'forbidden' : reason;
      budget.settle(ticket, { reason: forPlan, retryAfterMs: fault?.retryAfterMs ?? null, planHeaders });
      const seconds = (clock.now() - startedAt) / 1000;
      meter?.request({ explorer, operation, outcome: reason ?? 'ok', credits: ticket.booked.spend.price, seconds });
    };
    try {
      const answer = await transport.send(sentOf(request), leftMs, slot.giveBack);
      planHeaders = readPlanHeaders(answer.headers, clock.now());
      report(planHeaders, options);
      const value = await valueOf(answer, request, valueOptions);
      ended(null);
      return value;
    } catch (error) {
      if (error instanceof RequestFault) ended(error);
      else budget.settle(ticket, { reason: 'cut-off', retryAfterMs: null, planHeaders });
      throw error;
    }
  };
}

function report({ credits, limit, remaining, resetMs }: PlanHeaders, { explorer, meter }: FetchAnswerOptions): void {
  const resetSeconds = resetMs === null ? null : resetMs / 1000;
  meter?.explorerHeaders({ explorer, credits, limit, remaining, resetSeconds });
}

interface ValueOptions extends FetchAnswerOptions {
  /** True if unknown fields of the list at that path are counted now. */
  readonly isCounted: (path: string) => boolean;
}

async function valueOf(answer: HttpAnswer, request: Request, options: ValueOptions): Promise<AnyView | Page> {
  const { explorer, answers, reader, onAnswer } = options;
  const known = answer.status === 200 ? answers.get(idOf(request, explorer), answer.wire) : null;
  // `onAnswer` serves a recording. It needs each answer as a whole, so a page with the same bytes is decoded too.
  if (known?.type === 'same' && onAnswer === null) return new PageAgain(known.content, answer, request, reader);
  try {
    return known?.type === 'decoded' ? (known.decoded as AnyView | Page) : await decodedOf(answer, request, options);
  } finally {
    answer.free();
  }
}

async function decodedOf(answer: HttpAnswer, request: Request, options: ValueOptions): Promise<AnyView | Page> {
  const { explorer, answers, reader, onAnswer } = options;
  const { body, weight, decoded, isSmall } = await reader.read(answer, request);
  const { value, content } = decoded;
  countUnknown(decoded, request, options);
  // A page that is kept as a digest is decoded again, in one go, when its rows are needed. So only small pages have a
  // content.
  answers.put(idOf(request, explorer), answer.wire, {
    decoded: value,
    bytes: weight,
    content: isSmall ? content : null,
  });
  if (onAnswer === null) freeOwnMemory([body]);
  else onAnswer(value, body);
  return value;
}

function sentOf({ address, body, where }: Request): SentRequest {
  return { target: address, body, where };
}

function idOf(request: Request, explorer: string): string {
  return `${explorer} ${requestKey(request)}`;
}

function countUnknown({ unknownFields }: Decoded, { question, spend }: Request, options: ValueOptions): void {
  const { explorer, meter, isCounted } = options;
  if (
    meter === null ||
    (question.shape === 'list' && !isCounted(spend.until === undefined ? question.path : question.operation))
  )
    return;
  const count = unknownFields();
  if (count > 0) meter.unknownFields({ explorer, record: question.record.name, count });
}

const HOUR_MS = 3_600_000;

/**
 * True once an hour for each list. Checking every row of every page takes long, and an upgrade of the explorer is still
 * noticed within an hour.
 */
function onceAnHour(clock: Clock): (path: string) => boolean {
  const countedAt = new Map<string, Instant>();
  return (path) => {
    const now = clock.now();
    const last = countedAt.get(path);
    // A clock that was set back must not delay it.
    if (last !== undefined && last <= now && now - last < HOUR_MS) return false;
    countedAt.set(path, now);
    return true;
  };
}
