// Known rows whose content differs from before.
import type { Fields, View } from '../../core/values/fields.ts';
import type { DetectionScope } from '../../core/model/detection.ts';
import type { KnownRows, ListState } from '../list-state.ts';
import type { BlockByKey, SeenRows } from '../seen-rows.ts';
import { basisOf, digestOf, NO_DIGESTS, packDigests, type RowDigests, unpackDigests } from './row-digests.ts';
import { positionOf, type RowKey } from './row-key.ts';

interface JudgedBy<F extends Fields> {
  readonly row: RowKey<F>;
  readonly scope: DetectionScope;
}

/** Whether the content of a known row was different before. */
export function changesSince<F extends Fields>(
  { digests }: ListState,
  { blockByKey }: KnownRows,
  { row, scope: { judged } }: JudgedBy<F>,
): (view: View<F>) => boolean {
  const digestByKey = unpackDigests(digests, blockByKey, basisOf(judged));
  return (view) => {
    const { key = '' } = positionOf(row, view);
    const before = digestByKey.get(key);
    return before !== undefined && before !== digestOf(view, judged);
  };
}

/** Of the rows that are remembered after a reading. */
export function digestsAfter<F extends Fields>(
  digests: RowDigests,
  before: BlockByKey,
  rows: readonly View<F>[],
  { row, scope: { judged }, seen }: JudgedBy<F> & { readonly seen: SeenRows },
): RowDigests {
  const basis = basisOf(judged);
  if (basis === '') return NO_DIGESTS;
  const digestByKey = unpackDigests(digests, before, basis);
  for (const view of rows) digestByKey.set(positionOf(row, view).key ?? '', digestOf(view, judged));
  return packDigests(basis, digestByKey, seen);
}
