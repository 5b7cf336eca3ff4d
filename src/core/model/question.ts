// Requests as data. A question is what is asked of an explorer; equal questions of one tick are asked once.
import type { AnyRecord, Fields, View } from '../values/fields.ts';
import type { RecordType } from '../values/record-type.ts';
import type { MissReason } from './observation.ts';

export const OPERATIONS = [
  'token',
  'address',
  'address-tokens',
  'address-internal-transactions',
  'address-transactions',
  'transactions',
  'blocks',
] as const;
export type Operation = (typeof OPERATIONS)[number];

interface QuestionBase {
  readonly explorer: string;
  readonly operation: Operation;
  /** Behind `/api/v2/`, with addresses in lower case: `addresses/0x…/tokens`. */
  readonly path: string;
  /** Filters; optional ones that a server refuses with 422 are left out from then on (the caller filters again). */
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
}

export type Question = Omit<OneQuestion | ListQuestion, 'record'> & { readonly record: AnyRecord };

/** `next_page_params` as it came, every value as exact text: sent back as it stands. */
export type Cursor = Readonly<Record<string, string>>;

export interface Page<F extends Fields = Fields> {
  /** The very same object whenever the very same answer comes to a request; missing where nobody compared. */
  readonly content?: object;
  readonly rows: readonly View<F>[];
  /** Null at the end of the list. */
  readonly next: Cursor | null;
  /** There is no cursor, and yet this is not the end: an empty one came with a full page. */
  readonly isCutOff?: boolean;
}

/** The only thing `observe` may do to the world. Both throw `Missed` when no usable answer came. */
export interface Read {
  one<F extends Fields>(question: OneQuestion<F>): Promise<View<F>>;
  page<F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null): Promise<Page<F>>;
  /** Like `page`, but never from this tick's shared answers: for a second reading. */
  pageAgain<F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null): Promise<Page<F>>;
  /**
   * Like `page`, for reading known rows again: a share of the requests is kept for that, and once it is used up, such a
   * page is missed. Left out where nothing is read again.
   */
  readonly sweepPage?: <F extends Fields>(question: ListQuestion<F>, cursor: Cursor | null) => Promise<Page<F>>;
}

/** No usable answer. Counted by reason; the watch learns nothing from it, and the alerts stay as they are. */
export class Missed extends Error {
  override readonly name = 'Missed';
  readonly reason: MissReason;
  /** For `rate-limited`, `out-of-credits` and server errors: not before then. */
  readonly retryAfterMs: number | null;

  constructor(reason: MissReason, detail: string, retryAfterMs: number | null = null) {
    super(detail);
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}
