import { recordTypeOf, sourceOf, type AnyRecord, type AnyView, type Units } from './fields.ts';

/**
 * Keeps a view as the text of its row, a fifth of what the row and its decoded fields take. The function makes an equal
 * view at each call. One that is more than a row stays as it is.
 */
export function packView(view: AnyView): () => AnyView {
  const source = view[sourceOf];
  if (source === null || source.record !== recordTypeOf(view)) return () => view;
  return unpacking(source.record, JSON.stringify(source.row), source.units);
}

// By itself, since all functions that are made in one call keep what any of them needs: the row would stay.
function unpacking(record: AnyRecord, row: string, units: Units): () => AnyView {
  return () => {
    const view = record.read(JSON.parse(row), units);
    if (view === undefined) throw new TypeError(`a row of ${record.name} is no object any more`);
    return view;
  };
}
