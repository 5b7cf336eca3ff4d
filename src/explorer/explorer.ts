// The explorer client: reads one explorer of the config, in either form of the API.
//
// A question passes, in this order: the answers shared in this tick -> the same request in flight -> the budget of its
// plan -> the transport. No question is sent twice in a tick, and none during a pause of the plan.
import type { AnyView } from '../core/values/fields.ts';
import type { ShownBlocks } from '../core/chain/chain-identity.ts';
import type { Coin } from '../core/model/watch/target.ts';
import type { Severity } from '../core/model/ids.ts';
import type { Head } from '../core/model/observation.ts';
import {
  type AskedBy,
  type Asker,
  type Cursor,
  type ListQuestion,
  type Page,
  type Question,
  type Read,
  type TickRead,
  questionKey,
} from '../core/model/watch/question.ts';
import type { Reachability } from '../core/model/quality/reachability.ts';
import { readThrough } from '../core/model/quality/read-through.ts';
import type { Clock, Instant } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';
import { createAnswerCache, type AnswerCache } from './http/answer-cache.ts';
import { createAnswerReader } from './http/answer-reader.ts';
import { createFetchAnswer } from './http/fetch-answer.ts';
import type { Budget } from './spending/budget.ts';
import { createFilters, createRequestCoalescer, type Query, type TickCache } from './http/request-coalescer.ts';
import { createApiUrls } from './reading/api-urls.ts';
import { askedByRpc } from './reading/rpc.ts';
import type { Spend, SweepTurn } from '../core/spending/spend.ts';
import { blocks as blocksOf } from './operations.ts';
import { headAfter, headOf as headIn } from './reading/head.ts';
import type { HttpLimits } from './http/exchange.ts';
import {
  type Auth,
  createHttpTransport,
  createReachRecord,
  HTTP_LIMITS,
  type HttpTransport,
  type ReachRecord,
  type Request,
} from './http/http-transport.ts';
import { createLargeBodies, type LargeBodies } from './http/large-bodies.ts';
import type { ExplorerMeter } from './http/meter.ts';

export interface ExplorerOptions {
  /** The name in the config, which metrics, logs and watches use. */
  readonly name: string;
  /** The URL before `/api/v2/`: `{base_url}/{chain_id}` in the multichain form, `{instance_url}` in the other. */
  readonly baseUrl: string;
  /** Addresses of the Etherscan-style API, the likeliest first; `{baseUrl}/api` if left out. */
  readonly apiUrls?: readonly string[];
  /** Address of the JSON-RPC; `{baseUrl}/api/eth-rpc` if left out. */
  readonly rpcUrl?: string;
  readonly auth: Auth;
  readonly coin: Coin;
  /** Headers of each request, such as a Referer that a firewall requires. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Values of secret headers. Like the key, they are redacted in answers of the server. */
  readonly secrets?: readonly string[];
  /** `chainwarden/0.1.0` */
  readonly userAgent: string;
  /** The budget for this origin and key. Explorers with the same two share it. */
  readonly budget: Budget;
  /** One cache for all explorers, so that the limit of its size holds for the daemon. */
  readonly answers?: AnswerCache;
  /** Shared by all explorers, so that large bodies are decoded one after the other. The caller closes it. */
  readonly largeBodies?: LargeBodies;
  readonly meter?: ExplorerMeter;
  /**
   * Called for every decoded answer with its body, without secrets. Not called again if the cache still has the decoded
   * answer of the same bytes: the answer is then the same object.
   */
  readonly onAnswer?: (answer: object, body: Buffer) => void;
  readonly limits?: Partial<HttpLimits>;
  /** Explorers with the same host and key share one record. */
  readonly reach?: ReachRecord;
  /** Sends each request, and is closed with the explorer; HTTP when left out. */
  readonly transport?: HttpTransport;
  /**
   * Called before each request. If it returns false, the request is not sent, and the poll ends as at a stop. If left
   * out, all requests may be sent.
   */
  readonly mayAsk?: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts requests under way, which then throw the signal's reason instead of `Missed`. */
  readonly signal: AbortSignal;
}

