// The calls of a watch, and how they are put into requests.
import type { Address } from '../../core/values/address.ts';
import type { ListQuestion } from '../../core/model/watch/question.ts';
import type { Target } from '../../core/model/watch/target.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { remembered } from '../../lib/remembered.ts';
import { selectorOf } from '../../lib/abi/signature.ts';
import { belowHead, MOST_RPC_CALLS, rpcCalls, type RpcCall } from '../../explorer/operations.ts';
import type { RpcAnswer } from '../../explorer/reading/resources/rpc-answer.ts';
import { callInput, OWN } from './arguments.ts';
import { outputsOf, valueType, viewOf, type ReadOptions, type ReadSpec } from './option.ts';

type RpcQuestion = ListQuestion<typeof RpcAnswer.fields>;

/** A call, and the name under which its answer is found. */
interface NamedCall {
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

export interface ValueRequests {
  /** Asks the newest block, below which the values are asked; null: they are asked at the newest block. */
  readonly head: AskedCalls | null;
  readonly values: readonly AskedCalls[];
}

/** The requests for the values. Each asks the newest block first, if it decides: they may reach different replicas. */
export const valueRequests = remembered(({ explorer, address, options }: Asked): ValueRequests => {
  const { read, confirmations } = options;
  const newest = { name: BLOCK, call: { method: 'eth_blockNumber', params: [] } };
  const block = confirmations === undefined ? LATEST : belowHead(confirmations);
  const own = watchedIn(address).key;
  const calls = Object.entries(read).map(([name, spec]) => ({ name, call: callOf(spec, own, block) }));
  const beside = confirmations === undefined ? [newest] : [];
  const parts = inParts(calls, MOST_RPC_CALLS - beside.length);
  return {
    head: confirmations === undefined ? null : inRequest(explorer, [newest]),
    values: parts.map((part) => inRequest(explorer, [...beside, ...part])),
  };
});

/** All requests of a poll, in their order. */
export function requestsOf(asked: Asked): readonly AskedCalls[] {
  const { head, values } = valueRequests(asked);
  return head === null ? values : [head, ...values];
}

type Asked = Pick<Target<ReadOptions>, 'explorer' | 'address' | 'options'>;

function watchedIn(address: Address | null): Address {
  if (address === null) throw new TypeError('read needs an address');
  return address;
}

/** The requests for the decimals of tokens, by their addresses. */
export function decimalsRequests(explorer: string, tokens: readonly string[]): readonly AskedCalls[] {
  const input = selectorOf({ name: 'decimals', args: [] });
  const calls = tokens.map((token) => ({
    name: token,
    call: { method: 'eth_call', params: [{ to: token, input }, LATEST] },
  }));
  return inParts(calls, MOST_RPC_CALLS).map((part) => inRequest(explorer, part));
}

function inParts<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
}

function inRequest(explorer: string, calls: readonly NamedCall[]): AskedCalls {
  const question = rpcCalls(
    explorer,
    calls.map(({ call }) => call),
  );
  return { question, names: calls.map(({ name }) => name) };
}

/** The tokens whose decimals the values need. */
export function tokensIn({ address, options }: Pick<Asked, 'address' | 'options'>): readonly string[] {
  const units = Object.values(options.read).flatMap((spec) => unitsOf(spec, address) ?? []);
  return [...new Set(units.filter((one) => one.startsWith('0x')))];
}

/** A number of decimals, or the address of a token; null: the value is no amount. */
export function unitsOf(spec: ReadSpec, address: Address | null): string | null {
  if (spec.type !== 'call' || spec.units !== OWN) return spec.type === 'call' ? spec.units : null;
  return watchedIn(address).key;
}

/** The meaning of each name of a watch. */
export const definitionsOf = remembered(
  ({ address, options }: Pick<Asked, 'address' | 'options'>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(options.read).map(([name, spec]) => [name, definitionOf(spec, address)])),
);

/** Equal for two spellings of one question whose answers have one meaning. */
function definitionOf(spec: ReadSpec, address: Address | null): string {
  const call = callOf(spec, watchedIn(address).key, LATEST);
  if (spec.type === 'balance') return canonicalJson({ call });
  return canonicalJson({ call, type: valueType(outputsOf(spec)), units: unitsOf(spec, address) });
}

function callOf(spec: ReadSpec, own: string, block: string): RpcCall {
  const of = spec.of ?? own;
  switch (spec.type) {
    case 'balance':
      return { method: 'eth_getBalance', params: [of, block] };
    case 'slot':
      return { method: 'eth_getStorageAt', params: [of, spec.slot, block] };
    case 'call':
      return { method: 'eth_call', params: [{ to: of, input: callInput(viewOf(spec.call), spec.with, own) }, block] };
  }
}
