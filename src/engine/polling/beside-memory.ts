// Held of each watch beside its memory: diagnostics, and the closed runs behind windows.
import { conditionText } from '../../core/alerts/sentence.ts';
import type { Decision, Snapshot } from '../../core/model/decision.ts';
import { figurePathsOf, type Figures, figuresOf, storedFiguresOf } from '../../core/model/figures.ts';
import {
  afterPoll,
  type ConditionEvaluation,
  type HealthByAlert,
  lastEvaluated,
  type StoredHealth,
} from '../../core/model/health.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { Memory, Samples } from '../../core/model/memory.ts';
import type { Observation } from '../../core/model/observation.ts';
import { encodeSnapshot } from '../../core/model/snapshot.ts';
import type { WindowSpan } from '../../core/model/watch/condition.ts';
import { idOf } from '../../core/model/watch/identity.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import { createStoredRuns, NO_PAST, type Past, type StoredRuns } from '../../core/windows/stored-runs.ts';
import { EDGE_RUNS } from '../../core/windows/stored-window.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Coverage, StoredDiagnostics } from '../../store/contract/memories.ts';
import type { Store } from '../../store/contract/store.ts';

// The last snapshot of each watch and the health of its conditions: updated at every poll, and stored when coverage is
// flushed. They are encoded only then, and not written if their digest is that of the stored ones. After most polls the
// values are unchanged, so only two times are written.

export interface Diagnostics {
  /** Continues from the stored values. An alert whose condition changed starts without health. */
  adopt(watches: readonly Watch[], stored: ReadonlyMap<WatchId, StoredDiagnostics>): void;
  knows(watch: WatchId): boolean;
  polled(watch: Watch, observation: Observation, decision: Decision): void;
  readonly healthOf: (watch: WatchId) => HealthByAlert;
  /** The numbers of the last successful poll; null before the first one. */
  readonly figuresOf: (watch: WatchId) => Figures | null;
  /** The snapshot that `take` has not returned yet; null: there is none. */
  readonly snapshotOf: (watch: WatchId) => Snapshot | null;
  /** The parts of a watch's snapshot and health that differ from the stored ones. */
  take(watch: WatchId): Omit<Coverage, 'until'>;
  /** Call this if storing failed: the next `take` returns the parts again, or a newer snapshot. */
  putBack(watch: WatchId, kept: Omit<Coverage, 'until'>): void;
  /** The stored values of the watch are unknown, so its next snapshot and health are written even if unchanged. */
  lost(watch: WatchId): void;
}

interface Entry {
  /** For each alert, the digest of the condition to which its health belongs. */
  readonly conditions: Readonly<Record<AlertId, string>>;
  /** The paths of the numbers that stay in memory. */
  readonly paths: readonly string[];
  health: HealthByAlert;
  figures: Figures | null;
  /** The last snapshot until it is stored. Then it is dropped, so that no row of an answer stays in memory for long. */
  snapshot: Snapshot | null;
  unsaved: StoredDiagnostics['snapshot'];
  seenAt: Instant | null;
  /** Digest of the stored snapshot; null: unknown. */
  storedSnapshot: string | null;
  /** Digest of the stored health, and when the alerts had last been evaluated; null: unknown. */
  storedHealth: { readonly results: string; readonly at: Instant | null } | null;
}

// A poll with unchanged results only raises the number of evaluations. That number is written once in this time, so a
// crash loses at most the evaluations of this time.
const UNCOUNTED_MS = 3_600_000;