export interface Explorer extends AsyncDisposable {
  readonly name: string;
  /**
   * A reader for one tick: equal questions are sent once. If `askedBy` is left out, no watch waits for the answers, and
   * requests have severity `warning`.
   */
  tickReader(askedBy?: AskedBy): TickRead;
  /** The chain's head in the last reading of the first page of blocks; null before that. */
  head(): Head | null;
  /** The first page of blocks as it was last read: a new object for each reading. Null before the first reading. */
  blocks(): { readonly rows: readonly AnyView[]; readonly readAt: Instant } | null;
  /** A page of blocks at a height and below, read now. Throws `Missed`. */
  blocksFrom(height: number, read: Read): Promise<ShownBlocks>;
  reachability(): Reachability;
  /** Asks the host once, outside the API, so that it costs no credits. Never rejects. */
  probe(): Promise<void>;
}

export function createExplorer(options: ExplorerOptions): Explorer {
  const { name, auth, clock, signal, budget, meter } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const reach = options.reach ?? createReachRecord(clock);
  const noted = reach.noting(
    options.transport ??
      createHttpTransport({ auth, headers: options.headers ?? {}, userAgent: options.userAgent, limits, signal }),
  );
  const transport = options.mayAsk === undefined ? noted : withLeave(noted, options.mayAsk);
  const largeBodies = options.largeBodies ?? createLargeBodies();
  const hasKey = auth.type !== 'none';
  const reader = createAnswerReader({
    largeBodies,
    units: { coin: options.coin.decimals },
    limits,
    hasKey,
    secrets: () => [...(auth.type === 'none' ? [] : [auth.key()]), ...(options.secrets ?? [])],
    clock,
    signal,
  });
  const filters = createFilters(options.log, name);
  const apiUrls = createApiUrls(options.apiUrls ?? [`${options.baseUrl}/api`]);
  const rpcUrl = options.rpcUrl ?? `${options.baseUrl}/api/eth-rpc`;
  const fetchAnswer = createFetchAnswer({
    explorer: name,
    transport,
    budget,
    answers: options.answers ?? createAnswerCache({ clock }),
    reader,
    meter: meter ?? null,
    totalMs: limits.totalMs,
    hasKey,
    onAnswer: options.onAnswer ?? null,
    clock,
    signal,
  });
  const coalescer = createRequestCoalescer(async (request) => {
    const value = await fetchAnswer(request);
    const headOf = headReader(request);
    if (headOf !== null) updateHead(value as Page, headOf);
    return value;
  }, options.baseUrl);
  let head: Head | null = null;
  let blocks: ReturnType<Explorer['blocks']> = null;

  function updateHead({ rows }: Page, headOf: HeadReader): void {
    blocks = { rows, readAt: clock.now() };
    head = headAfter(head, headOf(rows, blocks.readAt));
    if (head !== null) meter?.head({ explorer: name, height: head.height, timestamp: head.timestamp });
  }

  function send(
    question: Question,
    cursor: Cursor | null,
    spend: Spend,
    tickCache: TickCache | null,
  ): Promise<AnyView | Page> {
    const ask = (query: Query, url: string | null): Promise<AnyView | Page> =>
      tickCache === null
        ? coalescer.requestAgain({ question, query, url }, spend)
        : coalescer.request({ question, query, url }, spend, tickCache);
    // A range of blocks is no filter: without it, the answer would be about other blocks.
    if (question.root === 'rpc') return askedByRpc(question, ask({ ...question.params, ...cursor }, rpcUrl));
    if (question.root === 'api') return apiUrls.request((url) => ask({ ...question.params, ...cursor }, url));
    return filters.request(question, cursor, (query) => ask(query, null));
  }

  return {
    name,
    head: () => head,
    blocks: () => blocks,
    async blocksFrom(height, read) {
      const { rows } = await read.pageAgain(blocksOf(name), { block_number: String(height + 1) });
      const at = clock.now();
      return { rows, head: headIn(rows, at), at };
    },
    reachability: () => reach.now(),
    async probe() {
      const { origin, host } = new URL(options.baseUrl);
      await noted.send({ target: `${origin}/`, body: null, where: host }, PROBE_MS).catch(() => undefined);
    },
    tickReader(askedBy = () => ({ severity: 'warning', isFirst: true })) {
      const tickCache: TickCache = new Map();
      const spendOn = spending(askedBy);
      const readFor = (asker: Asker | null): Read => {
        const own = asker?.severity ?? null;
        return readThrough({
          answer: (question, cursor) => send(question, cursor, spendOn(question, cursor, own), tickCache),
          again: (question, cursor) =>
            send(
              question,
              cursor,
              { ...spendOn(question, cursor, own), class: 'pages', ...(own && { severity: own }) },
              null,
            ),
          sweep: (question, cursor) =>
            send(
              question,
              cursor,
              { ...spendOn(question, cursor, own), class: 'sweep', turn: turnOf(asker, question, cursor) },
              tickCache,
            ),
        });
      };
      const end = (): void => {
        coalescer.endTick(tickCache);
      };
      return { ...readFor(null), forWatch: readFor, end };
    },
    [Symbol.asyncDispose]: async () => {
      transport.close();
      if (options.largeBodies === undefined) await largeBodies[Symbol.asyncDispose]();
    },
  };
}

