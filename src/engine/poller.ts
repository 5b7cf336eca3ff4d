// A poll: observe, step, commit. Then, and only then, the couriers are woken.
//
// A watch is never polled twice at once: a tick that finds it still running is skipped and counted, for a queue of late
// polls would only make the explorer slower. Decisions that are ready in the same turn are committed together.
import type { HealthByAlert } from '../core/health.ts';
import type { Decision, Head, Memory, Observation, Watch, WatchId } from '../core/model.ts';
import { Missed, type Read } from '../core/question.ts';
import { blankMemory, retire, step } from '../core/step.ts';
import { nextTurn, showInstant, type Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { Coverage, Store } from '../store/store.ts';
import { createNotebook } from './notebook.ts';
import { createOutages } from './outages.ts';

/** What the poller needs of an explorer. */
export interface Reader {
  /** A reader for one tick: equal questions are asked once. */
  round(): Read;
  head(): Head | null;
  /** Asks where the chain is, at most once in the round. Throws `Missed`. */
  readHead(round: Read): Promise<void>;
}

export interface PollerOptions {
  readonly store: Store;
  readonly readerOf: (explorer: string) => Reader | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each poll with what came of it. */
  readonly onPolled: (watch: Watch, observation: Observation, decision: Decision) => void;
  readonly onSkipped: (watch: Watch) => void;
  /** New deliveries were committed. */
  readonly onOwed: (channels: ReadonlySet<string>) => void;
}

export interface Poller {
  /** Takes over a set of watches: remembers those that stay, and resolves what those that are gone had firing. */
  adopt(watches: readonly Watch[]): Promise<void>;
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

interface Ready {
  readonly watch: Watch;
  readonly observation: Observation;
  readonly decision: Decision;
  readonly done: () => void;
}

export function createPoller(options: PollerOptions): Poller {
  const { store, readerOf, clock, log, onPolled, onSkipped, onOwed } = options;
  const memoryById = new Map<WatchId, Memory>();
  const running = new Map<WatchId, Promise<void>>();
  const uncovered = new Set<WatchId>();
  let adopted: ReadonlySet<WatchId> = new Set();
  const outages = createOutages(log);
  const notebook = createNotebook();
  let ready: Ready[] = [];

  async function pollOne(watch: Watch, read: Read | undefined, signal: AbortSignal): Promise<void> {
    const reader = readerOf(watch.target.explorer);
    if (reader === undefined || read === undefined) return;
    const memory = notAhead(memoryById.get(watch.id) ?? blankMemory(watch), watch);
    const observation = await observe(watch, memory, read, reader, clock);
    // What was read while stopping has no effect, nor for a watch that a reload took out meanwhile.
    if (observation === null || signal.aborted || !adopted.has(watch.id)) return;
    outages.polled(watch, observation);
    await decided(watch, observation, decide(watch, memory, observation));
  }

  /** A clock that was set back would leave the watch blind until it has caught up with what was seen. */
  function notAhead(memory: Memory, watch: Watch): Memory {
    const now = clock.now();
    if (memory.coveredUntil === null || memory.coveredUntil <= now) return memory;
    log.warn('clock:went-back', { watch: watch.name, 'last seen': showInstant(memory.coveredUntil) });
    return { ...memory, coveredUntil: now - 1 };
  }

  function decide(watch: Watch, memory: Memory, observation: Observation): Decision {
    try {
      return step(watch, memory, observation);
    } catch (error) {
      // A defect in one rule or kind must not blind the others.
      log.error('watch:failed', { watch: watch.name, error });
      const missed: Observation = { type: 'missed', at: observation.at, reason: 'shape', detail: String(error) };
      return step(watch, memory, missed);
    }
  }

  function decided(watch: Watch, observation: Observation, decision: Decision): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const isFirst =
      ready.push({
        watch,
        observation,
        decision,
        done: () => {
          resolve(undefined);
        },
      }) === 1;
    if (isFirst) void nextTurn().then(commitReady);
    return promise;
  }

  async function commitReady(): Promise<void> {
    const all = ready;
    ready = [];
    const batch = all.filter(({ watch }) => adopted.has(watch.id));
    const learned = batch.filter(({ decision }) => decision.learned || decision.deliveries.length > 0);
    const kept = new Set(await commitAll(learned));
    for (const item of batch) if (!learned.includes(item) || kept.has(item)) settle(item);
    for (const { done } of all) done();
  }

  /** Those that are on disk now. Together; and when that fails, one by one, so that none is held up by another. */
  async function commitAll(items: readonly Ready[]): Promise<readonly Ready[]> {
    if (items.length === 0) return [];
    try {
      const ends = await store.commit(
        items.map(({ decision }) => decision),
        clock.now(),
      );
      outages.storageWorks();
      return items.filter((_item, i) => ends[i] === 'kept');
    } catch (error) {
      // Nothing was changed, in the store or here: the next poll sees the same and decides the same.
      if (items.length === 1) outages.storageFails(error);
      return items.length === 1 ? [] : (await Promise.all(items.map((item) => commitAll([item])))).flat();
    }
  }

  function settle({ watch, observation, decision }: Ready): void {
    const wrote = decision.learned || decision.deliveries.length > 0;
    const version = decision.expects + (wrote ? 1 : 0);
    memoryById.set(watch.id, { ...decision.memory, version });
    uncovered.add(watch.id);
    notebook.polled(watch, observation, decision);
    onPolled(watch, observation, decision);
    if (decision.deliveries.length > 0) onOwed(new Set(decision.deliveries.map(({ channel }) => channel)));
  }

  return {
    async adopt(watches) {
      const watchById = new Map(watches.map((watch) => [watch.id, watch]));
      adopted = new Set(watchById.keys());
      for (const [id, memory] of await store.recall()) {
        const watch = watchById.get(id);
        if (watch === undefined) await end(id, memory);
        else if (!memoryById.has(id)) memoryById.set(id, readable(watch, memory, log));
      }
      for (const id of memoryById.keys()) if (!watchById.has(id)) memoryById.delete(id);
      const unknown = watches.filter(({ id }) => memoryById.has(id) && !notebook.knows(id));
      notebook.adopt(watches, await store.kept(unknown.map(({ id }) => id)));
    },
    async poll(watches, signal) {
      const rounds = new Map<string, Read | undefined>();
      const polls = watches.flatMap((watch) => {
        if (running.has(watch.id)) {
          onSkipped(watch);
          return [];
        }
        const { explorer } = watch.target;
        if (!rounds.has(explorer)) rounds.set(explorer, readerOf(explorer)?.round());
        const poll = pollOne(watch, rounds.get(explorer), signal).finally(() => running.delete(watch.id));
        running.set(watch.id, poll);
        return [poll];
      });
      await Promise.all(polls);
    },
    memoryOf: (id) => memoryById.get(id),
    healthOf: (id) => notebook.healthOf(id),
    async flush() {
      const ids = [...uncovered];
      for (let i = 0; i < ids.length; i += FLUSHED_AT_ONCE) {
        if (i > 0) await nextTurn();
        await flushSome(ids.slice(i, i + FLUSHED_AT_ONCE));
      }
    },
    async idle() {
      await Promise.allSettled(running.values());
    },
  };

  async function flushSome(ids: readonly WatchId[]): Promise<void> {
    const coverage = new Map<WatchId, Coverage>();
    for (const id of ids) {
      uncovered.delete(id);
      coverage.set(id, { until: memoryById.get(id)?.coveredUntil ?? null, ...notebook.take(id) });
    }
    try {
      await store.cover(coverage);
    } catch (error) {
      for (const [id, kept] of coverage) {
        uncovered.add(id);
        notebook.putBack(id, kept);
      }
      throw error;
    }
  }

  async function end(id: WatchId, memory: Memory): Promise<void> {
    const decision = retire(id, memoryById.get(id) ?? memory, clock.now());
    await store.commit([decision], clock.now());
    await store.forget([id]);
    onOwed(new Set(decision.deliveries.map(({ channel }) => channel)));
  }
}

// Polls that are due run between two of them.
const FLUSHED_AT_ONCE = 100;

/** State of another release that this one cannot read is let go: a new baseline, said aloud, rather than a guess. */
function readable(watch: Watch, memory: Memory, log: Log): Memory {
  if (memory.state === null || watch.kind.state.safeParse(memory.state).success) return memory;
  const effect = 'a new baseline; what happened since the last poll is not told';
  log.warn('watch:memory-unreadable', { watch: watch.name, effect });
  return { ...memory, state: null };
}

/** Confirmations are counted from the head, which a list of one address does not show. */
function needsHead({ alerts, kind }: Watch): boolean {
  return !kind.conditions && alerts.some((alert) => alert.type === 'event' && alert.confirmations > 0);
}

/** Null when the daemon is stopping. */
async function observe(
  watch: Watch,
  memory: Memory,
  read: Read,
  reader: Reader,
  clock: Clock,
): Promise<Observation | null> {
  const state = memory.checksum === watch.checksum ? memory.state : null;
  try {
    if (needsHead(watch)) await reader.readHead(read);
    const { seen, partial } = await watch.kind.observe(watch.target, state, read);
    return { type: 'seen', at: clock.now(), head: reader.head(), seen, partial };
  } catch (error) {
    if (error instanceof Missed)
      return { type: 'missed', at: clock.now(), reason: error.reason, detail: error.message };
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    const detail = error instanceof Error ? error.message : String(error);
    return { type: 'missed', at: clock.now(), reason: 'shape', detail };
  }
}
