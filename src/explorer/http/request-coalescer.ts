// Merges equal requests in flight: the same request is not sent while it is under way, nor twice in one tick.
import type { AnyView } from '../../core/values/fields.ts';
import type { Spend } from '../../core/spending/spend.ts';
import type { Page, Question } from '../../core/model/watch/question.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import { PageAgain } from './page-again.ts';
import type { Request } from './request.ts';
import type { Query } from '../reading/filters.ts';

type Value = AnyView | Page;
/** Answers by address. The cache of a tick keeps them, also failures, until the tick ends. */
export type TickCache = Map<string, Promise<Value>>;

/**
 * Requests under way, by address. Finished entries are emptied: old tables of a map point at the next one, and an old
 * table that the collector kept would keep every fourth answer alive until the next full collection.
 */
type InFlight = Map<string, { answer: Promise<Value> | null }>;

export interface RequestCoalescer {
  /** The answer from the tick's cache, from a request under way, or from a new request. */
  request(question: Question, query: Query, spend: Spend, tickCache: TickCache): Promise<Value>;
  /** A new request; only second readings at the same moment share it. */
  requestAgain(question: Question, query: Query, spend: Spend): Promise<Value>;
  /** Releases these answers; no watch reads them any more. */
  endTick(tickCache: TickCache): void;
}

export function createRequestCoalescer(fetchAnswer: FetchAnswer, baseUrl: string): RequestCoalescer {
  const toRequest = requestsTo(baseUrl);
  const inFlight: InFlight = new Map();
  const inFlightAgain: InFlight = new Map();

  function share(request: Request, underWay: InFlight): Promise<Value> {
    const { address } = request;
    const shared = underWay.get(address)?.answer ?? null;
    if (shared !== null) return shared;
    const pending = fetchAnswer(request);
    const entry: { answer: Promise<Value> | null } = { answer: pending };
    underWay.set(address, entry);
    const leave = (): void => {
      entry.answer = null;
      underWay.delete(address);
    };
    pending.then(leave, leave);
    return pending;
  }

  return {
    request(question, query, spend, tickCache) {
      const request = toRequest(question, query, spend);
      const known = tickCache.get(request.address);
      if (known !== undefined) return known;
      const pending = share(request, inFlight);
      tickCache.set(request.address, pending);
      pending.then(retain, ignore);
      return pending;
    },
    requestAgain: (question, query, spend) => share(toRequest(question, query, spend), inFlightAgain),
    endTick(tickCache) {
      // Runs after all that join a running request: each of them retains its answer first.
      for (const pending of tickCache.values()) pending.then().then(release, ignore);
      tickCache.clear();
    },
  };
}

/** Another tick may have joined the request while it was under way, and may end later. */
function retain(value: Value): void {
  if (value instanceof PageAgain) value.retain();
}

function release(value: Value): void {
  if (value instanceof PageAgain) value.release();
}

function ignore(): void {
  // The callers handle failures.
}

function requestsTo(baseUrl: string): (question: Question, query: Query, spend: Spend) => Request {
  const { host } = new URL(baseUrl);
  const root = `${baseUrl.replace(/\/+$/, '')}/api/v2/`;
  return (question, query, spend) => ({
    question,
    spend,
    address: root + question.path + written(query),
    where: `${host}/api/v2/${question.path.replaceAll(/0x[0-9a-f]+/gi, '{address}')}`,
  });
}

function written(query: Query): string {
  const pairs = Object.entries(query).map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
