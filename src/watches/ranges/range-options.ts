import type { Fields, View } from '../../core/values/fields.ts';
import type { ListQuestion } from '../../core/model/watch/question.ts';
import type { RowKey } from '../lists/row-key.ts';

export interface RangeOptions<F extends Fields> extends RowKey<F> {
  readonly explorer: string;
  /** The question about all rows, which most polls ask; null if each row has a question of its own. */
  readonly all: ListQuestion<F> | null;
  /**
   * Questions whose answers together contain the wanted rows. They replace the question `all` if its pages are full.
   */
  readonly each: readonly ListQuestion<F>[];
  readonly maxPages: number;
  /** The largest number of blocks in a request; left out if there is no limit. */
  readonly mostBlocks?: number;
  /** Like `downTo` of `Kind.observe`. */
  readonly downTo: number | null;
  /** The rows that are asked for, the newest first. */
  readonly own: (rows: readonly View<F>[]) => readonly View<F>[];
}
