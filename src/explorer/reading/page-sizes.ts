import type { OperationName } from '../../core/model/watch/question.ts';

/**
 * No release has smaller pages: 50 rows up to release 11, more after it. Other servers with this API may have other
 * sizes.
 */
const USUAL_ROWS = 50;

/** For each operation of one explorer, the size of the largest page so far that is followed by another page. */
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