export function createDiagnostics(): Diagnostics {
  const entryById = new Map<WatchId, Entry>();

  return {
    adopt(watches, stored) {
      const known = new Set(watches.map(({ id }) => id));
      for (const id of entryById.keys()) if (!known.has(id)) entryById.delete(id);
      for (const watch of watches) {
        const entry = entryById.get(watch.id);
        const kept = stored.get(watch.id);
        const before = entry === undefined ? (kept?.health ?? {}) : healthToStore(entry);
        const conditions = conditionsOf(watch);
        const health = Object.entries(before).filter(([id, { condition }]) => conditions[id] === condition);
        const paths = figurePathsOf(watch);
        const figures = entry === undefined ? formerFigures(watch, paths, kept) : entry.figures;
        const same = entry ?? blank(kept);
        entryById.set(watch.id, { ...same, conditions, paths, health: Object.fromEntries(health), figures });
      }
    },
    knows: (id) => entryById.has(id),
    polled(watch, observation, decision) {
      const entry = entryById.get(watch.id);
      if (entry === undefined) return;
      entry.health = afterPoll(entry.health, evaluationsOf(watch, observation, decision));
      if (decision.snapshot === null) return;
      entry.snapshot = decision.snapshot;
      entry.seenAt = decision.snapshot.at;
      if (entry.paths.length > 0) entry.figures = figuresOf(entry.paths, decision.snapshot);
    },
    healthOf: (id) => entryById.get(id)?.health ?? {},
    figuresOf: (id) => entryById.get(id)?.figures ?? null,
    snapshotOf: (id) => entryById.get(id)?.snapshot ?? null,
    take(id) {
      const entry = entryById.get(id);
      if (entry === undefined) return {};
      const { seenAt } = entry;
      const evaluatedAt = lastEvaluated(entry.health);
      return { seenAt, evaluatedAt, ...takeSnapshot(entry), ...takeHealth(entry, evaluatedAt) };
    },
    putBack(id, { snapshot, health }) {
      const entry = entryById.get(id);
      if (entry === undefined) return;
      if (health !== undefined) entry.storedHealth = null;
      if (snapshot === undefined) return;
      entry.unsaved = snapshot;
      entry.storedSnapshot = null;
    },
    lost(id) {
      const entry = entryById.get(id);
      if (entry === undefined) return;
      entry.storedHealth = null;
      entry.storedSnapshot = null;
    },
  };
}

function blank(
  kept: StoredDiagnostics | undefined,
): Pick<Entry, 'snapshot' | 'unsaved' | 'seenAt' | 'storedSnapshot' | 'storedHealth'> {
  const seenAt = kept?.snapshot?.at ?? null;
  return { snapshot: null, unsaved: null, seenAt, storedSnapshot: null, storedHealth: null };
}

function takeSnapshot(entry: Entry): Pick<Coverage, 'snapshot'> {
  const snapshot = entry.snapshot === null ? entry.unsaved : encodeSnapshot(entry.snapshot);
  entry.snapshot = null;
  entry.unsaved = null;
  if (snapshot === null) return {};
  const { view, before, isStale } = snapshot;
  const digest = idOf(JSON.stringify([view, before, isStale]));
  if (digest === entry.storedSnapshot) return {};
  entry.storedSnapshot = digest;
  return { snapshot };
}

function takeHealth(entry: Entry, at: Instant | null): Pick<Coverage, 'health'> {
  const health = healthToStore(entry);
  const results = idOf(resultsOf(health, at));
  const { storedHealth } = entry;
  const isStored = storedHealth?.results === results && (at ?? 0) - (storedHealth.at ?? 0) < UNCOUNTED_MS;
  if (isStored) return {};
  entry.storedHealth = { results, at };
  return { health };
}

/**
 * Returns the same text as long as each poll has the same results as the one before. The times of these polls are not
 * stored: readers derive them with `afterSameResults`.
 */
function resultsOf(health: StoredHealth, last: Instant | null): string {
  const isNow = (at: Instant | null): Instant | 'now' | null => (at !== null && at === last ? 'now' : at);
  return JSON.stringify(
    Object.entries(health).map(([alert, { condition, since, evaluatedAt, trueAt, falseAt, unknownSince }]) => [
      [alert, condition, since, unknownSince],
      [evaluatedAt, trueAt, falseAt].map(isNow),
    ]),
  );
}

function formerFigures({ kind }: Watch, paths: readonly string[], kept: StoredDiagnostics | undefined): Figures | null {
  const snapshot = kept?.snapshot ?? null;
  return snapshot === null || paths.length === 0 ? null : storedFiguresOf(kind.fields, paths, snapshot);
}

function healthToStore({ health, conditions }: Entry): StoredHealth {
  const stored = Object.entries(health).map(([id, record]) => [id, { ...record, condition: conditions[id] ?? '' }]);
  return Object.fromEntries(stored) as StoredHealth;
}

