// What the database does for replicas, in memory: by one clock, one statement at a time.
import type {
  AnnouncedConfig,
  ClaimedShard,
  DeclaredShard,
  HeldShard,
  LiveReplica,
  Renewed,
  SharedCluster,
} from '../../../src/store/contract/cluster.ts';
import type { Fence, Shard } from '../../../src/store/contract/fence.ts';
import { StateMismatchError, StorageError } from '../../../src/store/contract/store.ts';

interface ShardState {
  owner: string | null;
  epoch: number;
  until: number;
  askFrom: number;
  windowMs: number;
}

interface Wanted {
  readonly family: string;
  readonly count: number;
  readonly shards?: readonly Shard[] | undefined;
}

export class MemoryCluster {
  readonly #now: () => number;
  readonly #replicas = new Map<string, LiveReplica & { readonly until: number }>();
  readonly #shards = new Map<Shard, ShardState>();
  #config: string | null = null;
  /** The config that an operator has accepted. */
  accepted: string | null = null;
  /** Why no replica may go on; null: each may. */
  mismatch: string | null = null;
  /** A watch of which something is remembered; null: nothing is. */
  remembers: string | null = null;
  #epochs = 0;
  /** That have yet to notice that it went back. */
  #behind = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
  }

  renew(id: string, own: AnnouncedConfig, leaseMs: number): Renewed {
    if (this.mismatch !== null) throw new StateMismatchError(this.mismatch);
    const now = this.#now();
    const before = this.#replicas.get(id);
    const announcedAt = before?.checksum === own.checksum ? before.announcedAt : now;
    this.#replicas.set(id, { id, name: id, ...own, announcedAt, until: now + leaseMs });
    const held = [...this.#shards].filter(([, { owner }]) => owner === id);
    for (const [, state] of held) state.until = now + leaseMs;
    return {
      mine: held.map(([shard, state]) => this.#held(shard, state)),
      replicas: [...this.#replicas.values()]
        .filter(({ until }) => until > now)
        .map((one) => ({ ...one, counts: one.counts || one.checksum === this.accepted })),
      shards: [...this.#shards].map(([shard, { owner, until }]) => ({ shard, holder: until > now ? owner : null })),
      config: this.#config,
      now,
      changed: this.#behind.delete(id) ? 'went-back' : null,
    };
  }

  claim(id: string, { family, count, shards }: Wanted, leaseMs: number): ClaimedShard[] {
    const now = this.#now();
    const free = [...this.#shards]
      .filter(
        ([shard, { until }]) => shard.startsWith(`${family}:`) && until < now && (shards?.includes(shard) ?? true),
      )
      .toSorted(([a, x], [b, y]) => x.until - y.until || (a < b ? -1 : 1));
    return free.slice(0, count).map(([shard, state]) => {
      const isTakeover = state.owner !== null;
      state.askFrom = Math.max(state.askFrom, state.until + state.windowMs);
      Object.assign(state, { owner: id, epoch: ++this.#epochs, until: now + leaseMs });
      return { ...this.#held(shard, state), isTakeover };
    });
  }

  release(fence: Fence, windowMs: number): boolean {
    const state = this.#stateOf(fence);
    if (state === undefined) return false;
    const now = this.#now();
    Object.assign(state, { owner: null, until: now - 1, askFrom: Math.max(state.askFrom, now + windowMs) });
    return true;
  }

  addShards(shards: readonly DeclaredShard[]): void {
    for (const { shard, windowMs } of shards)
      if (!this.#shards.has(shard))
        this.#shards.set(shard, { owner: null, epoch: 0, until: -Infinity, askFrom: 0, windowMs });
  }

  dropShard(fence: Fence): void {
    for (const [shard, state] of this.#shards) if (state === this.#stateOf(fence)) this.#shards.delete(shard);
  }

  hasFree(avoided: readonly Shard[] = []): boolean {
    return [...this.#shards].some(([shard, { until }]) => until < this.#now() && !avoided.includes(shard));
  }

  agree(config: string, expects: string | null): boolean {
    if (this.#config !== expects) return false;
    this.#config = config;
    return true;
  }

  leave(id: string): void {
    this.#replicas.delete(id);
  }

  /** By the seconds since every replica last renewed; who holds what is as it was, or as `to` says. */
  goBack(to?: ReadonlyMap<Shard, ShardState>): void {
    this.#behind = new Set(this.#replicas.keys());
    for (const [shard, state] of to ?? []) this.#shards.set(shard, { ...state });
  }

  /** Who holds what now, to go back to. */
  standby(): ReadonlyMap<Shard, ShardState> {
    return new Map([...this.#shards].map(([shard, state]) => [shard, { ...state }]));
  }

  /** As one replica sees it, while `isCut` says that nothing gets through. */
  replica(id: string, leaseMs: number, isCut: () => boolean = () => false): SharedCluster {
    const reach = async <T>(work: () => T): Promise<T> => {
      if (isCut()) throw new StorageError('the database does not answer');
      return work();
    };
    return {
      isShared: true,
      id,
      name: id,
      leaseMs,
      now: () => reach(() => this.#now()),
      renew: (own) => reach(() => this.renew(id, own, leaseMs)),
      isOver: (error) => error instanceof StateMismatchError,
      remembersAny: (watches) => reach(() => this.remembers === null || watches.includes(this.remembers)),
      claim: (family, count, shards) => reach(() => this.claim(id, { family, count, shards }, leaseMs)),
      memoryFormat: () => 1,
      release: (fence, windowMs) => reach(() => this.release(fence, windowMs)),
      addShards: (shards) =>
        reach(() => {
          this.addShards(shards);
        }),
      dropShard: (fence) =>
        reach(() => {
          this.dropShard(fence);
        }),
      hasFree: (avoided) => reach(() => this.hasFree(avoided)),
      allHeld: () => reach(() => !this.hasFree()),
      agree: (config, expects) => reach(() => this.agree(config, expects)),
      leave: () =>
        reach(() => {
          this.leave(id);
        }),
    };
  }

  #stateOf({ key, owner, epoch }: Fence): ShardState | undefined {
    const state = [...this.#shards].find(([shard]) => shard === key)?.[1];
    return state?.owner === owner && state.epoch === epoch ? state : undefined;
  }

  #held(shard: Shard, { owner, epoch, askFrom }: ShardState): HeldShard {
    const fence = { key: shard, slot: 0, owner: owner ?? '', epoch };
    return { shard, fence, askAfterMs: Math.max(askFrom - this.#now(), 0) };
  }
}
