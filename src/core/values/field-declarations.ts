// One function per type of field. A table of a record is written with them:
//
// bool('whether the source was verified', { was: ['verified'] })
import type { Address } from './address.ts';
import type { Amount } from './amount.ts';
import type { AmountUnit, Field, FieldType, Fields, Json, PricePaths, View } from './fields.ts';
import type { RecordType } from './record-type.ts';
import type { Untrusted } from '../../lib/untrusted.ts';

type Extra = Pick<Field<unknown>, 'from' | 'fromRow' | 'ofHead' | 'fleeting' | 'seldom' | 'signs'> & {
  readonly was?: readonly string[];
};

function field<T>(type: FieldType, doc: string, { was = [], ...extra }: Extra = {}): Field<T> {
  return { type, doc, was, ...extra };
}

export const bool = (doc: string, extra?: Extra): Field<boolean> => field({ type: 'bool' }, doc, extra);
export const int = (doc: string, extra?: Extra): Field<bigint> => field({ type: 'int' }, doc, extra);
/** An integer that is never below zero: a height, a number of things, a raw amount. */
export const natural = (doc: string, extra?: Extra): Field<bigint> => field({ type: 'int', least: 0 }, doc, extra);
export const double = (doc: string, extra?: Extra): Field<number> => field({ type: 'double' }, doc, extra);
/** Free text of the chain or the explorer. */
export const text = (doc: string, { absent, ...extra }: Extra & { readonly absent?: string } = {}): Field<Untrusted> =>
  field(absent === undefined ? { type: 'text' } : { type: 'text', absent }, doc, extra);
/** One of an open set of short names, such as `ok` and `scam`; any other value is unknown. */
export const word = (doc: string, values: readonly string[], extra?: Extra): Field<string> =>
  field({ type: 'word', values }, doc, extra);
/** One of a closed set of short names: the specification has no other. */
export const oneOf = (doc: string, values: readonly string[], extra?: Extra): Field<string> =>
  field({ type: 'word', values, isClosed: true }, doc, extra);
export const hash = (doc: string, extra?: Extra): Field<string> => field({ type: 'hash' }, doc, extra);
export const address = (doc: string, extra?: Extra): Field<Address> => field({ type: 'address' }, doc, extra);
export const time = (doc: string, extra?: Extra): Field<Date> => field({ type: 'time' }, doc, extra);
/** Milliseconds. */
export const duration = (doc: string, extra?: Extra): Field<number> => field({ type: 'duration' }, doc, extra);
export const amount = (unit: AmountUnit, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit }, doc, extra);
/** An amount that is never below zero, such as one that is held, sent, paid or issued. */
export const quantity = (unit: AmountUnit, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit, least: 0 }, doc, extra);
/** A `quantity`, of all holders together. */
export const total = (unit: AmountUnit, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit, least: 0, isTotal: true }, doc, extra);
/** A value in US dollars; `price` is that of one unit, null for a sum. */
export const dollars = (price: PricePaths | null, doc: string, extra?: Extra): Field<Amount> =>
  field({ type: 'amount', unit: 'usd', least: 0, ...(price === null ? {} : { price }) }, doc, extra);
/** Free-form JSON of a protocol or of token metadata. */
export const json = (doc: string, extra?: Extra): Field<Json> => field({ type: 'json' }, doc, extra);
export const list = <T>(of: Field<T>, doc: string, extra?: Extra): Field<T[]> =>
  field({ type: 'list', of: of.type }, doc, extra);
export const record = <F extends Fields>(of: RecordType<F>, doc: string, extra?: Extra): Field<View<F>> =>
  field({ type: 'record', record: of }, doc, extra);
