// Notices that the config or a rule may have changed: by watching their directories (editors and orchestrators replace
// files, so a watched file would go deaf), and when it is told to. A burst of events is one reload, after a quiet
// moment, so that a half-written file is not read; and one reload runs at a time.
import { watch as watchFiles, type FSWatcher } from 'chokidar';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../telemetry/log.ts';

export interface ReloaderOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Reads everything anew. Must not throw. */
  readonly reload: (signal: AbortSignal) => Promise<ReloadEnd>;
  /** Only events about these files matter. */
  readonly concerns: (path: string) => boolean;
}

/** `done`: in force, or to be mended by a person first. `again`: the files are right, and it may work later. */
export type ReloadEnd = 'done' | 'again';

export interface Reloader extends AsyncDisposable {
  /** Begins to look at these directories; what changed in them a moment ago counts too. */
  watchDirectories(directories: readonly string[]): void;
  /** Reload soon, as after SIGHUP. */
  request(): void;
  run(signal: AbortSignal): Promise<void>;
}

const DEBOUNCE_MS = 500;
const AGAIN_MS = 30_000;
/** What was loaded at the start may have changed before anyone looked. Once too often costs a reload of the same. */
const JUST_NOW_MS = 2_000;

export function createReloader({ clock, log, reload, concerns }: ReloaderOptions): Reloader {
  let watcher: FSWatcher | null = null;
  let events = 0;
  let handled = 0;
  let wakeSignal = Promise.withResolvers<undefined>();

  function request(): void {
    events += 1;
    wakeSignal.resolve(undefined);
  }

  async function askLater(signal: AbortSignal): Promise<void> {
    await clock.sleep(AGAIN_MS, signal);
    request();
  }

  async function debounce(signal: AbortSignal): Promise<void> {
    for (let seen = -1; seen !== events && !signal.aborted;) {
      seen = events;
      await clock.sleep(DEBOUNCE_MS, signal);
    }
  }

  return {
    request,
    watchDirectories(directories) {
      const since = clock.now() - JUST_NOW_MS;
      let isReady = false;
      watcher = watchFiles([...new Set(directories)], {
        alwaysStat: true,
        depth: 8,
        ignored: /node_modules|\.git(\/|$)/,
      });
      watcher.on('all', (_event, path, stats) => {
        if (concerns(path) && (isReady || (stats?.mtimeMs ?? 0) > since)) request();
      });
      watcher.on('ready', () => {
        isReady = true;
      });
      watcher.on('error', (error) => {
        log.warn('config:cannot-watch', { error, hint: 'send SIGHUP after a change' });
      });
    },
    async run(signal) {
      signal.addEventListener('abort', request, { once: true });
      while (!signal.aborted) {
        if (events === handled) await wakeSignal.promise;
        wakeSignal = Promise.withResolvers<undefined>();
        await debounce(signal);
        handled = events;
        if (isGoingOn(signal) && (await reload(signal)) === 'again') void askLater(signal);
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = watcher?.close();
      // Closing removes all listeners, and a look at a directory that is under way may fail after it.
      watcher?.on('error', () => undefined);
      await closed;
    },
  };
}

/** Asked anew after each wait: a signal may abort meanwhile. */
function isGoingOn(signal: AbortSignal): boolean {
  return !signal.aborted;
}
