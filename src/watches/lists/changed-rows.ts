// Finds known rows whose content differs from before.
import type { Fields, View } from '../../core/values/fields.ts';
import type { DetectionScope } from '../../core/model/detection.ts';
import { createPace, type Steps } from '../../lib/steps.ts';
import type { KnownRows, ListState } from '../list-state.ts';
import type { BlockByKey, SeenRows } from '../seen-rows.ts';
import {
  digestOf,
  latestOf,
  NO_DIGESTS,
  packDigests,
  type RowDigest,
  type RowDigests,
  unpackDigests,
} from './row-digests.ts';
import { positionOf, type RowKey } from './row-key.ts';

interface JudgedBy<F extends Fields> {
  readonly row: RowKey<F>;
  readonly scope: DetectionScope;
}

/** The judged paths at which a known row has another value than before; empty if there are none. */
export function changesSince<F extends Fields>(
  { digests }: ListState,
  { blockByKey }: KnownRows,
  { row, scope: { judged } }: JudgedBy<F>,
): (view: View<F>) => readonly string[] {
  const digestByKey = unpackDigests(digests, blockByKey, judged);
  return (view) => {
    const before = digestByKey.get(positionOf(row, view).key ?? '');
    return before === undefined ? [] : changedPaths(judged, before, digestOf(view, judged));
  };
}

function changedPaths(paths: readonly string[], before: RowDigest, now: RowDigest): readonly string[] {
  return paths.filter((_path, n) => (now[n] ?? null) !== null && now[n] !== before[n]);
}

/** The digests of the rows that are remembered after a reading. */
export function* digestsAfter<F extends Fields>(
  digests: RowDigests,
  before: BlockByKey,
  rows: readonly View<F>[],
  { row, scope: { judged }, seen }: JudgedBy<F> & { readonly seen: SeenRows },
): Steps<RowDigests> {
  if (judged.length === 0) return NO_DIGESTS;
  const digestByKey = unpackDigests(digests, before, judged);
  const isStep = createPace();
  for (const view of rows) {
    const { key = '' } = positionOf(row, view);
    digestByKey.set(key, latestOf(digestByKey.get(key) ?? [], digestOf(view, judged)));
    if (isStep(0)) yield;
  }
  yield;
  return packDigests(judged, digestByKey, seen);
}
