// The daemon as `app/` starts it, but for what needs the world: no files are watched, no port is opened, and the
// explorer, the state file and the receivers are those of the simulation.
import { createRuntime } from '../../../src/app/runtime/runtime.ts';
import type { Setup } from '../../../src/app/setup/setup.ts';
import type { PollHook } from '../../../src/engine/polling/poll.ts';
import { createSupervisor } from '../../../src/engine/upkeep/supervisor.ts';
import { createExplorer } from '../../../src/explorer/explorer.ts';
import type { HttpTransport } from '../../../src/explorer/http/http-transport.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Store } from '../../../src/store/contract/store.ts';
import type { SafeLog } from '../../../src/telemetry/logger.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import type { LifeLine } from '../life-line.ts';
import { ownershipOf } from '../../support/store/fences.ts';

export interface DaemonOptions {
  readonly line: LifeLine;
  readonly clock: Clock;
  readonly store: Store;
  readonly transport: HttpTransport;
  /** With channels that lead to the receivers of the simulation. */
  readonly setup: Setup;
  readonly hook: PollHook;
}

export interface Daemon {
  /** Takes the same rules over once more, as after a change that changes nothing. */
  readonly reload: () => Promise<void>;
  /** Resolves when the process has stopped, as it is asked to; never when it dies. */
  readonly ended: Promise<void>;
}

export async function startDaemon({ line, clock, store, transport, setup, hook }: DaemonOptions): Promise<Daemon> {
  const metrics = createMetrics({ clock });
  const runtime = createRuntime({
    store,
    ownership: ownershipOf(store),
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
    pauses: { of: () => null, until: () => null },
  });

  async function apply(): Promise<void> {
    await using prepared = await runtime.prepare(setup);
    prepared.commit();
  }

  async function run(): Promise<void> {
    await runtime.run(line.stopping);
    await runtime[Symbol.asyncDispose]();
  }

  await apply();
  return { reload: apply, ended: run() };
}

const SILENT: SafeLog = { debug: ignore, info: ignore, warn: ignore, error: ignore, addSecrets: ignore };

function ignore(): void {
  // Nobody reads the log of a simulated daemon.
}
