// What each watch last looked at, and how the conditions of its alerts do: updated at every poll, and handed over to be
// kept when coverage is flushed. Only then is anything encoded.
import { afterPoll, type ConditionEvaluation, type HealthByAlert, type StoredHealth } from '../../core/model/health.ts';
import { figurePathsOf, figuresOf, storedFiguresOf, type Figures } from '../../core/model/figures.ts';
import { idOf } from '../../core/model/watch/identity.ts';
import { encodeSnapshot } from '../../core/model/snapshot.ts';
import { conditionText } from '../../core/alerts/message.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { AlertRule, Watch } from '../../core/model/watch/watch.ts';
import type { Decision, Snapshot } from '../../core/model/decision.ts';
import type { Observation } from '../../core/model/observation.ts';
import type { StoredDiagnostics } from '../../store/memories.ts';

export interface Diagnostics {
  /** Goes on from what was kept; an alert whose condition is another one starts anew. */
  adopt(watches: readonly Watch[], stored: ReadonlyMap<WatchId, StoredDiagnostics>): void;
  knows(watch: WatchId): boolean;
  polled(watch: Watch, observation: Observation, decision: Decision): void;
  healthOf(watch: WatchId): HealthByAlert;
  /** The numbers of the last poll that saw something; null: none did yet. */
  figuresOf(watch: WatchId): Figures | null;
  /** What was looked at and is not handed over yet; null: nothing. */
  snapshotOf(watch: WatchId): Snapshot | null;
  /** What is to be kept of a watch: a snapshot only when there was one since the last call. */
  take(watch: WatchId): Partial<StoredDiagnostics>;
  /** Storing failed: a snapshot is handed over again, unless there is a newer one. */
  putBack(watch: WatchId, kept: Partial<StoredDiagnostics>): void;
}

interface Entry {
  /** By alert: which condition its record is of. */
  readonly conditions: Readonly<Record<AlertId, string>>;
  /** Of the numbers that are kept at hand. */
  readonly paths: readonly string[];
  health: HealthByAlert;
  figures: Figures | null;
  /** Not kept yet. Dropped when it is, so that no row of an answer is held for long. */
  snapshot: Snapshot | null;
  unsaved: StoredDiagnostics['snapshot'];
}

export function createDiagnostics(): Diagnostics {
  const entryById = new Map<WatchId, Entry>();

  return {
    adopt(watches, stored) {
      const known = new Set(watches.map(({ id }) => id));
      for (const id of entryById.keys()) if (!known.has(id)) entryById.delete(id);
      for (const watch of watches) {
        const entry = entryById.get(watch.id);
        const kept = stored.get(watch.id);
        const before = entry === undefined ? (kept?.health ?? {}) : storedHealth(entry);
        const conditions = conditionsOf(watch);
        const health = Object.entries(before).filter(([id, { condition }]) => conditions[id] === condition);
        const paths = figurePathsOf(watch);
        const figures = entry === undefined ? formerFigures(watch, paths, kept) : entry.figures;
        const { snapshot = null, unsaved = null } = entry ?? {};
        entryById.set(watch.id, { conditions, paths, health: Object.fromEntries(health), figures, snapshot, unsaved });
      }
    },
    knows: (id) => entryById.has(id),
    polled(watch, observation, decision) {
      const entry = entryById.get(watch.id);
      if (entry === undefined) return;
      entry.health = afterPoll(entry.health, evaluationsOf(watch, observation, decision));
      if (decision.snapshot === null) return;
      entry.snapshot = decision.snapshot;
      if (entry.paths.length > 0) entry.figures = figuresOf(entry.paths, decision.snapshot);
    },
    healthOf: (id) => entryById.get(id)?.health ?? {},
    figuresOf: (id) => entryById.get(id)?.figures ?? null,
    snapshotOf: (id) => entryById.get(id)?.snapshot ?? null,
    take(id) {
      const entry = entryById.get(id);
      if (entry === undefined) return {};
      const snapshot = entry.snapshot === null ? entry.unsaved : encodeSnapshot(entry.snapshot);
      entry.snapshot = null;
      entry.unsaved = null;
      return { health: storedHealth(entry), ...(snapshot === null ? {} : { snapshot }) };
    },
    putBack(id, { snapshot = null }) {
      const entry = entryById.get(id);
      if (entry !== undefined) entry.unsaved = snapshot;
    },
  };
}

function formerFigures({ kind }: Watch, paths: readonly string[], kept: StoredDiagnostics | undefined): Figures | null {
  const snapshot = kept?.snapshot ?? null;
  return snapshot === null || paths.length === 0 ? null : storedFiguresOf(kind.fields, paths, snapshot);
}

function storedHealth({ health, conditions }: Entry): StoredHealth {
  const stored = Object.entries(health).map(([id, record]) => [id, { ...record, condition: conditions[id] ?? '' }]);
  return Object.fromEntries(stored) as StoredHealth;
}

function conditionsOf({ alerts }: Watch): Entry['conditions'] {
  return Object.fromEntries(alerts.filter(isConditional).map((alert) => [alert.id, idOf(conditionText(alert))]));
}

/** An event without `if` is true of everything. */
function isConditional(alert: AlertRule): boolean {
  return alert.type !== 'event' || alert.if !== null;
}

function evaluationsOf({ alerts }: Watch, { type, at }: Observation, { truths }: Decision): ConditionEvaluation[] {
  return alerts.filter(isConditional).flatMap((alert): ConditionEvaluation[] => {
    const truth = truths[alert.id];
    // What was not read was nothing to ask an event of.
    if (truth === undefined || (type === 'missed' && alert.type === 'event')) return [];
    return [{ alert: alert.id, truth, at }];
  });
}
