// A poll: observe, step, commit. Then, and only then, the senders are woken.
//
// A watch is never polled twice at once: a tick that finds it still running is skipped and counted, for a queue of late
// polls would only make the explorer slower.
import type { HealthByAlert } from '../core/model/health.ts';
import { showsHead } from '../core/model/watch.ts';
import { shiftClock } from '../core/model/clock-shift.ts';
import { blankMemory } from '../core/step.ts';
import type { Memory } from '../core/model/memory.ts';
import type { Decision } from '../core/model/decision.ts';
import type { Head, Observation } from '../core/model/observation.ts';
import { type Clock, type Instant, nextTurn, showInstant } from '../lib/clock.ts';
import type { Watch } from '../core/model/watch.ts';
import type { WatchId } from '../core/model/ids.ts';
import { Missed, type Read } from '../core/model/question.ts';
import type { Log } from '../telemetry/log.ts';
import type { Coverage, Fence, Store } from '../store/store.ts';
import { createBatch, isWritten } from './batch.ts';
import { createChains, type BlocksReading } from './chains.ts';
import { createCommitRecovery, type RecallCause } from './commit-recovery.ts';
import { createDiagnostics } from './diagnostics.ts';
import { isStop, judgeSafely, pollSafely, readMemory, readTickChain, type PollReader } from './observe.ts';
import { createOutages } from './outages.ts';
import type { Decided, PollHook } from './poll.ts';
import { shardOf } from './shard.ts';

/** What the poller needs of an explorer. */
export interface Reader {
  /** A reader for one tick: equal questions are asked once. */
  tickReader(): Read;
  head(): Head | null;
  /** The first page of blocks, as it was last read; null before that. */
  blocks(): BlocksReading | null;
}

export interface PollerOptions {
  readonly store: Store;
  readonly readerOf: (explorer: string) => Reader | undefined;
  readonly clock: Clock;
  /** How long a decision that owes nothing waits to be committed with others, in real milliseconds; 0 when left out. */
  readonly silentWaitMs?: number;
  readonly log: Log;
  /** Called after each poll with what came of it. */
  readonly onPolled: (watch: Watch, observation: Observation, decision: Decision) => void;
  readonly onSkipped: (watch: Watch) => void;
  /** Called where a poll was due and the memory of the watch is damaged. */
  readonly onDamaged: (watch: Watch) => void;
  /** The memory of a watch was read again, because the store did not keep a commit. */
  readonly onRecalled: (cause: RecallCause) => void;
  /** Called for each first page of blocks: whether replicas of the explorer are on different forks. */
  readonly onForks: (explorer: string, areForked: boolean) => void;
  readonly hook?: PollHook | null;
  /** New deliveries were committed. */
  readonly onOwed: (channels: ReadonlySet<string>) => void;
}

/** Watches whose memory was read and that are not polled yet. Letting go of it takes nothing. */
export interface PreparedWatches {
  /** From now on these watches are polled, and no others. Does not fail. */
  commit(): void;
}

export interface Poller {
  /** Reads what these watches need and changes nothing. Rejects with a `StorageError`. */
  prepare(watches: readonly Watch[]): Promise<PreparedWatches>;
  /** Whether the watch is one of those that are polled. */
  isAdopted(watch: WatchId): boolean;
  /** Polls all of them; ends when every one has been decided. Never throws. */
  poll(watches: readonly Watch[], signal: AbortSignal): Promise<void>;
  memoryOf(watch: WatchId): Memory | undefined;
  /** How the conditions of a watch's alerts do. */
  healthOf(watch: WatchId): HealthByAlert;
  /** Writes down until when each watch was covered, and what it looked at. */
  flush(): Promise<void>;
  /** Resolves when no poll is running. */
  idle(): Promise<void>;
}

/** What the polls of one explorer share that are due together. */
interface Tick {
  readonly reader: Reader;
  readonly read: Read;
  readonly startedAt: Instant;
}

