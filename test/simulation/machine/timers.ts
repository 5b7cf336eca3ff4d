// The machine's own timers and clocks, on virtual time: for node-cron, which knows no other clock, and for the store, which
// measures how long its work takes, and would give way to others more often on a busy machine.
import type { VirtualTime, WallClock } from './clock.ts';
import type { LifeLine } from '../life-line.ts';

export interface TimersOptions {
  readonly time: VirtualTime;
  readonly wall: WallClock;
  /** Of the process that runs. Timers of a dead one never end. */
  readonly line: () => LifeLine;
}

/** Until it is disposed of. */
export function virtualTimers({ time, wall, line }: TimersOptions): Disposable {
  const { setTimeout, clearTimeout, Date, performance } = globalThis;
  const real = { setTimeout, clearTimeout, Date, performance };

  function start(work: () => void, ms = 0): VirtualTimer {
    const timer = new VirtualTimer();
    const owner = line();
    void time.sleep(ms, timer.ended).then(() => {
      if (!timer.ended.aborted && owner.isAlive) work();
    });
    return timer;
  }

  set('setTimeout', start);
  set('clearTimeout', (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.end();
  });
  set('Date', dateOf(wall));
  set('performance', { now: () => time.monotonic() });
  return {
    [Symbol.dispose]() {
      for (const [name, value] of Object.entries(real)) set(name, value);
    },
  };
}

class VirtualTimer {
  readonly #ending = new AbortController();

  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  end(): void {
    this.#ending.abort();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

function set(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** The same class, but for what is now. */
function dateOf(wall: WallClock): DateConstructor {
  return new Proxy(Date, {
    construct: (target, given: readonly unknown[], made) =>
      // A proxy's trap has to return an object of no known class.
      Reflect.construct(target, given.length === 0 ? [wall.now()] : given, made) as object,
    get: (target, name): unknown => (name === 'now' ? () => wall.now() : Reflect.get(target, name)),
  });
}
