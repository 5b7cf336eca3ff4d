// The arguments of functions and events as fields of a row.
import { checksummed } from '../../lib/abi/checksum.ts';
import type { AbiValue } from '../../lib/abi/decode.ts';
import { canonicalType, type AbiType, type Argument } from '../../lib/abi/types.ts';
import { record } from '../values/field-declarations.ts';
import type { Field, FieldType, Fields, RawRow } from '../values/fields.ts';
import { RecordType } from '../values/record-type.ts';

/** A function or an event, with its arguments. */
interface Owner {
  readonly name: string;
  readonly signature: { readonly args: readonly Argument[] };
}

/** The decimals of an argument that is an amount; null for any other. */
export type DecimalsOf = (name: string) => number | null;

interface RecordOptions {
  /** By the name of the argument. */
  readonly decimals: Readonly<Record<string, number>>;
  /** Reads the arguments of a row, with the decimals. */
  readonly readBy: (decimalsOf: DecimalsOf) => (row: RawRow) => RawRow | undefined;
  readonly doc: string;
}

/** The fields `args`, and `raw` if arguments have units. */
export function argumentRecords(owners: readonly Owner[], { decimals, readBy, doc }: RecordOptions): Fields {
  const decimalsOf: DecimalsOf = (name) => decimals[name] ?? null;
  const raw = Object.entries(argumentFields(owners, () => null)).filter(([name]) => name in decimals);
  return {
    args: record(new RecordType('Arguments', argumentFields(owners, decimalsOf)), doc, { fromRow: readBy(decimalsOf) }),
    ...(raw.length === 0
      ? {}
      : {
          raw: record(
            new RecordType('RawArguments', Object.fromEntries(raw)),
            'arguments with units, as whole numbers',
            { fromRow: readBy(() => null) },
          ),
        }),
  };
}

function argumentFields(owners: readonly Owner[], decimalsOf: DecimalsOf): Fields {
  const fields: Record<string, Field<unknown>> = {};
  const types = new Map<string, AbiType>();
  for (const { name: owner, signature } of owners)
    for (const { name, type } of signature.args) {
      const [known, before] = [fields[name], types.get(name)];
      const doc = known === undefined ? `${typeWords(type)} of ${owner}` : `${known.doc}, ${owner}`;
      const widest = before === undefined ? type : widerOf(before, type);
      types.set(name, widest);
      fields[name] = { type: fieldTypeOf(widest, decimalsOf(name)), doc, was: [] };
    }
  return fields;
}

/** The type that can hold the values of both types. They differ only in the sizes and the signs of their numbers. */
function widerOf(one: AbiType, other: AbiType): AbiType {
  if (one.type === 'integer' && other.type === 'integer') return one.isSigned ? one : other;
  if (one.type === 'array' && other.type === 'array') return { ...other, of: widerOf(one.of, other.of) };
  if (one.type !== 'tuple' || other.type !== 'tuple') return other;
  const fields = other.fields.map((field, i) => ({
    ...field,
    type: widerOf(one.fields[i]?.type ?? field.type, field.type),
  }));
  return { type: 'tuple', fields };
}

/** `uint256`; a tuple is not written out. */
export function typeWords(type: AbiType): string {
  return type.type === 'tuple' ? 'tuple' : canonicalType(type);
}

const DEEPEST_LIST = 3;
const LONGEST_LIST = 64;

/** The reason why an argument is unknown although the data fits. */
export function unreadList(path: string): string {
  return `${path} has a list of more than ${LONGEST_LIST} items, or is nested more than ${DEEPEST_LIST} deep`;
}

/** `decimals`: where the decimal point of a whole number is; null: it stays a whole number. */
export function fieldTypeOf(type: AbiType, decimals: number | null, depth = 0): FieldType {
  switch (type.type) {
    case 'integer':
      if (decimals !== null) return { type: 'amount', unit: 'plain', decimals, ...(type.isSigned ? {} : { least: 0 }) };
      return { type: 'int', ...(type.isSigned ? {} : { least: 0 }) };
    case 'address':
    case 'bool':
      return { type: type.type };
    case 'fixed-bytes':
      return { type: 'hash' };
    case 'bytes':
    case 'string':
      return { type: 'text' };
    case 'array':
      return { type: 'list', of: fieldTypeOf(type.of, null, depth + 1) };
    case 'tuple': {
      const fields = type.fields.map((field) => [field.name, partOf(field, depth)] as const);
      return { type: 'record', record: new RecordType('Tuple', Object.fromEntries(fields)) };
    }
  }
}

function partOf({ type }: Argument, depth: number): Field<unknown> {
  return { type: fieldTypeOf(type, null, depth + 1), doc: typeWords(type), was: [] };
}

/** The values by name, in the form in which an explorer would send them. */
export function argumentValues(args: readonly Argument[], values: readonly AbiValue[], decimalsOf: DecimalsOf): RawRow {
  return Object.fromEntries(
    args.map(({ name, type }, i) => [name, rawOf(type, values[i], { decimals: decimalsOf(name), depth: 0 })]),
  );
}

/** One value, in the form in which an explorer would send it. */
export function argumentValue(type: AbiType, value: AbiValue, decimals: number | null): unknown {
  return rawOf(type, value, { decimals, depth: 0 });
}

interface RawForm {
  readonly decimals: number | null;
  readonly depth: number;
}

/** The value in the form in which an explorer would send it; undefined where it is too long or too deep. */
function rawOf(type: AbiType, value: AbiValue | undefined, { decimals, depth }: RawForm): unknown {
  if (typeof value === 'bigint') return decimals === null ? String(value) : decimalText(value, decimals);
  if (type.type === 'address' && typeof value === 'string') return checksummed(value);
  if (!Array.isArray(value)) return value;
  const values = value as readonly AbiValue[];
  const inner = { decimals: null, depth: depth + 1 };
  if (depth >= DEEPEST_LIST) return undefined;
  if (type.type === 'tuple')
    return Object.fromEntries(type.fields.map((field, i) => [field.name, rawOf(field.type, values[i], inner)]));
  if (type.type !== 'array' || values.length > LONGEST_LIST) return undefined;
  return values.map((item) => rawOf(type.of, item, inner));
}

/** All decimals are written, so that the digits of the number stay: `decimalText(1500n, 2) // '15.00'`. */
function decimalText(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, at)}.${digits.slice(at)}`;
}

/** Two arguments with one name whose values have different types; null if there are none. */
export function typeConflict<O extends Owner>(owners: readonly O[]): readonly [string, O, O] | null {
  const first = new Map<string, readonly [AbiType, O]>();
  for (const named of owners)
    for (const { name, type } of named.signature.args) {
      const [known, owner] = first.get(name) ?? [];
      if (known !== undefined && owner !== undefined && shapeOf(known) !== shapeOf(type)) return [name, owner, named];
      if (known === undefined) first.set(name, [type, named]);
    }
  return null;
}

/** Equal for types whose values rules compare in the same way. */
function shapeOf(type: AbiType): string {
  if (type.type === 'tuple') return `(${type.fields.map((field) => `${field.name} ${shapeOf(field.type)}`).join()})`;
  return type.type === 'array' ? `${shapeOf(type.of)}[]` : type.type;
}
