// The queries' view of the running daemon.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Config } from '../../config/model.ts';
import { summaryOfHealth, type DaemonHealth } from '../../engine/reporting/daemon-health.ts';
import type { RuntimeView, QueryContext } from '../../query/view.ts';
import { selfLabels } from '../../engine/self/self-watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Store } from '../../store/contract/store.ts';
import { createOtherWatches } from './other-watches.ts';
import type { Reload } from '../setup/reload.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Setup } from '../setup/setup.ts';

export interface ViewOptions {
  readonly runtime: Pick<Runtime, 'watches' | 'reports' | 'polled' | 'replicaOf' | 'facts'>;
  readonly ownership: Pick<Ownership, 'isShared' | 'view'>;
  readonly health: () => DaemonHealth;
  readonly reload: Pick<Reload, 'rejected'>;
  /** The setup at the start of the daemon. */
  readonly setup: Pick<Setup, 'config'>;
  readonly store: Pick<Store, 'reader'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly version: string;
  /** A new id for every start. */
  readonly bootId: string;
}

interface EditionOptions extends Pick<ViewOptions, 'store' | 'clock' | 'bootId'> {
  readonly runtime: Pick<Runtime, 'work'>;
}

/** Resolves with the current view. Rejects with a `StorageError` if the state cannot be opened. */
export function createLook(options: ViewOptions): () => Promise<QueryContext> {
  const { store, clock, health } = options;
  const view = runtimeView(options, clock.now());
  const withOthers = createOtherWatches(options);
  return async () => {
    const reader = await store.reader();
    const summary = summaryOfHealth(health());
    const own = { ...view, health: () => summary };
    const runtime = options.ownership.isShared ? await withOthers(own, reader) : own;
    return { store: reader, runtime, now: clock.now() };
  };
}

/** The text also changes at this interval, since ages and forecasts in answers change with the clock. */
const EDITION_MS = 10_000;

/** Resolves with a text that changes whenever queries may answer differently: after a write, a poll or a request. */
export function createEdition({ store, runtime, clock, bootId }: EditionOptions): () => Promise<string> {
  return async () => {
    const written = await (await store.reader()).version();
    const done = [...runtime.work().values()].reduce((sum, { polls, requests }) => sum + polls + requests, 0);
    // The text is short, because each change sends it to every open page.
    return [bootId.slice(0, 8), written, done, Math.floor(clock.now() / EDITION_MS)].join('-');
  };
}

/** The view without the health. */
function runtimeView(options: ViewOptions, startedAt: Instant): Omit<RuntimeView, 'health'> {
  const { runtime, ownership, reload, version, bootId } = options;
  const { facts } = runtime;
  const config = (): Config => facts.config() ?? options.setup.config;
  return {
    ...facts,
    version,
    startedAt,
    bootId,
    silentSince: null,
    config,
    reports: runtime.reports,
    selfLabels: () => selfLabels(config().explorers.keys()),
    explorers: () => [...config().explorers.keys()].map((name) => ({ name, ...facts.explorer(name) })),
    rejected: reload.rejected,
    replicaOf: runtime.replicaOf,
    cluster: () => (ownership.isShared ? ownership.view() : null),
  };
}
