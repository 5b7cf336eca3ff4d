import type { Page } from '../answer.ts';
import { timesReplaced } from '../overlay.ts';
import { numberOf } from '../params.ts';
import { renderBlock, type BlockRow } from '../render/rows.ts';
import type { World } from '../world.ts';
import { downFrom, takePage, type ListRequest } from './page.ts';

/** Specification 4.5: newest first; `type=reorg` lists the blocks that were replaced. */
export function listBlocks(world: World, request: ListRequest): Page {
  const { params } = request;
  const below = numberOf(params, 'block_number') ?? Infinity;
  return takePage(rowsOf(world, params.get('type') ?? 'block', below), request, {
    item: (row) => renderBlock(world, row),
    cursor: (last) => ({ block_number: 'pausedBelow' in last ? last.pausedBelow : last.height }),
  });
}

function* rowsOf(world: World, type: string, below: number): Iterable<BlockRow> {
  if (type === 'uncle') return;
  if (type === 'reorg') yield* lostBlocks(world, below);
  else for (const height of downFrom(Math.min(world.head(), below - 1))) yield { height, type: 'block' };
}

function lostBlocks({ overlay: { reorgs } }: World, below: number): BlockRow[] {
  const lost: BlockRow[] = [];
  for (const [place, { from, to }] of reorgs.entries())
    for (let height = from; height <= to && height < below; height++)
      lost.push({ height, replaced: timesReplaced(reorgs, height, place), type: 'reorg' });
  return lost.sort((a, b) => b.height - a.height || (b.replaced ?? 0) - (a.replaced ?? 0));
}
