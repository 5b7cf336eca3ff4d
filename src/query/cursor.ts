// Pages of a list. A page ends with a cursor that contains the place of its last item in the order. So the next page
// begins right behind that item, even if items were added or removed.
import { z } from 'zod';

/** The place of an item in the order, the most significant part first. Equal places are not allowed. */
export type SortPosition = readonly (string | number)[];

/** The cursor of a request does not come from a page of this list. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

export interface Paging {
  readonly after: string | null;
  readonly limit: number;
}

/** The order of a list. */
export interface Order<T> {
  /** The name of the list in this order. A list with another name refuses its cursors. */
  readonly list: string;
  /** The rank of an item; lower ranks come first. It is called for every item. */
  readonly rankOf: (item: T) => number;
  /** The order among items of equal rank; no two items have equal ties. It is called for few items. */
  readonly tieOf: (item: T) => SortPosition;
  /**
   * True if the items come in the order of their ties. Then only the first of many items with equal rank have to be
   * sorted.
   */
  readonly areInOrder?: boolean;
}

/** The items behind the cursor, in order. Throws a `BadCursor`. */
export function pageOf<T>(items: readonly T[], order: Order<T>, { after, limit }: Paging) {
  const placeOf = (item: T): SortPosition => [order.rankOf(item), ...order.tieOf(item)];
  const [, ...from] = placeIn(after, z.tuple([z.literal(order.list), Place], Place)) ?? [];
  const behind = from.length === 0 ? items : items.filter((item) => compare(placeOf(item), from) > 0);
  const sorted = first(foremost(behind, order, limit + 1), placeOf, limit + 1);
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  const next = sorted.length > limit && last !== undefined ? cursorOf([order.list, ...last.place]) : null;
  return { items: page.map(({ item }) => item), next };
}

/** The items that may be among the first `count`, by their ranks. The others do not have to be sorted. */
function foremost<T>(items: readonly T[], { rankOf, areInOrder = false }: Order<T>, count: number): readonly T[] {
  if (items.length <= count) return items;
  const ranks = new Float64Array(items.length);
  for (const [i, item] of items.entries()) ranks[i] = rankOf(item);
  const sorted = ranks.toSorted();
  const last = sorted[count - 1] ?? Infinity;
  let equal = areInOrder ? count - sorted.indexOf(last) : items.length;
  return items.filter((_one, i) => {
    const rank = ranks[i] ?? -Infinity;
    return rank < last || (rank === last && (equal -= 1) >= 0);
  });
}

interface Placed<T> {
  readonly item: T;
  readonly place: SortPosition;
}

/**
 * The first `count` items, in order. Thousands of items may have the same rank, so most are compared only with the last
 * kept item.
 */
function first<T>(items: readonly T[], placeOf: (item: T) => SortPosition, count: number): readonly Placed<T>[] {
  const kept: Placed<T>[] = [];
  for (const item of items) {
    const place = placeOf(item);
    const last = kept[count - 1];
    if (last !== undefined && compare(place, last.place) >= 0) continue;
    kept.splice(firstBehind(kept, place), 0, { item, place });
    if (kept.length > count) kept.pop();
  }
  return kept;
}

function firstBehind(kept: readonly Placed<unknown>[], place: SortPosition): number {
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = kept[middle];
    if (other !== undefined && compare(other.place, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: SortPosition, b: SortPosition): number {
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const [one, other] = [a[i], b[i]];
    if (one === undefined || other === undefined || one === other) continue;
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return String(one) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

const Place = z.union([z.string(), z.number()]);

/** `next` of a page, which clients send back unchanged. */
export function cursorOf(place: SortPosition): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Null: there is no cursor, so the list is read from its start. Throws a `BadCursor`. */
export function placeIn<T>(cursor: string | null, shape: z.ZodType<T>): T | null {
  if (cursor === null) return null;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new BadCursor('The cursor is none of this list. Leave `after` out to begin with its first page.');
  }
}
