// The calls that are arguments of another call, as a Safe, a timelock or a batch takes them. The data only contains
// these calls. It does not show whether a contract has made them.
import { decodeArguments, itemsOf, type AbiValue } from '../../lib/abi/decode.ts';
import type { Argument } from '../../lib/abi/types.ts';
import { Address } from '../values/address.ts';
import { argumentsIn, selectorIn } from './call-data.ts';
import { BATCH, knownFunction, signatureOf, type NamedFunction } from './catalogue.ts';

export interface WrappedCall {
  readonly to: Address;
  /** Hexadecimal digits behind 0x. */
  readonly data: string;
  readonly value: bigint;
  /** The code of `to` runs in the place of the contract that calls it. */
  readonly isDelegated: boolean;
}

/** Calls that a Safe makes together. The Safe runs the code of `contract`, a MultiSend, as if it were its own. */
export interface SafeBatch {
  readonly contract: Address;
  readonly calls: readonly WrappedCall[];
}

const OF_SAFES: ReadonlySet<string> = new Set([
  'execTransaction',
  'execTransactionFromModule',
  'execTransactionFromModuleReturnData',
]);

/**
 * Names of the catalogue. Their arguments `to`, `target`, `data` and similar ones contain the called contract and the
 * data of the call.
 */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...OF_SAFES,
  'multiSend',
  'schedule',
  'scheduleBatch',
  'execute',
  'executeBatch',
  'multicall',
  'aggregate3',
]);

/**
 * The calls in the data of a call, one level deep; empty if there are none, or the data does not fit. `own`: the contract
 * that runs the code, which `multicall` calls; null: unknown.
 */
export function wrappedCalls(data: string, own: Address | null): readonly WrappedCall[] {
  const called = functionOf(data);
  if (called === undefined || !WRAPPERS.has(called.name)) return [];
  const { args } = called.signature;
  const values = argumentsIn({ raw_input: data }, args);
  return values === null ? [] : (callsIn(args, values, own) ?? []);
}

/** The batch in the data of a Safe's call; null if there is none. No other calls inside of wrapped calls are read. */
export function safeBatch(data: string): SafeBatch | null {
  if (!OF_SAFES.has(functionOf(data)?.name ?? '')) return null;
  const call = wrappedCalls(data, null)[0];
  if (call?.isDelegated !== true || functionOf(call.data)?.name !== 'multiSend') return null;
  const calls = wrappedCalls(call.data, null);
  return calls.length === 0 ? null : { contract: call.to, calls };
}

function functionOf(data: string): NamedFunction | undefined {
  return knownFunction(selectorIn({ raw_input: data }) ?? '');
}

type Values = Readonly<Record<string, AbiValue>>;

/** Null if the values contradict each other. */
function callsIn(
  args: readonly Argument[],
  values: readonly AbiValue[],
  own: Address | null,
): readonly WrappedCall[] | null {
  const named = byName(args, values);
  const { transactions, mode, executionCalldata, targets } = named;
  if (typeof transactions === 'string') return packedCalls(transactions);
  if (typeof mode === 'string' && typeof executionCalldata === 'string') return callsByMode(mode, executionCalldata);
  if (targets !== undefined) return parallelCalls(named, itemsOf(targets));
  if ('to' in named || 'target' in named) return allOf([callOf(named)]);
  const list = args.findIndex(({ type }) => type.type === 'array');
  const type = args[list]?.type;
  if (type?.type !== 'array') return null;
  const items = itemsOf(values[list]);
  if (type.of.type !== 'tuple') return own === null ? null : allOf(items.map((data) => callOf({ to: own.key, data })));
  const { fields } = type.of;
  return allOf(items.map((item) => callOf(byName(fields, itemsOf(item)))));
}

function byName(args: readonly Argument[], values: readonly AbiValue[]): Values {
  return Object.fromEntries(args.flatMap(({ name }, i) => (values[i] === undefined ? [] : [[name, values[i]]])));
}

/** Some contracts take no values, or an empty list of them, for calls without coins. */
function parallelCalls(named: Values, targets: readonly AbiValue[]): readonly WrappedCall[] | null {
  const [data, values] = [itemsOf(named['payloads'] ?? named['calldatas']), itemsOf(named['values'])];
  const fits = data.length === targets.length && (values.length === 0 || values.length === targets.length);
  if (!fits) return null;
  return allOf(targets.map((to, i) => callOf({ to, data: data[i] ?? '', value: values[i] ?? 0n })));
}

function callOf(named: Values): WrappedCall | null {
  const to = named['to'] ?? named['target'];
  const data = named['data'] ?? named['payload'] ?? named['callData'];
  const { value = 0n, operation = 0n } = named;
  const address = typeof to === 'string' ? Address.parse(to) : undefined;
  if (address === undefined || typeof data !== 'string' || typeof value !== 'bigint') return null;
  return operation === 0n || operation === 1n ? { to: address, data, value, isDelegated: operation === 1n } : null;
}

/** The calls of `multiSend`, without padding; null if the last one does not end with the bytes. */
function packedCalls(text: string): readonly WrappedCall[] | null {
  const bytes = bytesOf(text);
  const calls: (WrappedCall | null)[] = [];
  for (let at = 0; at < bytes.length;) {
    const [to, value, length, data] = [at + 1, at + 21, at + 53, at + 85];
    if (data > bytes.length) return null;
    const size = BigInt(hex(bytes, length, data));
    if (size > BigInt(bytes.length - data)) return null;
    const operation = BigInt(hex(bytes, at, to));
    at = data + Number(size);
    const call = { to: hex(bytes, to, value), value: BigInt(hex(bytes, value, length)), data: hex(bytes, data, at) };
    calls.push(callOf({ ...call, operation }));
  }
  return allOf(calls);
}

/**
 * ERC-7579: the first byte of the mode shows whether the data is one call, a batch, or a call that runs the code of
 * another contract.
 */
function callsByMode(mode: string, text: string): readonly WrappedCall[] | null {
  const bytes = bytesOf(text);
  switch (mode.slice(0, 4)) {
    case '0x00':
      if (bytes.length < 52) return null;
      return allOf([
        callOf({ to: hex(bytes, 0, 20), value: BigInt(hex(bytes, 20, 52)), data: hex(bytes, 52, bytes.length) }),
      ]);
    case '0x01': {
      const { args } = signatureOf(BATCH);
      const values = decodeArguments(args, bytes);
      return values === null ? null : callsIn(args, values, null);
    }
    case '0xff':
      if (bytes.length < 20) return null;
      return allOf([callOf({ to: hex(bytes, 0, 20), data: hex(bytes, 20, bytes.length), operation: 1n })]);
    default:
      return null;
  }
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex');
}

function hex(bytes: Buffer, from: number, to: number): string {
  return `0x${bytes.toString('hex', from, to)}`;
}

function allOf(calls: readonly (WrappedCall | null)[]): readonly WrappedCall[] | null {
  const known = calls.filter((call) => call !== null);
  return known.length === calls.length ? known : null;
}
