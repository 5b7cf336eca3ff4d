// Converts JSON to the shape that a question asks for. The envelope is checked; rows become views that decode on first
// use.
import { isRow, type AnyRecord, type AnyView, type Fields, type Units, type View } from '../../core/values/fields.ts';
import type { Page, Question } from '../../core/model/watch/question.ts';
import { readCursor } from './cursor.ts';
import type { PageSizes } from './page-sizes.ts';
import { isOfCalls, rpcAnswers } from './rpc.ts';
import { RequestFault } from '../http/fault.ts';
import { jsonFault, parseJson } from '../http/body.ts';
import { MOST_ROWS } from '../http/json-bounds.ts';
import { plain, untrusted } from '../../lib/untrusted.ts';

export interface Decoded {
  readonly value: AnyView | Page;
  /** The content object of a page; null for a single record. */
  readonly content: object | null;
  /** Counts the fields that the tables do not have. In a list it reads every row, so the call is slow. */
  readonly unknownFields: () => number;
}

export interface DecodeContext {
  readonly units: Units;
  /** The address as messages show it. */
  readonly where: string;
  /** The page sizes of the explorer. */
  readonly pageSizes: PageSizes;
}

/**
 * Throws `RequestFault` for a text that is not JSON or not of the requested shape. Such a text never counts as an empty
 * list.
 */
export function decodeAnswer(body: Buffer, question: Question, context: DecodeContext): Decoded {
  return decodeJson(parsed(body, context.where), question, context);
}

/** Does the same as `decodeAnswer` for JSON that is already parsed. */
export function decodeJson(raw: unknown, question: Question, context: DecodeContext): Decoded {
  if (question.shape === 'one') return decodeOne(raw, question, context);
  if (isOfCalls(question)) return decodeCalls(raw, question, context);
  return question.root === undefined ? decodeList(raw, question, context) : decodeResult(raw, question, context);
}

function parsed(body: Buffer, where: string): unknown {
  try {
    return parseJson(body);
  } catch (error) {
    throw jsonFault(error, where);
  }
}

function decodeOne(raw: unknown, { record }: Question, { units, where }: DecodeContext): Decoded {
  const view = record.read(raw, units);
  const unknownFields = record.unknownKeys(raw).length;
  if (view === undefined) throw new RequestFault('shape', `${where}: not an object but ${kindOf(raw)}`);
  // An answer `{ message }` with status 200 is an object, but not of this kind.
  if (unknownFields === Object.keys(raw as object).length)
    throw new RequestFault('shape', `${where}: an object without any field of ${record.name}`);
  return { value: view, content: null, unknownFields: () => unknownFields };
}

type ListAsked = Extract<Question, { shape: 'list' }>;

/**
 * An answer of the Etherscan-style API, or of `eth_getLogs`. It has no cursor, so `nextAfter` of the question computes the
 * next page from the rows.
 */
function decodeResult(raw: unknown, { record, nextAfter }: ListAsked, { units, where }: DecodeContext): Decoded {
  const items = rowsOfResult(raw, where);
  const rows = items.flatMap((item) => record.read(isRow(item) ? item : {}, units) ?? []) as View<Fields>[];
  const isUnfinished = isRow(raw) && raw['status'] === UNFINISHED;
  const page = new DecodedPage(rows, nextAfter?.(rows) ?? null, { isFull: null, isUnfinished });
  return { value: page, content: page.content, unknownFields: () => countUnknown(items, record) };
}

/** The status of an answer about blocks that are not all traced yet. */
const UNFINISHED = '2';

/** The answers to an array of calls. Without an array, the whole request was refused. */
function decodeCalls(raw: unknown, { record }: ListAsked, { units, where }: DecodeContext): Decoded {
  const items = rpcAnswers(raw, where);
  const rows = items.flatMap((item) => record.read(isRow(item) ? item : {}, units) ?? []) as View<Fields>[];
  const page = new DecodedPage(rows, null, { isFull: null, isUnfinished: false });
  return { value: page, content: page.content, unknownFields: () => countUnknown(items, record) };
}

const MOST_SHOWN = 120;

