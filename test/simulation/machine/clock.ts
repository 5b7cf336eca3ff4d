// Virtual time: a heap of sleepers. Time moves only from one moment at which some of them wake to the next, as fast as the
// machine can, and not before everything that these set off has come to rest.
import { setImmediate as nextTurn } from 'node:timers/promises';
import TinyQueue from 'tinyqueue';
import type { Clock, Instant } from '../../../src/lib/clock.ts';

export interface VirtualTime extends Clock {
  /** Does `work` at that moment, before those who wake then. Moments that are over are now. */
  readonly at: (moment: Instant, work: () => void) => void;
  /** Something has happened in this turn that others may still react to. */
  readonly stir: () => void;
  readonly runUntil: (end: Instant) => Promise<void>;
}

interface Alarm {
  readonly at: Instant;
  /** 0 comes before 1 at the same moment; within one rank, whoever came first. */
  readonly rank: 0 | 1;
  readonly order: number;
  ring: (() => void) | null;
}

export function createVirtualTime(start: Instant): VirtualTime {
  const alarms = new TinyQueue<Alarm>([], compareAlarms);
  let now = start;
  let order = 0;
  let stirred = 0;

  function add(at: Instant, rank: Alarm['rank'], ring: () => void): Alarm {
    const alarm: Alarm = { at: Math.max(at, now), rank, order: (order += 1), ring };
    alarms.push(alarm);
    stirred += 1;
    return alarm;
  }

  /** Whether anybody woke at this moment. */
  function ringAll(): boolean {
    let hasRung = false;
    for (let next = alarms.peek(); next !== undefined && next.at <= now; next = alarms.peek()) {
      alarms.pop();
      if (next.ring === null) continue;
      next.ring();
      hasRung = true;
    }
    return hasRung;
  }

  /** Nothing waits for anything but time: two turns of the event loop in a row in which nothing was begun. */
  async function rest(): Promise<void> {
    for (let calm = 0; calm < 2;) {
      const before = stirred;
      await nextTurn();
      calm = stirred === before ? calm + 1 : 0;
    }
  }

  return {
    now: () => now,
    monotonic: () => now - start,
    sleep(ms, signal) {
      if (ms <= 0 || signal?.aborted === true) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          alarm.ring = null;
          signal?.removeEventListener('abort', wake);
          stirred += 1;
          resolve();
        };
        const alarm = add(now + ms, 1, wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    at(moment, work) {
      add(moment, 0, work);
    },
    stir() {
      stirred += 1;
    },
    async runUntil(end) {
      // A long computation that lets other work run is under way until it asks for no further turn.
      using _turns = watchTurns(() => (stirred += 1));
      await rest();
      for (let next = alarms.peek(); next !== undefined && next.at <= end; next = alarms.peek()) {
        now = next.at;
        if (ringAll()) await rest();
      }
      now = end;
    },
  };
}

/** Calls `onTurn` whenever somebody asks for a turn of the event loop, until it is disposed. */
function watchTurns(onTurn: () => void): Disposable {
  const real = globalThis.setImmediate;
  globalThis.setImmediate = new Proxy(real, {
    apply(target, self, args) {
      onTurn();
      return Reflect.apply(target, self, args) as unknown;
    },
  });
  return {
    [Symbol.dispose]() {
      globalThis.setImmediate = real;
    },
  };
}

function compareAlarms(a: Alarm, b: Alarm): number {
  return a.at - b.at || a.rank - b.rank || a.order - b.order;
}

/** A clock on the wall: it may be set, while time passes as ever. */
export interface WallClock extends Clock {
  /** Sets it forward, or back by a negative number. */
  readonly shift: (ms: number) => void;
}

export function createWallClock(time: VirtualTime): WallClock {
  let ahead = 0;
  return {
    now: () => time.now() + ahead,
    monotonic: () => time.monotonic(),
    sleep: (ms, signal) => time.sleep(ms, signal),
    shift(ms) {
      ahead += ms;
    },
  };
}
