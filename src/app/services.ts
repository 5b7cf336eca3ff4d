// The parts of a daemon without its web server: the state, its upkeep, and the loops.
import type { Ownership } from '../cluster/ownership.ts';
import { createFind } from '../engine/self/findings.ts';
import { createSelfAlerts, type SelfAlerts } from '../engine/self/self-alerts.ts';
import { daemonHealth, type DaemonHealth, type HealthParts } from '../engine/reporting/daemon-health.ts';
import { blindOfWatches, countAlerts } from '../engine/reporting/report.ts';
import { createClockJumps, type ClockJumps } from '../engine/upkeep/clock-jumps.ts';
import { createHeldLoops, type WhileHeld } from '../engine/upkeep/held-loops.ts';
import { createSupervisor, type Supervisor } from '../engine/upkeep/supervisor.ts';
import type { Instant } from '../lib/clock.ts';
import type { openStore } from '../store/open.ts';
import type { Store } from '../store/contract/store.ts';
import { createDaemonJournal, type DaemonJournal } from './daemon-journal.ts';
import { createPauses, type Pauses } from './pauses.ts';
import { createReload, type Reload } from './setup/reload.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from './runtime/runtime.ts';
import { shardOfCause } from './runtime/shards.ts';
import { stateFileOf } from './runtime/upkeep.ts';
import type { Setup, SetupTools } from './setup/setup.ts';
import type { Sources } from './setup/sources.ts';
import type { OpenState } from './state/state.ts';
import { createStateGuard, type StateGuard } from './state/state-guard.ts';

export interface AppOptions
  extends
    SetupTools,
    Omit<
      RuntimeOptions,
      'store' | 'ownership' | 'storageState' | 'supervise' | 'whileHeld' | 'stateFile' | 'pauses' | 'jumps'
    > {
  readonly configFile: string;
  readonly setup: Setup;
  /** The files that `setup` was read from. */
  readonly sources: Pick<Sources, 'begin' | 'loaded' | 'current'>;
  /** If another daemon is started on the same state file, its error shows this name. */
  readonly owner: string;
  readonly openStore?: typeof openStore;
}

export interface Services {
  readonly store: Store;
  readonly ownership: Ownership;
  readonly supervisor: Supervisor;
  readonly whileHeld: WhileHeld;
  readonly guard: StateGuard;
  readonly jumps: ClockJumps;
  readonly pauses: Pauses;
  readonly runtime: Runtime;
  readonly journal: DaemonJournal;
  readonly reload: Reload;
  /** The current health of the daemon. */
  readonly health: () => DaemonHealth;
  /** When the heartbeat service last accepted a heartbeat; null: not yet. The heartbeat loop writes this. */
  readonly heartbeats: { acceptedAt: Instant | null };
  /** Alerts about the daemon itself. */
  readonly self: SelfAlerts;
}

/** The services are closed with `opened`, in reverse order. Rejects with a `StorageError`. */
export async function openServices(
  options: AppOptions,
  { recovery, ownership, storage }: OpenState,
  opened: AsyncDisposableStack,
): Promise<Services> {
  const { setup, clock, log, metrics } = options;
  const store = opened.use(storage.store);
  const { whileHeld, follower } = createHeldLoops(ownership, clock);
  ownership.follow(follower);
  const supervisor = createSupervisor({
    clock,
    log,
    onRestart: (loop) => {
      metrics.loopRestarted(loop);
    },
  });
  const jumps = createClockJumps(clock);
  const pauses = createPauses({ store, clock });
  await pauses.read();
  const runtime = opened.use(
    createRuntime({
      ...options,
      store,
      ownership,
      jumps,
      pauses,
      storageState: () => storage.state(),
      supervise: supervisor.supervise,
      whileHeld,
      stateFile: options.isDry || setup.config.state.postgres !== null ? null : stateFileOf(setup.config),
    }),
  );
  ownership.follow(runtime.follower);
  const journal = createDaemonJournal({ store, ownership, clock, log });
  const reload = createReload({ ...options, runtime, onApplied: (next) => journal.configured(next) });
  const guard = createStateGuard({ store, clock, log });
  const heartbeats: Services['heartbeats'] = { acceptedAt: null };
  const known: HealthParts = {
    ...runtime.parts,
    clock,
    startedAt: clock.now(),
    storage: () => storage.state(),
    restoredAt: guard.restoredAt,
    recovered: () => recovery.recent(),
    failingLoops: () => supervisor.failing(),
    rejected: reload.rejected,
    clockJumps: jumps,
    cluster: () => (ownership.isShared ? ownership.view() : null),
    heartbeatAt: () => heartbeats.acceptedAt,
  };
  const health = (): DaemonHealth => daemonHealth(known);
  const services = { store, ownership, supervisor, whileHeld, guard, jumps, pauses, runtime, journal, reload };
  const self = createSelf(options, { store, ownership, runtime, health });
  mirrorHealth(metrics, known);
  metrics.mirrorAlerts(function* () {
    yield* runtime.alerts();
    yield* countAlerts(self.watches(), (id) => self.memoryOf(id));
  });
  return { ...services, health, heartbeats, self };
}

/** From the parts that the health is made of: the whole record takes a pass over all watches for each of ten metrics. */
function mirrorHealth(metrics: AppOptions['metrics'], parts: HealthParts): void {
  metrics.mirrorCluster(() => parts.cluster());
  metrics.mirrorStorage(() => parts.storage() === 'works');
  metrics.mirrorFailing(() => parts.failingLoops().map(({ name }) => name));
  metrics.mirrorBlind(() => blindOfWatches(parts.blindWatches.blind()));
}

function createSelf(
  { setup, clock, log }: AppOptions,
  { store, ownership, runtime, health }: Pick<Services, 'store' | 'ownership' | 'runtime' | 'health'>,
): SelfAlerts {
  const self = createSelfAlerts({
    store,
    ownership,
    shardOf: (cause) => shardOfCause(cause, runtime.facts.config() ?? setup.config),
    clock,
    log,
    find: createFind({ store, health, timeZone: runtime.timeZone }),
    notify: () => runtime.self(),
    timeZone: runtime.timeZone,
    onTransitions: () => {
      runtime.dispatch();
    },
    unrecorded: runtime.unrecorded,
  });
  const onMoved = (): Promise<void> => {
    self.shardsMoved();
    return Promise.resolve();
  };
  ownership.follow({ claimed: onMoved, releasing: onMoved, lost: () => void onMoved() });
  return self;
}
