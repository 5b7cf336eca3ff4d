// A poll: `pollWatch` is all of it. After its commit the dispatcher is woken.
//
// A watch is never polled twice at once. A tick during its poll is skipped and counted: a queue of late polls would
// only make the explorer slower.
//
// Only watches of shards that this process holds are polled, and only their memories are kept: another replica may
// change the others. Memory is read after the claim of its shard, and dropped before another replica can have the
// shard.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Observation } from '../../core/model/observation.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { Postponed } from '../../core/model/watch/question.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import { createOutages, type Outages } from '../reporting/report.ts';
import { paceOfRule } from '../scheduling/when-due.ts';
import { NOBODY_TOLD } from '../sending/unrecorded.ts';
import { keepRuns, notePoll } from './beside-memory.ts';
import { createChainIdentity, createChains } from './chains.ts';
import { commit, type PollCommitTools, createBatch, isWritten, unkeptIn, type UnkeptDecisions } from './commit.ts';
import { type CoverageTools, flushCoverage } from './coverage.ts';
import { decide, type DecidedPoll, type DecideTools } from './decide.ts';
import { createDetails } from './details.ts';
import { due, type RecallCause, recallNew } from './due.ts';
import { createTicks, type PollHook, read, type Reader, type ReadTools, type Tick } from './read.ts';
import {
  adopt,
  createPollState,
  explorerShard,
  forgetSpent,
  readingsIn,
  type ShardOf,
  stateOf,
  versionOf,
  type WatchReadings,
  watchShard,
  type HeldWatch,
} from './state.ts';

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
  readonly unrecorded?: PollCommitTools['unrecorded'];
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

/** Shared by the calls of all polls. */
type PollTools = ReadTools &
  DecideTools &
  PollCommitTools &
  CoverageTools & {
    readonly outages: Outages;
    readonly isPaused: (watch: Watch) => boolean;
    readonly mayWork: (watch: Watch) => boolean;
    readonly onLeaseEnded: (watch: Watch) => void;
    readonly onPostponed: (watch: Watch) => void;
  };

/** How often one observation is decided: again after each commit on a memory that was not the newest. */
const MOST_DECISIONS = 3;

async function pollWatch(
  state: HeldWatch,
  watch: Watch,
  tick: Tick,
  tools: PollTools,
  signal: AbortSignal,
): Promise<void> {
  const memory = await due(state, watch, tools);
  if (memory === null) return;
  let reading = await read(state, watch, memory, tick, tools);
  for (let decisions = 1; ; decisions += 1) {
    const decided = reading && (await decide(state, reading, tools));
    if (!isCurrent(watch, tools, signal)) return;
    if (decided === null || !tools.mayWork(watch)) {
      tools.onLeaseEnded(watch);
      return;
    }
    tools.outages.polled(watch, decided.observation);
    // `commit` calls `report` in the same turn of the event loop. If the shard is given back meanwhile, its values
    // therefore contain the result of this poll.
    reading = await commit(state, decided, tools);
    if (reading === null || decisions === MOST_DECISIONS) return;
  }
}

/** False: a poll has no effect, since the daemon is stopping, or the watch was removed or paused meanwhile. */
function isCurrent(watch: Watch, { polls, isPaused }: PollTools, signal: AbortSignal): boolean {
  return !signal.aborted && polls.watches.has(watch.id) && !isPaused(watch);
}

/** Never rejects: a defect in one watch must not end the daemon. Nothing was committed; the next poll tries again. */
async function pollOne(...[state, watch, tick, tools, signal]: Parameters<typeof pollWatch>): Promise<void> {
  try {
    await pollWatch(state, watch, tick, tools, signal);
  } catch (error) {
    if (!(error instanceof Postponed)) tools.log.error('watch:failed', { watch: watch.name, error });
    else if (isCurrent(watch, tools, signal)) tools.onPostponed(watch);
  } finally {
    state.running = null;
    forgetSpent(tools.polls, state);
  }
}

