// The chain record of each explorer. A page of blocks is added once, whichever watch read it, and is stored with the
// other values that change with every poll.
import type { Ownership } from '../../cluster/ownership.ts';
import {
  anchorIn,
  type BlockAnchor,
  type ChainMatch,
  heightsToCompare,
  identityOf,
  MOST_REPLACED,
  type ShownBlocks,
  showsKnown,
} from '../../core/chain/chain-identity.ts';
import {
  blocksPage,
  chainRecord,
  type ChainRecord,
  changedBlocks,
  type KnownBlock,
  takePage,
} from '../../core/chain/chain-record.ts';
import type { ChainReading } from '../../core/model/observation.ts';
import { Missed } from '../../core/model/watch/question.ts';
import type { AnyView } from '../../core/values/fields.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ShardOf } from './state.ts';

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
  /**
   * Call this when the explorer shows the same chain. `same`: the explorer showed the anchor, so a newer block may
   * become the anchor.
   */
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
        else ownership.lost(shard, fence);
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

// Checks whether an explorer still shows the same chain: at the first poll after a start, once a day, and when its head
// falls by more than 64 blocks. While it shows another chain its polls are missed, and it is checked again once a
// minute.

interface ChainIdentityOptions {
  readonly chains: Pick<Chains, 'knownOf' | 'isDoubted' | 'believe'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each answer. */
  readonly onIdentity: (explorer: string, isOther: boolean) => void;
}

/** Requests the blocks at a height and below. */
type ReadBlocks = (height: number) => Promise<ShownBlocks>;

export interface ChainIdentity {
  /** `by` is the reader of the explorer. A reload may open a new reader; a check is then due. */
  isDue(explorer: string, by: object): boolean;
  /** The message that the explorer shows another chain, by its last answer; null: it shows the same one. */
  readonly otherChain: (explorer: string) => string | null;
  /**
   * Requests the blocks, and resolves with the new result of `otherChain`. Concurrent callers share one request. Never
   * rejects.
   */
  ask(explorer: string, read: ReadBlocks): Promise<string | null>;
  /** Drops the known identity: another replica may make the requests from now on. */
  drop(explorer: string): void;
}

interface Known {
  /** The time of the last usable answer. */
  knownAt: Instant | null;
  triedAt: Instant | null;
  other: string | null;
  asking: Promise<void> | null;
  by: object | null;
}

const DAY_MS = 86_400_000;
const AGAIN_MS = 60_000;
/** Polls once a minute vary by milliseconds, so a check may be this much early. */
const EARLY_MS = 5_000;
/** No check is due so soon after a try, even if it got no answer. */
const RETRY_MS = 10_000;

export function createChainIdentity({ chains, clock, log, onIdentity }: ChainIdentityOptions): ChainIdentity {
  const knownByExplorer = new Map<string, Known>();

  function knownOf(explorer: string): Known {
    const known = knownByExplorer.get(explorer) ?? {
      knownAt: null,
      triedAt: null,
      other: null,
      asking: null,
      by: null,
    };
    knownByExplorer.set(explorer, known);
    return known;
  }

  /** The absolute distance: after the clock was set back, a time in the future must not count as recent. */
  function ageOf(at: Instant | null): number {
    return at === null ? Infinity : Math.abs(clock.now() - at);
  }

  function tell(explorer: string, known: Known, other: string | null): void {
    if (other !== null && known.other === null)
      log.error('explorer:other-chain', { explorer, why: other, effect: EFFECT, 'what to do': WHAT_TO_DO });
    if (other === null && known.other !== null) log.info('explorer:same-chain-again', { explorer });
    known.other = other;
    onIdentity(explorer, other !== null);
  }

  async function askNow(explorer: string, known: Known, read: ReadBlocks): Promise<void> {
    const { anchor, record } = chains.knownOf(explorer);
    if (anchor === null) return;
    const identity = await judged(anchor, record, read);
    known.triedAt = clock.now();
    if (identity === null) return;
    known.knownAt = known.triedAt;
    const isOther = identity === 'other' || (identity === 'unknown' && known.other !== null);
    if (!isOther) chains.believe(explorer, identity);
    tell(explorer, known, isOther ? (known.other ?? whyOther(anchor)) : null);
  }

  return {
    isDue(explorer, by) {
      const known = knownOf(explorer);
      if (known.by !== by) Object.assign(known, { by, knownAt: null, triedAt: null });
      const { knownAt, triedAt, other } = known;
      if (chains.knownOf(explorer).anchor === null || ageOf(triedAt) < RETRY_MS) return false;
      if (other !== null) return ageOf(knownAt) >= AGAIN_MS - EARLY_MS;
      return chains.isDoubted(explorer) || ageOf(knownAt) >= DAY_MS;
    },
    otherChain: (explorer) => knownOf(explorer).other,
    async ask(explorer, read) {
      const known = knownOf(explorer);
      known.asking ??= askNow(explorer, known, read).finally(() => (known.asking = null));
      await known.asking;
      return known.other;
    },
    drop(explorer) {
      knownByExplorer.delete(explorer);
      onIdentity(explorer, false);
    },
  };
}

const EFFECT = 'the watches of this explorer are blind, and their memories stay unchanged';
const WHAT_TO_DO = 'correct the URL of the explorer; if another chain is intended, give the explorer a new name';

function whyOther({ height, hashes }: BlockAnchor): string {
  return `another chain: block ${height} was ${hashes.join(' or ')}, and is not there any more`;
}

/** Null: there was no usable answer. */
async function judged(anchor: BlockAnchor, record: ChainRecord, read: ReadBlocks): Promise<ChainMatch | null> {
  try {
    const newest = Math.max(...record.keys());
    const newestAt = Math.min(...(record.get(newest) ?? []).map(({ firstSeen }) => firstSeen));
    const identity = identityOf(anchor, await read(anchor.height), newestAt);
    if (identity !== 'other') return identity;
    // A single old block that differs does not prove another chain, so newer blocks are compared.
    for (const height of heightsToCompare(record)) {
      const { rows } = await read(height);
      if (showsKnown(record, rows)) return 'same';
    }
    return 'other';
  } catch (error) {
    return error instanceof Missed && CANNOT_SAY.has(error.reason) ? 'unknown' : null;
  }
}

/** A retry would get the same answer for these reasons, so the identity stays unknown. */
const CANNOT_SAY: ReadonlySet<string> = new Set(['wrong-path', 'not-found', 'unprocessable', 'forbidden']);
