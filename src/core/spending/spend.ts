// Each request has a class, which decides whether it may be sent.
import type { Severity } from '../model/ids.ts';
import type { OpenList, OperationName } from '../model/watch/question.ts';

/**
 * Requests for first pages, and their retries, count under the most severe watch that asks. `pages`: all other reading
 * of a poll. `sweep`: reading known rows again. `probe`: the check whether the explorer still shows the same chain.
 */
export const SPEND_CLASSES = ['critical', 'warning', 'info', 'pages', 'sweep', 'probe'] as const;
export type SpendClass = (typeof SPEND_CLASSES)[number];

export interface Spend {
  readonly class: SpendClass;
  /** The severity of the most severe watch that asks. */
  readonly severity: Severity;
  /** The request is not planned: a retry, or a list with a filter that was also read without it. */
  readonly isExtra: boolean;
  /** For a sweep, the `questionKey` of its list; null for all others. */
  readonly question: string | null;
  readonly operation: OperationName;
  /** Credits, as the operation declares them. */
  readonly price: number;
  /** Set for pages of lists to which any contract adds rows. */
  readonly openTo?: OpenList;
}
