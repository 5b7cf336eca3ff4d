// Types of Solidity, as signatures name them.

export type AbiType =
  /** `isSigned`: intN in place of uintN. */
  | { readonly type: 'integer'; readonly bits: number; readonly isSigned: boolean }
  | { readonly type: 'address' | 'bool' | 'string' | 'bytes' }
  /** bytesN */
  | { readonly type: 'fixed-bytes'; readonly size: number }
  /** `length` null: `T[]`, any number of items. */
  | { readonly type: 'array'; readonly of: AbiType; readonly length: number | null }
  | { readonly type: 'tuple'; readonly fields: readonly Argument[] };

export interface Argument {
  readonly name: string;
  readonly type: AbiType;
}

/** An indexed argument is in a topic, any other in the data. */
export interface EventArgument extends Argument {
  readonly isIndexed: boolean;
}

/** The form from which a selector is made: `uint256[]`, `(address,uint256)`. */
export function canonicalType(type: AbiType): string {
  switch (type.type) {
    case 'integer':
      return `${type.isSigned ? 'int' : 'uint'}${type.bits}`;
    case 'fixed-bytes':
      return `bytes${type.size}`;
    case 'array':
      return `${canonicalType(type.of)}[${type.length ?? ''}]`;
    case 'tuple':
      return `(${type.fields.map((field) => canonicalType(field.type)).join(',')})`;
    default:
      return type.type;
  }
}

/** True if the value lies behind the fixed part of its arguments, and a pointer leads to it. */
export function isDynamic(type: AbiType): boolean {
  switch (type.type) {
    case 'string':
    case 'bytes':
      return true;
    case 'array':
      return type.length === null || isDynamic(type.of);
    case 'tuple':
      return type.fields.some((field) => isDynamic(field.type));
    default:
      return false;
  }
}
