// The used operations of the explorer's API, and the questions for them. This file reads nothing. Numbers are sections
// of the API's specification. Questions have as few parameters as possible: newer releases refuse parameters that they
// did not declare.
import type { Address } from '../core/values/address.ts';
import { valueAt, type AnyView, type Fields } from '../core/values/fields.ts';
import type { RecordType } from '../core/values/record-type.ts';
import type { Cursor, ListQuestion, OneQuestion, RangeParams } from '../core/model/watch/question.ts';
import { headOf } from './reading/head.ts';
import { placeOf } from './reading/rpc.ts';
import { RpcAnswer } from './reading/resources/rpc-answer.ts';
import { AddressDetails } from './reading/resources/address.ts';
import { Block } from './reading/resources/block.ts';
import { AccountCall, InternalTransaction } from './reading/resources/internal-transaction.ts';
import { Log } from './reading/resources/log.ts';
import { SmartContract } from './reading/resources/smart-contract.ts';
import { StateChange } from './reading/resources/state-change.ts';
import { Token, TokenBalance } from './reading/resources/token.ts';
import { ListedTransfer } from './reading/resources/token-transfer.ts';
import { Transaction } from './reading/resources/transaction.ts';

export interface ApiOperation {
  /** Label in metrics, logs and recordings. */
  readonly name: string;
  /** The path after its root, such as `/api/v2/`; `{hash}` is an address or the hash of a transaction, in lower case. */
  readonly path: string;
  /** Price of one request in the multichain form. */
  readonly credits: number;
}

const ROWS = {
  /** 4.1: details of one token, its reputation among them. */
  token: { name: 'token', path: 'tokens/{hash}', credits: 20 },
  /** Details of one address: the only operation that shows its coins. */
  address: { name: 'address', path: 'addresses/{hash}', credits: 20 },
  /** The code and the source of one contract. */
  smartContract: { name: 'smart-contract', path: 'smart-contracts/{hash}', credits: 20 },
  /** 4.2 */
  addressTokens: { name: 'address-tokens', path: 'addresses/{hash}/tokens', credits: 20 },
  /** 4.3 */
  addressInternalTransactions: {
    name: 'address-internal-transactions',
    path: 'addresses/{hash}/internal-transactions',
    credits: 40,
  },
  /** The transfers of all tokens from and to one address. */
  addressTokenTransfers: { name: 'address-token-transfers', path: 'addresses/{hash}/token-transfers', credits: 30 },
  /** The transfers of one token. */
  tokenTransfers: { name: 'token-transfers', path: 'tokens/{hash}/transfers', credits: 30 },
  /** The transactions of one address, pending ones included. */
  addressTransactions: { name: 'address-transactions', path: 'addresses/{hash}/transactions', credits: 20 },
  /** 4.4: the validated transactions of the whole chain. */
  transactions: { name: 'transactions', path: 'transactions', credits: 20 },
  /** Not in the specification: logs by contract and topics, the oldest first, in a range of blocks. */
  logs: { name: 'get-logs', path: 'api?module=logs&action=getLogs&address={hash}', credits: 20 },
  /** The same logs of all contracts. */
  topicLogs: { name: 'get-logs', path: 'api?module=logs&action=getLogs', credits: 20 },
  /** Not in the specification: the logs of one contract, the newest first. */
  addressLogs: { name: 'address-logs', path: 'addresses/{hash}/logs', credits: 30 },
  /** Not in the specification: internal transactions of an address with their call data, by a range of blocks. */
  accountCalls: {
    name: 'tx-list-internal',
    path: 'api?module=account&action=txlistinternal&address={hash}',
    credits: 20,
  },
  /** Not in the specification: one transaction, with the decoded reason of its failure. */
  transaction: { name: 'transaction-details', path: 'transactions/{hash}', credits: 20 },
  /** Not in the specification: the calls inside one transaction, with their call data. */
  transactionCalls: {
    name: 'transaction-calls',
    path: 'api?module=account&action=txlistinternal&txhash={hash}',
    credits: 20,
  },
  /** Not in the specification: who gained and who lost by one transaction. */
  stateChanges: { name: 'state-changes', path: 'transactions/{hash}/state-changes', credits: 30 },
  /** Not in the specification: calls of contracts, posted as an array. */
  rpc: { name: 'eth-rpc', path: 'eth-rpc', credits: 20 },
  /** Not in the specification: logs of which a topic is one of several, posted. */
  rpcLogs: { name: 'eth-get-logs', path: 'eth-rpc', credits: 20 },
  /** 4.5 */
  blocks: { name: 'blocks', path: 'blocks', credits: 20 },
} as const satisfies Readonly<Record<string, ApiOperation>>;

export const OPERATIONS: readonly ApiOperation[] = Object.values(ROWS);

export function tokenDetails(explorer: string, token: Address): OneQuestion<typeof Token.fields> {
  return one(explorer, ROWS.token, token, Token);
}

export function addressDetails(explorer: string, address: Address): OneQuestion<typeof AddressDetails.fields> {
  return one(explorer, ROWS.address, address, AddressDetails);
}

