// `eth_getLogs`: logs of one contract or of all, with some topics, in a range of blocks, the oldest first. A place of the
// topics may have a list of which one must be there. The rows have no time.
import { isRow, type JsonRow } from '../answer.ts';
import { isAddress } from '../chain/keys.ts';
import { foundIn, TOPIC } from '../lists/logs.ts';
import type { MinedLog } from '../render/logs.ts';
import type { World } from '../world.ts';

/** Undefined: the explorer does not understand the filter. */
export function getLogs(world: World, filter: unknown): readonly JsonRow[] | undefined {
  const { address, fromBlock, toBlock, topics = null } = isRow(filter) ? filter : {};
  const [from, to] = [blockOf(world, fromBlock), blockOf(world, toBlock)];
  const wanted = topics === null ? [] : wantedIn(world, topics);
  if (from === null || to === null || wanted === null) return undefined;
  if (address !== undefined && (typeof address !== 'string' || !isAddress(address))) return undefined;
  if (address === undefined && wanted.length === 0) return undefined;
  const matches = ({ log }: MinedLog): boolean =>
    wanted.every((choice, place) => choice.includes(log.topics[place]?.toLowerCase() ?? ''));
  const rows = foundIn(world, { address, from, to: Math.min(to, world.head()) }, matches);
  return rows.map((row) => rowOf(world, row));
}

function blockOf(world: World, tag: unknown): number | null {
  if (tag === undefined || tag === 'latest' || tag === 'pending') return world.head();
  if (tag === 'earliest') return 0;
  return typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag) ? Number(tag) : null;
}

/**
 * The topics for each place, in lower case; null if the explorer does not understand them. Null is left out, so that the
 * places behind it move up. Before release 12, only the last place may have a list.
 */
function wantedIn({ dialect }: World, topics: unknown): readonly (readonly string[])[] | null {
  if (!Array.isArray(topics) || topics.length === 0) return null;
  const given = topics.filter((topic: unknown) => topic !== null);
  const isListEarly = given.slice(0, -1).some(Array.isArray);
  if (isListEarly && !dialect.isSince('12')) return null;
  const choices = given.map((topic: unknown) => choiceOf(Array.isArray(topic) ? topic : [topic]));
  return choices.includes(null) ? null : choices.flatMap((choice) => (choice === null ? [] : [choice]));
}

function choiceOf(topics: readonly unknown[]): readonly string[] | null {
  const legal = topics.flatMap((topic) =>
    typeof topic === 'string' && TOPIC.test(topic) ? [topic.toLowerCase()] : [],
  );
  return legal.length === 0 || legal.length < topics.length ? null : legal;
}

function rowOf(world: World, { log, mined: { transaction, height, position }, index }: MinedLog): JsonRow {
  return {
    address: log.address.toLowerCase(),
    blockHash: world.chain.blockHash(height),
    blockNumber: `0x${height.toString(16)}`,
    data: log.data,
    logIndex: `0x${index.toString(16)}`,
    removed: false,
    topics: log.topics,
    transactionHash: transaction.hash,
    transactionIndex: `0x${position.toString(16)}`,
  };
}
