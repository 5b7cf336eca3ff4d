// Checks whether an explorer still shows the same chain: at the first poll after a start, once a day, and when its head
// falls by more than 64 blocks. While it shows another chain its polls are missed, and it is checked again once a
// minute.
import {
  heightsToCompare,
  identityOf,
  showsKnown,
  type BlockAnchor,
  type ChainMatch,
  type ShownBlocks,
} from '../../core/chain/chain-identity.ts';
import type { ChainRecord } from '../../core/chain/chain-record.ts';
import { Missed } from '../../core/model/watch/question.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Chains } from './chains.ts';

export interface ChainIdentityOptions {
  readonly chains: Pick<Chains, 'knownOf' | 'isDoubted' | 'believe'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each answer. */
  readonly onIdentity: (explorer: string, isOther: boolean) => void;
}

/** Requests the blocks at a height and below. */
export type ReadBlocks = (height: number) => Promise<ShownBlocks>;

export interface ChainIdentity {
  /** `by`: the reader of the explorer. A new one, as after a reload, makes a check due. */
  isDue(explorer: string, by: object): boolean;
  /** The message that the explorer shows another chain, by its last answer; null: it shows the same one. */
  readonly otherChain: (explorer: string) => string | null;
  /** Requests the blocks, and returns as `otherChain`. Concurrent callers share one request. Never rejects. */
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
