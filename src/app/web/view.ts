// What queries see of the running daemon.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Config } from '../../config/model.ts';
import { showTrouble } from '../../core/model/quality/explorer-trouble.ts';
import type { RuntimeView, QueryContext } from '../../query/view.ts';
import { selfLabels } from '../../engine/self/self-watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import { createOtherWatches } from './other-watches.ts';
import type { Reload } from '../setup/reload.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Setup } from '../setup/setup.ts';
import type { StorageState } from '../state/storage-health.ts';

export interface ViewOptions {
  readonly runtime: Pick<
    Runtime,
    'watches' | 'polled' | 'replicaOf' | 'unpolled' | 'blindness' | 'troubles' | 'notJudged' | 'memoryOf' | 'facts'
  >;
  readonly ownership: Pick<Ownership, 'isShared' | 'view'>;
  readonly reload: Pick<Reload, 'rejected'>;
  /** What the daemon started with. */
  readonly setup: Pick<Setup, 'config'>;
  readonly storage: () => StorageState;
  readonly heartbeatAt: () => Instant | null;
  readonly store: Pick<Store, 'reader'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly version: string;
  /** Another one for every start. */
  readonly bootId: string;
}

interface EditionOptions extends Pick<ViewOptions, 'store' | 'clock' | 'bootId'> {
  readonly runtime: Pick<Runtime, 'work'>;
}

/** Resolves with the view of now. Rejects with a `StorageError` when the state cannot be opened. */
export function createLook(options: ViewOptions): () => Promise<QueryContext> {
  const { store, clock } = options;
  const own = runtimeView(options, clock.now());
  const withOthers = createOtherWatches(options);
  return async () => {
    const reader = await store.reader();
    const runtime = options.ownership.isShared ? await withOthers(own, reader) : own;
    return { store: reader, runtime, now: clock.now() };
  };
}

/** For so long a time at most ages and forecasts stay as they were. */
const EDITION_MS = 10_000;

/** Resolves with a text that is another one whenever queries may answer otherwise: after a write, a poll or a request. */
export function createEdition({ store, runtime, clock, bootId }: EditionOptions): () => Promise<string> {
  return async () => {
    const written = await (await store.reader()).version();
    const done = [...runtime.work().values()].reduce((sum, { polls, requests }) => sum + polls + requests, 0);
    return [bootId, written, done, Math.floor(clock.now() / EDITION_MS)].join('-');
  };
}

function runtimeView(options: ViewOptions, startedAt: Instant): RuntimeView {
  const { runtime, ownership, reload, storage, heartbeatAt, version, bootId } = options;
  const { facts } = runtime;
  const config = (): Config => facts.config() ?? options.setup.config;
  return {
    version,
    startedAt,
    bootId,
    isWorking: () => true,
    config,
    watches: () => runtime.watches(),
    memoryOf: (id) => runtime.memoryOf(id) ?? null,
    changedSince: (mark) => facts.changedSince(mark),
    figuresOf: (id) => facts.figuresOf(id),
    snapshotOf: (id) => facts.snapshotOf(id),
    healthOf: (id) => facts.healthOf(id),
    selfLabels: () => selfLabels(config().explorers.keys()),
    blindness: runtime.blindness,
    unpolled: () => runtime.unpolled(),
    explorers: () => [...config().explorers.keys()].map((name) => ({ name, ...facts.explorer(name) })),
    troubles: () => runtime.troubles().map(showTrouble),
    notJudged: () => runtime.notJudged.recent().reduce((sum, { items }) => sum + items, 0),
    rejected: () => reload.rejected(),
    loadedAt: () => facts.loadedAt(),
    replicaOf: (explorer) => runtime.replicaOf(explorer),
    cluster: () => (ownership.isShared ? ownership.view() : null),
    heartbeatAt,
    storage,
    polls: (watch) => facts.polls(watch),
    ruleFile: (file) => facts.ruleFile(file),
  };
}
