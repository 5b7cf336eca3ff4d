// The explorer client: reads one explorer of the config, in either form of the API.
//
// A question passes, in this order: this tick's shared answers -> the same request in flight -> the budget of its plan
// -> the door. Nothing is asked twice that was asked once, and nothing leaves while the plan rests.
import type { AnyView, Fields, View } from '../core/fields.ts';
import type { Coin } from '../core/kind.ts';
import type { Head } from '../core/model.ts';
import type { Cursor, ListQuestion, OneQuestion, Page, Question, Read } from '../core/question.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';
import { createAnswerMemory, type AnswerMemory } from './answer-memory.ts';
import { createAsk, type Request } from './ask.ts';
import type { Budget } from './budget.ts';
import { createDesk, type Shelf } from './desk.ts';
import { createFilters } from './filters.ts';
import { headOf } from './head.ts';
import { createDoor, HTTP_LIMITS, type Auth, type Door, type HttpLimits } from './http.ts';
import type { ExplorerMeter } from './meter.ts';

export interface ExplorerOptions {
  /** As in the config: the name that metrics, logs and watches use. */
  readonly name: string;
  /** What stands before `/api/v2/`: `{base_url}/{chain_id}` in the multichain form, `{instance_url}` in the other. */
  readonly baseUrl: string;
  readonly auth: Auth;
  readonly coin: Coin;
  /** Sent with each request, such as a Referer that a wall asks for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `chainwarden/0.1.0` */
  readonly userAgent: string;
  /** One per (origin, key). */
  readonly budget: Budget;
  /** One for all explorers, so that the cap on its size holds for the daemon. */
  readonly answers?: AnswerMemory;
  readonly meter?: ExplorerMeter;
  /**
   * Told of every answer that was decoded, with its body, the key taken out: bytes that came before give the very same
   * object again.
   */
  readonly onAnswer?: (answer: object, body: Buffer) => void;
  readonly limits?: Partial<HttpLimits>;
  /** What sends each request, closed with the explorer; HTTP when left out. */
  readonly transport?: Door;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts what is under way: asks then throw its reason, which has no effect, instead of `Missed`. */
  readonly signal: AbortSignal;
}

export interface Explorer extends AsyncDisposable {
  readonly name: string;
  /** A reader for one tick: equal questions are asked once. */
  round(): Read;
  /** Where the chain was when the first page of blocks was last read; null before that. */
  head(): Head | null;
}

export function createExplorer(options: ExplorerOptions): Explorer {
  const { name, auth, clock, signal, budget, meter } = options;
  const limits = { ...HTTP_LIMITS, ...options.limits };
  const door =
    options.transport ??
    createDoor({ auth, headers: options.headers ?? {}, userAgent: options.userAgent, limits, signal });
  const filters = createFilters(options.log, name);
  const ask = createAsk({
    explorer: name,
    door,
    budget,
    answers: options.answers ?? createAnswerMemory({ clock }),
    meter: meter ?? null,
    units: { coin: options.coin.decimals },
    limits,
    hasKey: auth.type !== 'none',
    mask: maskKey(auth),
    onAnswer: options.onAnswer === undefined ? null : withoutKey(options.onAnswer, auth),
    clock,
    signal,
  });
  const desk = createDesk(async (request) => {
    const value = await ask(request);
    if (isFirstPageOfBlocks(request)) lookAtHead(value as Page);
    return value;
  }, options.baseUrl);
  const reopenOnNewKey = watchKey(auth, budget);
  let head: Head | null = null;

  function lookAtHead(page: Page): void {
    head = headOf(page.rows, clock.now()) ?? head;
    if (head !== null) meter?.head({ explorer: name, height: head.height, timestamp: head.timestamp });
  }

  async function read(question: Question, cursor: Cursor | null, shelf: Shelf | null): Promise<AnyView | Page> {
    reopenOnNewKey();
    return filters.ask(question, cursor, (query) =>
      shelf === null ? desk.askAgain(question, query) : desk.ask(question, query, shelf),
    );
  }

  return {
    name,
    head: () => head,
    round: () => roundOf(read),
    [Symbol.asyncDispose]: async () => {
      door.close();
    },
  };
}

/** Whichever watch asked for it. Blocks have no filters, so only a later page has a query. */
function isFirstPageOfBlocks({ question, address }: Request): boolean {
  return question.operation === 'blocks' && !address.includes('?');
}

type ReadAny = (question: Question, cursor: Cursor | null, shelf: Shelf | null) => Promise<AnyView | Page>;

/** The casts say what `decode.ts` made sure of: the value is what the question's shape and record promise. */
function roundOf(read: ReadAny): Read {
  const shelf: Shelf = new Map();
  return {
    one: <F extends Fields>(question: OneQuestion<F>) => read(question, null, shelf) as Promise<View<F>>,
    page: <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) =>
      read(question, cursor, shelf) as Promise<Page<F>>,
    pageAgain: <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) =>
      read(question, cursor, null) as Promise<Page<F>>,
  };
}

function maskKey(auth: Auth): (text: string) => string {
  if (auth.type === 'none') return (text) => text;
  return (text) => {
    const key = auth.key();
    if (key === '') return text;
    return text.replaceAll(key, '***').replaceAll(encodeURIComponent(key), '***');
  };
}

/** A shorter key could be any word of an answer. */
const SHORTEST_KEY = 8;

/** Old servers echo the key of the request into the cursor (explorer/cursor.ts leaves it out again). */
function withoutKey(onAnswer: (answer: object, body: Buffer) => void, auth: Auth): typeof onAnswer {
  if (auth.type === 'none') return onAnswer;
  const mask = maskKey(auth);
  return (answer, body) => {
    const key = auth.key();
    const mayHold = key.length >= SHORTEST_KEY && (body.includes(key) || body.includes(encodeURIComponent(key)));
    onAnswer(answer, mayHold ? Buffer.from(mask(body.toString('utf8'))) : body);
  };
}

/** A changed key is worth a request even where the old one was refused. */
function watchKey(auth: Auth, budget: Budget): () => void {
  if (auth.type === 'none') return () => undefined;
  let last = auth.key();
  return () => {
    const key = auth.key();
    if (key !== last) budget.reopen();
    last = key;
  };
}
