// What queries see where no daemon is asked: the state file, and the rules as they lie on the disk. What only a running
// daemon knows is null.
import type { Setup } from '../../app/setup.ts';
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { figurePathsOf, storedFiguresOf, type Figures } from '../../core/model/figures.ts';
import { goneFields, NO_SIGHTINGS } from '../../core/model/quality/field-sightings.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Memory } from '../../core/model/memory.ts';
import { lastPauseOf, type Pause } from '../../core/model/watch/pause.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { blindFrom } from '../../explain/data-words.ts';
import type { Instant } from '../../lib/clock.ts';
import type { RuntimeView, View } from '../../query/view.ts';
import type { StoredDiagnostics } from '../../store/memories.ts';
import type { StoreView } from '../../store/store.ts';

/** What the state file holds of the watches. */
export interface FileFacts {
  readonly memories: ReadonlyMap<WatchId, Memory>;
  /** Those whose memory cannot be read. */
  readonly damaged: ReadonlySet<WatchId>;
  readonly diagnostics: ReadonlyMap<WatchId, StoredDiagnostics>;
  readonly pauses: readonly Pause[];
  readonly troubles: readonly string[];
}

/** Rejects with a `StorageError`. */
export async function readFacts(reader: StoreView): Promise<FileFacts> {
  const damaged = new Set<WatchId>();
  const memories = await reader.recall(undefined, (id) => damaged.add(id));
  const [diagnostics, pauses] = [await reader.diagnostics(), await reader.pauses()];
  return { memories, damaged, diagnostics, pauses, troubles: await reader.troubles() };
}

interface FileViewOptions {
  readonly setup: Setup;
  readonly reader: StoreView;
  readonly facts: FileFacts;
  /** Whether a daemon holds the state. */
  readonly isHeld: boolean;
  readonly now: Instant;
  readonly version: string;
}

export function fileView({ setup, reader, facts, isHeld, now, version }: FileViewOptions): View {
  const { config, watches, ruleFiles } = setup;
  const { memories, diagnostics } = facts;
  const watchById = new Map(watches.map((watch) => [watch.id, watch]));
  const runtime: RuntimeView = {
    version,
    startedAt: null,
    bootId: null,
    isWorking: () => isHeld,
    config: () => config,
    watches: () => watches,
    memoryOf: (id) => memories.get(id) ?? null,
    figuresOf: (id) => figuresIn(watchById.get(id), memories.get(id), diagnostics.get(id)),
    snapshotOf: () => null,
    healthOf: (id) => diagnostics.get(id)?.health ?? {},
    selfLabels: () => [],
    blind: () => watches.flatMap((watch) => blindIn(watch, facts, now)),
    unpolled: () => null,
    explorers: () => null,
    troubles: () => facts.troubles,
    rejected: () => null,
    loadedAt: () => null,
    polls: () => null,
    ruleFile: (file) => ruleFiles.get(file) ?? null,
    heartbeatAt: () => null,
    storage: () => null,
  };
  return { store: reader, runtime, now };
}

/** What is remembered of something else that was watched is nothing of this. */
function figuresIn(
  watch: Watch | undefined,
  memory: Memory | undefined,
  diagnostics: StoredDiagnostics | undefined,
): Figures | null {
  const snapshot = diagnostics?.snapshot ?? null;
  if (watch === undefined || snapshot === null || memory?.checksum !== watch.checksum) return null;
  return storedFiguresOf(watch.kind.fields, figurePathsOf(watch), snapshot);
}

function blindIn(watch: Watch, { memories, damaged, pauses }: FileFacts, now: Instant): BlindWatch[] {
  if (damaged.has(watch.id)) return [{ watch, since: now, reason: 'damaged-memory', fields: [] }];
  const memory = memories.get(watch.id);
  const since = blindFrom(watch, memory, { pause: lastPauseOf(pauses, watch), now });
  if (since === null) return [];
  const state = memory?.data?.state ?? 'ok';
  const fields = goneFields(memory?.data?.fields ?? NO_SIGHTINGS);
  return [{ watch, since, reason: state === 'ok' ? 'no-poll' : state, fields }];
}
