// A poll: observe, step, commit; after that the dispatcher is woken.
//
// A watch is never polled twice at once. A tick during its poll is skipped and counted: a queue of late polls would
// only make the explorer slower.
//
// Only watches of shards that this process holds are polled, and only their memories are kept: another replica may
// change the others. Memory is read after the claim of its shard, and dropped before another replica can have the
// shard.
import type { Ownership } from '../../cluster/ownership.ts';
import { showsHead } from '../../core/model/watch/watch.ts';
import type { Memory } from '../../core/model/memory.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Observation } from '../../core/model/observation.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { Postponed } from '../../core/model/watch/question.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import { createChainIdentity, createChains } from './chains.ts';
import {
  createBatch,
  createCommitRecovery,
  type RecallCause,
  type RecoveryOptions,
  type UnkeptDecisions,
} from './commit.ts';
import { createDetails } from './details.ts';
import { createDecider, createTicks, type Reader, type Tick } from './decider.ts';
import { createHeldWatches, explorerShard, type ShardOf, type WatchReadings, watchShard } from './held-watches.ts';
import { createOutages } from '../reporting/report.ts';
import { paceOfRule } from '../scheduling/when-due.ts';
import { NOBODY_TOLD } from '../sending/unrecorded.ts';
import { createRunsOfWatches } from './beside-memory.ts';
import { withDoubt, type DecidedPoll, type PollHook } from './poll.ts';

export interface PollerOptions {
  readonly store: Store;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'mayWork' | 'lost' | 'avoid'>;
  readonly readerOf: (explorer: string) => Reader | undefined;
  readonly clock: Clock;
  /**
   * True if an operator paused the watch: it is not polled, and its state stays unchanged. By default no watch is
   * paused.
   */
  readonly isPaused?: (watch: Watch) => boolean;
  /**
   * The wait of a decision without transitions for a common commit, in real milliseconds; 0 when left out.
   */
  readonly silentWaitMs?: number;
  readonly log: Log;
  /** Called after each poll with its result. */
  readonly onPolled: (watch: Watch, observation: Observation, decision: Decision, tookMs: number) => void;
  readonly onSkipped: (watch: Watch) => void;
  /** Called when the lease of the shard had ended at a poll, but the shard is not lost yet: the poll has no result. */
  readonly onLeaseEnded?: (watch: Watch) => void;
  /** Called when a poll was due but the plan has no credits for it now: no request was made. */
  readonly onPostponed?: (watch: Watch) => void;
  /** The interval in force; by default the rule's. */
  readonly paceOf?: (watch: Watch) => number;
  /** Called when a poll is due and the memory of the watch is damaged. */
  readonly onDamaged: (watch: Watch) => void;
  /** Called when the memory of a watch was read again, because the store did not keep a commit. */
  readonly onRecalled: (cause: RecallCause) => void;
  /** Called for each first page of blocks. `areForked`: servers of the explorer are on different forks. */
  readonly onForks: (explorer: string, areForked: boolean) => void;
  /** Called after each check whether an explorer still shows the same chain. */
  readonly onIdentity: (explorer: string, isOther: boolean) => void;
  readonly hook?: PollHook | null;
  /** Called when the store has, or may have, new transitions. */
  readonly onTransitions: () => void;
  /** Sends transitions that the store does not keep; by default they are not sent. */
  readonly unrecorded?: RecoveryOptions['unrecorded'];
}

/** Watches with loaded memories, which are not polled before `commit`. An unused object needs no clean-up. */
export interface PreparedWatches {
  /** From now on exactly these watches are polled, if their shards are held. Does not fail. */
  commit(): void;
}

