import type { OperationName } from '../../core/model/watch/question.ts';

/**
 * The page size that is assumed until a page is seen that another page follows. Releases up to 11 have 50 rows, later
 * ones have more. Other servers with this API may have other sizes.
 */
const USUAL_ROWS = 50;

/**
 * Remembers for each operation of one explorer the largest page that another page followed. A page of that size is
 * full, so the explorer may have more rows.
 */
export interface PageSizes {
  /** Records a page that other pages follow. */
  saw(operation: OperationName, rows: number): void;
  /** True if a page with this number of rows may be followed by others. */
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
