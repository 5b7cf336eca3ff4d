// Merges equal requests: a request is not sent again while the same request is under way, and not twice in one tick.
import { type Cursor, Missed, type OperationName, type Page, type Question } from '../../core/model/watch/question.ts';
import type { Spend } from '../../core/spending/spend.ts';
import type { AnyView } from '../../core/values/fields.ts';
import type { Log } from '../../telemetry/log.ts';
import type { FetchAnswer } from './fetch-answer.ts';
import { postedBody } from '../reading/rpc.ts';
import { type Request, requestKey } from './http-transport.ts';
import { PageAgain } from './page-again.ts';

type Value = AnyView | Page;
/** The answers of one tick by the key of their request, failures included. They are kept until the tick ends. */
export type TickCache = Map<string, Promise<Value>>;

/**
 * Requests under way, by their keys. The answer is removed from a finished entry: an old hash table of the map may live
 * until the next full garbage collection, and would keep every fourth answer alive.
 */
type InFlight = Map<string, { answer: Promise<Value> | null }>;

/** A question with its query. `url`: where the Etherscan-style API or the JSON-RPC is; null for questions to `/api/v2/`. */
export interface AddressedQuestion {
  readonly question: Question;
  readonly query: Query;
  readonly url: string | null;
}

export interface RequestCoalescer {
  /** The answer from the tick's cache, from a request under way, or from a new request. */
  request(asked: AddressedQuestion, spend: Spend, tickCache: TickCache): Promise<Value>;
  /** Sends a new request. Only other calls of this method share it while it is under way. */
  requestAgain(asked: AddressedQuestion, spend: Spend): Promise<Value>;
  /** Releases these answers; no watch reads them any more. */
  endTick(tickCache: TickCache): void;
}

export function createRequestCoalescer(fetchAnswer: FetchAnswer, baseUrl: string): RequestCoalescer {
  const toRequest = requestsTo(baseUrl);
  const inFlight: InFlight = new Map();
  const inFlightAgain: InFlight = new Map();

  function share(request: Request, underWay: InFlight): Promise<Value> {
    const key = requestKey(request);
    const shared = underWay.get(key)?.answer ?? null;
    if (shared !== null) return shared;
    const pending = fetchAnswer(request);
    const entry: { answer: Promise<Value> | null } = { answer: pending };
    underWay.set(key, entry);
    const leave = (): void => {
      entry.answer = null;
      underWay.delete(key);
    };
    pending.then(leave, leave);
    return pending;
  }

  return {
    request(asked, spend, tickCache) {
      const request = toRequest(asked, spend);
      const key = requestKey(request);
      const known = tickCache.get(key);
      if (known !== undefined) return known;
      const pending = share(request, inFlight);
      tickCache.set(key, pending);
      pending.then(retain, ignore);
      return pending;
    },
    requestAgain: (asked, spend) => share(toRequest(asked, spend), inFlightAgain),
    endTick(tickCache) {
      // The additional `then` delays the release until all ticks that share the request have retained its answer.
      for (const pending of tickCache.values()) pending.then().then(release, ignore);
      tickCache.clear();
    },
  };
}

/** Each tick retains the answer, since another tick may share the request and end later. */
function retain(value: Value): void {
  if (value instanceof PageAgain) value.retain();
}

function release(value: Value): void {
  if (value instanceof PageAgain) value.release();
}

function ignore(): void {
  // The callers handle failures.
}

function requestsTo(baseUrl: string): (asked: AddressedQuestion, spend: Spend) => Request {
  const { host } = new URL(baseUrl);
  const root = `${baseUrl.replace(/\/+$/, '')}/api/v2/`;
  return ({ question, query, url }, spend) => {
    const common = { question, spend, where: whereOf(host, question, url) };
    if (url === null) return { ...common, address: withQuery(root + question.path, written(query)), body: null };
    return question.root === 'rpc'
      ? { ...common, address: url, body: postedBody(question, query) }
      : { ...common, address: apiAddress(url, question, query), body: null };
  };
}

/**
 * The address of a question to the Etherscan-style API. The path of the question is `api?` and its parameters; `url`
 * may have parameters of its own.
 */
function apiAddress(url: string, { path }: Question, query: Query): string {
  return withQuery(withQuery(url, path.slice(path.indexOf('?') + 1)), written(query));
}

function whereOf(host: string, { root, path }: Question, url: string | null): string {
  if (root === 'rpc' && url !== null) return `${host}${new URL(url).pathname}`;
  return `${host}/${root === 'api' ? '' : 'api/v2/'}${path.replaceAll(/0x[0-9a-f]{40}(?![0-9a-f])/gi, '{address}')}`;
}

function withQuery(address: string, query: string): string {
  if (query === '') return address;
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

function written(query: Query): string {
  return Object.entries(query)
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
    .join('&');
}

// Newer releases answer 422 to a filter that they no longer declare. The question is then sent again without filters,
// and so are all later questions of its operation. So the caller must filter the rows itself.

/**
 * The query: the filters and the cursor. If both have a value of the same name, the one of the cursor is sent, since
 * some servers echo the filters into the cursor.
 */
export type Query = Readonly<Record<string, string>>;

interface Filters {
  /** Calls `send` with the question's query: once, or a second time without the filters. */
  request<T>(question: Question, cursor: Cursor | null, send: (query: Query) => Promise<T>): Promise<T>;
}

export function createFilters(log: Log, explorer: string): Filters {
  const refused = new Set<OperationName>();
  return {
    async request(question, cursor, send) {
      const { operation, params } = question;
      if (refused.has(operation)) return send(withoutFilters(params, cursor));
      try {
        return await send({ ...params, ...cursor });
      } catch (error) {
        // On a later page the cursor may be the cause, and the list must not change between pages.
        if (!isRefusal(error) || cursor !== null || Object.keys(params).length === 0) throw error;
        const answer = await send({});
        refused.add(operation);
        log.warn('explorer:filter-refused', {
          explorer,
          operation,
          filters: Object.keys(params),
          detail: error.message,
        });
        return answer;
      }
    },
  };
}

function isRefusal(error: unknown): error is Missed {
  return error instanceof Missed && error.reason === 'unprocessable';
}

function withoutFilters(params: Query, cursor: Cursor | null): Query {
  return Object.fromEntries(Object.entries(cursor ?? {}).filter(([name]) => params[name] === undefined));
}
