// Pages of lists whose rows are generated on demand.
import type { SandboxPage, JsonRow } from '../answer.ts';
import { numberOf, type Params } from '../params.ts';
import type { World } from '../world.ts';

/** A request for a page of a list. */
export interface ListRequest {
  /** Only parameters that have a meaning. */
  readonly params: Params;
  /** Rows of a full page. */
  readonly size: number;
  /** `items_count` of the cursor to the next page, if there is one. */
  readonly count: { readonly items_count?: number };
  /** Parameters that come back in the cursor. */
  readonly echoed: JsonRow;
}

const LARGEST_PAGE = 100;

/** `sent`: the parameters as received. */
export function toListRequest({ dialect, pageSize }: World, params: Params, sent: Params): ListRequest {
  const { itemsCount, echoes } = dialect;
  const wanted = itemsCount === 'none' ? numberOf(params, 'items_count') : undefined;
  const size = Math.min(wanted ?? pageSize, LARGEST_PAGE);
  const echoed = Object.fromEntries([...sent].filter(([name]) => echoes === 'all' || echoes.includes(name)));
  const before = itemsCount === 'total' ? (numberOf(params, 'items_count') ?? 0) : 0;
  return { params, size, echoed, count: itemsCount === 'none' ? {} : { items_count: before + size } };
}

/** Height at which the search stopped without filling the page; the next page continues below it. */
export interface PausedBelow {
  readonly pausedBelow: number;
}

export interface Render<T> {
  readonly item: (row: T) => JsonRow;
  /** The begin of the next page: behind the last row of this one, or where the search paused. */
  readonly cursor: (last: T | PausedBelow) => JsonRow;
}

/** A page may be shorter than its size and still have a next one: only a missing cursor marks the end. */
export function takePage<T extends object>(
  rows: Iterable<T | PausedBelow>,
  request: ListRequest,
  render: Render<T>,
): SandboxPage {
  const taken: T[] = [];
  for (const row of rows) {
    if ('pausedBelow' in row) return toPage(taken, request, render, row);
    if (taken.length === request.size) return toPage(taken, request, render, taken.at(-1));
    taken.push(row);
  }
  return toPage(taken, request, render, undefined);
}

function toPage<T>(
  taken: readonly T[],
  { echoed, count }: ListRequest,
  render: Render<T>,
  next: T | PausedBelow | undefined,
): SandboxPage {
  const cursor = next === undefined ? null : { ...echoed, ...render.cursor(next), ...count };
  return { items: taken.map((row) => render.item(row)), next_page_params: cursor };
}

/** A place in the chain, for the rows strictly below it. */
export interface ChainPosition {
  readonly height: number;
  readonly position: number;
}

const MOST_VISITED = 1024;

/** Visits the number of heights that may be searched for one page, then pauses. */
export function* visitSome<T>(
  heights: Iterable<number>,
  visit: (height: number) => Iterable<T>,
): Iterable<T | PausedBelow> {
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
