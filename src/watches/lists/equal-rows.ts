// Rows that differ in nothing but their place in the block, such as two equal transfers of one transaction. The place
// changes when the transaction is mined in another block, so it cannot be a part of the identity. Equal rows are
// numbered by rising place. For that, every row of the transaction must be known: the transaction at the end of a page
// belongs to the next page, which then begins with it.
import type { AnyView, Fields, View } from '../../core/values/fields.ts';
import type { Cursor, Page, Read } from '../../core/model/watch/question.ts';

export interface EqualRows {
  readonly transactionOf: (row: AnyView) => string | undefined;
  readonly blockOf: (row: AnyView) => bigint | undefined;
  /** Undefined if the explorer does not show it. */
  readonly blockHashOf: (row: AnyView) => string | undefined;
  readonly placeOf: (row: AnyView) => bigint | undefined;
  /** The same text for equal rows of a transaction. */
  contentOf(row: AnyView): string;
  cursorFrom(row: AnyView): Cursor | null;
  /** The row with its number among equal ones, from 1 on. The same object for the same row. */
  numbered(row: AnyView, number: number): AnyView;
  /** Throws `Missed` if rows of this answer cannot be used. */
  assertUsable(rows: readonly AnyView[]): void;
}

/**
 * Reads pages that end at the end of a transaction, with numbered rows. A transaction that fills a whole page is read
 * to its end, in at most `maxPages` more pages. If the transaction is longer, only the rows that were read are
 * numbered.
 */
export function readingWhole(read: Read, equal: EqualRows, maxPages: number): Read {
  const { sweepPage } = read;
  let left = maxPages;
  const whole = async <F extends Fields>(ask: (cursor: Cursor | null) => Promise<Page<F>>, cursor: Cursor | null) => {
    let page = await ask(cursor);
    const { content } = page;
    if (content !== undefined && examined.has(content)) return new WholePage(page, equal);
    equal.assertUsable(page.rows);
    let isJoined = false;
    for (; page.next !== null && left > 0 && isOneTransaction(page.rows, equal); left -= 1, isJoined = true)
      page = joined(page, await ask(page.next), equal);
    if (content !== undefined && !isJoined) examined.add(content);
    return new WholePage(page, equal);
  };
  return {
    ...read,
    page: (question, cursor) => whole((at) => read.page(question, at), cursor),
    pageAgain: (question, cursor) => whole((at) => read.pageAgain(question, at), cursor),
    ...(sweepPage === undefined
      ? {}
      : { sweepPage: (question, cursor) => whole((at) => sweepPage(question, at), cursor) }),
  };
}

/** Answers that contain more than one transaction. Most polls bring one of them again. */
const examined = new WeakSet();

function isOneTransaction(rows: readonly AnyView[], { transactionOf }: EqualRows): boolean {
  const [first] = rows;
  return first !== undefined && rows.every((row) => transactionOf(row) === transactionOf(first));
}

/** A transaction is in one block. Where the later page shows it in another one, it moved between the two pages. */
function joined<F extends Fields>({ content, rows }: Page<F>, more: Page<F>, equal: EqualRows): Page<F> {
  const blockNow = new Map(more.rows.map((row) => [equal.transactionOf(row), blockKeyOf(row, equal)]));
  const isThere = (row: AnyView): boolean => {
    const now = blockNow.get(equal.transactionOf(row));
    return now === undefined || now === blockKeyOf(row, equal);
  };
  const all = [...rows.filter(isThere), ...more.rows];
  return { content, rows: all, next: more.next, isCutOff: more.isCutOff === true };
}

function blockKeyOf(row: AnyView, { blockOf, blockHashOf }: EqualRows): string {
  return `${blockOf(row) ?? ''} ${blockHashOf(row) ?? ''}`;
}

interface Part<F extends Fields> {
  readonly rows: readonly View<F>[];
  readonly next: Cursor | null;
}

/** The rows of most pages are known, so they are numbered on first use only. */
class WholePage<F extends Fields> implements Page<F> {
  readonly #page: Page<F>;
  readonly #equal: EqualRows;
  #part: Part<F> | null = null;

  constructor(page: Page<F>, equal: EqualRows) {
    this.#page = page;
    this.#equal = equal;
  }

  get content(): object | undefined {
    return this.#page.content;
  }

  get rows(): readonly View<F>[] {
    return this.#whole().rows;
  }

  get next(): Cursor | null {
    return this.#page.next === null ? null : this.#whole().next;
  }

  get isCutOff(): boolean {
    return this.#page.isCutOff === true;
  }

  #whole(): Part<F> {
    if (this.#part === null) {
      const { rows, next } = withoutCut(this.#page, this.#equal);
      this.#part = { rows: numberedRows(rows, this.#equal), next };
    }
    return this.#part;
  }
}

/** Removes the lowest transaction, unless the list ends here or nothing else would be left. */
function withoutCut<F extends Fields>({ rows, next }: Page<F>, equal: EqualRows): Part<F> {
  const lowest = lowestOf(rows, equal);
  if (next === null || lowest === undefined || !POSITION.every((key) => Object.hasOwn(next, key)))
    return { rows, next };
  const cut = equal.transactionOf(lowest);
  const whole = rows.filter((row) => equal.transactionOf(row) !== cut);
  const last = lowestOf(whole, equal);
  const position = last === undefined ? null : equal.cursorFrom(last);
  return position === null ? { rows, next } : { rows: whole, next: { ...ofRows(next), ...position } };
}

/** The keys of a cursor that a row can replace. */
const POSITION = ['block_number', 'index'];

/** The cursor without the position within a batch, which belongs to the row that the server ended at. */
function ofRows(cursor: Cursor): Cursor {
  return Object.fromEntries(Object.entries(cursor).filter(([key]) => !key.includes('batch')));
}

function lowestOf(rows: readonly AnyView[], equal: EqualRows): AnyView | undefined {
  return rows.reduce<AnyView | undefined>(
    (lowest, row) => (lowest === undefined || compare(row, lowest, equal) < 0n ? row : lowest),
    undefined,
  );
}

function compare(a: AnyView, b: AnyView, { blockOf, placeOf }: EqualRows): bigint {
  const byBlock = (blockOf(a) ?? 0n) - (blockOf(b) ?? 0n);
  return byBlock === 0n ? (placeOf(a) ?? 0n) - (placeOf(b) ?? 0n) : byBlock;
}

/** A row that a server sends twice has the same place, and so the same number. */
export function numberedRows<F extends Fields>(rows: readonly View<F>[], equal: EqualRows): readonly View<F>[] {
  const placesByContent = new Map<string, Set<bigint>>();
  const keyOf = (row: AnyView): string => `${equal.transactionOf(row) ?? ''} ${equal.contentOf(row)}`;
  for (const row of rows) {
    const places = placesByContent.get(keyOf(row)) ?? new Set();
    placesByContent.set(keyOf(row), places.add(equal.placeOf(row) ?? 0n));
  }
  return rows.map((row) => {
    const own = equal.placeOf(row) ?? 0n;
    const lower = [...(placesByContent.get(keyOf(row)) ?? [])].filter((place) => place < own);
    return equal.numbered(row, lower.length + 1) as View<F>;
  });
}