export function smartContract(explorer: string, address: Address): OneQuestion<typeof SmartContract.fields> {
  return one(explorer, ROWS.smartContract, address, SmartContract);
}

/** Unfiltered: the same question for every balance and holdings watch of an address. */
export function addressTokens(explorer: string, address: Address): ListQuestion<typeof TokenBalance.fields> {
  return list(explorer, ROWS.addressTokens, address, TokenBalance);
}

export function addressInternalTransactions(
  explorer: string,
  address: Address,
  direction: 'to' | 'from' | undefined,
): ListQuestion<typeof InternalTransaction.fields> {
  const question = list(explorer, ROWS.addressInternalTransactions, address, InternalTransaction);
  return { ...question, params: direction === undefined ? {} : { filter: direction } };
}

/** `side`: where the address stands in the transfers. */
export function addressTokenTransfers(
  explorer: string,
  address: Address,
  side: 'to' | 'from' | undefined,
): ListQuestion<typeof ListedTransfer.fields> {
  const question = list(explorer, ROWS.addressTokenTransfers, address, ListedTransfer);
  return { ...question, openTo: 'any-contract', params: side === undefined ? {} : { filter: side } };
}

/** The same for one token. `token`: its key. It is a part of the path, since an answer without this filter is of no use. */
export function addressTransfersOf(
  explorer: string,
  address: Address,
  { side, token }: { readonly side: 'to' | 'from' | undefined; readonly token: string },
): ListQuestion<typeof ListedTransfer.fields> {
  const question = addressTokenTransfers(explorer, address, side);
  return { ...question, openTo: 'named', path: `${question.path}?token=${token}` };
}

export function tokenTransfers(explorer: string, token: Address): ListQuestion<typeof ListedTransfer.fields> {
  return { ...list(explorer, ROWS.tokenTransfers, token, ListedTransfer), openTo: 'any-contract' };
}

export function addressTransactions(explorer: string, address: Address): ListQuestion<typeof Transaction.fields> {
  return list(explorer, ROWS.addressTransactions, address, Transaction);
}

export function transactions(explorer: string): ListQuestion<typeof Transaction.fields> {
  return list(explorer, ROWS.transactions, null, Transaction);
}

/** The largest number of rows in an answer of the Etherscan-style API, or of `eth_getLogs`. There is no cursor. */
const MOST_API_ROWS = 1000;

/**
 * `topics`: one for each place, or null for any; without one, all events of the contract. The range of blocks is added by
 * `inBlocks`.
 */
export function contractLogs(
  explorer: string,
  contract: Address,
  topics: readonly (string | null)[],
): ListQuestion<typeof Log.fields> {
  return logsFrom(list(explorer, ROWS.logs, contract, Log), topics);
}

/** Like `contractLogs`, for logs of any contract. `topics` must have one topic at least. */
export function topicLogs(explorer: string, topics: readonly (string | null)[]): ListQuestion<typeof Log.fields> {
  return { ...logsFrom(list(explorer, ROWS.topicLogs, null, Log), topics), openTo: 'any-contract' };
}

function logsFrom(
  question: ListQuestion<typeof Log.fields>,
  topics: readonly (string | null)[],
): ListQuestion<typeof Log.fields> {
  const range = LOG_RANGE;
  return { ...question, root: 'api', path: question.path + topicQuery(topics), nextAfter: nextIn(range), range };
}

const LOG_RANGE: RangeParams = { from: 'fromBlock', to: 'toBlock', newest: 'latest' };

/**
 * The same by the JSON-RPC, whose rows have no time. `topics`: one for each place without a hole, of which the last may
 * be a list. Explorers leave out a null, and older ones do not understand another list.
 */
export function rpcLogs(
  explorer: string,
  contract: Address,
  topics: readonly (string | readonly string[])[],
): ListQuestion<typeof Log.fields> {
  const range = { fromBlock: placeOf(LOG_RANGE.from), toBlock: placeOf(LOG_RANGE.to) };
  const filter = { address: contract.key, ...range, topics };
  const body = { jsonrpc: '2.0', id: 0, method: 'eth_getLogs', params: [filter] };
  const question = list(explorer, ROWS.rpcLogs, null, Log);
  const path = `${question.path}?${JSON.stringify(body)}`;
  return { ...question, root: 'rpc', path, nextAfter: nextIn(LOG_RANGE), range: LOG_RANGE };
}

/** `topic`: at any place of the topics; null: all logs. The caller must filter again. */
export function addressLogs(
  explorer: string,
  contract: Address,
  topic: string | null,
): ListQuestion<typeof Log.fields> {
  const question = list(explorer, ROWS.addressLogs, contract, Log);
  return { ...question, params: topic === null ? {} : { topic } };
}

/**
 * The internal transactions of an address, the oldest first. Since release 9.0, calls without coins are left out unless
 * they are asked for. The range of blocks is added by `inBlocks`.
 */
