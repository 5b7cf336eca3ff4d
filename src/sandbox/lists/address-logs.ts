import type { SandboxPage, JsonRow } from '../answer.ts';
import { keyOf, showTime } from '../chain/keys.ts';
import { numberOf } from '../params.ts';
import { logsIn, type MinedLog } from '../render/logs.ts';
import type { World } from '../world.ts';
import { takePage, visitSome, type ListRequest, type PausedBelow } from './page.ts';
import { firstHeight } from './transactions.ts';

/** `addresses/{hash}/logs`: the newest first. `topic` may be at any of the four places. */
export function listAddressLogs(world: World, address: string, request: ListRequest): SandboxPage {
  const { params } = request;
  const key = keyOf(address);
  const topic = params.get('topic')?.toLowerCase();
  const below = placeOf(request);
  const matches = ({ log, mined, index }: MinedLog): boolean =>
    keyOf(log.address) === key &&
    (topic === undefined || log.topics.some((one) => one.toLowerCase() === topic)) &&
    (below === undefined || mined.height < below.height || index < below.index);
  const rows = visitSome(world.chain.heightsOf(key, firstHeight(world, below)), (height) =>
    logsIn(world.chain.transactionsOf(height)).filter(matches).reverse(),
  );
  return takePage<MinedLog>(rows, request, { item: (row) => renderRow(world, row), cursor });
}

function renderRow(world: World, { log, mined, index }: MinedLog): JsonRow {
  const { height, transaction } = mined;
  const row = {
    address: world.refRow(log.address),
    block_hash: world.chain.blockHash(height),
    block_number: height,
    block_timestamp: showTime(world.timeOf(height)),
    data: log.data,
    decoded: null,
    index,
    smart_contract: null,
    topics: [...log.topics, null, null, null, null].slice(0, 4),
    transaction_hash: transaction.hash,
  };
  return world.dialect.write('log', row, () => ({}));
}

interface LogPlace {
  readonly height: number;
  readonly index: number;
}

function placeOf({ params }: ListRequest): LogPlace | undefined {
  const height = numberOf(params, 'block_number');
  return height === undefined ? undefined : { height, index: numberOf(params, 'index') ?? 0 };
}

function cursor(last: MinedLog | PausedBelow): JsonRow {
  if ('pausedBelow' in last) return { block_number: last.pausedBelow, index: 0 };
  return { block_number: last.mined.height, index: last.index };
}