export interface Poller {
  /**
   * Reads the stored values of these watches and changes nothing. Rejects with a `StorageError`. `shardOf` comes into
   * force with the watches; by default the present one stays.
   */
  prepare(watches: readonly Watch[], shardOf?: ShardOf): Promise<PreparedWatches>;
  /**
   * Call this if the replica that polled the shard before did not give it back. It may have sent critical messages from
   * memory without a record of it. The next poll of each watch finds these alerts again, and marks its messages as
   * possible copies.
   */
  takenOver(shard: Shard): void;
  /** The shards in force. */
  readonly shardOf: ShardOf;
  /** The watches that are polled. */
  readonly watches: () => readonly Watch[];
  /** Call this before the shard is given back. Stores unsaved values; after that no poll of the shard takes effect. */
  release(shard: Shard): Promise<void>;
  /** The shard is lost: its values are dropped from memory, and none is stored. */
  drop(shard: Shard): void;
  /** Polls all of them. Resolves when each poll has ended; never rejects. */
  poll(watches: readonly Watch[], signal: AbortSignal): Promise<void>;
  /** Readings of the watches that are polled. */
  readonly readings: WatchReadings;
  readonly unkept: UnkeptDecisions;
  /** The reason why an explorer seems to show another chain than before; null if it does not. */
  readonly otherChain: (explorer: string) => string | null;
  /** Stores the end of coverage of each watch, and its last snapshot. */
  flush(): Promise<void>;
  /** Resolves when no poll is running. */
  idle(): Promise<void>;
}

