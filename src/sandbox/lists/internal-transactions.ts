import type { Page, Row } from '../answer.ts';
import { keyOf } from '../chain/keys.ts';
import { numberOf, type Params } from '../params.ts';
import { renderCall, type TracedCall } from '../render/rows.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type Pause } from './page.ts';
import { firstHeight, sideOf } from './transactions.ts';

interface CallPlace {
  readonly height: number;
  readonly position: number;
  readonly index: number;
}

/** Specification 4.3: newest first. Blocks that are not traced yet are left out, and appear in their place later. */
export function listInternalTransactions(world: World, address: string, params: Params): Page {
  const key = keyOf(address);
  const isOnSide = sideOf(params);
  const below = placeOf(params);
  const rows = visitSome(world.chain.heightsOf(key, firstHeight(world, below)), (height) =>
    callsOf(world, height).filter((row) => isOnSide(row.call, key) && isBelow(row, below)),
  );
  const page = takePage(rows, world.pageSize, { item: (row) => renderCall(world, row), cursor });
  // Some addresses never call: no explorer sends a cursor behind an empty page, and readers would follow it for ever.
  return page.items.length === 0 ? { ...page, next_page_params: null } : page;
}

function callsOf(world: World, height: number): TracedCall[] {
  if (!world.chain.isTraced(height)) return [];
  return world.chain
    .transactionsOf(height)
    .flatMap((mined) => mined.transaction.calls.map((call) => ({ mined, call })))
    .reverse();
}

function placeOf(params: Params): CallPlace | undefined {
  const height = numberOf(params, 'block_number');
  if (height === undefined) return undefined;
  return { height, position: numberOf(params, 'transaction_index') ?? 0, index: numberOf(params, 'index') ?? 0 };
}

function isBelow({ mined: { height, position }, call: { index } }: TracedCall, below: CallPlace | undefined): boolean {
  if (below === undefined || height < below.height) return true;
  if (height > below.height) return false;
  return position < below.position || (position === below.position && index < below.index);
}

function cursor(last: TracedCall | Pause): Row {
  if ('pausedBelow' in last) return { block_number: last.pausedBelow, transaction_index: 0, index: 0 };
  return { block_number: last.mined.height, transaction_index: last.mined.position, index: last.call.index };
}
