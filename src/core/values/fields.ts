// One table per record says what its fields are called, of which type they are, what they were called in older
// releases and what they mean. Decoding, conditions, messages, memory and the generated catalogue all read the table.
//
// A field that is missing, null or of an impossible shape is `undefined`: unknown, never zero, false or empty.
import type { Address } from './address.ts';
import { Amount } from './amount.ts';
import { decodeField } from './decoding.ts';
import type { Untrusted } from '../../lib/untrusted.ts';

/** Decimals by which raw amounts become whole units. `own`: those of the token the record speaks of; null = not known. */
export interface Units {
  readonly coin: number;
  readonly own?: number | null;
}

/** Where a raw amount's decimal point is: `coin` (wei), `gwei`, `own` (the record's token), `plain` (already a decimal). */
export type AmountUnit = 'coin' | 'gwei' | 'own' | 'plain';

/** What a field holds, as decoding, conditions and the catalogue need to know it. */
export type FieldType =
  | { readonly type: 'bool' | 'double' | 'text' | 'hash' | 'address' | 'time' | 'duration' | 'json' }
  /** `least`: it is certain that it is never below. */
  | { readonly type: 'int'; readonly least?: 0 }
  /** `isClosed`: the specification knows these values and no others; comparing with another one is a mistake. */
  | { readonly type: 'word'; readonly values: readonly string[]; readonly isClosed?: true }
  | { readonly type: 'amount'; readonly unit: AmountUnit; readonly least?: 0 }
  | { readonly type: 'list'; readonly of: FieldType }
  | { readonly type: 'record'; readonly record: AnyRecord };

/** `T` is the type of the value when it is known. `was`: names of older releases, first found wins after the new one. */
export interface Field<T> {
  readonly type: FieldType;
  readonly doc: string;
  readonly was: readonly string[];
  /** Brings a shape that differs in life into the one that the type expects; undefined = unknown. */
  readonly from?: (raw: unknown) => unknown;
  readonly value?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
/** The type of a field's value when it is known. */
export type Known<F> = F extends Field<infer T> ? T : never;
/** A record that was read: each field is its value, or undefined when it is unknown. */
export type View<F extends Fields> = { readonly [K in keyof F]: Known<F[K]> | undefined } & Tagged;
/** What can be read from a view of which only the table is known at run time. */
export type Value = bigint | Untrusted | Amount | Address | Date | Json | AnyView | Value[];
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type AnyRecord = RecordType<Fields>;
/** A view of which only the record's table is known. */
export type AnyView = Tagged;
/** Undefined: unknown. */
export type ValueAt = Value | undefined;

const recordOf = Symbol('record');
interface Tagged {
  readonly [recordOf]: AnyRecord;
}

type Extra = Pick<Field<unknown>, 'from'> & { readonly was?: readonly string[] };

function field<T>(type: FieldType, doc: string, extra: Extra = {}): Field<T> {
  return { type, doc, was: extra.was ?? [], ...(extra.from === undefined ? {} : { from: extra.from }) };
}

export const bool = (doc: string, extra?: Extra): Field<boolean> => field({ type: 'bool' }, doc, extra);
export const int = (doc: string, extra?: Extra): Field<bigint> => field({ type: 'int' }, doc, extra);
/** An integer that is never below zero: a height, a number of things, a raw amount. */
export const natural = (doc: string, extra?: Extra): Field<bigint> => field({ type: 'int', least: 0 }, doc, extra);
export const double = (doc: string, extra?: Extra): Field<number> => field({ type: 'double' }, doc, extra);
/** Free text of the chain or the explorer. */
export const text = (doc: string, extra?: Extra): Field<Untrusted> => field({ type: 'text' }, doc, extra);
/** One of an open set of short names, such as `ok` and `scam`; anything that is not a short name is unknown. */
export const word = (doc: string, values: readonly string[], extra?: Extra): Field<string> =>
  field({ type: 'word', values }, doc, extra);
/** One of a closed set of short names: the specification knows no other. */
export const oneOf = (doc: string, values: readonly string[], extra?: Extra): Field<string> =>
  field({ type: 'word', values, isClosed: true }, doc, extra);
export const hash = (doc: string, extra?: Extra): Field<string> => field({ type: 'hash' }, doc, extra);
export const address = (doc: string, extra?: Extra): Field<Address> => field({ type: 'address' }, doc, extra);
export const time = (doc: string, extra?: Extra): Field<Date> => field({ type: 'time' }, doc, extra);
/** Milliseconds. */
export const duration = (doc: string, extra?: Extra): Field<number> => field({ type: 'duration' }, doc, extra);
export const amount = (unit: AmountUnit, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit }, doc, extra);
/** An amount that is never below zero: what is held, sent, paid or issued. */
export const quantity = (unit: AmountUnit, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit, least: 0 }, doc, extra);
/** Free-form JSON of a protocol or of token metadata. */
export const json = (doc: string, extra?: Extra): Field<Json> => field({ type: 'json' }, doc, extra);
export const list = <T>(of: Field<T>, doc: string, extra?: Extra): Field<T[]> =>
  field({ type: 'list', of: of.type }, doc, extra);
