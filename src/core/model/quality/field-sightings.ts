// Checks that explorers still send the fields that conditions read. An upgrade of an explorer may rename a field. Then
// its value is always unknown, and a rule that reads it sends nothing, without any error.
//
// If a field was never seen, this explorer may send it only sometimes, or never. If a field was seen, and then is in no
// row of three complete polls, it is gone. A value of null is not a missing key, and a poll without rows does not
// count.
import { isRow, namesOf, sourceOf, type AnyView, type Field, type RowSource } from '../../values/fields.ts';

/** For each field that was seen: the number of complete polls in a row without it, at most three. Plain JSON. */
export type FieldSightings = Readonly<Record<string, number>>;

/** A field of a kind, and its place in the rows of answers. */
export interface ReadField {
  readonly path: string;
  readonly source: string;
}

/** The rows of a reading as they came. */
export interface SourceRows {
  /** The same object for the same rows; missing if rows were not compared. */
  readonly content?: object | undefined;
  readonly rows: readonly AnyView[];
}

/** After this many complete polls without it, the field is gone. */
export const MISSING_POLLS = 3;

export const NO_SIGHTINGS: FieldSightings = {};

/** Returns the same object if nothing differs. Fields that no condition reads any more are forgotten. */
export function sightFields(
  before: FieldSightings,
  fields: readonly ReadField[],
  { source, isComplete }: { readonly source: SourceRows | null; readonly isComplete: boolean },
): FieldSightings {
  const states = source === null || fields.length === 0 ? [] : statesIn(source, fields);
  const after = fields.flatMap(({ path }, i): [string, number][] => {
    const state = states[i] ?? 'unknown';
    const missed = before[path];
    if (state === 'present') return [[path, 0]];
    if (missed === undefined) return [];
    const isMissed = state === 'missing' && isComplete;
    return [[path, isMissed ? Math.min(missed + 1, MISSING_POLLS) : missed]];
  });
  const isSame =
    after.length === Object.keys(before).length && after.every(([path, missed]) => before[path] === missed);
  return isSame ? before : Object.fromEntries(after);
}

/** Fields that the last complete poll did not have: conditions that read one of them are unknown. */
export function missingFields(sightings: FieldSightings): ReadonlySet<string> {
  return new Set(Object.keys(sightings).filter((path) => (sightings[path] ?? 0) > 0));
}

/** Fields that the last `MISSING_POLLS` complete polls did not have. */
export function goneFields(sightings: FieldSightings): string[] {
  return Object.keys(sightings).filter((path) => (sightings[path] ?? 0) >= MISSING_POLLS);
}

// Most polls get the same answer as before. With this cache its rows need not be decoded.
const statesByContent = new WeakMap<object, WeakMap<readonly ReadField[], readonly KeyState[]>>();

function statesIn(source: SourceRows, fields: readonly ReadField[]): readonly KeyState[] {
  const { content } = source;
  const known = content === undefined ? undefined : statesByContent.get(content)?.get(fields);
  if (known !== undefined) return known;
  const states = fields.map(({ source: path }) => stateIn(source.rows, path));
  if (content !== undefined)
    statesByContent.set(content, (statesByContent.get(content) ?? new WeakMap()).set(fields, states));
  return states;
}

function stateIn(rows: readonly AnyView[], path: string): KeyState {
  let isMissing = false;
  for (const row of rows) {
    const state = keyStateAt(row, path);
    if (state === 'present') return state;
    if (state === 'missing') isMissing = true;
  }
  return isMissing ? 'missing' : 'unknown';
}

/** `unknown`: the view was not read from a row, or a parent of the key is null. */
type KeyState = 'present' | 'missing' | 'unknown';

/**
 * Checks whether the row behind a view has the key at the end of a path, under any of its names. A null value and a
 * missing key are both unknown to conditions, but only a missing key shows that the explorer no longer sends the field.
 */
function keyStateAt(view: AnyView, path: string): KeyState {
  const source = view[sourceOf];
  return source === null ? 'unknown' : keyStateIn(source, namesOf(path));
}

function keyStateIn(
  { record, row }: Pick<RowSource, 'record' | 'row'>,
  [name = '', ...rest]: readonly string[],
): KeyState {
  const field: Field<unknown> | undefined = record.fields[name];
  const key = field === undefined ? undefined : [name, ...field.was].find((one) => Object.hasOwn(row, one));
  if (field === undefined || key === undefined) return 'missing';
  if (rest.length === 0) return 'present';
  const inner = field.from === undefined ? row[key] : field.from(row[key]);
  if (field.type.type !== 'record' || !isRow(inner)) return 'unknown';
  return keyStateIn({ record: field.type.record, row: inner }, rest);
}
