// Pages of rows that are made while they are read.
import type { Page, Row } from '../answer.ts';

/** So many blocks were looked at without filling the page; the next page goes on below. */
export interface Pause {
  readonly pausedBelow: number;
}

export interface Render<T> {
  readonly item: (row: T) => Row;
  /** Where the next page begins: behind the last row of this one, or where the search paused. */
  readonly cursor: (last: T | Pause) => Row;
  /** `items_count` of the cursor; left out = the size of a page, also behind a shorter one. */
  readonly count?: number;
}

/** The first `size` rows. A page may be shorter and still have a next one: only the cursor says where the end is. */
export function takePage<T extends object>(rows: Iterable<T | Pause>, size: number, render: Render<T>): Page {
  const taken: T[] = [];
  for (const row of rows) {
    if ('pausedBelow' in row) return toPage(taken, size, render, row);
    if (taken.length === size) return toPage(taken, size, render, taken.at(-1));
    taken.push(row);
  }
  return toPage(taken, size, render, undefined);
}

function toPage<T>(taken: readonly T[], size: number, render: Render<T>, next: T | Pause | undefined): Page {
  const cursor = next === undefined ? null : { ...render.cursor(next), items_count: render.count ?? size };
  return { items: taken.map((row) => render.item(row)), next_page_params: cursor };
}

/** A place in the chain; rows strictly below it are meant. */
export interface Place {
  readonly height: number;
  readonly position: number;
}

/** Heights from `from` down to genesis. */
export function* downFrom(from: number): Iterable<number> {
  for (let height = from; height >= 0; height--) yield height;
}

const MOST_VISITED = 1024;

/** As many heights as one page may look at, then a pause. */
export function* visitSome<T>(heights: Iterable<number>, visit: (height: number) => Iterable<T>): Iterable<T | Pause> {
  let visited = 0;
  for (const height of heights) {
    if (visited === MOST_VISITED) {
      yield { pausedBelow: height + 1 };
      return;
    }
    visited += 1;
    yield* visit(height);
  }
}
