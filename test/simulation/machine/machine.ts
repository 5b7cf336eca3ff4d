// The machine that the daemon runs on: it starts it, stops it, loses it, and starts it again.
import type { VirtualTime } from './clock.ts';
import type { Daemon } from './daemon.ts';
import { createLifeLine, type LifeLine } from '../life-line.ts';
import type { Instant } from '../model.ts';
import type { Life } from '../people/log.ts';
import type { Reached } from '../scenes/operators.ts';

export interface MachineOptions {
  readonly time: VirtualTime;
  readonly boot: (line: LifeLine) => Promise<Daemon>;
  readonly onLife: (life: Life) => void;
  readonly onStart: () => void;
}

export interface Machine {
  readonly start: () => void;
  /** The process dies at its so-many-th deed from now on, and is back after that time. */
  readonly kill: (deeds: number, downMs: number) => void;
  /** Stopped as an operator does it, and started after that time. */
  readonly stopFor: (downMs: number) => void;
  readonly reload: () => void;
  /** For operators; null: no process answers. */
  readonly reached: () => Reached | null;
  /** For good. */
  readonly stop: () => void;
}

/** A supervisor starts again what ended in an error. */
const RESTART_MS = 10_000;

interface Process {
  readonly line: LifeLine;
  readonly bornAt: Instant;
  daemon: Daemon | null;
  /** How long until the next one starts; null = there is none. */
  downMs: number | null;
  isKilled: boolean;
}

export function createMachine({ time, boot, onLife, onStart }: MachineOptions): Machine {
  let present: Process | null = null;

  function start(): void {
    const process: Process = {
      line: createLifeLine(),
      bornAt: time.now(),
      daemon: null,
      downMs: RESTART_MS,
      isKilled: false,
    };
    present = process;
    onStart();
    const over = (): void => {
      end(process);
    };
    void process.line.died.then(() => {
      process.isKilled = true;
      over();
    });
    boot(process.line).then(
      (daemon) => {
        process.daemon = daemon;
        void daemon.ended.then(over);
      },
      () => {
        process.line.die();
      },
    );
  }

  function end(process: Process): void {
    if (present !== process) return;
    present = null;
    onLife({ from: process.bornAt, to: time.now(), end: process.isKilled ? 'killed' : 'stopped' });
    if (process.downMs !== null) time.at(time.now() + process.downMs, start);
  }

  function stop(downMs: number | null): void {
    if (present === null || present.daemon === null) return;
    present.downMs = downMs;
    present.line.stop();
  }

  return {
    start,
    kill(deeds, downMs) {
      if (present === null) return;
      present.downMs = downMs;
      present.line.dieAfter(deeds);
    },
    stopFor: stop,
    reload() {
      // What the storage refuses now is tried again at the next change.
      void present?.daemon?.reload().catch(() => undefined);
    },
    reached: () => present?.daemon?.reached ?? null,
    stop() {
      stop(null);
    },
  };
}
