// The arguments of a call as the explorer decoded them, for explorers that do not send the call data.
import type { AbiValue } from '../../lib/abi/decode.ts';
import { canonicalType, type AbiType, type Argument } from '../../lib/abi/types.ts';
import { isRow } from '../values/fields.ts';

/** The values in order; null if their number or types are others than those of the signature. */
export function toldArguments(parameters: unknown, args: readonly Argument[]): readonly AbiValue[] | null {
  if (!Array.isArray(parameters) || parameters.length !== args.length) return null;
  return allOf(args.map(({ type }, i) => toldArgument((parameters as readonly unknown[])[i], type)));
}

function toldArgument(parameter: unknown, type: AbiType): AbiValue | null {
  if (!isRow(parameter) || typeof parameter['type'] !== 'string') return null;
  const told = parameter['type'].replaceAll(/tuple(?=\()|\s/g, '');
  return told === canonicalType(type) ? valueOf(parameter['value'], type) : null;
}

function valueOf(told: unknown, type: AbiType): AbiValue | null {
  switch (type.type) {
    case 'integer':
      return integerOf(told, type);
    case 'bool':
      return typeof told === 'boolean' ? told : told === 'true' ? true : told === 'false' ? false : null;
    case 'string':
      return typeof told === 'string' ? told : null;
    case 'address':
      return bytesOf(told, 20);
    case 'fixed-bytes':
      return bytesOf(told, type.size);
    case 'bytes':
      return bytesOf(told, null);
    case 'array':
      if (!Array.isArray(told) || (type.length ?? told.length) !== told.length) return null;
      return allOf(told.map((item) => valueOf(item, type.of)));
    case 'tuple':
      if (!Array.isArray(told) || told.length !== type.fields.length) return null;
      return allOf(type.fields.map((field, i) => valueOf((told as readonly unknown[])[i], field.type)));
  }
}

function integerOf(told: unknown, { bits, isSigned }: Extract<AbiType, { type: 'integer' }>): bigint | null {
  if (typeof told !== 'string' || !/^-?\d{1,78}$/.test(told)) return null;
  const value = BigInt(told);
  return (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value ? value : null;
}

function bytesOf(told: unknown, size: number | null): string | null {
  if (typeof told !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(told)) return null;
  return size === null || told.length === 2 + size * 2 ? told.toLowerCase() : null;
}

function allOf(values: readonly (AbiValue | null)[]): readonly AbiValue[] | null {
  const known = values.filter((value) => value !== null);
  return known.length === values.length ? known : null;
}
