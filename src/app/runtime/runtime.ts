// Puts one setup in force at a time, and runs the loops of the daemon.
import type { Follower } from '../../cluster/ownership.ts';
import type { Config, DigestSettings, HeartbeatSettings, StateSettings } from '../../config/model.ts';
import type { WatchReadings } from '../../engine/polling/held-watches.ts';
import type { Scheduler } from '../../engine/scheduling/scheduler.ts';
import type { PlanRest } from '../../core/model/quality/plan-rest.ts';
import type { ExplorerTrouble } from '../../core/model/quality/explorer-trouble.ts';
import { isOverdue } from '../../core/model/watch/schedule.ts';
import { paceIn, type Watch } from '../../core/model/watch/watch.ts';
import type { Report } from '../../core/reports/model.ts';
import type { AlertCount } from '../../telemetry/mirrored-series.ts';
import type { WorkByExplorer } from '../../engine/self/work-counts.ts';
import type { LowDisk, WorkingParts } from '../../engine/reporting/daemon-health.ts';
import type { PausedWatch } from '../../engine/reporting/paused-watches.ts';
import { countAlerts, dataOfWatches, healthOfAlerts } from '../../engine/reporting/report.ts';
import type { Unrecorded } from '../../engine/sending/unrecorded.ts';
import { createBackupHealth } from '../../engine/upkeep/backup-health.ts';
import type { Loop } from '../../engine/upkeep/supervisor.ts';
import { createMutex } from '../../lib/mutex.ts';
import type { SampleTry } from '../../operators/action.ts';
import { createParts, type PartsOptions } from './parts.ts';
import type { Prepared } from './prepared.ts';
import type { Setup } from '../setup/setup.ts';
import { createFacts, explorerReading, type RuntimeFacts } from './facts.ts';
import { runtimeLoops } from './loops.ts';
import { Setups } from './setups.ts';
import { createShardFollower, reachOf } from './shard-follower.ts';
import type { StateFile } from './upkeep.ts';

export interface RuntimeOptions extends PartsOptions {
  /** Null if there is no file, as in a dry run. */
  readonly stateFile: StateFile | null;
}

/**
 * On disposal, deliveries in flight have seven seconds to finish, then they are aborted. After that the explorers are
 * closed.
 */
export interface Runtime extends AsyncDisposable {
  /**
   * Rejects, and changes nothing, if the setup cannot be put in force. Setups are prepared one at a time: the next
   * call waits until this one is committed or disposed of.
   */
  prepare(next: Setup): Promise<Prepared>;
  /** The watches in force; none before the first commit. */
  readonly watches: () => readonly Watch[];
  /** The reports in force. */
  readonly reports: () => readonly Report[];
  /** The watches in force that this process polls. */
  readonly polled: () => readonly Watch[];
  /** The other replica that polls the explorer; null if none is known. */
  readonly replicaOf: (explorer: string) => string | null;
  /** The parts that observe polls and channels, for the health of the daemon. */
  readonly parts: WorkingParts;
  /** The names of the open channels. */
  readonly channels: () => readonly string[];
  /** Sends on this channel again, even if its receiver had answered that it no longer exists. */
  retry(channel: string): void;
  /** Sends a sample to each recipient of the channel at once. */
  readonly sample: (channel: string) => Promise<readonly SampleTry[]>;
  /** Polls these watches at once. Their due times stay. */
  pollNow(watches: readonly Watch[]): void;
  /** The alerts in memory, for the metrics. */
  alerts(): Iterable<AlertCount>;
  /** The channels for alerts about the daemon itself. */
  self(): readonly string[];
  /** Wakes the dispatcher and mirrors. Call this after code outside of the polls has committed transitions. */
  dispatch(): void;
  /** Wakes the dispatcher and all senders. Call this when another replica may have stored work that is due. */
  look(): void;
  /** Sends critical alerts from memory while the store cannot be written. */
  readonly unrecorded: Unrecorded;
  heartbeat(): HeartbeatSettings | null;
  digest(): DigestSettings | null;
  /** The time zone for texts to people. */
  readonly timeZone: () => string;
  /** Counts of work since the start. */
  readonly work: () => WorkByExplorer;
  /** Readings of the watches that this process polls. */
  readonly readings: WatchReadings;
  /** Data about watches and explorers that only this process has. */
  readonly facts: RuntimeFacts;
  readonly scheduler: Pick<Scheduler, 'turns' | 'turn'>;
  /** Starts or stops polling the watches of a shard when this replica claims, gives back or loses it. */
  readonly follower: Follower;
  /** Works until the signal aborts; then polls end and their results are stored. */
  run(signal: AbortSignal): Promise<void>;
}

