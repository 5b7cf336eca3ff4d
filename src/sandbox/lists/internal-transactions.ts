import type { SandboxPage, JsonRow } from '../answer.ts';
import { downFrom } from '../chain/heights.ts';
import { keyOf } from '../chain/keys.ts';
import { numberOf, type Params } from '../params.ts';
import { renderCall, type TracedCall } from '../render/rows.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type ListRequest, type PausedBelow } from './page.ts';
import { firstHeight, sideOf } from './transactions.ts';

interface CallPlace {
  readonly height: number;
  readonly position: number;
  readonly index: number;
}

/** Specification 4.3: newest first. Blocks that are not traced yet are left out, and appear in their place later. */
export function listInternalTransactions(world: World, address: string, request: ListRequest): SandboxPage {
  const { params } = request;
  const key = keyOf(address);
  const isOnSide = sideOf(params);
  const below = placeOf(params);
  const withZero = params.get('include_zero_value') !== 'false';
  const rows = visitSome(world.chain.heightsOf(key, firstHeight(world, below)), (height) =>
    callsOf(world, height).filter(
      (row) => isOnSide(row.call, key) && isBelow(row, below) && (withZero || row.call.value > 0n),
    ),
  );
  const page = marked(world, takePage(rows, request, { item: (row) => renderCall(world, row), cursor }));
  // For an address that never calls, each page would be empty and have a cursor, and readers would follow it for ever.
  // No explorer sends a cursor behind an empty page.
  return page.items.length === 0 ? { ...page, next_page_params: null } : page;
}

const RECENT = 10;

/**
 * Marks a page that may still change, as the newest releases do. They check the blocks from its first to its last row,
 * or the newest blocks if it is empty. They do not report late traces above the first row.
 */
function marked(world: World, page: SandboxPage): SandboxPage {
  if (!world.dialect.marksUntraced) return page;
  const heights = page.items.map((row) => Number(row['block_number']));
  const [to, from] = heights.length === 0 ? [world.head(), world.head() - RECENT] : [heights[0], heights.at(-1)];
  const isTraced = [...downFrom(to ?? 0, from)].every((height) => world.chain.isTraced(height));
  const message = isTraced ? null : 'Some internal transactions within this block range have not yet been processed';
  return { ...page, meta: { status: isTraced ? 1 : 2, message } };
}

/** The traced calls of a block, the last one first. */
export function callsOf(world: World, height: number): TracedCall[] {
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

function cursor(last: TracedCall | PausedBelow): JsonRow {
  if ('pausedBelow' in last) return { block_number: last.pausedBelow, transaction_index: 0, index: 0 };
  return { block_number: last.mined.height, transaction_index: last.mined.position, index: last.call.index };
}