/** Less than a third of a lease, so that each renewal has the result of a probe. */
const PROBE_MS = 4000;

type SpendOn = (question: Question, cursor: Cursor | null, own: Severity | null) => Spend;

/** A first page is charged to the most severe watch that asks for it, all other pages to the watch itself. */
function spending(askedBy: AskedBy): SpendOn {
  const unfilteredPaths = new Set<string>();
  return (question, cursor, own) => {
    const { path, params, operation, credits: price } = question;
    const { severity: mostSevere, isFirst, isExtra: isUnplanned = false, detailsUntil } = askedBy(path);
    if (detailsUntil !== undefined) return spendOnDetails(question, mostSevere, detailsUntil);
    const severity = cursor === null ? mostSevere : (own ?? mostSevere);
    const isFiltered = Object.keys(params).length > 0;
    if (!isFiltered && cursor === null) unfilteredPaths.add(path);
    const isExtra = isUnplanned || (isFiltered && unfilteredPaths.has(path));
    const spent = isFirst && cursor === null ? severity : 'pages';
    const spend = { class: spent, severity, isExtra, turn: null, operation, price } as const;
    return question.shape === 'list' && question.openTo !== undefined ? { ...spend, openTo: question.openTo } : spend;
  };
}

function spendOnDetails({ operation, credits: price }: Question, severity: Severity, until: Instant): Spend {
  return { class: 'enrich', severity, isExtra: true, turn: null, operation, price, until };
}

function turnOf(asker: Asker | null, question: Question, cursor: Cursor | null): SweepTurn | null {
  return asker && { watch: asker.watch, page: JSON.stringify([questionKey(question), cursor]) };
}

/**
 * The given transport, but it sends a request only if `mayAsk` allows it. Otherwise it throws like an aborted request.
 */
function withLeave(transport: HttpTransport, mayAsk: () => boolean): HttpTransport {
  return {
    ...transport,
    async send(...args) {
      if (!mayAsk()) throw new DOMException('another replica asks this explorer now', 'AbortError');
      return transport.send(...args);
    },
  };
}

type HeadReader = NonNullable<ListQuestion['head']>;

/**
 * Null unless the request is for the first page of a list that shows the head. Such a list has no filters, so only a
 * later page has a query.
 */
function headReader({ question, address }: Request): HeadReader | null {
  return question.shape === 'list' && question.head !== undefined && !address.includes('?') ? question.head : null;
}