function conditionsOf({ alerts }: Watch): Entry['conditions'] {
  return Object.fromEntries(alerts.filter(isConditional).map((alert) => [alert.id, idOf(conditionText(alert))]));
}

/** An event without `if` has no condition to evaluate. */
function isConditional(alert: AlertRule): boolean {
  return alert.type !== 'event' || alert.if !== null;
}

function evaluationsOf({ alerts }: Watch, { type, at }: Observation, { truths }: Decision): ConditionEvaluation[] {
  return alerts.filter(isConditional).flatMap((alert): ConditionEvaluation[] => {
    const truth = truths[alert.id];
    // A missed poll has no events to evaluate.
    if (truth === undefined || (type === 'missed' && alert.type === 'event')) return [];
    return [{ alert: alert.id, truth, at }];
  });
}

// The closed runs that windows need: built from the store before a watch's first poll, then updated with every stored
// decision. They are built again after another memory was found, the clock was set back, or the rules changed.

export interface RunsOfWatches {
  /**
   * The runs before a poll at that moment. `shiftedMs`: the memory's times were moved back by so much, and the stored
   * runs were not moved yet. Rejects with a `StorageError`.
   */
  before(watch: Watch, memory: Memory, at: Instant, shiftedMs: number): Promise<Past>;
  /** Call this when the decision is stored. */
  kept(watch: Watch, decision: Decision, at: Instant): void;
  forget(watch: WatchId): void;
  /** The runs of all other watches are dropped. */
  adopt(watches: ReadonlySet<WatchId>): void;
}

interface Held {
  readonly runs: StoredRuns;
  readonly windows: readonly WindowSpan[];
  readonly intervalMs: number;
}

export function createRunsOfWatches(store: Pick<Store, 'samples' | 'samplesAfter'>): RunsOfWatches {
  const heldById = new Map<WatchId, Held>();

  async function build(watch: Watch, memory: Memory, shiftedMs: number): Promise<StoredRuns> {
    const stored = shifted(await store.samples(watch.id), shiftedMs);
    return createStoredRuns(watch, stored, memory.coveredUntil ?? -Infinity);
  }

  async function heldOf(watch: Watch, memory: Memory): Promise<StoredRuns> {
    const held = heldById.get(watch.id);
    if (held !== undefined && isOf(held, watch)) return held.runs;
    const runs = await build(watch, memory, 0);
    heldById.set(watch.id, { runs, windows: watch.windows, intervalMs: watch.schedule.intervalMs });
    return runs;
  }

  async function read(watch: Watch, runs: StoredRuns, at: Instant): Promise<void> {
    for (let missing = runs.missing(at); missing.length > 0; missing = runs.missing(at))
      for (const { path, after, refill } of missing)
        refill(await store.samplesAfter({ watch: watch.id, path }, after, EDGE_RUNS));
  }

  return {
    async before(watch, memory, at, shiftedMs) {
      if (watch.windows.length === 0) return NO_PAST;
      const runs = await (shiftedMs === 0 ? heldOf(watch, memory) : build(watch, memory, shiftedMs));
      await read(watch, runs, at);
      return runs;
    },
    kept(watch, { closed }, at) {
      if (closed.dropped.length > 0 || closed.shiftedMs !== 0) heldById.delete(watch.id);
      else heldById.get(watch.id)?.runs.kept(closed, at);
    },
    forget(id) {
      heldById.delete(id);
    },
    adopt(watches) {
      for (const id of heldById.keys()) if (!watches.has(id)) heldById.delete(id);
    },
  };
}

function isOf({ windows, intervalMs }: Held, watch: Watch): boolean {
  return windows === watch.windows && intervalMs === watch.schedule.intervalMs;
}

function shifted(samples: Samples, byMs: number): Samples {
  if (byMs === 0) return samples;
  const entries = Object.entries(samples).map(([path, runs]) => {
    const moved = runs.map(
      ([since, until, value]) => [since - byMs, until === null ? null : until - byMs, value] as const,
    );
    return [path, moved] as const;
  });
  return Object.fromEntries(entries);
}
