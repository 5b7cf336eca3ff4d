// One table per record defines its fields: names, types, names in older releases, and meanings. Decoding, conditions,
// messages, memory and the generated catalogue all read the table.
//
// A field that is missing, null or of an impossible shape is `undefined`: unknown, never zero, false or empty.
import type { Untrusted } from '../../lib/untrusted.ts';
import type { Address } from './address.ts';
import { Amount } from './amount.ts';

/** Decimals that turn raw amounts into whole units. `own`: those of the record's token; null = unknown. */
export interface Units {
  readonly coin: number;
  readonly own?: number | null;
}

/**
 * Where a raw amount's decimal point is: `coin` (wei), `gwei`, `own` (the record's token), `plain` (already a decimal),
 * `usd` (a decimal, in US dollars).
 */
export type AmountUnit = 'coin' | 'gwei' | 'own' | 'plain' | 'usd';

export interface PricePaths {
  readonly path: string;
  readonly since?: string;
}

/** The type of a field, for decoding, conditions and the catalogue. */
export type FieldType =
  /** `absent`: the text for an unknown value, in place of `unknown`. */
  | { readonly type: 'text'; readonly absent?: string }
  | { readonly type: 'bool' | 'double' | 'address' | 'time' | 'duration' | 'json' }
  /** `mayBeEmpty`: the value `0x` exists, too. */
  | { readonly type: 'hash'; readonly mayBeEmpty?: true }
  /** `least`: no value is below it. */
  | { readonly type: 'int'; readonly least?: 0 }
  /**
   * `isClosed`: the specification has these values and no others; comparing with another one is a mistake. `advice`: the
   * sentence for people who wrote another one.
   */
  | { readonly type: 'word'; readonly values: readonly string[]; readonly isClosed?: true; readonly advice?: string }
  /**
   * `isTotal`: the amount of all holders together, such as a supply. 10^12 and more is normal. `decimals`: the rule says
   * where the decimal point is, and a reload may move it. `price`: the path of the price by which it was multiplied, and of the time
   * since which an old price is the same.
   */
  | {
      readonly type: 'amount';
      readonly unit: AmountUnit;
      readonly least?: 0;
      readonly isTotal?: true;
      readonly decimals?: number;
      readonly price?: PricePaths;
    }
  | { readonly type: 'list'; readonly of: FieldType }
  | { readonly type: 'record'; readonly record: AnyRecord };

/**
 * `T` is the type of the value when it is known. `was`: names of older releases, looked up in this order after the new
 * name.
 */