export function createPoller(options: PollerOptions): Poller {
  const { store, readerOf, clock, log, hook, onPolled, onSkipped, onDamaged, onOwed, onRecalled } = options;
  const memoryById = new Map<WatchId, Memory>();
  const running = new Map<WatchId, Promise<void>>();
  const uncovered = new Set<WatchId>();
  /** Watches of which something is stored that cannot be read: on a blank memory they would tell what is long known. */
  const damaged = new Set<WatchId>();
  let adopted: ReadonlyMap<WatchId, Watch> = new Map();
  /** Explorers whose head some watch reads at every poll. */
  let withHead: ReadonlySet<string> = new Set();
  const chains = createChains({ store, log, onForks: options.onForks });
  const outages = createOutages(log);
  const diagnostics = createDiagnostics();
  const recovery = createCommitRecovery({
    batch: createBatch({
      store,
      clock,
      silentWaitMs: options.silentWaitMs ?? 0,
      outages,
      shardOf: ({ watch }) => shardOf(watch),
      isInForce,
      onCommitted: settle,
    }),
    recall: async ({ id }) => (await store.recall([id])).get(id),
    heldVersion: (id) => memoryById.get(id)?.version ?? 0,
    replace,
    decideAgain,
    outages,
    log,
    onRecalled,
  });

  async function pollOne(watch: Watch, tick: Tick, signal: AbortSignal): Promise<void> {
    const { reader, read, startedAt } = tick;
    if (damaged.has(watch.id) && !(await isMended(watch))) {
      onDamaged(watch);
      return;
    }
    if (!(await recovery.settle(watch))) return;
    const memory = withoutClockSkew(memoryById.get(watch.id) ?? blankMemory(watch), watch);
    const hooked = hook?.onPoll({ watch, memory, startedAt }, read) ?? null;
    const pollReader = pollReaderOf(watch, reader, hooked?.read ?? read);
    const judged = await pollSafely(watch, memory, pollReader, log);
    chains.read(watch.target.explorer, reader.blocks());
    // What was read while stopping has no effect, nor for a watch that a reload took out meanwhile.
    if (judged === null || signal.aborted || !adopted.has(watch.id)) return;
    outages.polled(watch, judged.observation);
    await recovery.commit({ watch, ...judged, hooked, chain: pollReader.chain });
  }

  function pollReaderOf(watch: Watch, reader: Reader, read: Read): PollReader {
    const { explorer } = watch.target;
    return {
      read,
      now: () => clock.now(),
      // A head that no watch reads at every poll was read for a single decision, and would grow old unnoticed.
      head: () => (withHead.has(explorer) ? reader.head() : null),
      canAskHead: true,
      chain: async () => {
        const alone = await readTickChain(watch, read);
        return alone === 'unknown' ? alone : chains.read(explorer, reader.blocks());
      },
      endsPoll: isStop,
    };
  }

  /** Whether its memory was repaired, or taken out, since it was found damaged. */
  async function isMended(watch: Watch): Promise<boolean> {
    const broken: WatchId[] = [];
    const stored = await store.recall([watch.id], (id) => broken.push(id));
    if (broken.length > 0) return false;
    damaged.delete(watch.id);
    log.info('watch:memory-mended', { watch: watch.name });
    replace(watch, stored.get(watch.id));
    return true;
  }

  function foundDamaged(watch: Watch, why: string): void {
    damaged.add(watch.id);
    log.error('watch:memory-damaged', {
      watch: watch.name,
      why,
      effect: 'this watch alone is blind until it is taken out',
    });
  }

  /** The store has kept what this process does not know of: its deliveries may be due. */
  function replace(watch: Watch, stored: Memory | undefined): void {
    if (!adopted.has(watch.id)) return;
    if (stored === undefined) memoryById.delete(watch.id);
    else memoryById.set(watch.id, readable(watch, stored, log));
    onOwed(new Set(watch.alerts.flatMap(({ notify }) => notify.map(({ channel }) => channel))));
  }

  async function decideAgain(decided: Decided): Promise<Decided | null> {
    const { watch, observation, chain } = decided;
    const memory = memoryById.get(watch.id) ?? blankMemory(watch);
    const judged = await judgeSafely(watch, memory, observation, chain, log);
    return judged === null ? null : { ...decided, ...judged };
  }

  /** A clock that was set back would leave the watch blind, and its waits running, until it has caught up. */
  function withoutClockSkew(memory: Memory, watch: Watch): Memory {
    const now = clock.now();
    if (memory.coveredUntil === null || memory.coveredUntil <= now) return memory;
    log.warn('clock:went-back', { watch: watch.name, 'last seen': showInstant(memory.coveredUntil) });
    return shiftClock(memory, memory.coveredUntil - (now - 1));
  }

  /** Not when a reload took the watch out meanwhile, even if it was put back since: then it began anew. */
  function isInForce({ watch: { id }, decision }: Decided): boolean {
    return adopted.has(id) && (memoryById.get(id)?.version ?? 0) === decision.expects;
  }

  function settle({ watch, observation, decision, hooked }: Decided): void {
    // Its deliveries are on disk, even when a reload took the watch out during the commit.
    if (decision.deliveries.length > 0) onOwed(new Set(decision.deliveries.map(({ channel }) => channel)));
    if (!adopted.has(watch.id)) return;
    const version = decision.expects + (isWritten(decision) ? 1 : 0);
    memoryById.set(watch.id, { ...decision.memory, version });
    uncovered.add(watch.id);
    diagnostics.polled(watch, observation, decision);
    onPolled(watch, observation, decision);
    hooked?.settled(observation);
  }

  return {
    async prepare(watches) {
      const commitChains = await chains.prepare([...new Set(watches.map(({ target }) => target.explorer))]);
      const unread = watches.filter(({ id }) => !memoryById.has(id));
      const broken = new Map<WatchId, string>();
      const recalled = await store.recall(
        unread.map(({ id }) => id),
        (id, why) => broken.set(id, why),
      );
      const kept = await store.diagnostics(watches.filter(({ id }) => !diagnostics.knows(id)).map(({ id }) => id));
      return {
        commit() {
          commitChains();
          adopted = new Map(watches.map((watch) => [watch.id, watch]));
          withHead = new Set(watches.filter(showsHead).map(({ target }) => target.explorer));
          for (const id of damaged) if (!adopted.has(id)) damaged.delete(id);
          for (const watch of unread) {
            const why = broken.get(watch.id);
            if (why !== undefined && !damaged.has(watch.id)) foundDamaged(watch, why);
            const memory = recalled.get(watch.id);
            if (memory !== undefined && !memoryById.has(watch.id))
              memoryById.set(watch.id, readable(watch, memory, log));
          }
          for (const id of memoryById.keys()) if (!adopted.has(id)) memoryById.delete(id);
          for (const id of uncovered) if (!adopted.has(id)) uncovered.delete(id);
          diagnostics.adopt(watches, kept);
        },
      };
    },
    isAdopted: (id) => adopted.has(id),
    async poll(watches, signal) {
      const startedAt = clock.now();
      const ticks = new Map<string, Tick>();
      const polls = watches.flatMap((watch) => {
        if (running.has(watch.id)) {
          onSkipped(watch);
          return [];
        }
        const { explorer } = watch.target;
        const tick = ticks.get(explorer) ?? tickOf(readerOf(explorer) ?? absent(explorer), startedAt);
        ticks.set(explorer, tick);
        const polling = pollOne(watch, tick, signal)
          .catch((error: unknown) => {
            // A defect around one watch must not end the daemon. Nothing was committed, and the next poll tries again.
            log.error('watch:failed', { watch: watch.name, error });
          })
          .finally(() => running.delete(watch.id));
        running.set(watch.id, polling);
        return [polling];
      });
      await Promise.all(polls);
    },
    memoryOf: (id) => memoryById.get(id),
    healthOf: (id) => diagnostics.healthOf(id),
    async flush() {
      const ids = [...uncovered];
      for (let i = 0; i < ids.length; i += FLUSHED_AT_ONCE) {
        if (i > 0) await nextTurn();
        const some = ids.slice(i, i + FLUSHED_AT_ONCE).flatMap((id) => adopted.get(id) ?? []);
        for (const [fence, own] of Map.groupBy(some, (watch) => store.fenceOf(shardOf(watch))))
          await flushSome(own, fence);
      }
      await chains.flush();
    },
    async idle() {
      await Promise.allSettled(running.values());
    },
  };

  async function flushSome(watches: readonly Watch[], fence: Fence): Promise<void> {
    const coverage = new Map<WatchId, Coverage>();
    const putBack = (): void => {
      for (const [id, kept] of coverage) {
        uncovered.add(id);
        diagnostics.putBack(id, kept);
      }
    };
    for (const { id } of watches) {
      uncovered.delete(id);
      coverage.set(id, { until: memoryById.get(id)?.coveredUntil ?? null, ...diagnostics.take(id) });
    }
    try {
      if ((await store.cover(coverage, fence)) === 'fenced') putBack();
    } catch (error) {
      putBack();
      throw error;
    }
  }
}

// Polls that are due run between two of them.
const FLUSHED_AT_ONCE = 100;

/** State of another release that this one cannot read is let go: a new baseline, said aloud, rather than a guess. */
function readable(watch: Watch, memory: Memory, log: Pick<Log, 'warn'>): Memory {
  const read = readMemory(watch, memory);
  if (read !== null) return read;
  const effect = 'a new baseline; what happened since the last poll is not told';
  log.warn('watch:memory-unreadable', { watch: watch.name, effect });
  return { ...memory, state: null };
}

function tickOf(reader: Reader, startedAt: Instant): Tick {
  return { reader, read: reader.tickReader(), startedAt };
}

/** Stands in for an explorer that is not open: its watches have missed polls, which are counted and logged. */
function absent(explorer: string): Reader {
  const refuse = () => Promise.reject(new Missed('no-explorer', `the explorer ${explorer} is not open`));
  return { tickReader: () => ({ one: refuse, page: refuse, pageAgain: refuse }), head: () => null, blocks: () => null };
}
