// The fields of a transaction that are read from its call data.
import { checksummed } from '../../lib/abi/checksum.ts';
import type { AbiValue } from '../../lib/abi/decode.ts';
import { canonicalSignature, selectorOf } from '../../lib/abi/signature.ts';
import { canonicalType, type AbiType, type Argument } from '../../lib/abi/types.ts';
import { hash, oneOf, record } from '../values/field-declarations.ts';
import {
  isView,
  valueAt,
  type AnyView,
  type Field,
  type FieldType,
  type Fields,
  type Lacking,
  type RawRow,
} from '../values/fields.ts';
import { RecordType } from '../values/record-type.ts';
import { argumentsIn, NO_SELECTOR, selectorIn } from './call-data.ts';
import { CATALOGUE_NAMES, knownFunction, type NamedFunction } from './catalogue.ts';

/** The functions whose arguments a watch reads, and the decimals of arguments that are amounts. */
export interface ReadCalls {
  readonly functions: readonly NamedFunction[];
  /** By the name of the argument. */
  readonly decimals: Readonly<Record<string, number>>;
}

type FindFunction = (selector: string) => NamedFunction | undefined;

const ADVICE = 'Name the function in calls: with its signature, such as sweep(address to).';

/** The fields of every transaction: `called` is a name of the catalogue. */
export const KNOWN_CALL_FIELDS = {
  selector: { ...selectorField(), type: { type: 'hash', mayBeEmpty: true } },
  called: calledField(CATALOGUE_NAMES, knownFunction),
} as const satisfies Fields;

export const KNOWN_CALL_LACKING = lackingOf(knownFunction, () => undefined);

function selectorField(): Field<string> {
  return hash('first four bytes of the call data; none for creations and plain transfers', { fromRow: selectorIn });
}

function calledField(names: readonly string[], find: FindFunction): Field<string> {
  const field = oneOf('function called, by the signatures that are known here', names, {
    fromRow: (row) => find(selectorIn(row) ?? '')?.name,
  });
  return { ...field, type: { type: 'word', values: names, isClosed: true, advice: ADVICE } };
}

/** The fields of a watch with `calls:`, and which of them a row does not have. */
export function callFieldsOf({ functions, decimals }: ReadCalls): {
  readonly fields: Fields;
  readonly lacking: Lacking;
} {
  const bySelector = new Map(functions.map((named) => [selectorOf(named.signature), named]));
  const own: FindFunction = (selector) => bySelector.get(selector);
  const find: FindFunction = (selector) => own(selector) ?? knownFunction(selector);
  const names = [...new Set([...functions.map(({ name }) => name), ...CATALOGUE_NAMES])];
  const args = argumentFields(functions, (name) => decimals[name] ?? null);
  const raw = Object.fromEntries(
    Object.entries(argumentFields(functions, () => null)).filter(([name]) => name in decimals),
  );
  const readBy = (decimalsOf: DecimalsOf) => (row: RawRow) => argumentRow(row, own(selectorIn(row) ?? ''), decimalsOf);
  return {
    fields: {
      called: calledField(names, find),
      args: record(new RecordType('Arguments', args), 'arguments of the functions in calls:', {
        fromRow: readBy((name) => decimals[name] ?? null),
      }),
      ...(Object.keys(raw).length === 0
        ? {}
        : {
            raw: record(new RecordType('RawArguments', raw), 'arguments with units, as whole numbers', {
              fromRow: readBy(() => null),
            }),
          }),
    },
    lacking: lackingOf(find, own),
  };
}

/** A row without a function, or with another one, has no value at these paths. That is known, so it decides. */
function lackingOf(find: FindFunction, withArguments: FindFunction): Lacking {
  return {
    by: 'selector',
    covers: (path) => ['selector', 'called'].includes(path) || /^(?:args|raw)\./.test(path),
    lacks(view, path) {
      const selector = valueAt(view, 'selector');
      if (typeof selector !== 'string') return false;
      if (selector === NO_SELECTOR) return true;
      const [first, argument] = path.split('.');
      if (first === 'called') return find(selector) === undefined;
      if (first === 'selector') return false;
      return withArguments(selector)?.signature.args.every(({ name }) => name !== argument) ?? true;
    },
    misfitOf(view, path) {
      const selector = valueAt(view, 'selector');
      const called = typeof selector === 'string' && path.includes('.') ? withArguments(selector) : undefined;
      if (called === undefined || !hasData(view) || valueAt(view, path) !== undefined) return null;
      const [first = ''] = path.split('.');
      return isView(valueAt(view, first))
        ? `${path} has a list of more than ${LONGEST_LIST} items, or is nested more than ${DEEPEST_LIST} deep`
        : `the call data does not fit ${canonicalSignature(called.signature)}`;
    },
  };
}

/** False for a row of a rule test that names the function: an argument that it leaves out is unknown. */
function hasData(view: AnyView): boolean {
  return ['raw_input', 'decoded_input'].some((path) => valueAt(view, path) !== undefined);
}

type DecimalsOf = (name: string) => number | null;

function argumentFields(functions: readonly NamedFunction[], decimalsOf: DecimalsOf): Fields {
  const fields: Record<string, Field<unknown>> = {};
  const types = new Map<string, AbiType>();
  for (const { name: owner, signature } of functions)
    for (const { name, type } of signature.args) {
      const [known, before] = [fields[name], types.get(name)];
      const doc = known === undefined ? `${typeWords(type)} of ${owner}` : `${known.doc}, ${owner}`;
      const widest = before === undefined ? type : widerOf(before, type);
      types.set(name, widest);
      fields[name] = { type: fieldTypeOf(widest, decimalsOf(name)), doc, was: [] };
    }
  return fields;
}

/** The type that has the values of both, which differ in the sizes and the signs of their numbers only. */
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

function typeWords(type: AbiType): string {
  return type.type === 'tuple' ? 'tuple' : canonicalType(type);
}

const DEEPEST_LIST = 3;
const LONGEST_LIST = 64;

function fieldTypeOf(type: AbiType, decimals: number | null, depth = 0): FieldType {
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

function argumentRow(row: RawRow, called: NamedFunction | undefined, decimalsOf: DecimalsOf): RawRow | undefined {
  if (called === undefined) return undefined;
  const { args } = called.signature;
  const values = argumentsIn(row, args);
  if (values === null) return undefined;
  return Object.fromEntries(
    args.map(({ name, type }, i) => [name, rawOf(type, values[i], { decimals: decimalsOf(name), depth: 0 })]),
  );
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
export function typeConflict(
  functions: readonly NamedFunction[],
): readonly [string, NamedFunction, NamedFunction] | null {
  const first = new Map<string, readonly [AbiType, NamedFunction]>();
  for (const named of functions)
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