export function createPoller(options: PollerOptions): Poller {
  const { isPaused = () => false } = options;
  let shards = explorerShard;
  const shardOf: ShardOf = (explorer) => shards(explorer);
  const shardOfWatch = watchShard(shardOf);
  const { store, ownership, readerOf, clock, log, onPolled, onSkipped, onDamaged, onTransitions, onRecalled } = options;
  const running = new Map<WatchId, Promise<void>>();
  /** Explorers whose head some watch reads at every poll. */
  let withHead: ReadonlySet<string> = new Set();
  const runs = createRunsOfWatches(store);
  const chains = createChains({ store, ownership, shardOf, log, onForks: options.onForks });
  const identity = createChainIdentity({ chains, clock, log, onIdentity: options.onIdentity });
  const outages = createOutages(log);
  /** Watches whose next poll may find alerts that another replica sent before it ended. */
  const unsure = new Set<WatchId>();
  const held = createHeldWatches({ store, ownership, shardOf: shardOfWatch, log });
  const batch = createBatch<DecidedPoll>({
    store,
    ownership,
    clock,
    silentWaitMs: options.silentWaitMs ?? 0,
    outages,
    shardOf: ({ watch }) => shardOfWatch(watch),
    isInForce,
    onCommitted: settle,
  });
  const details = createDetails({ ...options, shardOf: shardOfWatch, outages, onAdded: onTransitions });
  const decider = createDecider({
    store,
    clock,
    log,
    hook: options.hook ?? null,
    runs,
    chains,
    identity,
    readsHead: (explorer) => withHead.has(explorer),
    paceOf: options.paceOf ?? paceOfRule,
  });
  const recovery = createCommitRecovery({
    batch,
    recall: async ({ id }) => (await store.recall([id])).get(id),
    heldMemory: (watch) => held.memoryOrBlank(watch),
    unrecorded: options.unrecorded ?? NOBODY_TOLD,
    replace,
    async decideAgain(decided) {
      const again = await decider.decideAgain(decided, held.memoryOrBlank(decided.watch));
      return again && doubtedIfUnsure(again);
    },
    outages,
    log,
    onRecalled,
  });

  function doubtedIfUnsure(decided: DecidedPoll): DecidedPoll {
    return unsure.has(decided.watch.id) ? withDoubt(decided) : decided;
  }

  async function pollOne(watch: Watch, tick: Tick, signal: AbortSignal): Promise<void> {
    if (held.isDamaged(watch.id) && !(await mend(watch))) return;
    if (!(await recovery.settle(watch))) return;
    const known = recovery.unkept(watch.id)?.memory ?? held.memoryOrBlank(watch);
    const decided = await decider.decide(watch, known, tick).catch(postponed);
    // A poll has no effect if the daemon is stopping, or if the watch was removed or paused meanwhile.
    if (signal.aborted || !held.has(watch.id) || isPaused(watch)) return;
    if (decided === 'postponed') {
      options.onPostponed?.(watch);
      return;
    }
    if (decided === null || !mayWork(watch)) {
      options.onLeaseEnded?.(watch);
      return;
    }
    outages.polled(watch, decided.observation);
    await recovery.commit(doubtedIfUnsure(decided));
  }

  /** Reads a damaged memory again. False: it is still damaged. */
  async function mend(watch: Watch): Promise<boolean> {
    if (!(await held.mend(watch))) {
      onDamaged(watch);
      return false;
    }
    runs.forget(watch.id);
    onTransitions();
    return true;
  }

  /** Loads a memory of a commit that is unknown here. It may have transitions, so `onTransitions` is called. */
  function replace(watch: Watch, stored: Memory | undefined): void {
    if (!held.has(watch.id)) return;
    runs.forget(watch.id);
    held.replace(watch, stored);
    onTransitions();
  }

  /**
   * False if a reload removed the watch meanwhile, also if it was added again, since it then started without a memory.
   */
  function isInForce({ watch: { id }, decision }: DecidedPoll): boolean {
    return held.has(id) && held.versionOf(id) === decision.expects;
  }

  function settle(decided: DecidedPoll, storedAt: Instant): void {
    const { watch, observation, decision, tookMs, hooked } = decided;
    // The transitions are stored, even if a reload removed the watch during the commit.
    if (decision.transitions.length > 0) onTransitions();
    if (!held.has(watch.id)) return;
    if (observation.type === 'seen') unsure.delete(watch.id);
    runs.kept(watch, decision, observation.at);
    held.committed(decided);
    onPolled(watch, observation, decision, tookMs);
    const asking = details.begin(decided, storedAt);
    hooked?.settled(observation, asking);
  }

  const mayWork = (watch: Watch): boolean => ownership.mayWork(shardOfWatch(watch));

  function adopted(watches: readonly Watch[]): void {
    runs.adopt(new Set(watches.map(({ id }) => id)));
    withHead = explorersOf(watches.filter(showsHead));
  }

  function drop(shard: Shard): void {
    const { rest = [], gone = [] } = Object.groupBy(held.watches(), (watch) =>
      shardOfWatch(watch) === shard ? 'gone' : 'rest',
    );
    held.keep(rest);
    adopted(rest);
    for (const { id } of gone) {
      recovery.forget(id);
      unsure.delete(id);
    }
    for (const explorer of explorersOf(gone)) {
      chains.drop(explorer);
      identity.drop(explorer);
    }
  }

  async function flush(): Promise<void> {
    await held.flush();
    await chains.flush();
  }

  return {
    async prepare(watches, nextShards = shards) {
      /** The claim of the shard that a watch belongs to; null: the shard is not held. */
      const claimOf = (watch: Watch): Fence | null => ownership.fenceOf(nextShards(watch.target.explorer));
      const claims = new Map(watches.map((watch) => [watch.id, claimOf(watch)]));
      const own = watches.filter(({ id }) => claims.get(id) !== null);
      const commitChains = await chains.prepare(explorersOf(own));
      const commitWatches = await held.prepare(own);
      return {
        commit() {
          // Values read under an ended claim may be old: the next claim reads them again.
          const still = own.filter((watch) => claims.get(watch.id)?.epoch === claimOf(watch)?.epoch);
          shards = nextShards;
          commitChains(explorersOf(still));
          commitWatches(still);
          adopted(still);
        },
      };
    },
    takenOver(shard) {
      for (const watch of held.watches()) if (shardOfWatch(watch) === shard) unsure.add(watch.id);
    },
    shardOf,
    watches: held.watches,
    async release(shard) {
      await batch.idle();
      await flush();
      drop(shard);
    },
    drop,
    async poll(watches, signal) {
      const ticks = createTicks(readerOf, clock.now(), watches);
      const polls = watches.flatMap((watch) => {
        if (isPaused(watch) || !held.has(watch.id)) return [];
        if (!mayWork(watch)) {
          options.onLeaseEnded?.(watch);
          return [];
        }
        if (running.has(watch.id)) {
          onSkipped(watch);
          return [];
        }
        const polling = pollOne(watch, ticks.of(watch.target.explorer), signal)
          .catch((error: unknown) => {
            // A defect in one watch must not end the daemon. Nothing was committed; the next poll tries again.
            log.error('watch:failed', { watch: watch.name, error });
          })
          .finally(() => running.delete(watch.id));
        running.set(watch.id, polling);
        return [polling];
      });
      await Promise.all(polls);
      ticks.end();
    },
    readings: held,
    unkept: recovery,
    otherChain: identity.otherChain,
    flush,
    async idle() {
      await Promise.allSettled(running.values());
      await details.idle();
    },
  };
}

function postponed(error: unknown): 'postponed' {
  if (error instanceof Postponed) return 'postponed';
  throw error;
}

function explorersOf(watches: readonly Watch[]): ReadonlySet<string> {
  return new Set(watches.map(({ target }) => target.explorer));
}
