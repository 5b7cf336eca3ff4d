// Multicall3: a contract that makes many calls in one. Each may revert alone.
import { decodeArguments, itemsOf } from '../../lib/abi/decode.ts';
import { encodeCall } from '../../lib/abi/encode.ts';
import type { RpcCall } from '../../explorer/operations.ts';
import { viewOf } from './option.ts';

/** The contract has this address on every chain where it exists. */
export const MULTICALL = '0xca11bde05977b3631167028862be2a173976ca11';

const AGGREGATE = viewOf(
  'aggregate3((address target, bool allowFailure, bytes callData)[] calls) view returns ((bool success, bytes returnData)[] results)',
);
const COINS = viewOf('getEthBalance(address account) view returns (uint256 balance)');

export interface InnerCall {
  readonly to: string;
  readonly input: string;
}

export interface InnerAnswer {
  readonly isReverted: boolean;
  readonly hex: string;
}

/** Asks for the coins of an address. */
export function coinsOf(address: string): InnerCall {
  return { to: MULTICALL, input: encodeCall(COINS, [address]) };
}

/** Joins the calls to one call of the contract. */
export function joinedCall(calls: readonly InnerCall[], block: string): RpcCall {
  const input = encodeCall(AGGREGATE, [calls.map((call) => [call.to, true, call.input])]);
  return { method: 'eth_call', params: [{ to: MULTICALL, input }, block] };
}

/** The answers in the order of the calls; null if the data does not contain `count` answers. */
export function innerAnswers(hex: string, count: number): readonly InnerAnswer[] | null {
  const [results] = decodeArguments(AGGREGATE.outputs, Buffer.from(hex.slice(2), 'hex')) ?? [];
  const answers = itemsOf(results);
  if (answers.length !== count) return null;
  return answers.flatMap((answer): readonly InnerAnswer[] => {
    const [hasSucceeded, data] = itemsOf(answer);
    return typeof data === 'string' ? [{ isReverted: hasSucceeded !== true, hex: data }] : [];
  });
}
