// The queries' view of the running daemon.
import type { ClusterView, Ownership } from '../../cluster/ownership.ts';
import type { Config } from '../../config/model.ts';
import { summaryOfHealth } from '../../engine/reporting/daemon-health.ts';
import type { RuntimeView, QueryContext } from '../../query/view.ts';
import { selfLabels } from '../../engine/self/self-watch.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import { createOtherWatches } from './other-watches.ts';
import type { Parts, PartsOptions } from '../parts.ts';

export interface ViewOptions
  extends
    Pick<PartsOptions, 'setup' | 'version'>,
    Pick<Parts, 'inForce' | 'poller' | 'blindWatches' | 'pollRing' | 'explorerFacts' | 'health' | 'notes'> {
  readonly ownership: Pick<Ownership, 'isShared' | 'view'>;
  readonly store: Pick<Store, 'reader'>;
  readonly clock: Pick<Clock, 'now'>;
  /** A new id for every start. */
  readonly bootId: string;
}

interface EditionOptions extends Pick<ViewOptions, 'store' | 'clock' | 'bootId'>, Pick<Parts, 'work'> {}

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

/** The text of `createEdition` also changes at this interval, since ages and forecasts in answers change with time. */
const EDITION_MS = 10_000;

/** Resolves with a text that changes whenever queries may answer differently: after a write, a poll or a request. */
export function createEdition({ store, work, clock, bootId }: EditionOptions): () => Promise<string> {
  return async () => {
    const written = await (await store.reader()).version();
    const done = [...work.now().values()].reduce((sum, { polls, requests }) => sum + polls + requests, 0);
    // The text is short, because each change sends it to every open page.
    return [bootId.slice(0, 8), written, done, Math.floor(clock.now() / EDITION_MS)].join('-');
  };
}

/** The view without the health. */
function runtimeView(options: ViewOptions, startedAt: Instant): Omit<RuntimeView, 'health'> {
  const { inForce, poller, blindWatches, pollRing, explorerFacts, ownership, notes, version, bootId } = options;
  const config = (): Config => inForce.config() ?? options.setup.config;
  return {
    version,
    startedAt,
    bootId,
    silentSince: null,
    config,
    watches: inForce.watches,
    reports: inForce.reports,
    readings: poller.readings,
    selfLabels: () => selfLabels(config().explorers.keys()),
    blind: blindWatches.blind,
    unseen: blindWatches.unseen,
    explorers: () =>
      [...config().explorers.keys()].map((name) => {
        const { answers, p99Ms, rate } = explorerFacts.of(name);
        return { name, answers, p99Ms, rate };
      }),
    rejected: () => notes.rejected,
    loadedAt: inForce.loadedAt,
    polls: pollRing.of,
    ruleFile: inForce.ruleFile,
    replicaOf: (explorer) => otherHolderOf(poller.shardOf(explorer), ownership.view()),
    cluster: () => (ownership.isShared ? ownership.view() : null),
  };
}

/** The other replica that holds the shard; null if none is known. */
function otherHolderOf(shard: Shard, { shards }: ClusterView): string | null {
  const found = shards.find((one) => one.shard === shard);
  return found === undefined || found.isOurs ? null : found.holder;
}
