// The shards that this replica holds, and the calls to their followers.
//
//   claimed    another replica may have sent requests until just now: the window of its rate passes first
//   working    followers have read the stored data of it
//   releasing  no request is sent for it; followers end running work, then it is given back
//   lost       another replica may have it: no data of it may be written any more
//
// The calls for one shard come in that order, each after the one before. Shards do not wait for each other.
import type { Clock } from '../lib/clock.ts';
import type { ClaimedShard, HeldShard } from '../store/contract/cluster.ts';
import type { Fence, Shard } from '../store/contract/fence.ts';
import type { Log } from '../telemetry/log.ts';
import type { Follower } from './ownership.ts';

export interface HeldShards {
  /** Shards that are not known to be lost, including those that are about to be given back. */
  all(): readonly HeldShard[];
  readonly fenceOf: (shard: Shard) => Fence | null;
  mayWork(shard: Shard): boolean;
  readonly follow: (follower: Follower) => void;
  add(held: ClaimedShard, deadline: number): void;
  /** All leases last until `deadline`. */
  prolong(deadline: number): void;
  /** False if the shard was not held. */
  lose(shard: Shard): boolean;
  /** Resolves when `giveBack` was called and has ended, or the shard was lost before. Never rejects. */
  release(shard: Shard, giveBack: (fence: Fence) => Promise<void>): Promise<void>;
}

interface Entry {
  readonly held: ClaimedShard;
  deadline: number;
  state: 'claimed' | 'working' | 'releasing';
}

const AGAIN_MS = 1000;

export function createHeldShards({ clock, log }: { readonly clock: Clock; readonly log: Log }): HeldShards {
  const entries = new Map<Shard, Entry>();
  const followers: Follower[] = [];
  /** The last call of each shard. */
  const work = new Map<Shard, Promise<void>>();

  function next(shard: Shard, step: () => Promise<void>): Promise<void> {
    const done = (work.get(shard) ?? Promise.resolve()).then(step).catch((error: unknown) => {
      log.error('cluster:failed', { shard, error });
    });
    work.set(shard, done);
    return done;
  }

  const isCurrent = (entry: Entry): boolean => entries.get(entry.held.shard) === entry;

  async function begin(entry: Entry): Promise<void> {
    const { shard, askAfterMs, isTakeover } = entry.held;
    await clock.sleep(askAfterMs);
    if (!isCurrent(entry)) return;
    if (entry.state === 'claimed') entry.state = 'working';
    for (const follower of followers) await tell(entry, () => follower.claimed(shard, isTakeover));
  }

  /** Repeats the call until it succeeds or the shard is lost. */
  async function tell(entry: Entry, claimed: () => Promise<void>): Promise<void> {
    while (isCurrent(entry)) {
      try {
        await claimed();
        return;
      } catch (error) {
        log.warn('cluster:not-begun', { shard: entry.held.shard, error, effect: 'tried again in a second' });
        await clock.sleep(AGAIN_MS);
      }
    }
  }

  async function end(entry: Entry, giveBack: (fence: Fence) => Promise<void>): Promise<void> {
    if (!isCurrent(entry)) return;
    const { shard, fence } = entry.held;
    for (const follower of followers)
      await follower.releasing(shard).catch((error: unknown) => {
        log.error('cluster:failed', { shard, error, effect: 'it is given back nevertheless' });
      });
    if (!isCurrent(entry)) return;
    await giveBack(fence).finally(() => {
      if (isCurrent(entry)) entries.delete(shard);
    });
  }

  return {
    all: () => [...entries.values()].map(({ held }) => held),
    fenceOf(shard) {
      const entry = entries.get(shard);
      return entry === undefined || entry.state === 'claimed' ? null : entry.held.fence;
    },
    mayWork(shard) {
      const entry = entries.get(shard);
      return entry?.state === 'working' && clock.monotonic() < entry.deadline;
    },
    follow(follower) {
      followers.push(follower);
    },
    add(held, deadline) {
      const entry: Entry = { held, deadline, state: 'claimed' };
      entries.set(held.shard, entry);
      void next(held.shard, () => begin(entry));
    },
    prolong(deadline) {
      for (const entry of entries.values()) entry.deadline = deadline;
    },
    lose(shard) {
      if (!entries.delete(shard)) return false;
      void next(shard, async () => {
        for (const follower of followers) follower.lost(shard);
      });
      return true;
    },
    async release(shard, giveBack) {
      const entry = entries.get(shard);
      if (entry === undefined || entry.state === 'releasing') return;
      entry.state = 'releasing';
      await next(shard, () => end(entry, giveBack));
    },
  };
}
