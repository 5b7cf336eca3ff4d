// The memories of the alerts about the daemon's own work: read from the store, and kept while it refuses writes.
import { conditionOf } from '../../core/alerts/alert-evaluation.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { ConditionState, Memory } from '../../core/model/memory.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { mayBeDone } from '../../lib/unavailable.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createRecallUndamaged } from '../recall-undamaged.ts';
import type { Unrecorded } from '../sending/unrecorded.ts';
import { parseSelfWatchId } from './self-watch.ts';

export interface SelfMemories {
  /** The instances whose memory is loaded. */
  readonly loaded: () => readonly WatchId[];
  /** Also the instances with a decision that the store did not keep. */
  readonly ids: () => Set<WatchId>;
  readonly memoryOf: (id: WatchId) => Memory | undefined;
  /** The decision that the store did not keep: the next check continues from it. */
  readonly unkeptOf: (id: WatchId) => Decision | undefined;
  /**
   * Reads the stored memories, if that is due. The loaded ones stay if the store cannot be read, since that is one of
   * the reported causes; without any it rejects with a `StorageError`.
   */
  readIfPossible(): Promise<void>;
  /** The memory of an instance whose decision needs no write. */
  put(id: WatchId, memory: Memory): void;
  /** Returns the decisions that were kept. Rejects with a `StorageError`. */
  commit(decisions: readonly Decision[], fence: Fence): Promise<Decision[]>;
  /** Drops instances that are over for an hour. */
  forgetOld(now: Instant): Promise<void>;
  forgetAll(): void;
  /** The stored memories are read again before the next decision. */
  readonly shardsMoved: () => void;
}

export interface SelfMemoriesOptions {
  readonly store: Pick<Store, 'remembered' | 'recall' | 'commit' | 'forget'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error' | 'warn'>;
  /** Sends transitions that the store did not keep. */
  readonly unrecorded: Pick<Unrecorded, 'offer' | 'withTold' | 'recorded'>;
  /** True if this replica reports the instance. */
  readonly isOurs: (id: WatchId) => boolean;
}

const FORGOTTEN_AFTER_MS = 3_600_000;
/** The most transitions of one instance that wait in memory for the store. */
const MOST_UNKEPT = 100;

export function createSelfMemories({ store, clock, unrecorded, isOurs, log }: SelfMemoriesOptions): SelfMemories {
  /** Without a damaged memory a cause that lasts fires again, which repeats a message but loses none. */
  const recall = createRecallUndamaged({ store, log });
  let memoryById = new Map<WatchId, Memory>();
  const unkept = createUnkept(unrecorded);
  let wasEverRead = false;
  /** False: the stored memories are read before the next decision. */
  let isRead = false;
  /** True if shards moved since the last read, so that this process may report other causes. */
  let hasMoved = false;

  async function read(): Promise<void> {
    if (isRead && !hasMoved) return;
    // Set to false first: the store may fail in between, and then nothing counts as read.
    isRead = false;
    hasMoved = false;
    const ids = (await store.remembered()).filter(isOurs);
    memoryById = await recall(ids);
    // The store may have kept a commit that it answered with an error. Such a decision must not be committed twice.
    unkept.keepIf(({ watchId, expects }) => (memoryById.get(watchId)?.version ?? 0) === expects);
    isRead = true;
    wasEverRead = true;
  }

  return {
    loaded: () => [...memoryById.keys()],
    ids: () => new Set([...memoryById.keys(), ...unkept.byId.keys()]),
    memoryOf: (id) => unkept.byId.get(id)?.memory ?? memoryById.get(id),
    unkeptOf: (id) => unkept.byId.get(id),
    async readIfPossible() {
      const mayKnow = wasEverRead && !hasMoved;
      try {
        await read();
      } catch (error) {
        if (!mayKnow) throw error;
      }
    },
    put(id, memory) {
      memoryById.set(id, memory);
    },
    async commit(decided, fence) {
      const wasRead = isRead;
      // A commit that ends with an error may still be stored, so the memories are read again after it.
      isRead = false;
      const decisions = await Promise.all(decided.map(unkept.withTold));
      const ends = await store.commit(decisions, clock.now(), fence).catch((error: unknown) => {
        for (const decision of decided) unkept.note(decision, mayBeDone(error));
        throw error;
      });
      const written = new Set(decided.map(({ watchId }) => watchId));
      unkept.keepIf(({ watchId }) => !written.has(watchId));
      isRead = wasRead && ends.every((end) => end === 'kept');
      const kept = decisions.filter((_, i) => ends[i] === 'kept');
      unrecorded.recorded(kept.flatMap(({ transitions }) => transitions));
      for (const { watchId, memory, expects } of kept) memoryById.set(watchId, { ...memory, version: expects + 1 });
      return kept;
    },
    async forgetOld(now) {
      const old = [...memoryById].filter(([id, memory]) => isOver(stateOf(id, memory), now)).map(([id]) => id);
      if (old.length === 0) return;
      await store.forget(old);
      for (const id of old) memoryById.delete(id);
    },
    forgetAll() {
      memoryById = new Map();
      unkept.keepIf(() => false);
      isRead = false;
    },
    shardsMoved() {
      hasMoved = true;
    },
  };
}

interface Unkept {
  readonly byId: ReadonlyMap<WatchId, Decision>;
  /** Drops all others. */
  readonly keepIf: (isKept: (decision: Decision) => boolean) => void;
  readonly note: (decision: Decision, mayBeKept: boolean) => void;
  /** Adds to an unkept decision the recipients to which its messages were already sent. */
  readonly withTold: (decision: Decision) => Promise<Decision>;
}

/** Decisions that the store did not keep. */
function createUnkept(unrecorded: SelfMemoriesOptions['unrecorded']): Unkept {
  const byId = new Map<WatchId, Decision>();
  return {
    byId,
    keepIf(isKept) {
      for (const [id, decision] of byId) if (!isKept(decision)) byId.delete(id);
    },
    note(decision, mayBeKept) {
      const { watchId, transitions } = decision;
      if (transitions.length <= MOST_UNKEPT) byId.set(watchId, decision);
      unrecorded.offer(byId.get(watchId)?.transitions ?? [], mayBeKept);
    },
    async withTold(decision) {
      if (!byId.has(decision.watchId)) return decision;
      return { ...decision, transitions: await unrecorded.withTold(decision.transitions) };
    },
  };
}

export function stateOf(id: WatchId, memory: Memory | undefined): ConditionState | null {
  const alert = memory?.alerts[parseSelfWatchId(id)?.alert ?? '']?.[''];
  return alert === undefined ? null : conditionOf(alert);
}

/** True if the condition does not fire, wait or flap, and last fired more than an hour ago. */
function isOver(state: ConditionState | null, now: Instant): boolean {
  if (state === null) return true;
  const last = state.firings.at(-1) ?? -Infinity;
  return state.state === 'inactive' && state.flapping === null && Math.abs(now - last) > FORGOTTEN_AFTER_MS;
}
