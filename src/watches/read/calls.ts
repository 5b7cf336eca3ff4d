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
import { coinsOf, joinedCall, type InnerCall } from './multicall.ts';
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
/** These names contain a blank, so a rule cannot have the same names. */
export const BLOCK = 'block number';
export const JOINED = 'joined calls';

export interface JoinedRequests {
  readonly requests: readonly AskedCalls[];
  /** The names in the joined call, in its order. */
  readonly names: readonly string[];
}

export interface ValueRequests {
  /**
   * Requests the number of the newest block if values are read at a block below it; null if they are read at the newest
   * block.
   */
  readonly head: AskedCalls | null;
  readonly oneByOne: readonly AskedCalls[];
  /** The requests with calls that Multicall3 joins; null if this saves no request. */
  readonly joined: JoinedRequests | null;
}

/**
 * The requests for the values. If values are read at the newest block, each request first asks for its number, because
 * the requests may reach different replicas.
 */
export const valueRequests = remembered((asked: Asked): ValueRequests => {
  const { explorer, options } = asked;
  const own = watchedIn(asked.address).key;
  const requestsOf = (calls: readonly NamedCall[]) => withBlock(asked, calls);
  const joined = joinedCalls(options, own);
  return {
    head: options.confirmations === undefined ? null : inRequest(explorer, [NEWEST]),
    oneByOne: requestsOf(singleCalls(options, own)),
    joined: joined && { requests: requestsOf(joined.calls), names: joined.names },
  };
});

/** True if fewer requests have all values when calls are joined. */
export function isJoined(options: ReadOptions): boolean {
  return joinedCalls(options, ANY) !== null;
}

/** All addresses are equally long. */
const ANY = `0x${'0'.repeat(40)}`;

function singleCalls(options: ReadOptions, own: string): readonly NamedCall[] {
  return Object.entries(options.read).map(([name, spec]) => ({ name, call: callOf(spec, own, blockOf(options)) }));
}

interface JoinedCalls {
  /** The joined call first, then those that cannot be joined. */
  readonly calls: readonly NamedCall[];
  readonly names: JoinedRequests['names'];
}

/** Null if joining does not save a request, or if the joined call is too long. */
function joinedCalls(options: ReadOptions, own: string): JoinedCalls | null {
  const inner = Object.entries(options.read).flatMap(([name, spec]) => {
    const call = innerCallOf(spec, own);
    return call === null ? [] : [{ name, call }];
  });
  const names = inner.map(({ name }) => name);
  const call = joinedCall(
    inner.map((one) => one.call),
    blockOf(options),
  );
  const joined = { name: JOINED, call };
  const single = singleCalls(options, own);
  const calls = [joined, ...single.filter(({ name }) => !names.includes(name))];
  const room = roomBeside(options.confirmations);
  const isShorter = inRequests(calls, room).length < inRequests(single, room).length;
  return isShorter && lengthOf(joined) <= LONGEST_CALLS ? { calls, names } : null;
}

/** How many values a request has room for, beside the newest block. */
function roomBeside(confirmations: ReadOptions['confirmations']): number {
  return confirmations === undefined ? MOST_RPC_CALLS - 1 : MOST_RPC_CALLS;
}

/** All requests of a poll, in their order. */
export function requestsOf(asked: Asked): readonly AskedCalls[] {
  const { head, joined, oneByOne } = valueRequests(asked);
  const values = joined?.requests ?? oneByOne;
  return head === null ? values : [head, ...values];
}

/** All requests of a poll that asks the values one by one although their calls could be joined. */
export function fallbackRequestsOf(asked: Asked): readonly AskedCalls[] {
  const { head, joined, oneByOne } = valueRequests(asked);
  if (joined === null) return [];
  return head === null ? oneByOne : [head, ...oneByOne];
}

const NEWEST: NamedCall = { name: BLOCK, call: { method: 'eth_blockNumber', params: [] } };

function blockOf({ confirmations }: ReadOptions): string {
  return confirmations === undefined ? LATEST : belowHead(confirmations);
}

/** Puts calls into requests, each with the newest block unless that was asked before. */
function withBlock({ explorer, options }: Asked, calls: readonly NamedCall[]): readonly AskedCalls[] {
  const beside = options.confirmations === undefined ? [NEWEST] : [];
  const parts = inRequests(calls, roomBeside(options.confirmations));
  return parts.map((part) => inRequest(explorer, [...beside, ...part]));
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
  return inRequests(calls, MOST_RPC_CALLS).map((part) => inRequest(explorer, part));
}

/** Explorers refuse a request of 64 KiB. */
const LONGEST_CALLS = 49_152;

/**
 * Divides calls into requests. A request has at most `most` calls, and is not longer than an explorer accepts, unless a
 * single call is longer.
 */
function inRequests(calls: readonly NamedCall[], most: number): readonly (readonly NamedCall[])[] {
  const requests: NamedCall[][] = [];
  let left = 0;
  for (const one of calls) {
    const last = requests.at(-1);
    left -= lengthOf(one);
    if (last !== undefined && last.length < most && left >= 0) last.push(one);
    else {
      requests.push([one]);
      left = LONGEST_CALLS - lengthOf(one);
    }
  }
  return requests;
}

function lengthOf({ call }: NamedCall): number {
  return JSON.stringify(call).length;
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

/** Equal if two spellings make the same question and their answers have the same meaning. */
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

/** Null for a slot: a contract cannot read those of others. */
function innerCallOf(spec: ReadSpec, own: string): InnerCall | null {
  const of = spec.of ?? own;
  if (spec.type === 'slot') return null;
  return spec.type === 'balance' ? coinsOf(of) : { to: of, input: callInput(viewOf(spec.call), spec.with, own) };
}
