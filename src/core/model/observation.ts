import type { Instant } from '../../lib/clock.ts';

/** The chain's head when blocks were last read, by any watch. */
export interface Head {
  readonly height: bigint;
  readonly timestamp: Instant;
  readonly readAt: Instant;
  /** If the head is older than this when it is read, it counts as stalled: max(20 block times, 3 minutes). */
  readonly staleAfterMs: number;
}

/** The first page of blocks, read in the same tick and from the same explorer as the rest of a poll. */
export interface ChainReading {
  /** Height of its newest block: the explorer has nothing above it. */
  readonly head: number;
  /** True if the explorer showed a higher block before, so the replica that answered may be behind. */
  readonly isBehind: boolean;
  /** Heights at which another block was known before. `since`: when the block that is now shown there became known. */
  readonly replaced: readonly (readonly [height: number, since: Instant])[];
}

/**
 * `not-asked`: nothing needed the chain, so it was not requested. `unknown`: it was requested, and no usable answer
 * came.
 */
export type TickChain = ChainReading | 'not-asked' | 'unknown';

/**
 * The head that a decision needs. If the explorer has read up to it, missing items and ends in its answer are believed.
 */
export interface HeadNeed {
  readonly head: number;
}

/**
 * The result of one poll of a watch, or the reason why there is none. `seen`: the reading, in a type that the kind
 * defines. `paceMs`: the interval in force.
 */
export type Observation =
  | {
      readonly type: 'seen';
      readonly at: Instant;
      readonly paceMs: number;
      readonly head: Head | null;
      readonly chain: TickChain;
      readonly seen: unknown;
      /** The reason why not everything was read; null when the reading is complete. */
      readonly partial: string | null;
    }
  | {
      readonly type: 'missed';
      readonly at: Instant;
      readonly paceMs: number;
      readonly reason: MissReason;
      readonly detail: string;
    };

export const MISS_REASONS = [
  'not-found',
  'wrong-path',
  'unprocessable',
  'unauthorized',
  'out-of-credits',
  'no-key',
  'forbidden',
  'blocked',
  'rate-limited',
  'server-error',
  'redirect',
  'http',
  'not-json',
  'shape',
  'truncated',
  'too-large',
  'encoding',
  'timeout',
  'dns',
  'tls',
  'network',
  'no-explorer',
  'plan',
  'other-chain',
] as const;
export type MissReason = (typeof MISS_REASONS)[number];
