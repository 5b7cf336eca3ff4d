// Multicall3: a contract that makes many calls in one, and lets each of them revert alone.
import { decodeArguments, itemsOf, type AbiValue } from '../../lib/abi/decode.ts';
import { encodeArguments } from '../../lib/abi/encode.ts';
import { parseView, selectorOf } from '../../lib/abi/signature.ts';
import { isAddress, keyOf } from '../chain/keys.ts';
import type { World } from '../world.ts';

const MULTICALL = keyOf('0xcA11bde05977b3631167028862bE2a173976CA11');

const AGGREGATE = viewOf(
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls) view returns ((bool success, bytes returnData)[] results)',
);
const COINS = viewOf('getEthBalance(address account) view returns (uint256 balance)');

/** `result` null: the call reverts, or there is no contract. */
export interface Called {
  readonly hasCode: boolean;
  readonly result: string | null;
}

/** Reverts for calls that it does not know. `callOther`: calls another contract. */
export function callMulticall(world: World, data: string, callOther: (target: string, data: string) => Called): Called {
  const isReverting = world.overlay.reverting.has(`${MULTICALL} ${data.slice(0, 10).toLowerCase()}`);
  const results = isReverting ? null : resultsOf(world, data, callOther);
  return { hasCode: true, result: results };
}

export function isMulticall(target: string): boolean {
  return keyOf(target) === MULTICALL;
}

function resultsOf(world: World, data: string, callOther: (target: string, data: string) => Called): string | null {
  const called = [AGGREGATE, COINS].find((one) => selectorOf(one) === data.slice(0, 10).toLowerCase());
  const [given] = (called && decodeArguments(called.args, Buffer.from(data.slice(10), 'hex'))) ?? [];
  if (called === undefined || given === undefined) return null;
  if (typeof given === 'string') return encoded(called, isAddress(given) ? (world.coin(given) ?? 0n) : 0n);
  const results = itemsOf(given).map((call) => resultOf(call, callOther));
  return results.every((result) => result !== null) ? encoded(called, results) : null;
}

/** Null: the call reverts, and may not. */
function resultOf(call: AbiValue, callOther: (target: string, data: string) => Called): AbiValue | null {
  const [target, mayRevert, data] = itemsOf(call);
  if (typeof target !== 'string' || typeof data !== 'string' || !isAddress(target)) return null;
  const { hasCode, result } = callOther(target, data);
  if (result === null && hasCode) return mayRevert === true ? [false, '0x'] : null;
  return [true, result ?? '0x'];
}

function encoded({ outputs }: typeof AGGREGATE, value: AbiValue): string {
  const types = outputs.map(({ type }) => type);
  return `0x${encodeArguments(types, [value])}`;
}

function viewOf(text: string) {
  const parsed = parseView(text);
  if ('mistake' in parsed) throw new TypeError(`${text}: ${parsed.mistake.message}`);
  return parsed.signature;
}
