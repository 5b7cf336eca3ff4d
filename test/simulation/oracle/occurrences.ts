// What an alert about the items of a list had to tell, from the chain alone: when each item stood in the list and
// matched.
import type { ChainItem, ChainLog, EventReference, Instant, Stay } from '../model.ts';
import { seenAt } from './heights.ts';

/** A time without a gap in which an item stood in the list, matched, and was as deep as the rule asks. */
export interface Presence {
  readonly from: Instant;
  /** Null: until the end of the history. */
  readonly to: Instant | null;
  /** Where it stood last; null = in no block. */
  readonly block: number | null;
}

export function presencesOf(item: ChainItem, reference: EventReference, chain: ChainLog): Presence[] {
  if (!item.paths.includes(reference.path)) return [];
  const presences: Presence[] = [];
  for (const stay of item.stays) {
    const presence = presenceIn(stay, item, reference, chain);
    if (presence === null) continue;
    const last = presences.at(-1);
    if (last?.to === presence.from) presences[presences.length - 1] = { ...presence, from: last.from };
    else presences.push(presence);
  }
  return presences;
}

function presenceIn(
  { from, to, row }: Stay,
  item: ChainItem,
  reference: EventReference,
  chain: ChainLog,
): Presence | null {
  const { block } = row;
  const isListed = block !== null || (reference.on === 'new' && item.waitsIn.includes(reference.path));
  if (!isListed || !reference.matches(row)) return null;
  const deepFrom =
    block === null || reference.confirmations === 0
      ? from
      : Math.max(from, seenAt(block + reference.confirmations, chain));
  return to !== null && deepFrom >= to ? null : { from: deepFrom, to, block };
}
