// The fields of a reading: one for each name in `read`.
import { fieldTypeOf, typeWords } from '../../core/calls/argument-fields.ts';
import { bool, natural, quantity, record } from '../../core/values/field-declarations.ts';
import { typeAt, type AnyRecord, type Field, type FieldType } from '../../core/values/fields.ts';
import { RecordType } from '../../core/values/record-type.ts';
import type { AbiType } from '../../lib/abi/types.ts';
import { outputsOf, valueType, type ReadOptions, type ReadSpec } from './option.ts';

const NUMBERS: readonly FieldType['type'][] = ['amount', 'int'];

export function readingOf(read: ReadOptions['read']): AnyRecord {
  const entries = Object.entries(read);
  const own = entries.map(([name, spec]) => [name, fieldOf(spec)] as const);
  const reverted = entries.map(([name]) => [name, bool(`whether the call of ${name} reverts`)] as const);
  return new RecordType('Reading', {
    ...Object.fromEntries(own),
    reverted: record(
      new RecordType('Reverted', Object.fromEntries(reverted)),
      'by the names in read: whether a call reverts',
    ),
    block_number: natural('block of the values: the newest one, without confirmations'),
  });
}

function fieldOf(spec: ReadSpec): Field<unknown> {
  if (spec.type === 'balance') return quantity('coin', 'coins of the address');
  const output = valueType(outputsOf(spec));
  const doc = spec.type === 'slot' ? `${spec.as} in a slot` : `${typeWords(output)} of a call`;
  return { type: typeOf(spec, output), doc, was: [] };
}

function typeOf(spec: Exclude<ReadSpec, { type: 'balance' }>, output: AbiType): FieldType {
  const units = spec.type === 'call' ? spec.units : null;
  if (units === null) return fieldTypeOf(output, null);
  // The decimals of a token are read at run time, so they are unknown here.
  const isSigned = output.type === 'integer' && output.isSigned;
  return { type: 'amount', unit: 'plain', ...(isSigned ? {} : { least: 0 }) };
}

/** The names whose values are numbers. */
export function numbersIn({ fields }: AnyRecord, names: readonly string[]): readonly string[] {
  return names.filter((name) => NUMBERS.includes(fields[name]?.type.type ?? 'text'));
}

/** The paths of the single values below a name: those of a record one by one. */
export function leavesOf(record: AnyRecord, path: string): readonly string[] {
  const type = typeAt(record, path);
  if (type?.type !== 'record') return [path];
  return Object.keys(type.record.fields).flatMap((name) => leavesOf(record, `${path}.${name}`));
}
