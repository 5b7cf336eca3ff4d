import { setImmediate as afterIo } from 'node:timers/promises';
import type { Clock, Instant } from '../../src/lib/clock.ts';
import { areMailsUnderWay } from './mails-under-way.ts';
import { areRequestsUnderWay } from './requests-under-way.ts';
import { arePending, oneEnded } from './store/pending-calls.ts';

/** A clock that stands still until a test moves it. No real timers. */
export interface FakeClock extends Clock {
  /** How many sleeps have not ended yet. */
  readonly sleepers: number;
  /**
   * Moves time forward, stopping at the wake time of each sleeper in order; what a sleeper does next, new sleeps
   * within the same span included, happens before time moves on.
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets time, backwards too, as an operator's clock may jump. Sleepers whose wake time has come wake up; set backwards,
   * each sleeps as long as it would have.
   */
  setTo(at: Instant): Promise<void>;
  /** Time passes while the process does something else: nobody wakes. */
  stall(ms: number): void;
  /** Resolves once at least `count` sleeps are under way: the loops under test have nothing left to do but wait. */
  whenSleeping(count: number): Promise<void>;
}

interface Sleeper {
  until: Instant;
  readonly isLook: boolean;
  wake(): void;
}

/** The pause of loops that look whether something changed. */
const LOOK_MS = 1000;
const STRIDE_MS = 10_000;
/** In less than a minute everything is on time. */
const LEAST_IN_STRIDES_MS = 60_000;

/**
 * A fake clock for a whole daemon. Three of its loops look each second whether something changed, which takes most of the time
 * of a story that passes hours. Where a minute or more passes at once, they look every ten seconds and at the end, as on a
 * machine that is very busy; all other sleeps end on time.
 */
export function createStoryClock(start?: Instant): FakeClock {
  return createFakeClock(start, STRIDE_MS);
}

/**
 * `createFakeClock(0)`: starts at 1970-01-01T00:00:00Z; the default is 2026-01-01T00:00:00Z. `strideMs`: sleeps of a
 * second end as late as this, if a minute or more passes at once.
 */
export function createFakeClock(start: Instant = Date.UTC(2026, 0, 1), strideMs = 0): FakeClock {
  let now = start;
  // By how much it was set, forward less back.
  let setBy = 0;
  const sleeping = new Set<Sleeper>();
  const watchers = new Set<() => void>();

  async function wakeUntil(end: Instant): Promise<void> {
    const from = now;
    const isInStrides = strideMs > 0 && end - from >= LEAST_IN_STRIDES_MS;
    const wakesAt = ({ until, isLook }: Sleeper): Instant =>
      isInStrides && isLook && until <= end
        ? Math.min(from + Math.ceil((until - from) / strideMs) * strideMs, end)
        : until;
    for (;;) {
      const next = first(sleeping, end, wakesAt);
      if (next === undefined) return;
      now = Math.max(now, wakesAt(next));
      next.wake();
      await settled();
    }
  }

  return {
    now: () => now,
    monotonic: () => now - start - setBy,
    sleep(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          sleeping.delete(sleeper);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper = { until: now + ms, isLook: ms === LOOK_MS, wake };
        sleeping.add(sleeper);
        signal?.addEventListener('abort', wake, { once: true });
        for (const look of watchers) look();
      });
    },
    get sleepers() {
      return sleeping.size;
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      await wakeUntil(end);
      now = end;
    },
    async setTo(at) {
      if (at < now) for (const sleeper of sleeping) sleeper.until -= now - at;
      setBy += at - now;
      now = at;
      await wakeUntil(at);
    },
    stall(ms) {
      now += ms;
    },
    whenSleeping(count) {
      if (sleeping.size >= count) return Promise.resolve();
      return new Promise((resolve) => {
        const look = (): void => {
          if (sleeping.size < count) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
      });
    },
  };
}

/** The sleeper that wakes first, at `end` at the latest; of equals the one that fell asleep first. */
function first(
  sleeping: ReadonlySet<Sleeper>,
  end: Instant,
  wakesAt: (sleeper: Sleeper) => Instant,
): Sleeper | undefined {
  let [found, foundAt]: [Sleeper | undefined, Instant] = [undefined, Infinity];
  for (const sleeper of sleeping) {
    const at = wakesAt(sleeper);
    if (at <= end && at < foundAt) [found, foundAt] = [sleeper, at];
  }
  return found;
}

// Each turn of the event loop empties the microtask queue, however long the chain. Who waits for a turn, a file, an answer,
// a mail server or the database goes on before time does.
async function settled(): Promise<void> {
  for (let turns = 0, quiet = 0; quiet < QUIET_TURNS; turns += 1) {
    if (arePending()) await oneEnded();
    await afterIo();
    const isAwaited = areRequestsUnderWay() || areMailsUnderWay() || arePending();
    quiet = isAwaited || (turns < MOST_TURNS && isWorkUnderWay()) ? 0 : quiet + 1;
  }
}

// Some of it has no end: a pipe that nobody writes to, a loop that waits for turns.
const MOST_TURNS = 1000;
// Between two pieces of work there may be turns of which Node tells nothing, as when a socket is given back.
const QUIET_TURNS = 4;

function isWorkUnderWay(): boolean {
  return process.getActiveResourcesInfo().some((type) => type === 'Immediate' || type.startsWith('FSReq'));
}
