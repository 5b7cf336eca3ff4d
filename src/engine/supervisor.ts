// Keeps the loops of the daemon running. A loop runs until its signal aborts; one that throws, or ends before that, is
// said, counted and started again after a pause. The pause doubles with each failure, from a second up to a minute, and
// is a second again once the loop has run for ten minutes.
//
// The process is not ended instead: one channel or one file that makes a loop fail would then end it at every start.
import type { Clock } from '../lib/clock.ts';
import type { LoopName } from '../telemetry/daemon-metrics.ts';
import type { Log, LogFields } from '../telemetry/log.ts';

export interface Loop {
  readonly name: LoopName;
  /** Names the loop in the log, where several share a name. */
  readonly about?: LogFields;
  /** Started again after a failure, with what it still holds. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Resolves when the signal has aborted and the loop has ended. Never rejects. */
export type Supervise = (loop: Loop, signal: AbortSignal) => Promise<void>;

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly onRestart: (loop: LoopName) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const STEADY_MS = 600_000;

export function createSupervisor({ clock, log, onRestart }: SupervisorOptions): Supervise {
  return async ({ name, about, run }, signal) => {
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = clock.now();
      const error = await failureOf(run, signal);
      if (error === null) return;
      const effect = signal.aborted ? 'none: the daemon is stopping' : 'it is started again';
      log.error('loop:failed', { loop: name, ...about, error, effect });
      if (clock.now() - startedAt >= STEADY_MS) pauseMs = FIRST_PAUSE_MS;
      await clock.sleep(pauseMs, signal);
      if (isAborted(signal)) return;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      onRestart(name);
    }
  };
}

/** Null when the loop ended because its signal aborted. */
async function failureOf(run: Loop['run'], signal: AbortSignal): Promise<unknown> {
  try {
    await run(signal);
    return signal.aborted ? null : new Error('it ended by itself');
  } catch (error) {
    return error;
  }
}

/** A function, since a signal may abort between two checks. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
