// Keeps the loops of the daemon running. A loop runs until its signal aborts; one that throws, or ends before that, is
// logged, counted and started again after a pause. The pause doubles with each failure, from a second up to a minute,
// and is a second again once the loop has run for ten minutes.
//
// A failed loop does not end the process. Otherwise a channel or a file that makes a loop fail would end the process at
// every start.
import { showInstant, type Clock, type Instant } from '../../lib/clock.ts';
import type { LoopName } from '../../telemetry/daemon-metrics.ts';
import type { Log, LogFields } from '../../telemetry/log.ts';

export interface Loop {
  readonly name: LoopName;
  /** Names the loop in the log, if several share a name. */
  readonly about?: LogFields;
  /** Called again after a failure. The loop's values in memory are kept. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** Resolves when the signal has aborted and the loop has ended. Never rejects. */
export type Supervise = (loop: Loop, signal: AbortSignal) => Promise<void>;

/** A loop that does not do its work, although it is started again and again. */
export interface FailingLoop {
  readonly name: LoopName;
  readonly about: LogFields | undefined;
  /** The number of failures in a row, without ten minutes of work in between. */
  readonly failures: number;
  readonly since: Instant;
}

export interface Supervisor {
  readonly supervise: Supervise;
  /** Loops that failed at least three times in a row, the last time less than ten minutes ago. */
  readonly failing: () => readonly FailingLoop[];
}

export interface SupervisorOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  readonly onRestart: (loop: LoopName) => void;
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const STEADY_MS = 600_000;
/** One failure may be chance, and a second one its consequence. */
const FAILURES_OF_FAILING = 3;

export function createSupervisor({ clock, log, onRestart }: SupervisorOptions): Supervisor {
  const supervised = new Set<Supervised>();

  async function keepRunning({ name, about, run }: Loop, signal: AbortSignal, record: Supervised): Promise<void> {
    for (;;) {
      const startedAt = clock.now();
      const error = await failureOf(run, signal);
      if (error === null) return;
      const effect = signal.aborted ? 'none: the daemon is stopping' : 'the loop is started again';
      log.error('loop:failed', { loop: name, ...about, error, effect });
      noteFailure(record, startedAt, clock.now());
      await clock.sleep(pauseAfter(record.failures), signal);
      if (isAborted(signal)) return;
      onRestart(name);
    }
  }

  return {
    async supervise(loop, signal) {
      const record: Supervised = { loop, failures: 0, since: 0, failedAt: 0 };
      supervised.add(record);
      await keepRunning(loop, signal, record);
      supervised.delete(record);
    },
    // The absolute distance: after the clock was set back, a loop must not count as failing until that time comes
    // again.
    failing: () =>
      [...supervised]
        .filter(
          ({ failures, failedAt }) => failures >= FAILURES_OF_FAILING && Math.abs(clock.now() - failedAt) < STEADY_MS,
        )
        .map(({ loop: { name, about }, failures, since }) => ({ name, about, failures, since })),
  };
}

interface Supervised {
  readonly loop: Loop;
  /** The number of failures in a row. */
  failures: number;
  /** The time of the first of these failures. */
  since: Instant;
  failedAt: Instant;
}

function noteFailure(record: Supervised, startedAt: Instant, now: Instant): void {
  if (now - startedAt >= STEADY_MS) record.failures = 0;
  if (record.failures === 0) record.since = now;
  record.failures += 1;
  record.failedAt = now;
}

function pauseAfter(failures: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20), LONGEST_PAUSE_MS);
}

/** `loop sender (channel ops)` */
export function showLoop({ name, about }: Pick<FailingLoop, 'name' | 'about'>): string {
  const which = Object.entries(about ?? {}).map(([key, value]) => `${key} ${String(value)}`);
  return `loop ${name}${which.length === 0 ? '' : ` (${which.join(', ')})`}`;
}

/** `loop sender (channel ops): failed 4 times in a row since 2026-01-01T00:00:00Z; the log says why` */
export function showFailing(loop: FailingLoop): string {
  const { failures, since } = loop;
  return `${showLoop(loop)}: failed ${failures} times in a row since ${showInstant(since)}; the log says why`;
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

/** A function, since the compiler would assume that a signal cannot abort between two checks. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
