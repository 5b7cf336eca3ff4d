// Each request is spent on a class, which decides whether it may leave.
import type { Severity } from '../model/ids.ts';
import type { OperationName } from '../model/watch/question.ts';

/**
 * First pages and their retries go by the most severe watch that asks. `pages`: everything else that a poll reads.
 * `sweep`: known rows, read again. `probe`: whether the explorer still shows the same chain.
 */
export const SPEND_CLASSES = ['critical', 'warning', 'info', 'pages', 'sweep', 'probe'] as const;
export type SpendClass = (typeof SPEND_CLASSES)[number];

export interface Spend {
  readonly class: SpendClass;
  /** The most severe watch that asks has it. */
  readonly severity: Severity;
  /** The request is not planned: a retry, or a list with a filter that was also read without it. */
  readonly isExtra: boolean;
  /** For a sweep, the `questionKey` of its list; null for all others. */
  readonly question: string | null;
  readonly operation: OperationName;
  /** Credits, as the operation declares them. */
  readonly price: number;
}
