// The data of watches that other replicas poll, for pages. It is read from the rows that these replicas store.
import type { WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { ClusterView, Ownership } from '../../cluster/ownership.ts';
import { isOld, mergedHealth, type HealthSummary } from '../../core/model/quality/health-summary.ts';
import type { WatchReadings } from '../../engine/polling/state.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { readStored, storedHealth, storedWatches } from '../../query/stored-watches.ts';
import type { RuntimeView } from '../../query/view.ts';
import type { StoreView } from '../../store/contract/store.ts';
import type { Parts } from '../parts.ts';

export interface OtherWatchesOptions {
  readonly inForce: Pick<Parts['inForce'], 'watches'>;
  readonly poller: Pick<Parts['poller'], 'watches'>;
  readonly ownership: Pick<Ownership, 'view'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Rows are read again at most this often, since a replica stores its results only every ten seconds. */
const READ_AGAIN_MS = 5000;

interface Read {
  readonly at: Instant;
  readonly watches: readonly Watch[];
  readonly view: Others;
}

interface Others extends ReturnType<typeof storedWatches> {
  readonly health: HealthSummary;
}

/** The view of this process, with the stored data of watches of other replicas. Rejects with a `StorageError`. */
export function createOtherWatches({ inForce, poller, ownership, clock }: OtherWatchesOptions) {
  let last: Read | null = null;

  function isCurrent(read: Read, watches: readonly Watch[]): boolean {
    const ageMs = clock.now() - read.at;
    const isRecent = ageMs >= 0 && ageMs < READ_AGAIN_MS;
    return isRecent && watches.length === read.watches.length && watches.every((one, i) => one === read.watches[i]);
  }

  async function read(reader: StoreView, watches: readonly Watch[]): Promise<Others> {
    if (last !== null && isCurrent(last, watches)) return last.view;
    const at = clock.now();
    const facts = await readStored(
      reader,
      watches.map(({ id }) => id),
    );
    const rows = healthOfOthers(await reader.health(), ownership.view(), at);
    last = {
      at,
      watches,
      view: {
        ...storedWatches(watches, { ...facts, rows }, at),
        health: storedHealth(watches, { ...facts, rows }, at),
      },
    };
    return last.view;
  }

  return async (own: RuntimeView, reader: StoreView): Promise<RuntimeView> => {
    const polled = new Set(poller.watches());
    const watches = inForce.watches().filter((watch) => !polled.has(watch));
    return withOthers(own, watches, await read(reader, watches));
  };
}

/** Leaves out old rows. They come from a replica that hangs, or that cannot write. */
function healthOfOthers(
  rows: ReadonlyMap<string, HealthSummary>,
  { replicas }: ClusterView,
  now: Instant,
): HealthSummary[] {
  const own = replicas.find(({ isSelf }) => isSelf)?.id;
  return [...rows].flatMap(([id, health]) => (id === own || isOld(health, now) ? [] : [health]));
}

/** Takes the data of `watches` from `others`, since this process has none. */
function withOthers(own: RuntimeView, watches: readonly Watch[], others: Others): RuntimeView {
  const ids = new Set(watches.map(({ id }) => id));
  const readingsOf = (id: WatchId): WatchReadings => (ids.has(id) ? others : own).readings;
  return {
    ...own,
    readings: {
      memoryOf: (id) => readingsOf(id).memoryOf(id),
      // All watches count as changed, since the rows of other replicas are always read as a whole.
      changedSince: others.readings.changedSince,
      figuresOf: (id) => readingsOf(id).figuresOf(id),
      snapshotOf: (id) => readingsOf(id).snapshotOf(id),
      healthOf: (id) => readingsOf(id).healthOf(id),
    },
    blind: () => [...own.blind(), ...others.blind()],
    unseen: () => [...own.unseen(), ...watches.filter(({ id }) => others.readings.memoryOf(id) === undefined)],
    health: () => mergedHealth(own.health(), [others.health]),
  };
}
