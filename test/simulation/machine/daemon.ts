// The daemon as `app/` starts it, but for what needs the world: no files are watched, no port is opened, and the
// explorer, the state file and the receivers are those of the simulation.
import { runWork } from '../../../src/app/loops.ts';
import { openParts } from '../../../src/app/parts.ts';
import { effectsOf } from '../../../src/app/operators.ts';
import type { PollHook } from '../../../src/engine/polling/read.ts';
import { keepPolicy } from '../../../src/operators/upkeep.ts';
import { createStorageBackoff } from '../../../src/engine/loop.ts';
import { createExplorer, type ExplorerOptions } from '../../../src/explorer/explorer.ts';
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
  await using opened = new AsyncDisposableStack();
  const given = {
    setup: files().setup,
    clock,
    log: SILENT,
    metrics: createMetrics({ clock }),
    openExplorer: (options: ExplorerOptions) => createExplorer({ ...options, transport }),
    print: () => Promise.resolve(),
    version: '0.0.0',
    isDry: false,
    recorder: null,
    hook,
    silentWaitMs: 0,
  };
  const storage = { store, state: () => 'works' as const };
  const state = { storage, ownership, clock, recovery: { recent: () => null }, file: null };
  const parts = await openParts(given, state, opened);
  const { inForce, setups, wake } = parts;

  async function apply(): Promise<void> {
    const { setup, version } = files();
    await using prepared = await setups.prepare(setup);
    if (!line.isAlive) return;
    prepared.commit();
    onApplied(version);
  }

  const reached: Reached = {
    store,
    clock,
    watches: inForce.watches,
    notify: inForce.self,
    async onChanged(change) {
      if (change.type === 'pause' || change.type === 'end-pause') await parts.pauses.read();
      if (change.type === 'end-pause') effectsOf(parts).pollNow(change.watch);
      wake.transitions();
    },
  };
  const policy = {
    store,
    fence: () => ownership.fenceOf('service:dispatch'),
    clock,
    storage: () => createStorageBackoff({ loop: 'operators' }, SILENT),
    watches: inForce.watches,
    notify: inForce.self,
    timeZone: inForce.timeZone,
    onChanged: wake.transitions,
  };

  async function look(): Promise<void> {
    while (!line.stopping.aborted) {
      const blind = parts.blindWatches.blind().map(({ watch: { rule } }) => rule);
      const factors = [...inForce.explorers()].flatMap((name) =>
        Object.values(parts.spending.stateOf(name)?.stretch ?? {}),
      );
      onLook({ clockAt: clock.now(), watches: blind, stretch: Math.max(1, ...factors) });
      await clock.sleep(LOOK_MS, line.stopping);
    }
  }

  /** In a whole daemon the record of its health shows when the store takes writes again. */
  async function storeAgain(): Promise<void> {
    while (!line.stopping.aborted) {
      const isRefused = parts.poller.unkept.unkeptWatches().length > 0;
      await (isRefused ? store.probe(clock.now()) : Promise.resolve()).then(parts.polls.storeAgain, ignore);
      await clock.sleep(PROBE_MS, line.stopping);
    }
  }

  async function run(): Promise<void> {
    await using _closing = closing;
    const work = [runWork(given, parts, line.stopping), keepPolicy(policy, line.stopping)];
    await Promise.all([...work, storeAgain(), look()]);
  }

  await apply();
  const closing = opened.move();
  return { reload: apply, reached, ended: run() };
}

const LOOK_MS = 600_000;
const PROBE_MS = 30_000;

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
