import type { Watch } from '../../../src/core/model/watch/watch.ts';
import type { Poller } from '../../../src/engine/polling/poller.ts';
import { createRetirement, type RetirementOptions } from '../../../src/engine/upkeep/retirement.ts';

/** Puts these watches in force, as a reload does. */
export async function adopt(poller: Poller, watches: readonly Watch[]): Promise<void> {
  (await poller.prepare(watches)).commit();
}

/** Ends the watches that are gone, once. */
export async function retireGone(options: Omit<RetirementOptions, 'exclusively'>): Promise<void> {
  const retirement = createRetirement({ ...options, exclusively: (work) => work() });
  const stop = new AbortController();
  const looking = retirement.run(stop.signal);
  stop.abort();
  await looking;
}
