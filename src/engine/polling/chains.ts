// The chain record of each explorer. A page of blocks is added once, whichever watch read it, and is stored with the
// other values that change with every poll.
import {
  blocksPage,
  chainRecord,
  changedBlocks,
  takePage,
  type ChainRecord,
  type KnownBlock,
} from '../../core/chain/chain-record.ts';
import { anchorIn, MOST_REPLACED, type BlockAnchor, type ChainMatch } from '../../core/chain/chain-identity.ts';
import type { Ownership } from '../../cluster/ownership.ts';
import type { ChainReading } from '../../core/model/observation.ts';
import type { AnyView } from '../../core/values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ShardOf } from './shard.ts';

/** A first page of blocks. Each reading is a new object, also if the answer is equal to an earlier one. */
export interface BlocksReading {
  readonly rows: readonly AnyView[];
  readonly readAt: Instant;
}

export interface ChainsOptions {
  readonly store: Pick<Store, 'chainBlocks' | 'keepChainBlocks'>;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'lost'>;
  readonly shardOf: ShardOf;
  readonly log: Log;
  /** Called for each page. `areForked`: servers of the explorer are on different forks. */
  readonly onForks: (explorer: string, areForked: boolean) => void;
}

export interface Chains {
  /** Reads the records of these explorers. The returned function puts those of the given explorers in force. */
  prepare(explorers: ReadonlySet<string>): Promise<(explorers: ReadonlySet<string>) => void>;
  /** The reading of the newest page; `unknown` before the first page. */
  read(explorer: string, blocks: BlocksReading | null): ChainReading | 'unknown';
  /** The record of an explorer's chain and the block that identifies it; null: no such block is known. */
  knownOf(explorer: string): { readonly anchor: BlockAnchor | null; readonly record: ChainRecord };
  /** True if the head fell so far that it may be of another chain. No page is added until that is decided. */
  isDoubted(explorer: string): boolean;
  /** The explorer shows the same chain. `same`: it showed the anchor, so a newer block may become the anchor. */
  believe(explorer: string, identity: Exclude<ChainMatch, 'other'>): void;
  flush(): Promise<void>;
  /**
   * Drops the record: another replica may make the requests from now on. It is read again before the next request here.
   */
  drop(explorer: string): void;
}

interface Chain {
  record: ChainRecord;
  /** The record in the store. */
  stored: ChainRecord;
  last: { readonly blocks: BlocksReading; readonly reading: ChainReading | 'unknown' } | null;
  /** For each of the last pages: true if it showed a block again that another one had replaced. */
  swings: readonly boolean[];
  anchor: BlockAnchor | null;
  /** The highest head that was believed; null: the next head is believed. */
  top: number | null;
  isDoubted: boolean;
}

export function createChains({ store, ownership, shardOf, log, onForks }: ChainsOptions): Chains {
  const chainByExplorer = new Map<string, Chain>();

  function chainOf(explorer: string): Chain {
    const found = chainByExplorer.get(explorer) ?? newChain([]);
    chainByExplorer.set(explorer, found);
    return found;
  }

  function takeIn(explorer: string, chain: Chain, { rows, readAt }: BlocksReading): ChainReading | 'unknown' {
    const top = blocksPage(rows, chain.record).at(-1)?.height;
    if (top !== undefined && hasFallen(chain, top)) {
      chain.isDoubted = true;
      return 'unknown';
    }
    const taken = takePage(chain.record, rows, readAt);
    noteSwing(explorer, chain, taken.isSwing);
    chain.record = taken.record;
    chain.top = Math.max(chain.top ?? 0, top ?? 0);
    chain.anchor ??= anchorIn(blocksOf(chain.record));
    return taken.reading;
  }

  function noteSwing(explorer: string, chain: Chain, isOne: boolean): void {
    const before = isForked(chain);
    chain.swings = [...chain.swings, isOne].slice(-PAGES_OF_SWINGS);
    const after = isForked(chain);
    onForks(explorer, after);
    if (after === before) return;
    if (!after) log.info('explorer:forks-over', { explorer });
    else log.warn('explorer:forks', { explorer, effect: 'blocks that come and go are sent when they stay' });
  }

  return {
    async prepare(explorers) {
      const fresh = [...explorers].filter((explorer) => !chainByExplorer.has(explorer));
      const blocks = await store.chainBlocks(fresh);
      return (inForce) => {
        for (const [explorer, known] of blocks)
          if (inForce.has(explorer) && !chainByExplorer.has(explorer)) chainByExplorer.set(explorer, newChain(known));
      };
    },
    read(explorer, blocks) {
      if (blocks === null) return 'unknown';
      const chain = chainOf(explorer);
      if (chain.last?.blocks !== blocks) chain.last = { blocks, reading: takeIn(explorer, chain, blocks) };
      return chain.last.reading;
    },
    knownOf: chainOf,
    isDoubted: (explorer) => chainOf(explorer).isDoubted,
    believe(explorer, identity) {
      const chain = chainOf(explorer);
      if (chain.isDoubted) chain.top = null;
      chain.isDoubted = false;
      if (identity === 'same') chain.anchor = anchorIn(blocksOf(chain.record)) ?? chain.anchor;
    },
    async flush() {
      for (const [explorer, chain] of chainByExplorer) {
        const { record, stored, anchor } = chain;
        if (record === stored) continue;
        const changed = changedBlocks(stored, record);
        if (changed.length === 0) continue;
        const shard = shardOf(explorer);
        const fence = ownership.fenceOf(shard);
        if (fence === null) continue;
        const kept = { from: Math.min(...record.keys()), anchor: anchor?.height ?? null };
        const end = await store.keepChainBlocks(explorer, changed, kept, fence);
        if (end === 'kept') chain.stored = record;
        else ownership.lost(shard);
      }
    },
    drop(explorer) {
      chainByExplorer.delete(explorer);
    },
  };
}

function newChain(known: readonly KnownBlock[]): Chain {
  const record = chainRecord(known);
  const top = known.length === 0 ? null : Math.max(...record.keys());
  return { record, stored: record, last: null, swings: [], anchor: anchorIn(known), top, isDoubted: false };
}

function blocksOf(record: ChainRecord): KnownBlock[] {
  return [...record.values()].flat();
}

function hasFallen({ anchor, top }: Chain, head: number): boolean {
  return anchor !== null && top !== null && head < top - MOST_REPLACED;
}

const PAGES_OF_SWINGS = 10;
const SWINGS_OF_FORKS = 2;

function isForked({ swings }: Chain): boolean {
  return swings.filter(Boolean).length >= SWINGS_OF_FORKS;
}
