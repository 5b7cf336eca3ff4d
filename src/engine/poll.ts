// What a poll hands on: to those who look on while it reads, and to its commit.
import type { Decision } from '../core/model/decision.ts';
import type { Memory } from '../core/model/memory.ts';
import type { HeadNeed, Observation, TickChain } from '../core/model/observation.ts';
import type { Read } from '../core/model/question.ts';
import type { Watch } from '../core/model/watch.ts';
import type { Instant } from '../lib/clock.ts';

/** Looks on at what polls read and what came of it, as a recording does. Must neither throw nor delay. */
export interface PollHook {
  onPoll(poll: PollStart, read: Read): HookedPoll;
}

export interface PollStart {
  readonly watch: Watch;
  /** Before this poll. */
  readonly memory: Memory;
  /** The same for all polls of one tick. */
  readonly startedAt: Instant;
}

export interface HookedPoll {
  /** To be read by instead. */
  readonly read: Read;
  /** What came of it is in force. Polls without effect end without this. */
  settled(observation: Observation): void;
}

/** What came of a poll. */
export interface Decided {
  readonly watch: Watch;
  readonly observation: Observation;
  readonly decision: Decision;
  readonly hooked: HookedPoll | null;
  /** Asks how far the explorer has read, in the same tick. */
  readonly chain: (need: HeadNeed) => Promise<TickChain>;
}