const SENDER_BUDGET_MS = 7000;

export function createRuntime(options: RuntimeOptions): Runtime {
  const { store, ownership, clock, log, metrics, supervise, pauses } = options;
  const reading = new AbortController();
  const changing = createMutex();
  const timeZone = (): string => config()?.timeZone ?? 'UTC';
  const parts = createParts(options, {
    timeZone,
    signal: reading.signal,
    changing,
    redact: log.redact,
    hasSelf: () => self().length > 0,
    rules: () => setups.inForce().rules,
    hasDigest: () => digest() !== null,
    isWatched: (id) => setups.inForce().ids.has(id),
  });
  const { explorers, channels, dispatcher, poller, keptPlans, scheduler, blindWatches } = parts;
  let isRunning = false;
  const backupHealth = createBackupHealth(clock);
  let lowDisk: LowDisk | null = null;
  const setups = new Setups({
    ...options,
    parts,
    schedule: () => {
      if (isRunning) schedule();
    },
  });
  const config = (): Config | null => setups.inForce().config;
  const watches = (): readonly Watch[] => setups.inForce().watches;
  const self = (): readonly string[] => config()?.self ?? [];
  const digest = (): DigestSettings | null => config()?.digest ?? null;

  const { memoryOf, healthOf } = poller.readings;
  metrics.mirrorHealth(() => healthOfAlerts(watches(), { healthOf, memoryOf, now: clock.now() }));
  metrics.mirrorData(() => dataOfWatches(watches(), memoryOf));
  metrics.mirrorRests(rests);
  metrics.mirrorPlans(() => parts.spending.plans().filter(({ state }) => state.explorers.some(isAskedHere)));
  metrics.mirrorOutbox(async () => (await store.survey()).outbox);

  /** Pauses of the explorers that this process polls. For other explorers the end of a pause is not known here. */
  function rests(): ReadonlyMap<string, PlanRest> {
    return new Map([...explorers.rests()].filter(([name]) => isAskedHere(name)));
  }

  function isAskedHere(explorer: string): boolean {
    return ownership.fenceOf(poller.shardOf(explorer)) !== null;
  }

  /**
   * Explorers that refuse requests. A pause after a rate limit is left out, since it is usual and over within minutes.
   */
  function refusals(): ExplorerTrouble[] {
    const refused = [...rests()].filter(([, { reason }]) => reason !== 'rate-limited');
    return refused.map(([explorer, rest]) => ({ type: 'refused', explorer, rest }));
  }

  function otherChains(): ExplorerTrouble[] {
    const names = new Set(watches().map(({ target }) => target.explorer));
    return [...names].flatMap((explorer): ExplorerTrouble[] => {
      const why = poller.otherChain(explorer);
      return why === null ? [] : [{ type: 'other-chain', explorer, why }];
    });
  }

  function paused(): PausedWatch[] {
    return watches().flatMap((watch) => {
      const pause = pauses.of(watch);
      return pause === null ? [] : [{ watch, pause }];
    });
  }

  function onDiskLow(freeBytes: number | null): void {
    lowDisk = freeBytes === null ? null : { since: lowDisk?.since ?? clock.now(), freeBytes };
  }

  async function flush(): Promise<void> {
    await poller.flush();
    await keptPlans.flush();
  }

  function loops(): Loop[] {
    const settings = (): StateSettings | null => config()?.state ?? null;
    return runtimeLoops({ ...options, parts, settings, flush, backupHealth, onDiskLow, paused });
  }

  function schedule(): void {
    const own = poller.watches();
    const now = clock.now();
    parts.spending.plan();
    scheduler.set(
      own,
      own.filter((watch) => {
        const memory = memoryOf(watch.id);
        return isOverdue(watch, memory?.coveredUntil ?? null, now, paceIn(memory, watch));
      }),
    );
  }

  ownership.consult(reachOf({ explorers, shardOf: poller.shardOf, names: () => config()?.explorers.keys() ?? [] }));
  const follower = createShardFollower({
    poller,
    keptPlans,
    changing,
    explorers: () => config()?.explorers.keys() ?? [],
    watches,
    forgetExplorer: (explorer) => {
      explorers.forget(explorer);
    },
    onMoved: () => {
      setups.follow();
      if (isRunning) schedule();
    },
  });

  return {
    async prepare(next) {
      const release = await changing.acquire();
      try {
        return releasing(await setups.prepare(next), release);
      } catch (error) {
        release();
        throw error;
      }
    },
    watches,
    reports: () => setups.inForce().reports,
    polled: () => poller.watches(),
    replicaOf(explorer) {
      const shard = poller.shardOf(explorer);
      const found = ownership.view().shards.find((one) => one.shard === shard);
      return found === undefined || found.isOurs ? null : found.holder;
    },
    parts: {
      isRunning: () => isRunning,
      watches,
      polled: () => poller.watches(),
      blindWatches,
      paused,
      notJudged: parts.notJudged,
      explorers: () => [...(config()?.explorers.keys() ?? [])].map((name) => explorerReading(parts, name)),
      memoryOf,
      troubles: () => [...refusals(), ...otherChains()],
      channels: () => channels.health(),
      owedToMirrors: channels.owedToMirrors,
      backups: backupHealth,
      lowDisk: () => lowDisk,
    },
    channels: channels.names,
    retry(channel) {
      channels.resume(channel);
    },
    sample: channels.sample,
    pollNow(resumed) {
      for (const { id } of resumed) scheduler.pollAgain(id, 0);
    },
    alerts: () => countAlerts(watches(), memoryOf),
    self,
    heartbeat: () => config()?.heartbeat ?? null,
    digest,
    timeZone,
    work: () => parts.work.now(),
    readings: poller.readings,
    facts: createFacts(parts, () => setups.inForce()),
    scheduler,
    follower,
    unrecorded: parts.unrecorded,
    look: () => {
      dispatcher.wake();
      channels.wake(new Set(channels.names()));
    },
    dispatch: () => {
      dispatcher.wake();
      channels.wakeMirrors();
    },
    async run(signal) {
      isRunning = true;
      schedule();
      await Promise.all(loops().map((loop) => supervise(loop, signal)));
      isRunning = false;
      reading.abort(new DOMException('the daemon is stopping', 'AbortError'));
      await poller.idle();
      // If this last write fails, the time counted for a `for` is a few seconds too short after the next start. So the
      // error is only logged.
      await flush().catch((error: unknown) => {
        log.warn('storage:housekeeping-failed', { error });
      });
    },
    async [Symbol.asyncDispose]() {
      await channels.stop(SENDER_BUDGET_MS);
      await explorers[Symbol.asyncDispose]();
    },
  };
}

/** Releases the mutex once the setup is committed or disposed of. */
function releasing(built: Prepared, release: () => void): Prepared {
  return {
    commit() {
      built.commit();
      release();
    },
    async [Symbol.asyncDispose]() {
      try {
        await built[Symbol.asyncDispose]();
      } finally {
        release();
      }
    },
  };
}
