// Detects changes of config, rules or secrets: by comparing the files every second, and on request.
//
//   looking    once a second the files are compared with the last loaded ones
//   settling   until two comparisons half a second apart agree, so that a half-written file is not read; a storm of
//              changes delays a reload by at most five seconds after the first of them
//   loading    one reload at a time; after a failure that may be temporary, it is tried again half a minute later
import type { Clock } from '../../lib/clock.ts';
import { createWokenLoop } from '../loop.ts';

export interface ReloaderOptions {
  readonly clock: Clock;
  readonly files: WatchedFiles;
  /** Reads all files again. Must not throw. */
  readonly reload: (signal: AbortSignal) => Promise<ReloadEnd>;
}

export interface WatchedFiles {
  /** The content at the last load, as a text to compare with. */
  loaded(): string;
  /** The present content, in the same form. */
  current(): Promise<string>;
}

/**
 * `done`: the files are in force, or a person must correct them first. `again`: the files are right, and a later try
 * may succeed.
 */
export type ReloadEnd = 'done' | 'again';

export interface Reloader {
  /** Requests a reload soon, as after SIGHUP. Safe to call at any time, also before `run`. */
  request(): void;
  readonly run: (signal: AbortSignal) => Promise<void>;
}

const LOOK_MS = 1000;
const SETTLE_MS = 500;
/**
 * If the files change without end, a reload begins after this number of comparisons, about five seconds after the
 * change.
 */
const MOST_SETTLES = 7;
const AGAIN_LOOKS = 30;

export function createReloader({ clock, files, reload }: ReloaderOptions): Reloader {
  let asks = 0;
  let handled = 0;
  const loop = createWokenLoop(clock);

  async function untilSettled(signal: AbortSignal): Promise<void> {
    let before = '';
    for (let i = 0; i < MOST_SETTLES && !signal.aborted; i += 1) {
      const now = `${asks} ${await files.current()}`;
      if (now === before) return;
      before = now;
      await clock.sleep(SETTLE_MS, signal);
    }
  }

  async function hasChanged(): Promise<boolean> {
    return asks !== handled || (await files.current()) !== files.loaded();
  }

  async function load(signal: AbortSignal): Promise<ReloadEnd> {
    await untilSettled(signal);
    handled = asks;
    return signal.aborted ? 'done' : reload(signal);
  }

  return {
    request() {
      asks += 1;
      loop.wake();
    },
    async run(signal) {
      let looksLeft = Infinity;
      await loop.run(signal, async () => {
        if (looksLeft <= 0 || (await hasChanged()))
          looksLeft = (await load(signal)) === 'again' ? AGAIN_LOOKS : Infinity;
        looksLeft -= 1;
        return LOOK_MS;
      });
    },
  };
}
