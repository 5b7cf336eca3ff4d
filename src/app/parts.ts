// The composition root: makes the parts of a daemon, each from those before it. Only `app/` names `Parts`; other folders
// take the members that they call.
import type { WatchId } from '../core/model/ids.ts';
import { createCoveredElsewhere, type CoveredElsewhere } from '../engine/reporting/covered-elsewhere.ts';
import { daemonHealth, type DaemonHealth } from '../engine/reporting/daemon-health.ts';
import { createFind } from '../engine/self/findings.ts';
import { REPORT_WATCH } from '../engine/self/report-watch.ts';
import { createSelfAlerts, type SelfAlerts } from '../engine/self/self-alerts.ts';
import { isSelfWatch } from '../engine/self/self-watch.ts';
import { createBackupHealth, type BackupHealth } from '../engine/upkeep/backup-health.ts';
import { createClockJumps, type ClockJumps } from '../engine/upkeep/clock-jumps.ts';
import { createHeldLoops, type WhileHeld } from '../engine/upkeep/held-loops.ts';
import { createRetirement, type Retirement } from '../engine/upkeep/retirement.ts';
import { createSupervisor, type Supervisor } from '../engine/upkeep/supervisor.ts';
import { type Clock, createMutex } from '../lib/clock.ts';
import type { Store } from '../store/contract/store.ts';
import type { SafeLog } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createDaemonJournal, type DaemonJournal } from './daemon-journal.ts';
import { healthPartsOf, mirrorParts, type DaemonNotes } from './health.ts';
import { createInForce, createPauses, type InForce, type Pauses } from './in-force.ts';
import { createPolling, type Polling, type PollingOptions } from './polling.ts';
import type { ChannelsOptions } from './runtime/channels.ts';
import { Setups } from './runtime/setups.ts';
import { createShardFollower, reachOf } from './runtime/shard-follower.ts';
import { shardOfCause } from './runtime/shards.ts';
import { createSending, type Sending } from './sending.ts';
import type { Setup } from './setup/setup.ts';
import { createStateGuard, type StateGuard } from './state/storage-health.ts';
import type { OpenState } from './state/state.ts';

export interface PartsOptions
  extends
    Pick<ChannelsOptions, 'print' | 'version' | 'isDry'>,
    Pick<PollingOptions, 'recorder' | 'hook' | 'silentWaitMs' | 'openExplorer'> {
  /** The setup at the start of the daemon. */
  readonly setup: Setup;
  readonly clock: Clock;
  readonly log: SafeLog;
  readonly metrics: Metrics;
}

/** The parts of a daemon without its web server. */
export interface Parts extends OpenState, Sending, Polling {
  readonly store: Store;
  readonly supervisor: Supervisor;
  readonly whileHeld: WhileHeld;
  readonly jumps: ClockJumps;
  readonly pauses: Pauses;
  readonly inForce: InForce;
  readonly setups: Setups;
  readonly retirement: Retirement;
  readonly coveredElsewhere: CoveredElsewhere;
  readonly guard: StateGuard;
  readonly journal: DaemonJournal;
  readonly backupHealth: BackupHealth;
  readonly notes: DaemonNotes;
  /** The current health of the daemon. */
  readonly health: () => DaemonHealth;
  /** Alerts about the daemon itself. */
  readonly self: SelfAlerts;
}

/** The time for deliveries in flight at the end. After that they are aborted. */
const SENDER_BUDGET_MS = 7000;

/**
 * The parts are closed with `opened`, in reverse order: first the channels, then the explorers. The caller closes the
 * store. Rejects with a `StorageError`.
 */
export async function openParts(options: PartsOptions, state: OpenState, opened: AsyncDisposableStack): Promise<Parts> {
  const { log, metrics } = options;
  const { storage, ownership, clock } = state;
  const { store } = storage;
  const basics = { ...options, store, ownership, clock };
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
  const pauses = createPauses(basics);
  await pauses.read();
  const inForce = createInForce();
  const sending = createSending({ ...basics, inForce, jumps, supervise: supervisor.supervise, whileHeld });
  const { channels, unrecorded, wake } = sending;
  const onTransitions = wake.transitions;
  const polling = createPolling({ ...basics, pauses, storageState: storage.state, unrecorded, onTransitions });
  const { explorers, poller, polls } = polling;
  opened.use(explorers);
  opened.defer(() => channels.stop(SENDER_BUDGET_MS));
  const changing = createMutex();
  const coveredElsewhere = createCoveredElsewhere(basics);
  const retirement = createRetirement({
    ...basics,
    isAdopted: (id) => isAdopted(id, inForce),
    isOpen: (channel) => channels.names().includes(channel),
    exclusively: changing.hold,
    unkept: poller.unkept,
    unrecorded,
    onTransitions,
  });
  const setups = new Setups({ ...basics, ...sending, ...polling, inForce, changing, coveredElsewhere, retirement });
  ownership.consult(reachOf({ explorers, shardOf: poller.shardOf, names: inForce.explorers }));
  ownership.follow(
    createShardFollower({
      poller,
      keptPlans: polling.keptPlans,
      changing,
      explorers: inForce.explorers,
      watches: inForce.watches,
      forgetExplorer: explorers.forget,
      onMoved() {
        setups.follow();
        polls.schedule();
      },
    }),
  );
  const notes: DaemonNotes = { lowDisk: null, rejected: null, heartbeatAt: null };
  const observed = {
    ...state,
    ...sending,
    ...polling,
    store,
    supervisor,
    whileHeld,
    jumps,
    pauses,
    inForce,
    setups,
    retirement,
    coveredElsewhere,
    guard: createStateGuard(basics),
    journal: createDaemonJournal(basics),
    backupHealth: createBackupHealth(clock),
    notes,
  };
  const known = healthPartsOf(observed);
  const health = (): DaemonHealth => daemonHealth(known);
  const self = createSelf(options, observed, health);
  mirrorParts(metrics, observed, self, known);
  return { ...observed, health, self };
}

/** False for a watch that no config has any more: its alerts end. */
function isAdopted(id: WatchId, inForce: InForce): boolean {
  if (inForce.isWatched(id)) return true;
  return (inForce.self().length > 0 && isSelfWatch(id)) || (inForce.digest() !== null && id === REPORT_WATCH);
}

function createSelf(
  { setup, log }: Pick<PartsOptions, 'setup' | 'log'>,
  { store, ownership, clock, inForce, wake, unrecorded }: Omit<Parts, 'health' | 'self'>,
  health: () => DaemonHealth,
): SelfAlerts {
  const { timeZone } = inForce;
  const self = createSelfAlerts({
    store,
    ownership,
    shardOf: (cause) => shardOfCause(cause, inForce.config() ?? setup.config),
    clock,
    log,
    find: createFind({ store, health, timeZone }),
    notify: inForce.self,
    timeZone,
    onTransitions: wake.transitions,
    unrecorded,
  });
  const onMoved = (): Promise<void> => {
    self.shardsMoved();
    return Promise.resolve();
  };
  ownership.follow({ claimed: onMoved, releasing: onMoved, lost: () => void onMoved() });
  return self;
}
