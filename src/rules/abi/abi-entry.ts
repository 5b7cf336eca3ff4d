// One function or event of an ABI, as the text of a signature.
import { z } from 'zod';
import type { AbiEntry } from '../../lib/abi/abi.ts';

export interface AbiParameter {
  readonly name: string;
  readonly type: string;
  readonly indexed: boolean;
  readonly components: readonly AbiParameter[];
}

export const AbiParameter: z.ZodType<AbiParameter> = z.object({
  name: z
    .string()
    .regex(/^(?:[A-Za-z_$][\w$]{0,255})?$/)
    .default(''),
  type: z
    .string()
    .max(256)
    .regex(/^[a-z]+\d*(?:\[\d*\])*$/),
  indexed: z.boolean().default(false),
  get components() {
    return z.array(AbiParameter).default([]);
  },
});

/** `eventEntry('Deposit', [{ name: 'owner', type: 'address', indexed: true, … }]).text // 'Deposit(address indexed owner)'` */
export function eventEntry(name: string, inputs: readonly AbiParameter[]): AbiEntry {
  const text = `${name}(${inputs.map((one, i) => argument(one, i, one.indexed)).join(', ')})`;
  return { name, canonical: canonicalOf(name, inputs), text, view: null, layout: inputs.map(({ indexed }) => indexed) };
}

interface FunctionParts {
  readonly inputs: readonly AbiParameter[];
  readonly outputs: readonly AbiParameter[];
  readonly changesNothing: boolean;
}

export function functionEntry(name: string, { inputs, outputs, changesNothing }: FunctionParts): AbiEntry {
  const text = `${name}(${listed(inputs)})`;
  return {
    name,
    canonical: canonicalOf(name, inputs),
    text,
    view: changesNothing ? `${text} view returns (${listed(outputs)})` : null,
    layout: inputs.map(() => false),
  };
}

function canonicalOf(name: string, inputs: readonly AbiParameter[]): string {
  return `${name}(${inputs.map(canonicalType).join()})`;
}

function listed(parameters: readonly AbiParameter[]): string {
  return parameters.map((one, i) => argument(one, i, false)).join(', ');
}

export function deepestTuple(parameters: readonly AbiParameter[]): number {
  return Math.max(0, ...parameters.map(({ type, components }) => (isTuple(type) ? 1 + deepestTuple(components) : 0)));
}

function argument({ name, type, components }: AbiParameter, index: number, isIndexed: boolean): string {
  const parts = components.map((part, i) => argument(part, i, false));
  const written = isTuple(type) ? `(${parts.join(', ')})${type.slice(TUPLE.length)}` : type;
  return `${written}${isIndexed ? ' indexed' : ''} ${name === '' ? `arg${index}` : name}`;
}

function canonicalType({ type, components }: AbiParameter): string {
  return isTuple(type) ? `(${components.map(canonicalType).join()})${type.slice(TUPLE.length)}` : type;
}

const TUPLE = 'tuple';

function isTuple(type: string): boolean {
  return type.startsWith(TUPLE);
}
