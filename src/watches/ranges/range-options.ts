import type { Fields, View } from '../../core/values/fields.ts';
import type { ListQuestion } from '../../core/model/watch/question.ts';
import type { RowKey } from '../lists/row-key.ts';

export interface RangeOptions<F extends Fields> extends RowKey<F> {
  /** The question about all rows, which most polls ask. */
  readonly question: ListQuestion<F>;
  /** Questions that together have the rows that are asked for. They take its place if its pages are full. */
  readonly each: readonly ListQuestion<F>[];
  readonly maxPages: number;
  /** Like `downTo` of `Kind.observe`. */
  readonly downTo: number | null;
  /** The rows that are asked for, the newest first. */
  readonly own: (rows: readonly View<F>[]) => readonly View<F>[];
}
