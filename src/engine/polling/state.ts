// Everything that the engine holds of each watch, in one record. Only the files of this folder write to it; all others
// read it through `WatchReadings`. Memory is read once, when a watch is adopted, and again only after a commit that the
// store did not keep, or while the stored memory is damaged.
import type { Decision, Snapshot } from '../../core/model/decision.ts';
import type { Figures } from '../../core/model/figures.ts';
import type { HealthByAlert } from '../../core/model/health.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import { showsHead, type Watch } from '../../core/model/watch/watch.ts';
import { blankMemory } from '../../core/step.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { StoredDiagnostics } from '../../store/contract/memories.ts';
import { diagnosticsOf, type Diagnostics, type HeldRuns } from './beside-memory.ts';

export interface HeldWatch {
  readonly id: WatchId;
  /** The stored memory, or a blank one before the first poll; null if nothing is stored. */
  memory: Memory | null;
  /** `damaged`: the stored one cannot be read. `uncertain`: the last commit ended with an error, and may be stored. */
  memoryState: 'read' | 'damaged' | 'uncertain';
  /** The decisions that the store refused since it last kept one, joined to one decision; null if there are none. */
  refused: Decision | null;
  /** The closed runs behind its windows; null: not read yet. */
  runs: HeldRuns | null;
  /** Null: the watch is not in force. */
  diagnostics: Diagnostics | null;
  /** True if the store has the end of its coverage, and its snapshot. */
  isCoverageStored: boolean;
  /** True until its next successful poll: the replica that polled it before may have sent its alerts from memory. */
  isUnsure: boolean;
  /** True if its last poll failed by a defect of the daemon, which is logged once. */
  hasDefect: boolean;
  running: Promise<void> | null;
}

export interface PollState {
  /** The watches in force, in the order of the rules. */
  watches: ReadonlyMap<WatchId, Watch>;
  /** Contains the watches in force, and others while they have something that must not be lost. */
  readonly states: Map<WatchId, HeldWatch>;
  /** Explorers whose head some watch reads at every poll. */
  withHead: ReadonlySet<string>;
  /** Neighbouring rows of the store are on the same page, so most pages are written by only one transaction. */
  idsInStoredOrder: readonly WatchId[];
  /** The number of transitions and runs in the decisions that the store refused. */
  refusedSize: number;
  readonly changed: ChangedWatches;
}

export function createPollState(): PollState {
  return {
    watches: new Map(),
    states: new Map(),
    withHead: new Set(),
    idsInStoredOrder: [],
    refusedSize: 0,
    changed: createChangedWatches(),
  };
}

export function stateOf({ states }: PollState, id: WatchId): HeldWatch {
  const known = states.get(id);
  if (known !== undefined) return known;
  const state: HeldWatch = {
    id,
    memory: null,
    memoryState: 'read',
    refused: null,
    runs: null,
    diagnostics: null,
    isCoverageStored: true,
    isUnsure: false,
    hasDefect: false,
    running: null,
  };
  states.set(id, state);
  return state;
}

/**
 * From now on exactly these watches are in force. `stored` contains the stored values of the watches that were not in
 * force before.
 */
export function adopt(
  polls: PollState,
  watches: readonly Watch[],
  stored: ReadonlyMap<WatchId, StoredDiagnostics> = new Map(),
): void {
  polls.watches = new Map(watches.map((watch) => [watch.id, watch]));
  polls.idsInStoredOrder = [...polls.watches.keys()].toSorted();
  polls.withHead = new Set(watches.filter(showsHead).map(({ target }) => target.explorer));
  for (const state of polls.states.values()) if (!polls.watches.has(state.id)) leave(polls, state);
  for (const watch of watches) {
    const state = stateOf(polls, watch.id);
    state.diagnostics = diagnosticsOf(watch, state.diagnostics, stored.get(watch.id));
  }
  polls.changed.noteAll();
}

/** If the watch comes back, its values are read from the store again. */
function leave(polls: PollState, state: HeldWatch): void {
  state.memory = null;
  if (state.memoryState === 'damaged') state.memoryState = 'read';
  state.runs = null;
  state.diagnostics = null;
  state.isCoverageStored = true;
  forgetSpent(polls, state);
}