export const record = <F extends Fields>(of: RecordType<F>, doc: string, extra?: Extra): Field<View<F>> =>
  field({ type: 'record', record: of as unknown as AnyRecord }, doc, extra);

export type RawRow = Readonly<Record<string, unknown>>;

interface RecordOptions {
  /** Decimals of the amounts whose unit is `own`; null = not known; undefined = those of the record around this one. */
  readonly decimals?: (row: RawRow) => number | null | undefined;
  /** Keys that some explorers send and nothing reads: known all the same, so that a new one stands out. */
  readonly ignored?: readonly string[];
}

/** A record's table, and the two ways to a view of it: `read` a raw row (lazily) or `make` one of values at hand. */
export class RecordType<F extends Fields> {
  /** The name of the type in error messages and in the catalogue, such as `Token`. */
  readonly name: string;
  readonly fields: F;
  readonly #decimals: RecordOptions['decimals'];
  readonly #known: ReadonlySet<string>;
  readonly #View: ViewClass;

  constructor(name: string, fields: F, { decimals, ignored = [] }: RecordOptions = {}) {
    this.name = name;
    this.fields = fields;
    this.#decimals = decimals;
    this.#known = new Set([...Object.entries(fields).flatMap(([key, { was }]) => [key, ...was]), ...ignored]);
    this.#View = viewClassOf(this);
  }

  /** A view over a raw row; fields are decoded when first looked at. Undefined when it is not an object. */
  read(raw: unknown, units: Units): View<F> | undefined {
    if (!isRow(raw)) return undefined;
    const own = this.#decimals?.(raw);
    return new this.#View(raw, own === undefined ? units : { ...units, own }) as View<F>;
  }

  /** A view of values that are already at hand: `Balance.make({ balance: Amount.parse('1') })`. */
  make(values: { readonly [K in keyof F]?: Known<F[K]> | undefined }): View<F> {
    return new this.#View(values, null) as View<F>;
  }

  /** A view that adds values to another record's: `BlockView.over(block, { age: 2000 })`. */
  over(base: AnyView, values: { readonly [K in keyof F]?: Known<F[K]> | undefined }): View<F> {
    return new this.#View(values, base) as View<F>;
  }

  /** The keys of a raw row that the table neither reads nor ignores, for counting. */
  unknownKeys(raw: unknown): string[] {
    return isRow(raw) ? Object.keys(raw).filter((key) => !this.#known.has(key)) : [];
  }
}

type ViewClass = new (source: RawRow, beneath: Units | AnyView | null) => AnyView;

// In a cache, undefined says that nobody has looked yet.
const UNKNOWN = Symbol('unknown');

/**
 * A class per record: rows are made by the hundred in each poll, and most of their fields are never looked at. What an
 * instance holds is out of reach of whoever lists its properties.
 */
function viewClassOf(record: AnyRecord): ViewClass {
  class RecordView {
    /** A raw row, or values at hand. */
    readonly #source: RawRow;
    /** Units to decode a raw row by; for values at hand the view that they lie over, or null. */
    readonly #beneath: Units | AnyView | null;
    #decoded: unknown[] | null = null;

    constructor(source: RawRow, beneath: Units | AnyView | null) {
      this.#source = source;
      this.#beneath = beneath;
    }

    static {
      for (const [at, [name, field]] of Object.entries(record.fields).entries())
        Object.defineProperty(this.prototype, name, {
          enumerable: true,
          get(this: RecordView) {
            return this.#valueOf(at, name, field);
          },
        });
    }

    #valueOf(at: number, name: string, field: Field<unknown>): unknown {
      const beneath = this.#beneath;
      if (beneath !== null && !isView(beneath)) return this.#decode(at, name, field, beneath);
      if (Object.hasOwn(this.#source, name)) return this.#source[name];
      return beneath === null ? undefined : fieldOf(beneath, name);
    }

    #decode(at: number, name: string, field: Field<unknown>, units: Units): unknown {
      const decoded = (this.#decoded ??= []);
      const known = decoded[at] ?? (decoded[at] = decodeField(field, name, this.#source, units) ?? UNKNOWN);
      return known === UNKNOWN ? undefined : known;
    }
  }
  Object.defineProperty(RecordView.prototype, recordOf, { value: record });
  return RecordView as unknown as ViewClass;
}

/** The table behind a view. */
export function recordTypeOf(view: AnyView): AnyRecord {
  return view[recordOf];
}

function fieldOf(view: AnyView, name: string): unknown {
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

function namesOf(path: string): readonly string[] {
  let names = namesByPath.get(path);
  if (names === undefined) namesByPath.set(path, (names = path.split('.')));
  return names;
}

/** A number of whatever type, exactly; undefined for everything else. */
export function exactOf(value: ValueAt): Amount | undefined {
  if (value instanceof Amount) return value;
  if (typeof value === 'bigint') return new Amount(value, 0);
  return typeof value === 'number' ? Amount.parse(String(value)) : undefined;
}

/** Whether a raw value can hold fields: an object, and no list. */
export function isRow(raw: unknown): raw is RawRow {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw);
}
