// One life of the daemon's process: it can end between any two of its deeds. What a dead process had still to do never
// happens, and what it waits for never comes.
import type { Clock } from '../../src/lib/clock.ts';
import type { VirtualTime } from './machine/clock.ts';

export interface LifeLine {
  readonly isAlive: boolean;
  /** Aborts when the process is asked to stop, or dies. */
  readonly stopping: AbortSignal;
  readonly stop: () => void;
  readonly die: () => void;
  /** Dies at its so-many-th deed from now on. */
  readonly dieAfter: (deeds: number) => void;
  /** Something that others can see is about to be done, or was just done. Never resolves for the dead. */
  readonly deed: () => Promise<void>;
  /** Resolves when the process has died. */
  readonly died: Promise<void>;
}

export function createLifeLine(): LifeLine {
  const stopping = new AbortController();
  const death = Promise.withResolvers<undefined>();
  let isAlive = true;
  let deedsLeft = Infinity;
  const line: LifeLine = {
    get isAlive() {
      return isAlive;
    },
    stopping: stopping.signal,
    stop() {
      stopping.abort(new DOMException('the daemon is stopping', 'AbortError'));
    },
    die() {
      isAlive = false;
      death.resolve(undefined);
    },
    dieAfter(deeds) {
      deedsLeft = deeds;
    },
    async deed() {
      deedsLeft -= 1;
      if (deedsLeft === 0) line.die();
      if (!isAlive) await never();
    },
    died: death.promise,
  };
  return line;
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A clock that nobody wakes by any more once the process is dead. */
export function clockOf(line: LifeLine, clock: Clock, time: VirtualTime): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    async sleep(ms, signal) {
      await time.sleep(ms, signal);
      if (!line.isAlive) await never();
    },
  };
}
