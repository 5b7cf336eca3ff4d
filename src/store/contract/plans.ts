// The plans of explorers, as they are stored.
import type { PlanRow } from '../../core/spending/plan.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence } from './fence.ts';

export interface StoredPlans {
  /** Part of the digests that name plans. It does not change while the state exists. */
  readonly salt: string;
  readonly rows: ReadonlyMap<string, PlanRow>;
}

export interface PlanStore {
  /** A damaged row is left out; `onDamaged` gets the reason. */
  plans(onDamaged: (why: string) => void): Promise<StoredPlans>;

  /** Stores plans. Their explorers belong to the shard of the fence. */
  keepPlans(kept: ReadonlyMap<string, PlanRow>, at: Instant, fence: Fence): Promise<'kept' | 'fenced'>;
}
