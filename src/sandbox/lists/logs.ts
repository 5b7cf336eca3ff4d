// `module=logs&action=getLogs`: logs of a contract, or with some topics, in a range of blocks, the oldest first. There is
// no cursor.
import type { JsonRow } from '../answer.ts';
import { isAddress, keyOf, type AddressKey } from '../chain/keys.ts';
import type { Params } from '../params.ts';
import { logsIn, type MinedLog } from '../render/logs.ts';
import type { World } from '../world.ts';

/** The answer always has status 200. `result` null: the request was refused. */
export interface ApiResult {
  readonly status: '0' | '1';
  readonly message: string;
  readonly result: readonly JsonRow[] | null;
}

const MOST_ROWS = 1000;
const TOPICS = ['topic0', 'topic1', 'topic2', 'topic3'];
export const TOPIC = /^0x[0-9a-f]{64}$/i;

export function listLogs(world: World, params: Params): ApiResult {
  const [from, to] = [blockOf(world, params.get('fromBlock')), blockOf(world, params.get('toBlock'))];
  if (from === null || to === null) return refused('Required query parameters missing: fromBlock, toBlock');
  const address = params.get('address');
  if (address === undefined && !TOPICS.some((name) => params.has(name)))
    return refused('Required query parameters missing: address, topic{x}');
  if (address !== undefined && !isAddress(address)) return refused('Invalid address format');
  const missing = missingOperator(params);
  if (missing !== null) return refused(`Required query parameters missing: ${missing}`);
  const rows = foundIn(world, { address, from, to: Math.min(to, world.head()) }, matcherOf(params));
  if (rows.length === 0) return { status: '0', message: 'No logs found', result: [] };
  return { status: '1', message: 'OK', result: rows.map((row) => rowOf(world, row)) };
}

function refused(message: string): ApiResult {
  return { status: '0', message, result: null };
}

function blockOf(world: World, text: string | undefined): number | null {
  if (text === 'latest') return world.head();
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Each pair of topics needs an operator, also if another topic stands between them. */
function missingOperator(params: Params): string | null {
  const given = TOPICS.flatMap((name, place) => (params.has(name) ? [place] : []));
  const pairs = given.flatMap((one, i) => given.slice(i + 1).map((other) => `topic${one}_${other}_opr`));
  return pairs.find((name) => !['and', 'or'].includes(params.get(name) ?? '')) ?? null;
}

/** A malformed topic is ignored, and the answer does not report it. So the answer has more rows. */
function matcherOf(params: Params): (row: MinedLog) => boolean {
  const wanted = TOPICS.map((name) => params.get(name)).map((topic) =>
    topic !== undefined && TOPIC.test(topic) ? topic.toLowerCase() : undefined,
  );
  return ({ log }) => wanted.every((topic, place) => topic === undefined || log.topics[place]?.toLowerCase() === topic);
}

export interface WantedLogs {
  /** Undefined: of any contract. */
  readonly address: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** The oldest first, at most as many as an answer has. */
export function foundIn(
  world: World,
  { address, from, to }: WantedLogs,
  matches: (row: MinedLog) => boolean,
): MinedLog[] {
  const key = address === undefined ? null : keyOf(address);
  const found: MinedLog[] = [];
  for (const height of heightsUpwards(world, key, { from, to })) {
    const rows = logsIn(world.chain.transactionsOf(height));
    found.push(...rows.filter((row) => (key === null || keyOf(row.log.address) === key) && matches(row)));
    if (found.length >= MOST_ROWS) return found.slice(0, MOST_ROWS);
  }
  return found;
}

/** `key` null: all blocks. */
function heightsUpwards(world: World, key: AddressKey | null, { from, to }: Omit<WantedLogs, 'address'>): number[] {
  if (key === null) return Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);
  const heights: number[] = [];
  for (const height of world.chain.heightsOf(key, to)) {
    if (height < from) break;
    heights.push(height);
  }
  return heights.reverse();
}

function rowOf(world: World, { log, mined: { transaction, height, position }, index }: MinedLog): JsonRow {
  return {
    address: log.address.toLowerCase(),
    blockNumber: hex(height),
    data: log.data,
    gasPrice: hex(transaction.tip),
    gasUsed: hex(transaction.gasUsed),
    logIndex: hex(index),
    timeStamp: hex(Math.floor(world.timeOf(height) / 1000)),
    topics: TOPICS.map((_name, place) => log.topics[place] ?? null),
    transactionHash: transaction.hash,
    transactionIndex: hex(position),
  };
}

/** Zero is written without digits. */
function hex(value: number | bigint): string {
  return BigInt(value) === 0n ? '0x' : `0x${value.toString(16)}`;
}