/** Removes the state of a watch that is not in force, unless a poll of it runs or a decision of it waits for the store. */
export function forgetSpent({ watches, states }: PollState, { id, running, refused, isUnsure }: HeldWatch): void {
  if (!watches.has(id) && running === null && refused === null && !isUnsure) states.delete(id);
}

/** The memory of the watch, or a memory as before the first poll. */
export function memoryOrBlank({ memory }: HeldWatch, watch: Watch): Memory {
  return memory ?? blankMemory(watch);
}

export function versionOf({ memory }: HeldWatch): number {
  return memory?.version ?? 0;
}

/** Null: no decision of the watch waits for the store any more. */
export function keepRefused(polls: PollState, state: HeldWatch, decision: Decision | null): void {
  polls.refusedSize += sizeOf(decision) - sizeOf(state.refused);
  state.refused = decision;
}

/** The number of transitions and runs. */
export function sizeOf(decision: Decision | null): number {
  if (decision === null) return 0;
  const runs = Object.values(decision.memory.history).reduce((sum, { length }) => sum + length, 0);
  return decision.transitions.length + runs;
}

/** The memory of each watch, and the results of its last polls. */
export interface WatchReadings {
  /** Undefined before the first commit of a watch without a stored memory. Each poll makes a new object. */
  readonly memoryOf: (watch: WatchId) => Memory | undefined;
  /** The watches whose memory, health, figures or snapshot changed since an earlier mark. */
  readonly changedSince: ChangedWatches['since'];
  /** Health of the conditions of a watch's alerts. */
  readonly healthOf: (watch: WatchId) => HealthByAlert;
  /**
   * The numbers that the conditions of the watch read, from the last successful poll; null before the first one. The
   * same object until the next poll.
   */
  readonly figuresOf: (watch: WatchId) => Figures | null;
  /** The last snapshot if it is not stored yet. */
  readonly snapshotOf: (watch: WatchId) => Snapshot | null;
}

export function readingsIn({ states, changed }: PollState): WatchReadings {
  const diagnosticsOfId = (id: WatchId): Diagnostics | null => states.get(id)?.diagnostics ?? null;
  return {
    memoryOf: (id) => states.get(id)?.memory ?? undefined,
    changedSince: changed.since,
    healthOf: (id) => diagnosticsOfId(id)?.health ?? {},
    figuresOf: (id) => diagnosticsOfId(id)?.figures ?? null,
    snapshotOf: (id) => diagnosticsOfId(id)?.snapshot ?? null,
  };
}

interface ChangesSince {
  /** The argument of the next call. */
  readonly mark: number;
  /** Null: any watch may have changed. */
  readonly ids: readonly WatchId[] | null;
}

/** Log of changed watches. A reader of ten thousand watches reads only those that changed since its mark. */
interface ChangedWatches {
  note(id: WatchId): void;
  /** Notes that any watch may have changed. */
  noteAll(): void;
  /** The changes since the mark of an earlier call; 0: there was no earlier call. */
  readonly since: (mark: number) => ChangesSince;
}

/** At least this many changes are kept. Reading all watches costs no more than reading more changes than that. */
const MOST_CHANGES = 2000;

export function createChangedWatches(): ChangedWatches {
  let ids: WatchId[] = [];
  /** The mark of the first entry of `ids`. */
  let first = 1;
  return {
    note(id) {
      ids.push(id);
      if (ids.length < 2 * MOST_CHANGES) return;
      first += MOST_CHANGES;
      ids = ids.slice(MOST_CHANGES);
    },
    noteAll() {
      first += ids.length + 1;
      ids = [];
    },
    since: (mark) => ({ mark: first + ids.length, ids: mark < first ? null : ids.slice(mark - first) }),
  };
}

/** The shard that guards writes about an explorer and its watches. Explorers of one plan share one shard. */
export type ShardOf = (explorer: string) => Shard;

/** For explorers that each have their own plan. */
export const explorerShard: ShardOf = (explorer) => `explorer:${explorer}`;

/** The shard of the explorer that a watch reads. */
export function watchShard(shardOf: ShardOf): (watch: Pick<Watch, 'target'>) => Shard {
  return ({ target }) => shardOf(target.explorer);
}
