// The form in which values are stored and recorded: plain JSON, amounts in whole units.
import { remembered as rememberedBy } from '../../lib/remembered.ts';
import { Address } from './address.ts';
import { Amount } from './amount.ts';
import { decode, wholeList } from './decoding.ts';
import {
  isRow,
  isView,
  recordTypeOf,
  valueAt,
  type AnyRecord,
  type AnyView,
  type FieldType,
  type Json,
  type RawRow,
  type FieldValue,
  type ValueAt,
} from './fields.ts';

/** `decodeEncoded(type, encode(value))` returns an equal value. */
export function encode(value: FieldValue): Json {
  return encodedBy(encodeView, value);
}

function encodedBy(viewBy: (view: AnyView) => Json, value: FieldValue): Json {
  // Servers differ in the letter case of addresses. In lower case, equal addresses are equal texts.
  if (value instanceof Address) return value.key;
  if (typeof value === 'bigint' || value instanceof Amount) return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => encodedBy(viewBy, item));
  if (isView(value)) return viewBy(value);
  return value as Json;
}

/** All known fields of a view, encoded. */
export function encodeView(view: AnyView): Record<string, Json> {
  const known: Record<string, Json> = {};
  for (const name of Object.keys(recordTypeOf(view).fields)) {
    const value = valueAt(view, name);
    if (value !== undefined) known[name] = encode(value);
  }
  return known;
}

/**
 * Encodes a value without the fleeting fields of its records. These are not even decoded, since a list may have
 * thousands of records.
 */
export function encodeStanding(value: FieldValue): Json {
  return encodedBy((view) => {
    const known: Record<string, Json> = {};
    for (const name of standingNames(recordTypeOf(view))) {
      const one = valueAt(view, name);
      if (one !== undefined) known[name] = encodeStanding(one);
    }
    return known;
  }, value);
}

const standingNames = rememberedBy(({ fields }: AnyRecord): readonly string[] =>
  Object.entries(fields).flatMap(([name, { fleeting }]) => (fleeting === true ? [] : [name])),
);

/** Amounts were encoded in whole units, so decoding moves no decimal point. */
export function decodeEncoded(type: FieldType, encoded: Json): ValueAt {
  if (type.type === 'amount') return typeof encoded === 'string' ? Amount.parse(encoded) : undefined;
  if (type.type === 'list')
    return Array.isArray(encoded) ? wholeList(encoded.map((item) => decodeEncoded(type.of, item as Json))) : undefined;
  if (type.type === 'record') return isRow(encoded) ? remembered(type.record, encoded) : undefined;
  return decode(type, encoded, { coin: 0 });
}

function remembered(table: AnyRecord, encoded: RawRow): AnyView {
  const values: Record<string, ValueAt> = {};
  for (const [name, { type }] of Object.entries(table.fields))
    if (encoded[name] !== undefined) values[name] = decodeEncoded(type, encoded[name] as Json);
  return table.make(values);
}
