// Who else works on the same state.
import type { Fence } from './fence.ts';

/** One process has the state for itself, and holds every shard of it for as long as it lives. */
export interface SoleCluster {
  readonly isShared: false;
  /** Of every shard. */
  readonly fence: Fence;
}
