// Reads config and rules again and puts them in force as a whole. If anything fails, the previous ones stay in force.
import type { Config } from '../../config/model.ts';
import { formatProblems, summarize, type Problem } from '../../config/problem.ts';
import type { ReloadEnd } from '../../engine/upkeep/reloader.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { finishInSlices } from '../../lib/steps.ts';
import type { DaemonMetrics } from '../../telemetry/daemon-metrics.ts';
import type { Log } from '../../telemetry/log.ts';
import type { SafeLog } from '../../telemetry/logger.ts';
import { isReachable } from '../../web/guard/identity.ts';
import type { Setups } from '../runtime/setups.ts';
import { loadSetupInSteps, type Setup, type SetupTools } from './setup.ts';
import type { Sources } from './sources.ts';

export interface ReloadOptions extends SetupTools {
  readonly configFile: string;
  /** The setup at the start of the daemon. */
  readonly setup: Setup;
  readonly sources: Pick<Sources, 'begin'>;
  readonly setups: Pick<Setups, 'prepare'>;
  /** `rejected`: the reason why the files on disk are not in force; null if they are. Only the reload writes it. */
  readonly notes: { rejected: Rejected | null };
  readonly clock: Clock;
  readonly log: SafeLog;
  readonly metrics: Pick<DaemonMetrics, 'reload'>;
  /** Called when a new setup is in force. Must not reject. */
  readonly onApplied: (setup: Setup) => Promise<void>;
}

const KEPT = 'the last good config and rules stay in force';

export interface Rejected {
  /** The time of the first failed attempt. */
  readonly since: Instant;
  readonly why: string;
  /** Problems of the files; empty for any other cause. */
  readonly problems: readonly Problem[];
}

/** Never rejects. */
export type Reload = (signal: AbortSignal) => Promise<ReloadEnd>;

export function createReload(options: ReloadOptions): Reload {
  const { configFile, setup: started, sources, setups, notes, clock, log, metrics, onApplied } = options;
  let lastFailure: string | null = null;

  function reject(why: string, problems: readonly Problem[]): void {
    notes.rejected = { since: notes.rejected?.since ?? clock.now(), why, problems };
    metrics.reload(false, clock.now());
  }

  /** The reload is repeated at intervals, so it logs one line per cause, not per attempt. */
  function failed(error: unknown): ReloadEnd {
    reject(String(error), []);
    if (lastFailure !== String(error))
      log.error('config:not-applied', { error, effect: `${KEPT}; the load is tried again` });
    lastFailure = String(error);
    return 'again';
  }

  function refused(problems: readonly Problem[]): ReloadEnd {
    const shown = problems.map((problem) => redacted(problem, log.redact));
    reject(firstOf(shown), shown);
    log.error('config:rejected', { effect: KEPT, problems: formatProblems(shown) });
    return 'done';
  }

  return async (signal) => {
    sources.begin();
    const { setup, problems } = await finishInSlices(loadSetupInSteps(configFile, options));
    if (setup === null) return refused(problems);
    try {
      await using prepared = await setups.prepare(setup);
      if (signal.aborted) return 'done';
      prepared.commit();
      failpoint('reload.swapped');
    } catch (error) {
      return failed(error);
    }
    lastFailure = null;
    notes.rejected = null;
    warnOfRestart(started, setup, log);
    await onApplied(setup);
    log.info('config:reloaded', { watches: setup.watches.length });
    return 'done';
  };
}

/**
 * A rule file may be a link to a file with a secret of the daemon, and problems quote lines. So their texts are
 * redacted.
 */
function redacted(problem: Problem, redact: SafeLog['redact']): Problem {
  const { message, frame, hint } = problem;
  return {
    ...problem,
    message: redact(message),
    frame: redact(frame),
    ...(hint !== undefined && { hint: redact(hint) }),
  };
}

/** The first problem, and the number of further ones. */
function firstOf(problems: readonly Problem[]): string {
  const [first] = problems;
  if (first === undefined) return 'the files cannot be read';
  return problems.length === 1 ? summarize(first) : `${summarize(first)} (and ${problems.length - 1} more)`;
}

/** Parts of the config that a reload does not change, and their keys in the file. */
const FIXED: readonly (readonly [key: string, part: (config: Config) => unknown])[] = [
  ['state.file', ({ state }) => state.file],
  ['state.postgres', ({ state }) => [state.postgres?.url.reveal(), state.postgres?.name]],
  // A reload does change operators and the proxy. On a public address pages are served only if there is an operator or
  // a proxy. This is decided at the start, so the first operator needs a restart.
  ['http', ({ http: { operators, proxy, ...http } }) => [http, isReachable(http.listen.host, { operators, proxy })]],
  ['recording', ({ recording }) => recording],
];

function warnOfRestart({ config: started }: Setup, { config: next }: Setup, log: Log): void {
  for (const [what, part] of FIXED)
    if (JSON.stringify(part(started)) !== JSON.stringify(part(next))) log.warn('config:needs-a-restart', { what });
}
