// `module=account&action=txlistinternal`: calls inside transactions with their data, in a range of blocks.
import type { JsonRow } from '../answer.ts';
import { downFrom } from '../chain/heights.ts';
import { isAddress, keyOf } from '../chain/keys.ts';
import type { Params } from '../params.ts';
import type { TracedCall } from '../render/rows.ts';
import type { World } from '../world.ts';
import { findMined, isHash } from './one-transaction.ts';
import { callsOf } from './internal-transactions.ts';
import { sideOf } from './transactions.ts';

/** The answer always has status 200. `result` null: the request was refused. Status 2: blocks are not traced yet. */
export interface AccountResult {
  readonly status: '0' | '1' | '2';
  readonly message: string;
  readonly result: readonly JsonRow[] | null;
}

const MOST_ROWS = 1000;

export function listAccountCalls(world: World, params: Params): AccountResult {
  const hash = params.get('txhash');
  if (hash !== undefined) return listCallsOf(world, hash, params);
  const address = params.get('address');
  if (address === undefined) return refused('Query parameter txhash or address is required');
  if (!isAddress(address)) return refused('Invalid address format');
  const heights = { from: blockOf(params, 'startblock', 0), to: blockOf(params, 'endblock', world.head()) };
  const rows = pageOf(foundIn(world, keyOf(address), heights, params), params);
  const { marksUntraced } = world.dialect.accountCalls;
  const isTraced = !marksUntraced || [...downFrom(heights.to, heights.from)].every((at) => world.chain.isTraced(at));
  const result = rows.map((row) => rowOf(world, row));
  if (!isTraced) return { status: '2', message: UNTRACED, result };
  if (result.length === 0) return { status: '0', message: 'No internal transactions found', result };
  return { status: '1', message: 'OK', result };
}

/** The calls inside one transaction. */
function listCallsOf(world: World, hash: string, params: Params): AccountResult {
  if (!isHash(hash)) return refused('Invalid txhash format');
  const mined = findMined(world, hash);
  if (mined === undefined) return { status: '0', message: 'No internal transactions found', result: [] };
  const withZero = !world.dialect.accountCalls.leavesOutZero || params.get('include_zero_value') === 'true';
  const isTraced = world.chain.isTraced(mined.height);
  const calls = isTraced ? mined.transaction.calls.filter(({ value }) => withZero || value > 0n) : [];
  const result = calls.map((call) => rowOf(world, { mined, call }));
  if (!isTraced && world.dialect.accountCalls.marksUntraced) return { status: '2', message: UNTRACED, result };
  if (result.length === 0) return { status: '0', message: 'No internal transactions found', result };
  return { status: '1', message: 'OK', result };
}

const UNTRACED = 'Some internal transactions within this block range have not yet been processed';

function refused(message: string): AccountResult {
  return { status: '0', message, result: null };
}

/** A malformed number is ignored; the answer does not report it. */
function blockOf(params: Params, name: string, otherwise: number): number {
  const text = params.get(name) ?? '';
  return /^\d{1,15}$/.test(text) ? Math.min(Number(text), name === 'endblock' ? otherwise : Infinity) : otherwise;
}

interface Heights {
  readonly from: number;
  readonly to: number;
}

/** The newest first. */
function foundIn(world: World, key: string, { from, to }: Heights, params: Params): TracedCall[] {
  const isOnSide = sideOf(params, 'filter_by');
  const withZero = !world.dialect.accountCalls.leavesOutZero || params.get('include_zero_value') === 'true';
  const found: TracedCall[] = [];
  for (const height of world.chain.heightsOf(key, to)) {
    if (height < from) break;
    const rows = callsOf(world, height).filter(({ call }) => isOnSide(call, key) && (withZero || call.value > 0n));
    found.push(...rows);
  }
  return found;
}

function pageOf(newestFirst: readonly TracedCall[], params: Params): readonly TracedCall[] {
  const rows = params.get('sort') === 'asc' ? newestFirst.toReversed() : newestFirst;
  const size = Math.min(MOST_ROWS, Number(params.get('offset') ?? MOST_ROWS) || MOST_ROWS);
  const page = Number(params.get('page') ?? 1) || 1;
  return rows.slice((page - 1) * size, page * size);
}

const PLAIN = ['call', 'callcode', 'delegatecall', 'staticcall'];

function rowOf(world: World, { mined: { transaction, height }, call }: TracedCall): JsonRow {
  const isPlain = PLAIN.includes(call.type);
  return {
    blockNumber: String(height),
    callType: isPlain ? call.type : '',
    contractAddress: call.created ?? '',
    errCode: call.error ?? '',
    from: call.from.toLowerCase(),
    gas: String(call.gas),
    gasUsed: String(Math.floor(call.gas / 2)),
    index: String(call.index),
    input: call.created === null ? (call.input ?? '0x') : '',
    isError: call.error === null ? '0' : '1',
    timeStamp: String(Math.floor(world.timeOf(height) / 1000)),
    to: call.to?.toLowerCase() ?? '',
    transactionHash: transaction.hash,
    type: isPlain ? 'call' : call.type,
    value: String(call.value),
  };
}
