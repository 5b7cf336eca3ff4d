// Each request has a class, which decides whether it may be sent.
import type { Severity, WatchId } from '../model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { OpenList, OperationName } from '../model/watch/question.ts';

/**
 * Requests for first pages, and their retries, count under the most severe watch that asks. `pages`: all other reading
 * of a poll. `sweep`: reading known rows again. `probe`: the check whether the explorer still shows the same chain.
 * `enrich`: details of events.
 */
export const SPEND_CLASSES = ['critical', 'warning', 'info', 'pages', 'sweep', 'probe', 'enrich'] as const;
export type SpendClass = (typeof SPEND_CLASSES)[number];

/** Watches take turns with their sweeps, also those of one list, since each of them reads it from its own position. */
export interface SweepTurn {
  readonly watch: WatchId;
  /** Equal for equal requests: one answer serves all watches that wait for this page. */
  readonly page: string;
}

export interface Spend {
  readonly class: SpendClass;
  /** The severity of the most severe watch that asks. */
  readonly severity: Severity;
  /** The request is not planned: a retry, or a list with a filter that was also read without it. */
  readonly isExtra: boolean;
  /** Set for the sweep of a watch; null for all others. */
  readonly turn: SweepTurn | null;
  readonly operation: OperationName;
  /** Credits, as the operation declares them. */
  readonly price: number;
  /** Set for pages of lists to which any contract adds rows. */
  readonly openTo?: OpenList;
  /** The request is of no use after this time, so it is not sent or repeated later. */
  readonly until?: Instant;
}
