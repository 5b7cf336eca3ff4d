// The calls of a watch, and how they are put into requests.
import type { Address } from '../../core/values/address.ts';
import type { ListQuestion } from '../../core/model/watch/question.ts';
import { selectorOf } from '../../lib/abi/signature.ts';
import { MOST_RPC_CALLS, rpcCalls, type RpcCall } from '../../explorer/operations.ts';
import type { RpcAnswer } from '../../explorer/reading/resources/rpc-answer.ts';
import { wordOfText } from '../logs/topic-words.ts';
import { viewOf, type ReadSpec } from './option.ts';

type RpcQuestion = ListQuestion<typeof RpcAnswer.fields>;

/** A call, and the name under which its answer is found. */
export interface NamedCall {
  readonly name: string;
  readonly call: RpcCall;
}

export interface AskedCalls {
  readonly question: RpcQuestion;
  /** In the order of the request. */
  readonly names: readonly string[];
}

const LATEST = 'latest';
/** No name of a rule: it has a blank. */
export const BLOCK = 'block number';

/** The calls for the values, and first of all the one for the newest block. */
export function valueCalls(read: Readonly<Record<string, ReadSpec>>, watched: Address): readonly NamedCall[] {
  const values = Object.entries(read).map(([name, spec]) => ({ name, call: callOf(spec, spec.of ?? watched.key) }));
  return [{ name: BLOCK, call: { method: 'eth_blockNumber', params: [] } }, ...values];
}

/** The calls for the decimals of tokens, by their addresses. */
export function decimalsCalls(tokens: readonly string[]): readonly NamedCall[] {
  const input = selectorOf({ name: 'decimals', args: [] });
  return tokens.map((token) => ({ name: token, call: { method: 'eth_call', params: [{ to: token, input }, LATEST] } }));
}

export function inRequests(explorer: string, calls: readonly NamedCall[]): readonly AskedCalls[] {
  const count = Math.ceil(calls.length / MOST_RPC_CALLS);
  return Array.from({ length: count }, (_, i) => {
    const part = calls.slice(i * MOST_RPC_CALLS, (i + 1) * MOST_RPC_CALLS);
    const question = rpcCalls(
      explorer,
      part.map(({ call }) => call),
    );
    return { question, names: part.map(({ name }) => name) };
  });
}

/** The tokens whose decimals the values need. */
export function tokensIn(read: Readonly<Record<string, ReadSpec>>): readonly string[] {
  const units = Object.values(read).flatMap((spec) => (spec.type === 'call' ? (spec.units ?? []) : []));
  return [...new Set(units.filter((one) => one.startsWith('0x')))];
}

function callOf(spec: ReadSpec, of: string): RpcCall {
  switch (spec.type) {
    case 'balance':
      return { method: 'eth_getBalance', params: [of, LATEST] };
    case 'slot':
      return { method: 'eth_getStorageAt', params: [of, spec.slot, LATEST] };
    case 'call':
      return { method: 'eth_call', params: [{ to: of, input: inputOf(spec) }, LATEST] };
  }
}

/** Each argument is one word, for other types cannot be given. */
function inputOf(spec: Extract<ReadSpec, { type: 'call' }>): string {
  const signature = viewOf(spec.call);
  const words = signature.args.map(({ type }, i) => wordOfText(type, spec.with[i] ?? '')?.slice(2) ?? '');
  return selectorOf(signature) + words.join('');
}
