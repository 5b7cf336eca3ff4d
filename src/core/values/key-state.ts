// Whether a row has a key at all. A null value and a missing key are both unknown to conditions, but only a missing key
// shows that the explorer no longer sends the field.
import { isRow, namesOf, sourceOf, type AnyView, type Field, type RowSource } from './fields.ts';

/** `unknown`: the view was not read from a row, or a parent of the key is null. */
export type KeyState = 'present' | 'missing' | 'unknown';

/** Checks whether the row behind a view has the key at the end of a path, under any of its names. */
export function keyStateAt(view: AnyView, path: string): KeyState {
  const source = view[sourceOf];
  return source === null ? 'unknown' : stateIn(source, namesOf(path));
}

function stateIn(
  { record, row }: Pick<RowSource, 'record' | 'row'>,
  [name = '', ...rest]: readonly string[],
): KeyState {
  const field: Field<unknown> | undefined = record.fields[name];
  const key = field === undefined ? undefined : [name, ...field.was].find((one) => Object.hasOwn(row, one));
  if (field === undefined || key === undefined) return 'missing';
  if (rest.length === 0) return 'present';
  const inner = field.from === undefined ? row[key] : field.from(row[key]);
  if (field.type.type !== 'record' || !isRow(inner)) return 'unknown';
  return stateIn({ record: field.type.record, row: inner }, rest);
}
