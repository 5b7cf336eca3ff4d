// The shards that this replica holds, and the calls to their followers.
//
//   claimed    no request is sent before the window of the rate limit has passed: another replica may have sent
//              requests until just now
//   working    followers read the stored data of the shard, then work on it
//   releasing  no request is sent for it; followers end running work, then it is given back
//   lost       another replica may have it: no data of it may be written any more
//
// The calls for one shard are made in this order, each after the end of the one before. Shards do not wait for each
// other.
import type { Clock } from '../lib/clock.ts';
import type { ClaimedShard, HeldShard } from '../store/contract/cluster.ts';
import type { Fence, Shard } from '../store/contract/fence.ts';
import type { Log } from '../telemetry/log.ts';
import type { Follower } from './ownership.ts';

interface Entry {
  readonly held: ClaimedShard;
  deadline: number;
  state: 'claimed' | 'working' | 'releasing';
}

const AGAIN_MS = 1000;

export class HeldShards {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #entries = new Map<Shard, Entry>();
  readonly #followers: Follower[] = [];
  /** The last call for each shard. The next one waits for it. */
  readonly #work = new Map<Shard, Promise<void>>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The shards that this replica holds, including those that are about to be given back. */
  all(): readonly HeldShard[] {
    return [...this.#entries.values()].map(({ held }) => held);
  }

  readonly fenceOf = (shard: Shard): Fence | null => {
    const entry = this.#entries.get(shard);
    return entry === undefined || entry.state === 'claimed' ? null : entry.held.fence;
  };

  mayWork(shard: Shard): boolean {
    const entry = this.#entries.get(shard);
    return entry?.state === 'working' && this.#clock.monotonic() < entry.deadline;
  }

  readonly follow = (follower: Follower): void => {
    this.#followers.push(follower);
  };

  add(held: ClaimedShard, deadline: number): void {
    const entry: Entry = { held, deadline, state: 'claimed' };
    this.#entries.set(held.shard, entry);
    void this.#next(held.shard, () => this.#begin(entry));
  }

  /** All leases last until `deadline`. */
  prolong(deadline: number): void {
    for (const entry of this.#entries.values()) entry.deadline = deadline;
  }

  /** False if the shard was not held. */
  lose(shard: Shard): boolean {
    if (!this.#entries.delete(shard)) return false;
    void this.#next(shard, async () => {
      for (const follower of this.#followers) follower.lost(shard);
    });
    return true;
  }

  /** Resolves when `giveBack` was called and has ended, or the shard was lost before. Never rejects. */
  async release(shard: Shard, giveBack: (fence: Fence) => Promise<void>): Promise<void> {
    const entry = this.#entries.get(shard);
    if (entry === undefined || entry.state === 'releasing') return;
    entry.state = 'releasing';
    await this.#next(shard, () => this.#end(entry, giveBack));
  }

  #next(shard: Shard, step: () => Promise<void>): Promise<void> {
    const done = (this.#work.get(shard) ?? Promise.resolve()).then(step).catch((error: unknown) => {
      this.#log.error('cluster:failed', { shard, error });
    });
    this.#work.set(shard, done);
    return done;
  }

  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(entry.held.shard) === entry;
  }

  async #begin(entry: Entry): Promise<void> {
    const { shard, askAfterMs, isTakeover } = entry.held;
    await this.#clock.sleep(askAfterMs);
    if (!this.#isCurrent(entry)) return;
    if (entry.state === 'claimed') entry.state = 'working';
    for (const follower of this.#followers) await this.#tell(entry, () => follower.claimed(shard, isTakeover));
  }

  /** Repeats the call until it succeeds or the shard is lost. */
  async #tell(entry: Entry, claimed: () => Promise<void>): Promise<void> {
    while (this.#isCurrent(entry)) {
      try {
        await claimed();
        return;
      } catch (error) {
        const effect = 'the shard is tried again in a second';
        this.#log.warn('cluster:not-begun', { shard: entry.held.shard, error, effect });
        await this.#clock.sleep(AGAIN_MS);
      }
    }
  }

  async #end(entry: Entry, giveBack: (fence: Fence) => Promise<void>): Promise<void> {
    if (!this.#isCurrent(entry)) return;
    const { shard, fence } = entry.held;
    for (const follower of this.#followers)
      await follower.releasing(shard).catch((error: unknown) => {
        this.#log.error('cluster:failed', { shard, error, effect: 'the shard is given back nevertheless' });
      });
    if (!this.#isCurrent(entry)) return;
    await giveBack(fence).finally(() => {
      if (this.#isCurrent(entry)) this.#entries.delete(shard);
    });
  }
}
