// Reads config and rules again and puts them in force as a whole. When anything fails, the former ones stay in force.
import type { Config } from '../config/model.ts';
import { formatProblems } from '../config/problem.ts';
import type { ReloadEnd } from '../engine/upkeep/reloader.ts';
import type { Clock } from '../lib/clock.ts';
import type { DaemonMetrics } from '../telemetry/daemon-metrics.ts';
import type { Log } from '../telemetry/log.ts';
import type { Runtime } from './runtime.ts';
import { loadSetup, type Setup, type SetupTools } from './setup.ts';
import type { Sources } from './sources.ts';

export interface ReloadOptions extends SetupTools {
  readonly configFile: string;
  /** What the daemon started with. */
  readonly setup: Setup;
  readonly sources: Pick<Sources, 'begin'>;
  readonly runtime: Pick<Runtime, 'prepare'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Pick<DaemonMetrics, 'reload'>;
  /** Never rejects. */
  readonly onApplied: (setup: Setup) => Promise<void>;
}

const KEPT = 'the last good config and rules stay in force';

export interface Reload {
  /** Never rejects. */
  run(signal: AbortSignal): Promise<ReloadEnd>;
  /** False while the last one failed. */
  isCurrent(): boolean;
}

export function createReload(options: ReloadOptions): Reload {
  const { configFile, setup: started, sources, runtime, clock, log, metrics, onApplied } = options;
  let lastFailure: string | null = null;
  let isCurrent = true;

  /** Tried again at intervals: one line per cause, not per try. */
  function failed(error: unknown): ReloadEnd {
    isCurrent = false;
    metrics.reload(false, clock.now());
    if (lastFailure !== String(error)) log.error('config:not-applied', { error, effect: `${KEPT}; tried again` });
    lastFailure = String(error);
    return 'again';
  }

  function rejected(problems: string): ReloadEnd {
    isCurrent = false;
    metrics.reload(false, clock.now());
    log.error('config:rejected', { effect: KEPT, problems });
    return 'done';
  }

  async function run(signal: AbortSignal): Promise<ReloadEnd> {
    sources.begin();
    const { setup, problems } = loadSetup(configFile, options);
    if (setup === null) return rejected(formatProblems(problems));
    try {
      await using prepared = await runtime.prepare(setup);
      if (signal.aborted) return 'done';
      prepared.commit();
    } catch (error) {
      return failed(error);
    }
    lastFailure = null;
    isCurrent = true;
    warnOfRestart(started, setup, log);
    await onApplied(setup);
    log.info('config:reloaded', { watches: setup.watches.length });
    return 'done';
  }

  return { run, isCurrent: () => isCurrent };
}

/** Parts of the config that stay as they were at the start, and their keys in the file. */
const FIXED: readonly (readonly [key: string, part: (config: Config) => unknown])[] = [
  ['state.file', ({ state }) => state.file],
  // The tokens are compared as they are: a `Secret` shows every one of them alike.
  ['http', ({ http }) => [http, http.operators.map(({ token }) => token?.reveal()), http.proxy?.secret.reveal()]],
  ['recording', ({ recording }) => recording],
];

function warnOfRestart({ config: started }: Setup, { config: next }: Setup, log: Log): void {
  for (const [what, part] of FIXED)
    if (JSON.stringify(part(started)) !== JSON.stringify(part(next))) log.warn('config:needs-a-restart', { what });
}
