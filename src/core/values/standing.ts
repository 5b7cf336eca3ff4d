// The part of a value that stays while the item is the same. A list of transfers contains their tokens with prices and
// holders; these change with every poll and are no property of the transfer.
import { encodeStanding } from './encoded.ts';
import { isRow, typeAt, valueAt, type AnyRecord, type AnyView, type FieldType, type Json } from './fields.ts';

/** The encoded value at the end of a path, without the fleeting fields of the records in it; null if it is unknown. */
export function standingAt(view: AnyView, path: string): Json {
  const value = valueAt(view, path);
  return value === undefined ? null : encodeStanding(value);
}

/** Removes the fleeting fields of the records in a value that is encoded already. */
export function standing(table: AnyRecord, path: string, encoded: Json): Json {
  if (typeof encoded !== 'object' || encoded === null) return encoded;
  const type = typeAt(table, path);
  return type === undefined ? encoded : withoutFleeting(type, encoded);
}

function withoutFleeting(type: FieldType, encoded: Json): Json {
  if (type.type === 'list' && Array.isArray(encoded))
    return encoded.map((item: Json) => withoutFleeting(type.of, item));
  if (type.type !== 'record' || !isRow(encoded)) return encoded;
  const { fields } = type.record;
  const kept = Object.entries(encoded as Readonly<Record<string, Json>>).flatMap(([name, value]) => {
    const field = fields[name];
    if (field === undefined) return [[name, value] as const];
    return field.fleeting === true ? [] : [[name, withoutFleeting(field.type, value)] as const];
  });
  return Object.fromEntries(kept);
}