export function accountCalls(
  explorer: string,
  address: Address,
  direction: 'to' | 'from' | undefined,
): ListQuestion<typeof AccountCall.fields> {
  const question = list(explorer, ROWS.accountCalls, address, AccountCall);
  const side = direction === undefined ? '' : `&filter_by=${direction}`;
  const path = `${question.path}&include_zero_value=true&sort=asc&page=1&offset=${MOST_API_ROWS}${side}`;
  const range = { from: 'startblock', to: 'endblock', newest: null };
  return { ...question, root: 'api', path, nextAfter: nextIn(range), range };
}

/** `hash`: of the transaction, in lower case. */
export function transactionDetails(explorer: string, hash: string): OneQuestion<typeof Transaction.fields> {
  return { shape: 'one', ...about(explorer, ROWS.transaction, hash), record: Transaction };
}

export function transactionCalls(explorer: string, hash: string): ListQuestion<typeof AccountCall.fields> {
  const question = about(explorer, ROWS.transactionCalls, hash);
  const path = `${question.path}&include_zero_value=true&sort=asc&page=1&offset=${MOST_API_ROWS}`;
  return { shape: 'list', ...question, root: 'api', path, record: AccountCall };
}

export function stateChanges(explorer: string, hash: string): ListQuestion<typeof StateChange.fields> {
  return { shape: 'list', ...about(explorer, ROWS.stateChanges, hash), record: StateChange };
}

/** Each pair of topics needs an operator. */
function topicQuery(topics: readonly (string | null)[]): string {
  const given = topics.flatMap((topic, place) => (topic === null ? [] : [{ topic, place }]));
  const pairs = given.flatMap((one, i) =>
    given.slice(i + 1).map((other) => `&topic${one.place}_${other.place}_opr=and`),
  );
  return [...given.map(({ topic, place }) => `&topic${place}=${topic}`), ...pairs].join('');
}

/** If a page is full, some rows of its last block may be missing, so the next page begins at that block. */
function nextIn(range: RangeParams): (rows: readonly AnyView[]) => Cursor | null {
  return (rows) => {
    if (rows.length < MOST_API_ROWS) return null;
    const blocks = rows.flatMap((row) => {
      const block = valueAt(row, 'block_number');
      return typeof block === 'bigint' ? [Number(block)] : [];
    });
    return { [range.from]: String(Math.max(...blocks)) };
  };
}

/** The largest number of calls in one request: explorers refuse more. */
export const MOST_RPC_CALLS = 5;

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Stands for the block that is `confirmations` below the newest one. `atBlock` replaces it by the height. */
export function belowHead(confirmations: number): string {
  return `head-${confirmations}`;
}

/** The question with the height in place of `belowHead`. */
export function atBlock<F extends Fields>(question: ListQuestion<F>, height: number): ListQuestion<F> {
  return { ...question, params: { block: `0x${height.toString(16)}` } };
}

/** One request for at most `MOST_RPC_CALLS` calls. The id of an answer is the place of its call. */
export function rpcCalls(explorer: string, calls: readonly RpcCall[]): ListQuestion<typeof RpcAnswer.fields> {
  const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const question = list(explorer, ROWS.rpc, null, RpcAnswer);
  return { ...question, root: 'rpc', path: `${question.path}?${JSON.stringify(body)}` };
}

/** `to` null: up to the newest block. */
export function inBlocks<F extends Fields>(
  question: ListQuestion<F>,
  from: number,
  to: number | null,
): ListQuestion<F> {
  const names = rangeOf(question);
  const end = to === null ? names.newest : String(to);
  return { ...question, params: { [names.from]: String(from), ...(end === null ? {} : { [names.to]: end }) } };
}

/** The cursor of such a list, and the block in it. */
export function cursorAt(question: ListQuestion, from: number): Cursor {
  return { [rangeOf(question).from]: String(from) };
}

export function blockIn(question: ListQuestion, cursor: Cursor): number {
  return Number(cursor[rangeOf(question).from]);
}

function rangeOf({ operation, range }: Pick<ListQuestion, 'operation' | 'range'>): RangeParams {
  if (range === undefined) throw new TypeError(`${operation} is not read by ranges of blocks`);
  return range;
}

/** Its first page shows the chain's head. */
export function blocks(explorer: string): ListQuestion<typeof Block.fields> {
  return { ...list(explorer, ROWS.blocks, null, Block), head: headOf };
}

function one<F extends Fields>(
  explorer: string,
  operation: ApiOperation,
  of: Address,
  record: RecordType<F>,
): OneQuestion<F> {
  return { shape: 'one', ...request(explorer, operation, of), record };
}

function list<F extends Fields>(
  explorer: string,
  operation: ApiOperation,
  of: Address | null,
  record: RecordType<F>,
): ListQuestion<F> {
  return { shape: 'list', ...request(explorer, operation, of), record };
}

function request(explorer: string, operation: ApiOperation, of: Address | null) {
  return about(explorer, operation, of?.key ?? '');
}

function about(explorer: string, { name, path, credits }: ApiOperation, hash: string) {
  return { explorer, operation: name, path: path.replace('{hash}', hash), params: {}, credits };
}
