import type { OperationName } from '../../core/model/watch/question.ts';

/** No release has smaller pages: 50 up to 11, more after it. Others that speak this API are met before they are known. */
const USUAL_ROWS = 50;

/** How long a page of one explorer is when another one follows, as far as it was seen. */
export interface PageSizes {
  /** A page came that others follow. */
  saw(operation: OperationName, rows: number): void;
  /** Whether a page of so many rows may be one that others follow. */
  isFull(operation: OperationName, rows: number): boolean;
}

export function createPageSizes(): PageSizes {
  const largest = new Map<OperationName, number>();
  return {
    saw(operation, rows) {
      largest.set(operation, Math.max(rows, largest.get(operation) ?? 0));
    },
    isFull: (operation, rows) => rows >= (largest.get(operation) ?? USUAL_ROWS),
  };
}
