// The memory of the tokens that an address holds.
import { z } from 'zod';
import { Emptied } from '../lists/emptied.ts';
import { PackedItems } from './items.ts';
import { Missing, NONE_MISSING } from './missing.ts';

/** Plain JSON, checked by the schema of the same name when it is read back. */
export interface HoldingsState {
  readonly items: PackedItems;
  /**
   * Rises by one with each arrival, change and removal of a token. It is part of the event key, so a second arrival is
   * a new event.
   */
  readonly counter: number;
  /** Set while readings show an empty list that does not count as empty yet. */
  readonly emptied: Emptied | null;
  readonly missing: Missing;
  /**
   * Height of the chain's head when a token last arrived. As long as the explorer's head is lower, no token counts as
   * gone.
   */
  readonly head: number | null;
  /**
   * False while each reading so far was empty, and the empty list is not believed yet (see `emptied`). The first
   * tokens are then the baseline.
   */
  readonly hasBaseline: boolean;
}

export const HoldingsState: z.ZodType<HoldingsState> = z.object({
  items: PackedItems,
  counter: z.number(),
  emptied: Emptied.nullable().default(null),
  missing: Missing.default(NONE_MISSING),
  head: z.number().nullable().default(null),
  hasBaseline: z.boolean().default(true),
});
