// Pages of a list. A page ends with a cursor that holds the place of its last item in the order, so that the next page
// begins right behind it, whatever was added or removed meanwhile.
import { z } from 'zod';

/** The place of an item in the order, the most significant part first. Equal places are not allowed. */
export type Place = readonly (string | number)[];

/** The cursor of a request is none that was handed out. */
export class BadCursor extends Error {
  override readonly name = 'BadCursor';
}

export interface Paging {
  readonly after: string | null;
  readonly limit: number;
}

interface Placed<T> {
  readonly item: T;
  readonly place: Place;
}

/** The items behind the cursor, in order. Throws a `BadCursor`. */
export function pageOf<T>(items: readonly T[], placeOf: (item: T) => Place, { after, limit }: Paging) {
  const from = placeIn(after, Places);
  const placed = items.map((item): Placed<T> => ({ item, place: placeOf(item) }));
  const behind = from === null ? placed : placed.filter(({ place }) => compare(place, from) > 0);
  const sorted = foremost(behind, limit + 1).toSorted((a, b) => compare(a.place, b.place));
  const page = sorted.slice(0, limit);
  const last = page.at(-1);
  const next = sorted.length > limit && last !== undefined ? cursorOf(last.place) : null;
  return { items: page.map(({ item }) => item), next };
}

/** Those that may be among so many first ones, by the first part of their places: few of many have to be sorted. */
function foremost<T>(placed: readonly Placed<T>[], count: number): readonly Placed<T>[] {
  if (placed.length <= count) return placed;
  const firsts = placed.map(({ place: [first] }) => (typeof first === 'number' ? first : -Infinity));
  const last = Float64Array.from(firsts).sort()[count - 1] ?? Infinity;
  return placed.filter((_one, i) => (firsts[i] ?? -Infinity) <= last);
}

function compare(a: Place, b: Place): number {
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const [one, other] = [a[i], b[i]];
    if (one === undefined || other === undefined || one === other) continue;
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return String(one) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

const Places = z
  .array(z.union([z.string(), z.number()]))
  .min(1)
  .max(4);

/** `next` of a page, which clients send back as it is. */
export function cursorOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Null: the list is read from its begin. Throws a `BadCursor`. */
export function placeIn<T>(cursor: string | null, shape: z.ZodType<T>): T | null {
  if (cursor === null) return null;
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new BadCursor('The cursor is none of this list. Leave `after` out to begin with its first page.');
  }
}
