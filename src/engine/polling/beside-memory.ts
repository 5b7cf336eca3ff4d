// The data of each watch that is kept beside its memory: diagnostics, and the closed runs for its windows.
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
import type { AlertId } from '../../core/model/ids.ts';
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

/** Last results of a watch: its snapshot, the numbers in it, and the health of its conditions. */
export interface Diagnostics {
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

/** Continues from the former or the stored values. An alert whose condition changed starts without health. */
export function diagnosticsOf(
  watch: Watch,
  former: Diagnostics | null,
  stored: StoredDiagnostics | undefined,
): Diagnostics {
  const before = former === null ? (stored?.health ?? {}) : healthToStore(former);
  const conditions = conditionsOf(watch);
  const health = Object.entries(before).filter(([id, { condition }]) => conditions[id] === condition);
  const paths = figurePathsOf(watch);
  const figures = former === null ? formerFigures(watch, paths, stored) : former.figures;
  return { ...(former ?? blank(stored)), conditions, paths, health: Object.fromEntries(health), figures };
}

export function notePoll(diagnostics: Diagnostics, watch: Watch, observation: Observation, decision: Decision): void {
  diagnostics.health = afterPoll(diagnostics.health, evaluationsOf(watch, observation, decision));
  if (decision.snapshot === null) return;
  diagnostics.snapshot = decision.snapshot;
  diagnostics.seenAt = decision.snapshot.at;
  if (diagnostics.paths.length > 0) diagnostics.figures = figuresOf(diagnostics.paths, decision.snapshot);
}

/** The stored values are unknown, so the next snapshot and health are written even if unchanged. */
export function lostDiagnostics(diagnostics: Diagnostics | null): void {
  if (diagnostics === null) return;
  diagnostics.storedHealth = null;
  diagnostics.storedSnapshot = null;
}

/** The parts of the snapshot and the health that differ from the stored ones. */
export function takeChanged(diagnostics: Diagnostics): Omit<Coverage, 'until'> {
  const { seenAt } = diagnostics;
  const evaluatedAt = lastEvaluated(diagnostics.health);
  return { seenAt, evaluatedAt, ...takeSnapshot(diagnostics), ...takeHealth(diagnostics, evaluatedAt) };
}

/** Call this if the write failed. The next write then contains the parts again, or a newer snapshot in their place. */
export function putBack(diagnostics: Diagnostics, { snapshot, health }: Omit<Coverage, 'until'>): void {
  if (health !== undefined) diagnostics.storedHealth = null;
  if (snapshot === undefined) return;
  diagnostics.unsaved = snapshot;
  diagnostics.storedSnapshot = null;
}

function blank(
  stored: StoredDiagnostics | undefined,
): Pick<Diagnostics, 'snapshot' | 'unsaved' | 'seenAt' | 'storedSnapshot' | 'storedHealth'> {
  const seenAt = stored?.snapshot?.at ?? null;
  return { snapshot: null, unsaved: null, seenAt, storedSnapshot: null, storedHealth: null };
}

function takeSnapshot(entry: Diagnostics): Pick<Coverage, 'snapshot'> {
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

function takeHealth(entry: Diagnostics, at: Instant | null): Pick<Coverage, 'health'> {
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

function formerFigures(
  { kind }: Watch,
  paths: readonly string[],
  stored: StoredDiagnostics | undefined,
): Figures | null {
  const snapshot = stored?.snapshot ?? null;
  return snapshot === null || paths.length === 0 ? null : storedFiguresOf(kind.fields, paths, snapshot);
}

function healthToStore({ health, conditions }: Diagnostics): StoredHealth {
  const stored = Object.entries(health).map(([id, record]) => [id, { ...record, condition: conditions[id] ?? '' }]);
  return Object.fromEntries(stored) as StoredHealth;
}

function conditionsOf({ alerts }: Watch): Diagnostics['conditions'] {
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

export interface HeldRuns {
  readonly runs: StoredRuns;
  readonly windows: readonly WindowSpan[];
  readonly intervalMs: number;
}

/** The part of a watch's state with its runs. */
interface RunsState {
  runs: HeldRuns | null;
}

type RunsStore = Pick<Store, 'samples' | 'samplesAfter'>;

/** The poll for which the runs are read. */
interface PollAt {
  readonly watch: Watch;
  readonly memory: Memory;
  readonly at: Instant;
  /** The times in the memory were moved back by this much. The times of the stored runs were not moved yet. */
  readonly shiftedMs: number;
}

/** The runs before a poll. Rejects with a `StorageError`. */
export async function runsBefore(
  state: RunsState,
  { watch, memory, at, shiftedMs }: PollAt,
  store: RunsStore,
): Promise<Past> {
  if (watch.windows.length === 0) return NO_PAST;
  const runs = await (shiftedMs === 0 ? heldRuns(state, watch, memory, store) : build(watch, memory, shiftedMs, store));
  await read(watch, runs, at, store);
  return runs;
}

/** Call this when the decision is stored. */
export function keepRuns(state: RunsState, { closed }: Decision, at: Instant): void {
  if (closed.dropped.length > 0 || closed.shiftedMs !== 0) state.runs = null;
  else state.runs?.runs.kept(closed, at);
}

async function heldRuns(state: RunsState, watch: Watch, memory: Memory, store: RunsStore): Promise<StoredRuns> {
  if (state.runs !== null && isOf(state.runs, watch)) return state.runs.runs;
  const runs = await build(watch, memory, 0, store);
  state.runs = { runs, windows: watch.windows, intervalMs: watch.schedule.intervalMs };
  return runs;
}

async function build(watch: Watch, memory: Memory, shiftedMs: number, store: RunsStore): Promise<StoredRuns> {
  const stored = shifted(await store.samples(watch.id), shiftedMs);
  return createStoredRuns(watch, stored, memory.coveredUntil ?? -Infinity);
}

async function read(watch: Watch, runs: StoredRuns, at: Instant, store: RunsStore): Promise<void> {
  for (let missing = runs.missing(at); missing.length > 0; missing = runs.missing(at))
    for (const { path, after, refill } of missing)
      refill(await store.samplesAfter({ watch: watch.id, path }, after, EDGE_RUNS));
}

function isOf({ windows, intervalMs }: HeldRuns, watch: Watch): boolean {
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
