// The memory of each token that an address holds, packed into one text. An object for each token would take three times
// the memory, with thousands of watched lists of hundreds of tokens.
import { z } from 'zod';
import type { Json } from '../../core/values/fields.ts';
import type { Remembered } from '../../core/values/encoded.ts';
import { finish, mapInSteps, type Steps } from '../../lib/steps.ts';
import { json, remembered } from '../values.ts';

export interface HoldingItem {
  readonly values: Remembered;
  /** The counter at arrival and at the last change; they make the key of each occurrence unique. */
  readonly arrival: number;
  readonly change: number;
}

/**
 * Items by key, in the order of arrival. A key is the contract's address in lower case, with `/` and the number of the
 * piece if there is one.
 */
export type ItemByKey = ReadonlyMap<string, HoldingItem>;

/** JSON of `Packed`: `[[["token.address_hash","balance"]],["",0,0,0,"0x51","5"]]`. */
export type PackedItems = string;

/**
 * `pathLists`: the lists of remembered paths. Usually there is one. Items that were not read since a rule began to
 * compare another path have their own list.
 */
type Packed = readonly [pathLists: readonly (readonly string[])[], ...rows: Row[]];
type Row = readonly [rest: string, pathList: number, arrival: number, change: number, ...values: Json[]];

/** The path of the contract in every item. Keys begin with the contract, so only the rest of a key is written. */
export const CONTRACT = 'token.address_hash';

export function packItems(items: ItemByKey): PackedItems {
  return finish(packItemsInSteps(items));
}

export function* packItemsInSteps(items: ItemByKey): Steps<PackedItems> {
  const pathLists: string[][] = [];
  const rows = yield* mapInSteps([...items], ([key, { values, arrival, change }]): Row => {
    const contract = contractIn(values);
    const rest = key.startsWith(contract) ? key.slice(contract.length) : key;
    return [rest, numberIn(pathLists, Object.keys(values)), arrival, change, ...Object.values(values)];
  });
  yield;
  return JSON.stringify([pathLists, ...rows] satisfies Packed);
}

/** The index of the list of paths, which is added if it is not there yet. */
function numberIn(pathLists: string[][], paths: string[]): number {
  const known = pathLists.findIndex(
    (list) => list.length === paths.length && list.every((path, at) => path === paths[at]),
  );
  return known >= 0 ? known : pathLists.push(paths) - 1;
}

export function unpackItems(packed: PackedItems): Map<string, HoldingItem> {
  return finish(unpackItemsInSteps(packed));
}

export function* unpackItemsInSteps(packed: PackedItems): Steps<Map<string, HoldingItem>> {
  const [pathLists, ...rows] = JSON.parse(packed) as Packed;
  yield;
  const items = yield* mapInSteps(rows, ([rest, number, arrival, change, ...written]): [string, HoldingItem] => {
    const paths = pathLists[number] ?? [];
    const values = Object.fromEntries(paths.map((path, at) => [path, written[at] ?? null]));
    const isWhole = rest !== '' && !rest.startsWith('/');
    return [isWhole ? rest : contractIn(values) + rest, { values, arrival, change }];
  });
  return new Map(items);
}

function contractIn(values: Remembered): string {
  const address = values[CONTRACT];
  return typeof address === 'string' ? address.toLowerCase() : '';
}

const packedShape: z.ZodType<Packed> = z
  .tuple([z.array(z.array(z.string()))])
  .rest(z.tuple([z.string(), z.number(), z.number(), z.number()]).rest(json));

/** Former releases wrote an object for each item. */
const former = z
  .record(z.string(), z.object({ values: remembered, arrival: z.number(), change: z.number() }))
  .transform((items) => packItems(new Map(Object.entries(items))));

export const PackedItems: z.ZodType<PackedItems> = z.union([z.string().refine(isPacked), former]);

function isPacked(text: string): boolean {
  const packed = packedShape.safeParse(parsed(text));
  if (!packed.success) return false;
  const [pathLists, ...rows] = packed.data;
  return rows.every(([, number, , , ...values]) => pathLists[number]?.length === values.length);
}

/** Undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