export function createPoller(options: PollerOptions): Poller {
  const { store, ownership, clock, log, onTransitions, onPolled, onSkipped } = options;
  let shards = explorerShard;
  const shardOf: ShardOf = (explorer) => shards(explorer);
  const shardOfWatch = watchShard(shardOf);
  const polls = createPollState();
  const chains = createChains({ store, ownership, shardOf, log, onForks: options.onForks });
  const identity = createChainIdentity({ chains, clock, log, onIdentity: options.onIdentity });
  const outages = createOutages(log);
  const batch = createBatch<DecidedPoll>({
    store,
    ownership,
    clock,
    silentWaitMs: options.silentWaitMs ?? 0,
    outages,
    shardOf: ({ watch }) => shardOfWatch(watch),
    isInForce,
    onCommitted: report,
  });
  const details = createDetails({ ...options, shardOf: shardOfWatch, outages, onAdded: onTransitions });
  const ignore = (): void => undefined;
  const tools: PollTools = {
    ...options,
    polls,
    chains,
    identity,
    outages,
    batch,
    shardOfWatch,
    hook: options.hook ?? null,
    paceOf: options.paceOf ?? paceOfRule,
    isPaused: options.isPaused ?? (() => false),
    mayWork: (watch) => ownership.mayWork(shardOfWatch(watch)),
    onLeaseEnded: options.onLeaseEnded ?? ignore,
    onPostponed: options.onPostponed ?? ignore,
    unrecorded: options.unrecorded ?? NOBODY_TOLD,
  };

  /**
   * False if a reload removed the watch meanwhile, also if it was added again, since it then started without a memory.
   */
  function isInForce({ watch: { id }, decision }: DecidedPoll): boolean {
    return polls.watches.has(id) && versionOf(stateOf(polls, id)) === decision.expects;
  }

  /** The decision was kept: its memory is in force from now on. */
  function report(decided: DecidedPoll, storedAt: Instant): void {
    const { watch, observation, decision, tookMs, hooked } = decided;
    // The transitions are stored, even if a reload removed the watch during the commit.
    if (decision.transitions.length > 0) onTransitions();
    if (!polls.watches.has(watch.id)) return;
    const state = stateOf(polls, watch.id);
    if (observation.type === 'seen') state.isUnsure = false;
    keepRuns(state, decision, observation.at);
    state.memory = { ...decision.memory, version: decision.expects + (isWritten(decision) ? 1 : 0) };
    state.isCoverageStored = false;
    if (state.diagnostics !== null) notePoll(state.diagnostics, watch, observation, decision);
    polls.changed.note(watch.id);
    onPolled(watch, observation, decision, tookMs);
    const asking = details.begin(decided, storedAt);
    hooked?.settled(observation, asking);
  }

  function drop(shard: Shard): void {
    const { rest = [], gone = [] } = Object.groupBy(polls.watches.values(), (watch) =>
      shardOfWatch(watch) === shard ? 'gone' : 'rest',
    );
    for (const { id } of gone) {
      stateOf(polls, id).isUnsure = false;
      unkept.forget(id);
    }
    adopt(polls, rest);
    for (const explorer of explorersOf(gone)) {
      chains.drop(explorer);
      identity.drop(explorer);
    }
  }

  async function flush(): Promise<void> {
    await flushCoverage(tools);
    await chains.flush();
  }

  function start(watch: Watch, tick: Tick, signal: AbortSignal): Promise<void> {
    const state = stateOf(polls, watch.id);
    state.running = pollOne(state, watch, tick, tools, signal);
    return state.running;
  }

  const unkept = unkeptIn(polls);
  return {
    async prepare(watches, nextShards = shards) {
      /** The claim of the shard that a watch belongs to; null: the shard is not held. */
      const claimOf = (watch: Watch): Fence | null => ownership.fenceOf(nextShards(watch.target.explorer));
      const claims = new Map(watches.map((watch) => [watch.id, claimOf(watch)]));
      const own = watches.filter(({ id }) => claims.get(id) !== null);
      const commitChains = await chains.prepare(explorersOf(own));
      const commitWatches = await recallNew(own, tools);
      return {
        commit() {
          // Values read under an ended claim may be old: the next claim reads them again.
          const still = own.filter((watch) => claims.get(watch.id)?.epoch === claimOf(watch)?.epoch);
          shards = nextShards;
          commitChains(explorersOf(still));
          commitWatches(still);
        },
      };
    },
    takenOver(shard) {
      for (const watch of polls.watches.values())
        if (shardOfWatch(watch) === shard) stateOf(polls, watch.id).isUnsure = true;
    },
    shardOf,
    watches: () => [...polls.watches.values()],
    async release(shard) {
      await batch.idle();
      await flush();
      drop(shard);
    },
    drop,
    async poll(watches, signal) {
      const ticks = createTicks(options.readerOf, clock.now(), watches);
      const running = watches.flatMap((watch) => {
        if (tools.isPaused(watch) || !polls.watches.has(watch.id)) return [];
        if (!tools.mayWork(watch)) {
          tools.onLeaseEnded(watch);
          return [];
        }
        if (stateOf(polls, watch.id).running !== null) {
          onSkipped(watch);
          return [];
        }
        return [start(watch, ticks.of(watch.target.explorer), signal)];
      });
      await Promise.all(running);
      ticks.end();
    },
    readings: readingsIn(polls),
    unkept,
    otherChain: identity.otherChain,
    flush,
    async idle() {
      await Promise.all([...polls.states.values()].flatMap(({ running }) => running ?? []));
      await details.idle();
    },
  };
}

function explorersOf(watches: readonly Watch[]): ReadonlySet<string> {
  return new Set(watches.map(({ target }) => target.explorer));
}
