// The parts that are opened first: the state, the ownership of its shards, and the clock.
import { createSoleOwnership, type Ownership } from '../../cluster/ownership.ts';
import { createSharedOwnership } from '../../cluster/shared-ownership.ts';
import { createAnchoredClock } from '../../lib/anchored-clock.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Recovery } from '../../store/contract/backups.ts';
import { openStore, openStoreForDryRun } from '../../store/open.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { stateFileOf, type StateFile } from '../runtime/upkeep.ts';
import { watchStorage, type StorageHealth } from './storage-health.ts';
import type { Setup } from '../setup/setup.ts';

export interface StateOptions {
  readonly setup: Pick<Setup, 'config'>;
  readonly isDry: boolean;
  /** The name of this process. A second daemon on the same state file shows it in its error. */
  readonly owner: string;
  readonly openStore?: typeof openStore;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenState {
  readonly storage: StorageHealth;
  readonly ownership: Ownership;
  /**
   * If several replicas share a state, this is the time of the database server, so that all decide by the same clock.
   */
  readonly clock: Clock;
  readonly recovery: Pick<RecoveryRecord, 'recent'>;
  /** Null in a dry run and for a state in PostgreSQL, which have no state file. */
  readonly file: StateFile | null;
}

/** The replacement of a state that was damaged or missing at the start. */
interface RecoveryRecord {
  readonly recovered: (how: Recovery) => void;
  /** The last recovery; null: there was none within the last hour. */
  readonly recent: () => { readonly how: Recovery; readonly at: Instant } | null;
}

/** The caller closes the store of `storage`. Rejects with a `StorageError` or `StoreBusyError`. */
export async function openState(options: StateOptions): Promise<OpenState> {
  const { setup, isDry, clock, log } = options;
  const recovery = createRecoveryRecord(clock);
  await using opened = new AsyncDisposableStack();
  const storage = watchStorage(opened.use(await open(options, recovery)));
  const { store } = storage;
  const { cluster } = store;
  const file = isDry || setup.config.state.postgres !== null ? null : stateFileOf(setup.config);
  if (!cluster.isShared) {
    opened.move();
    return { storage, ownership: createSoleOwnership(cluster), clock, recovery, file };
  }
  const anchored = createAnchoredClock(clock);
  anchored.anchor(await cluster.now());
  opened.move();
  const ownership = createSharedOwnership({
    cluster,
    clock,
    log,
    onTime: (now) => {
      anchored.anchor(now);
    },
    record: store.record,
  });
  return { storage, ownership, clock: anchored, recovery, file };
}

const RECENT_MS = 3_600_000;

function createRecoveryRecord(clock: Pick<Clock, 'now' | 'monotonic'>): RecoveryRecord {
  let last: { readonly how: Recovery; readonly at: Instant; readonly steady: number } | null = null;
  return {
    recovered(how) {
      last = { how, at: clock.now(), steady: clock.monotonic() };
    },
    recent: () => (last !== null && clock.monotonic() - last.steady < RECENT_MS ? last : null),
  };
}

/** A dry run keeps nothing after the process ends. */
async function open(
  { isDry, setup, owner, log, openStore: openIt = openStore }: StateOptions,
  { recovered }: Pick<RecoveryRecord, 'recovered'>,
): Promise<Store> {
  if (isDry) return openStoreForDryRun({ log });
  return openIt(setup.config.state, { owner, log, onRecovered: recovered });
}