export interface Field<T> {
  readonly type: FieldType;
  readonly doc: string;
  readonly was: readonly string[];
  /** Converts a shape that is found in practice into the one that the type expects; undefined = unknown. */
  readonly from?: (raw: unknown) => unknown;
  /** Computes the field from the whole row, in the shape that the type expects; undefined = unknown. */
  readonly fromRow?: (row: RawRow, units: Units) => unknown;
  /** The field describes the chain's head, so it stays known when the head is too old for other fields. */
  readonly ofHead?: true;
  /** It changes while the rest of the record stays the same, so comparisons of whole records leave it out. */
  readonly fleeting?: true;
  /** Set if explorers in use leave the field out. The text is a sentence that names another field to read. */
  readonly seldom?: string;
  /**
   * Set if the field only contains accounts that sign transactions, and so never a contract. The text is a sentence
   * that names the field with the calls of contracts.
   */
  readonly signs?: string;
  readonly value?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
/** The type of a field's value when it is known. */
export type Known<F> = F extends Field<infer T> ? T : never;
/** A record that was read: each field is its value, or undefined when it is unknown. */
export type View<F extends Fields> = { readonly [K in keyof F]: Known<F[K]> | undefined } & Tagged;
/** The values of a view whose table is known only at run time. */
export type FieldValue = bigint | Untrusted | Amount | Address | Date | Json | AnyView | FieldValue[];
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
/** A view whose table is known only at run time. */
export type AnyView = Tagged;
/** Undefined: unknown. */
export type ValueAt = FieldValue | undefined;

/** The key under which a view refers to its record type. */
export const recordOf = Symbol('record');
/** The key under which a view refers to the row that it was read from. */
export const sourceOf = Symbol('source');
interface Tagged {
  readonly [recordOf]: AnyRecord;
  /** Null if the view was made from values and not read from a row. */
  readonly [sourceOf]: RowSource | null;
}

/** A raw row, and the type and the units by which it is read. */
export interface RowSource {
  readonly record: AnyRecord;
  readonly row: RawRow;
  readonly units: Units;
}

/** A record type whose fields are known only at run time. */
export interface AnyRecord {
  /** The name of the type in error messages and in the catalogue, such as `Token`. */
  readonly name: string;
  readonly fields: Fields;
  /** A view over a raw row; fields are decoded on first access. Undefined when `raw` is not an object. */
  read(raw: unknown, units: Units): AnyView | undefined;
  /** A view of values that are already decoded. */
  make(values: RawRow): AnyView;
  /** A view that adds values to another view's. */
  over(base: AnyView, values: RawRow): AnyView;
  /** The keys of a raw row that the table neither reads nor ignores, for counting. */
  unknownKeys(raw: unknown): string[];
  /** Null if every row has every field. */
  readonly lacking: Lacking | null;
}

/**
 * Fields that some rows do not have. An unknown value leaves a condition open. A value that does not exist decides it: no
 * comparison with it holds.
 */
export interface Lacking {
  /** The field that shows what a row has. Conditions that read one of the covered paths read it, too. */
  readonly by: string;
  covers(path: string): boolean;
  lacks(view: AnyView, path: string): boolean;
  /** The reason why the value that the row should have cannot be read; null if it can, or if none is known. */
  misfitOf(view: AnyView, path: string): string | null;
}

export type RawRow = Readonly<Record<string, unknown>>;

/** The table behind a view. */
export function recordTypeOf(view: AnyView): AnyRecord {
  return view[recordOf];
}

/** The value of a field by its name, undefined when it is unknown. */
export function fieldOf(view: AnyView, name: string): unknown {
  return (view as unknown as RawRow)[name];
}

export function isView(value: unknown): value is AnyView {
  return typeof value === 'object' && value !== null && recordOf in value;
}

/** The type at the end of a path such as `token.reputation`; undefined when there is none. */
export function typeAt(table: AnyRecord, path: string): FieldType | undefined {
  let type: FieldType = { type: 'record', record: table };
  for (const name of path.split('.')) {
    const next: Field<unknown> | undefined = type.type === 'record' ? type.record.fields[name] : undefined;
    if (next === undefined) return undefined;
    type = next.type;
  }
  return type;
}

/** The value at the end of a path; undefined when it, or anything on the way, is unknown. */
export function valueAt(view: AnyView, path: string): ValueAt {
  let value: unknown = view;
  for (const name of namesOf(path)) {
    if (!isView(value)) return undefined;
    value = fieldOf(value, name);
  }
  return value as ValueAt;
}

// Paths come from rules and tables, so there are few; each is looked up once per row.
const namesByPath = new Map<string, readonly string[]>();

export function namesOf(path: string): readonly string[] {
  let names = namesByPath.get(path);
  if (names === undefined) namesByPath.set(path, (names = path.split('.')));
  return names;
}

/** The exact number, for each numeric type; undefined for all other values. */
export function exactOf(value: ValueAt): Amount | undefined {
  if (value instanceof Amount) return value;
  if (typeof value === 'bigint') return new Amount(value, 0);
  return typeof value === 'number' ? Amount.parse(String(value)) : undefined;
}

/** Whether a raw value can hold fields: it is an object and not a list. */
export function isRow(raw: unknown): raw is RawRow {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}

/** The paths of the price of a dollar value; undefined for any other field. */
export function priceOf(record: AnyRecord, path: string): PricePaths | undefined {
  const type = typeAt(record, path);
  return type?.type === 'amount' ? type.price : undefined;
}

export function isDollars(record: AnyRecord, path: string): boolean {
  const type = typeAt(record, path);
  return type?.type === 'amount' && type.unit === 'usd';
}
