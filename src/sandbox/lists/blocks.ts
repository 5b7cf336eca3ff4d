import type { SandboxPage } from '../answer.ts';
import { downFrom } from '../chain/heights.ts';
import { numberOf } from '../params.ts';
import { hasUncle, renderBlock, type BlockRow } from '../render/rows.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type ListRequest, type PausedBelow } from './page.ts';

/** Specification 4.5: newest first; `type` asks for uncles, or for blocks that were replaced. */
export function listBlocks(world: World, request: ListRequest): SandboxPage {
  const { params } = request;
  const below = numberOf(params, 'block_number') ?? Infinity;
  return takePage(rowsOf(world, params.get('type') ?? 'block', Math.min(world.head(), below - 1)), request, {
    item: (row) => renderBlock(world, row),
    cursor: (last) => ({ block_number: 'pausedBelow' in last ? last.pausedBelow : last.height }),
  });
}

function rowsOf(world: World, type: string, top: number): Iterable<BlockRow | PausedBelow> {
  if (type === 'reorg') return visitSome(world.chain.replacedHeights(top), (height) => lostBlocks(world, height));
  return type === 'uncle' ? visitSome(downFrom(Math.min(top, world.head() - 1)), unclesAt) : blocksFrom(top);
}

/** The uncle at this height, if there is one: the block above names it. */
function unclesAt(height: number): BlockRow[] {
  return hasUncle(height + 1) ? [{ height, type: 'uncle' }] : [];
}

function* blocksFrom(top: number): Iterable<BlockRow> {
  for (const height of downFrom(top)) yield { height, type: 'block' };
}

/** All earlier versions of the block, the last one first. */
function lostBlocks({ chain }: World, height: number): BlockRow[] {
  const times = chain.timesReplaced(height);
  return Array.from({ length: times }, (_, place) => ({ height, replaced: times - 1 - place, type: 'reorg' }));
}
