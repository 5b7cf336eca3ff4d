// Pending items that will never be in a block, because another item took their place, or the explorer marks them as
// dropped.
import type { Detection } from '../../model/detection.ts';
import type { EventState } from '../../model/memory.ts';
import type { FindingKey } from '../../model/ids.ts';

export interface ReplacedItems {
  has(key: FindingKey, item: EventState): boolean;
}

/** The replaced items in one poll. */
export function replacedItems(detection: Detection<unknown> | null): ReplacedItems {
  const dropped = new Set(detection?.dropped);
  const minedBySlot = new Map<string, FindingKey>();
  for (const { key, slot, block } of detection?.events ?? [])
    if (slot !== null && typeof block === 'number') minedBySlot.set(slot, key);
  return {
    has(key, { block, slot }) {
      if (block !== null) return false;
      const mined = slot === null ? undefined : minedBySlot.get(slot);
      return dropped.has(key) || (mined !== undefined && mined !== key);
    },
  };
}
