// The data that a poll gives to hooks while it reads, and to its commit.
import type { Decision } from '../../core/model/decision.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { HeadNeed, Observation, TickChain } from '../../core/model/observation.ts';
import { isUrgent } from '../../core/model/transition.ts';
import type { Read } from '../../core/model/watch/question.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';

/** Observes what polls read and their results, as a recording does. Must neither throw nor delay. */
export interface PollHook {
  onPoll(poll: PollStart, read: Read): HookedPoll;
}

export interface PollStart {
  readonly watch: Watch;
  /** The memory before this poll. */
  readonly memory: Memory;
  /** The same memory with its closed runs, which are stored apart from it. */
  readonly wholeMemory: () => Promise<Memory>;
  /** The start of the tick, equal for all its polls. */
  readonly startedAt: Instant;
}

export interface HookedPoll {
  /** The reader to use instead. */
  readonly read: Read;
  /** The reader to use for details of the events, instead of this one. */
  readDetails(read: Read): Read;
  /**
   * Called when the result of the poll is in force. Not called for polls without effect. `details`: resolves when the
   * details of its events were read; null: there are none to read.
   */
  settled(observation: Observation, details: Promise<void> | null): void;
}

/** The result of a poll. */
export interface DecidedPoll {
  readonly watch: Watch;
  readonly observation: Observation;
  readonly decision: Decision;
  /** The decision before the closed runs were taken out of its memory. */
  readonly whole: Decision;
  /** Milliseconds from the start of the poll to its decision. */
  readonly tookMs: number;
  readonly hooked: HookedPoll | null;
  /** Asks how far the explorer has read, in the same tick. */
  readonly chain: (need: HeadNeed) => Promise<TickChain>;
}

/**
 * Marks the messages about new critical alerts as possible copies: a replica that has ended may have sent them from
 * memory.
 */
export function withDoubt(decided: DecidedPoll): DecidedPoll {
  return { ...decided, decision: doubted(decided.decision), whole: doubted(decided.whole) };
}

function doubted(decision: Decision): Decision {
  if (!decision.transitions.some(isUrgent)) return decision;
  const transitions = decision.transitions.map((one) =>
    isUrgent(one) ? { ...one, message: { ...one.message, mayBeTold: true as const } } : one,
  );
  return { ...decision, transitions };
}
