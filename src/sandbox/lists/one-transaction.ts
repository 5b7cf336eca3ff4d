// Finds one transaction by its hash.
import type { JsonRow } from '../answer.ts';
import { downFrom } from '../chain/heights.ts';
import type { Mined } from '../chain/transaction.ts';
import { renderMined, renderWaiting } from '../render/transaction.ts';
import type { World } from '../world.ts';

/** The blocks that are searched: a generated chain has no index of its transactions. */
const DEPTH = 2000;

export function isHash(text: string): boolean {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

/** Undefined: it is in none of the newest blocks. */
export function findMined(world: World, hash: string): Mined | undefined {
  const key = hash.toLowerCase();
  for (const height of downFrom(world.head(), Math.max(0, world.head() - DEPTH)))
    for (const mined of world.chain.transactionsOf(height)) if (mined.transaction.hash === key) return mined;
  return undefined;
}

export function renderTransaction(world: World, hash: string): JsonRow | undefined {
  const mined = findMined(world, hash);
  if (mined !== undefined) return renderMined(world, mined);
  const waiting = world.chain.waiting().find(({ transaction }) => transaction.hash === hash.toLowerCase());
  return waiting && renderWaiting(world, waiting);
}
