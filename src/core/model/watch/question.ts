// Requests as data. A question is one request to an explorer; equal questions of one tick are sent once.
import type { Instant } from '../../../lib/clock.ts';
import type { AnyRecord, AnyView, Fields, View } from '../../values/fields.ts';
import type { RecordType } from '../../values/record-type.ts';
import type { Severity, WatchId } from '../ids.ts';
import type { Head, MissReason } from '../observation.ts';

/** Name of an operation of the explorer's API, such as `address-tokens`. */
export type OperationName = string;

interface QuestionBase {
  readonly explorer: string;
  readonly operation: OperationName;
  /** Where the path begins: `api` is the Etherscan-style API, `rpc` the JSON-RPC; left out, `/api/v2/`. */
  readonly root?: 'api' | 'rpc';
  /**
   * The path after the root, with addresses in lower case: `addresses/0x…/tokens`. With root `api` it begins with `api?`,
   * and contains all parameters but the range of blocks. With root `rpc` it is `eth-rpc?` and the body that is posted,
   * but for the range of blocks, or for the height of a block below the newest one.
   */
  readonly path: string;
  /** With root `rpc`, the block of the calls, or the range of blocks. Else filters; optional ones that a server refuses with 422 are left out from then on (the caller filters again). */
  readonly params: Readonly<Record<string, string>>;
  /** Price of one request in the multichain form. */
  readonly credits: number;
}

export interface OneQuestion<F extends Fields = Fields> extends QuestionBase {
  readonly shape: 'one';
  readonly record: RecordType<F>;
}

export interface ListQuestion<F extends Fields = Fields> extends QuestionBase {
  readonly shape: 'list';
  readonly record: RecordType<F>;
  /**
   * Finds the chain's head in the rows of the first page, in any order; null if the rows do not show it. Absent if the
   * list never shows it.
   */
  readonly head?: (rows: readonly AnyView[], readAt: Instant) => Head | null;
  /** For answers without a cursor: where the list goes on behind these rows; null if they are all. */
  readonly nextAfter?: (rows: readonly AnyView[]) => Cursor | null;
  /** For lists that are read by ranges of blocks. */
  readonly range?: RangeParams;
  /** Left out if only few can add rows to the list. */
  readonly openTo?: OpenList;
}

/**
 * A list to which any contract adds rows, so that further pages have a small share of the plan. `named`: the rows of a
 * contract that the config names, asked for when the list has too many others; they may take all of that share.
 */
export type OpenList = 'any-contract' | 'named';

/** The parameters of a range of blocks. `newest`: the value of `to` for a range without an end; null: `to` is left out. */
export interface RangeParams {
  readonly from: string;
  readonly to: string;
  readonly newest: string | null;
}

/** A question whose record table is known only at run time. */
export type Question =
  | (Omit<OneQuestion, 'record'> & { readonly record: AnyRecord })
  | (Omit<ListQuestion, 'record'> & { readonly record: AnyRecord });

/** Questions with equal keys are one request. */
export function questionKey({ explorer, operation, path, params }: QuestionBase): string {
  return JSON.stringify([explorer, operation, path, Object.entries(params).toSorted()]);
}

/** The path as people see it, without a body that is posted. */
export function shownPath({ root, path, operation }: QuestionBase): string {
  return root === 'rpc' ? operation : path;
}

/** The question without filters. The caller must filter the rows again. */
export function unfiltered<Q extends QuestionBase>(question: Q): Q {
  return Object.keys(question.params).length === 0 ? question : { ...question, params: {} };
}

/** Questions that differ in their filters alone have equal keys: one request may answer them. */
export function sharedKey(question: QuestionBase): string {
  return questionKey(unfiltered(question));
}

/** `next_page_params` of the answer, every value as exact text; it is sent back unchanged. */
export type Cursor = Readonly<Record<string, string>>;

export interface Page<F extends Fields = Fields> {
  /** The same object for every equal answer to a request; missing if answers were not compared. */
  readonly content?: object | undefined;
  readonly rows: readonly View<F>[];
  /** Null at the end of the list. */
  readonly next: Cursor | null;
  /** The answer has no cursor although the list goes on: an empty cursor came with a full page. */
  readonly isCutOff?: boolean;
  /** The explorer says that it has not processed all blocks that it was asked for. */
  readonly isUnfinished?: boolean;
}

/** The only effects that `observe` may have. All throw `Missed` when no usable answer came. */
export interface Read {
  one<F extends Fields>(question: OneQuestion<F>): Promise<View<F>>;
  page<F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null): Promise<Page<F>>;
  /** Like `page`, but never from this tick's shared answers: for a second reading. */
  pageAgain<F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null): Promise<Page<F>>;
  /**
   * Whether other watches ask for the same list with another filter, so that its first page without a filter serves all
   * of them.
   */
  readonly isShared?: (question: ListQuestion) => boolean;
  /**
   * Like `page`, but reads known rows again. It may use a share of the requests only; once that share is used up, the
   * page is missed. Left out if nothing is read again.
   */
  readonly sweepPage?: <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) => Promise<Page<F>>;
}

/**
 * The severity of the most severe watch that asks for a path. `isFirst`: it is the first question of that watch.
 * `isExtra`: the plan does not count it. `detailsUntil`: it is for details of an event, which are of no use after that
 * time.
 */
export type AskedBy = (path: string) => {
  readonly severity: Severity;
  readonly isFirst: boolean;
  readonly isExtra?: boolean;
  readonly detailsUntil?: Instant;
};

/** The watch that reads. */
export interface Asker {
  readonly watch: WatchId;
  readonly severity: Severity;
}

/** A `Read` for watches that are due together: equal questions are sent once. */
export interface TickRead extends Read {
  /**
   * The same `Read` for one watch: further pages are booked on the watch's own severity, and not on that of a more
   * severe watch which asks for the same first page. Its sweeps take turns with those of other watches. Left out if
   * reading costs nothing.
   */
  readonly forWatch?: (asker: Asker) => Read;
  /**
   * Ends the tick. Rows that were not decoded are released, and reading them afterwards throws. Left out if no rows are
   * kept.
   */
  readonly end?: () => void;
}

/** Thrown if no usable answer came. It is counted by reason. The watch's state and its alerts do not change. */
export class Missed extends Error {
  override readonly name = 'Missed';
  readonly reason: MissReason;
  /**
   * For `rate-limited`, `out-of-credits` and server errors: the shortest wait until the next try; null: none is known.
   */
  readonly retryAfterMs: number | null;

  constructor(reason: MissReason, detail: string, retryAfterMs: number | null = null) {
    super(detail);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Thrown if the credits of the plan are kept for more severe watches. No request was sent. The poll becomes due again,
 * and did not miss its time.
 */
export class Postponed extends Error {
  override readonly name = 'Postponed';
}

/** Answers of hosts that do not have the Etherscan-style API, or refuse it. */
export const API_REFUSALS: readonly MissReason[] = [
  'wrong-path',
  'not-found',
  'forbidden',
  'blocked',
  'not-json',
  'redirect',
];
