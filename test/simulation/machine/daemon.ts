// The daemon as `app/` starts it, but for what needs the world: no files are watched, no port is opened, and the
// explorer, the state file and the receivers are those of the simulation.
import { createPauses } from '../../../src/app/pauses.ts';
import { createRuntime } from '../../../src/app/runtime/runtime.ts';
import { isPauseOf } from '../../../src/core/model/watch/pause.ts';
import type { PollHook } from '../../../src/engine/polling/poll.ts';
import { keepPolicy } from '../../../src/operators/upkeep.ts';
import { createStorageBackoff } from '../../../src/engine/reporting/storage-backoff.ts';
import { createSupervisor } from '../../../src/engine/upkeep/supervisor.ts';
import { createExplorer } from '../../../src/explorer/explorer.ts';
import type { HttpTransport } from '../../../src/explorer/http/http-transport.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import type { SafeLog } from '../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import type { LifeLine } from '../life-line.ts';
import type { Blindness } from '../model.ts';
import type { ConfigVersion } from '../people/log.ts';
import type { Reached } from '../scenes/operators.ts';
import type { Loaded } from '../scenes/versions.ts';
import { ownershipOf } from '../../support/store/fences.ts';
import { createClockJumps } from '../../../src/engine/upkeep/clock-jumps.ts';

export interface DaemonOptions {
  readonly line: LifeLine;
  readonly clock: Clock;
  readonly store: Store;
  readonly transport: HttpTransport;
  /** What the files say now, with channels that lead to the receivers of the simulation. */
  readonly files: () => Loaded;
  readonly onApplied: (version: ConfigVersion) => void;
  /** The rules of its watches that are blind, each ten minutes. */
  readonly onLook: (look: Omit<Blindness, 'at'>) => void;
  readonly hook: PollHook;
}

export interface Daemon {
  /** Takes over what the files say now. */
  readonly reload: () => Promise<void>;
  /** For operators. */
  readonly reached: Reached;
  /** Resolves when the process has stopped, as it is asked to; never when it dies. */
  readonly ended: Promise<void>;
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { line, clock, store, transport, files, onApplied, onLook, hook } = options;
  const ownership = ownershipOf(store);
  const metrics = createMetrics({ clock });
  const pauses = createPauses({ store, clock });
  await pauses.read();
  const runtime = createRuntime({
    store,
    ownership,
    whileHeld: (_shard, run) => run,
    clock,
    log: SILENT,
    metrics,
    supervise: createSupervisor({
      clock,
      log: SILENT,
      onRestart: (loop) => {
        metrics.loopRestarted(loop);
      },
    }).supervise,
    openExplorer: (options) => createExplorer({ ...options, transport }),
    print: () => Promise.resolve(),
    version: '0.0.0',
    isDry: false,
    recorder: null,
    hook,
    silentWaitMs: 0,
    storageState: () => 'works',
    stateFile: null,
    pauses,
    jumps: createClockJumps(clock),
  });

  async function apply(): Promise<void> {
    const { setup, version } = files();
    await using prepared = await runtime.prepare(setup);
    if (!line.isAlive) return;
    prepared.commit();
    onApplied(version);
  }

  const onChanged = (): void => {
    runtime.dispatch();
  };
  const reached: Reached = {
    store,
    clock,
    watches: () => runtime.watches(),
    notify: () => runtime.self(),
    async onChanged(change) {
      if (change.type === 'pause' || change.type === 'end-pause') await pauses.read();
      if (change.type === 'end-pause')
        runtime.pollNow(runtime.watches().filter((watch) => isPauseOf({ watch: change.watch }, watch)));
      onChanged();
    },
  };
  const policy = {
    store,
    fence: () => ownership.fenceOf('service:dispatch'),
    clock,
    storage: () => createStorageBackoff({ loop: 'operators' }, SILENT),
    watches: () => runtime.watches(),
    notify: () => runtime.self(),
    timeZone: runtime.timeZone,
    onChanged,
  };

  async function look(): Promise<void> {
    while (!line.stopping.aborted) {
      const { parts } = runtime;
      const blind = parts.blindWatches.blind().map(({ watch: { rule } }) => rule);
      const factors = parts.explorers().flatMap(({ plan }) => Object.values(plan?.stretch ?? {}));
      onLook({ clockAt: clock.now(), watches: blind, stretch: Math.max(1, ...factors) });
      await clock.sleep(LOOK_MS, line.stopping);
    }
  }

  async function run(): Promise<void> {
    await Promise.all([runtime.run(line.stopping), keepPolicy(policy, line.stopping), look()]);
    await runtime[Symbol.asyncDispose]();
  }

  await apply();
  return { reload: apply, reached, ended: run() };
}

const LOOK_MS = 600_000;

const SILENT: SafeLog = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  addSecrets: ignore,
  redact: (text) => text,
};

function ignore(): void {
  // Nobody reads the log of a simulated daemon.
}