/** The rows. Throws `RequestFault` if there is no list: status 0 with an empty list is an empty list. */
function rowsOfResult(raw: unknown, where: string): readonly unknown[] {
  if (!isRow(raw)) throw new RequestFault('shape', `${where}: not an object with a result`);
  const { result, message, error } = raw;
  const said = [result, message, isRow(error) ? error['message'] : error];
  const hasFailed = isRow(error) && isFailure(Number(error['code']));
  if (!Array.isArray(result)) throw refusalOf(said.find((text) => typeof text === 'string') ?? '', hasFailed, where);
  if (result.length > MOST_ROWS) throw new RequestFault('too-large', `${where}: more than ${MOST_ROWS} rows`);
  if (result.length > 0 && !result.some(isRow)) throw new RequestFault('shape', `${where}: the rows are no objects`);
  return result as readonly unknown[];
}

const INTERNAL_ERROR = -32603;

/** True for the codes of the JSON-RPC for failures of the server, which may be over at the next request. */
function isFailure(code: number): boolean {
  return code === INTERNAL_ERROR || (code >= -32_099 && code <= -32_000);
}

function refusalOf(said: string, hasFailed: boolean, where: string): RequestFault {
  const words = said === '' ? 'no result' : plain(untrusted(said), MOST_SHOWN);
  if (/rate limit/i.test(said)) return new RequestFault('rate-limited', `${where}: ${words}`, { retry: 'after-reset' });
  if (hasFailed) return new RequestFault('server-error', `${where}: the explorer failed: ${words}`);
  return new RequestFault('unprocessable', `${where}: the explorer rejected the request as invalid: ${words}`);
}

function decodeList(raw: unknown, { operation, record }: ListAsked, context: DecodeContext): Decoded {
  const { units, where, pageSizes } = context;
  if (!isRow(raw)) throw new RequestFault('shape', `${where}: not an object with items but ${kindOf(raw)}`);
  const items = raw['items'];
  if (!Array.isArray(items)) throw new RequestFault('shape', `${where}: items is not a list but ${kindOf(items)}`);
  if (items.length > MOST_ROWS) throw new RequestFault('too-large', `${where}: a page of more than ${MOST_ROWS} items`);
  if (items.length > 0 && !items.some(isRow))
    throw new RequestFault('shape', `${where}: items/0 is not an object but ${kindOf(items[0])}`);
  // An item that is no object becomes a row without values. This row cannot be identified, so no known row counts as
  // missing.
  const rows = items.flatMap((item: unknown) => record.read(isRow(item) ? item : {}, units) ?? []) as View<Fields>[];
  const next = readCursor(raw['next_page_params'], where);
  const isEmptyCursor = next === null && isRow(raw['next_page_params']);
  if (next !== null) pageSizes.saw(operation, rows.length);
  const isFull = isEmptyCursor ? (): boolean => pageSizes.isFull(operation, rows.length) : null;
  const page = new DecodedPage(rows, next, { isFull, isUnfinished: false });
  const unknownFields = (): number => countUnknown(items as unknown[], record);
  return { value: page, content: page.content, unknownFields };
}

/**
 * A class, because an object literal with a getter has a hidden class of its own each time, which costs the garbage
 * collector time.
 */
class DecodedPage implements Page {
  readonly content = {};
  readonly rows: Page['rows'];
  readonly next: Page['next'];
  readonly isUnfinished: boolean;
  readonly #isFull: (() => boolean) | null;

  /**
   * `isFull` is set for a page with an empty cursor. It is called only when `isCutOff` is read, because the usual size
   * of pages is learned from other pages.
   */
  constructor(
    rows: Page['rows'],
    next: Page['next'],
    { isFull, isUnfinished }: { readonly isFull: (() => boolean) | null; readonly isUnfinished: boolean },
  ) {
    this.rows = rows;
    this.next = next;
    this.isUnfinished = isUnfinished;
    this.#isFull = isFull;
  }

  get isCutOff(): boolean {
    return this.#isFull?.() === true;
  }
}

function countUnknown(items: readonly unknown[], record: AnyRecord): number {
  return items.reduce((sum: number, item) => sum + record.unknownKeys(item).length, 0);
}

function kindOf(raw: unknown): string {
  if (raw === undefined) return 'missing';
  if (raw === null) return 'null';
  return Array.isArray(raw) ? 'a list' : `a ${typeof raw}`;
}
