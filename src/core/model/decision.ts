import type { Instant } from '../../lib/clock.ts';
import type { Present } from './delivery.ts';
import type { AnyView } from '../values/fields.ts';
import type { AlertId, FindingKey, Truth, WatchId } from './ids.ts';
import type { Memory } from './memory.ts';
import type { HeadNeed } from './observation.ts';
import type { Transition } from './transition.ts';

/** The values that were read last. */
export interface Snapshot {
  readonly at: Instant;
  readonly view: AnyView;
  readonly before: AnyView | null;
  /** True if the chain's head was stalled. */
  readonly isStale: boolean;
}

/** Changes of the stored runs. Empty if the memory contains all runs itself. */
export interface ClosedRuns {
  /** The runs that ended. */
  readonly runs: readonly ClosedRun[];
  /** Paths whose stored runs no longer count. */
  readonly dropped: readonly string[];
  /** Stored times move back by this much, because the clock was set back. */
  readonly shiftedMs: number;
}

export const NOTHING_CLOSED: ClosedRuns = { runs: [], dropped: [], shiftedMs: 0 };

/** One run of equal values of one path. */
export interface ClosedRun {
  readonly path: string;
  readonly since: Instant;
  readonly until: Instant;
  readonly value: string;
  /** No window reads runs that ended before this time. */
  readonly keptFrom: Instant;
}

/** An alert that fires, by the key of its messages. */
export interface FiringAlert {
  readonly key: string;
  /** The values after this poll; null if the poll did not show whether the alert still holds. */
  readonly present: Present | null;
}

/** The result of one poll: committed as a whole, or not at all. */
export interface Decision {
  readonly watchId: WatchId;
  /** The version of the memory that it was computed from. */
  readonly expects: number;
  /** The memory after the poll. */
  readonly memory: Memory;
  /** False if only `coveredUntil` moved; the store then writes nothing. */
  readonly hasChanged: boolean;
  readonly transitions: readonly Transition[];
  /** Changes of the runs that are stored beside the memory. */
  readonly closed: ClosedRuns;
  readonly reasons: readonly Reason[];
  /** The watched values, for gauges; null when the poll was missed or they are unknown. */
  readonly now: AnyView | null;
  /** Kept for `explain` and `plan`: `now`, or the newest item; null if nothing was read. */
  readonly snapshot: Snapshot | null;
  /** Alerts that fire after the poll and whose message was sent, with their values. */
  readonly firing: readonly FiringAlert[];
  /** Result of each alert's condition; `not-evaluated`: there was nothing to evaluate. */
  readonly truths: Readonly<Record<AlertId, Truth | 'not-evaluated'>>;
  /**
   * Set if the reading did not ask for the chain's head and the decision depends on how far the explorer has read: the
   * caller reads the head, and decides again.
   */
  readonly needs: HeadNeed | null;
  /** The watch is polled again after this time if its next poll is later; null = its next poll is early enough. */
  readonly askAgainMs: number | null;
}

/** The reason why a message was sent, or not. */
export type Reason =
  | { readonly type: 'baseline'; readonly items: number; readonly matching: Readonly<Record<AlertId, number>> }
  | { readonly type: EventReason | ConditionReason; readonly alert: AlertId; readonly key: FindingKey }
  | { readonly type: 'note'; readonly text: string };

/**
 * `told`: a new event. `open`: its condition is unknown. `undecided`: it left the pages before the condition was known.
 * `not-judged`: the budget of steps never sufficed for it. `values-awaited`: a report waits until all of its values are
 * known. `unfollowed`: it was sent, and is no longer tracked because there are too many newer ones.
 */
export type EventReason =
  'told' | 'no-match' | 'open' | 'undecided' | 'not-judged' | 'values-awaited' | 'unfollowed' | EventTransition;

/**
 * `observed`: waits for confirmations. `dropped`: missing before it was sent. `suspect`: missing, perhaps only for a
 * moment. `back`: it is there again. `sealed`: deep enough in the chain to be final. `behind`: missing, but the
 * explorer has not read as far as its block.
 */
export type EventTransition =
  | ('observed' | 'confirmed' | 'dropped' | 'suspect' | 'back' | 'retracted' | 'corrected' | 'reinstated' | 'sealed')
  | 'behind';

/**
 * The first line names changes, the second reasons for no change, the third reasons why a change was sent late or not
 * at all. `behind`: the end is not believed yet.
 */
export type ConditionReason =
  | ('pending' | 'dropped' | 'firing' | 'recovering' | 'relapsed' | 'resolved')
  | ('clear' | 'still-pending' | 'still-firing' | 'still-recovering' | 'unknown')
  | ('cooldown' | 'flapping' | 'steady')
  | 'behind';
