// Once a second, reads the changes that concern this replica and that other replicas stored: transitions of polls, and
// actions of operators. The store returns the changes of this process as well. Handling them a second time has no
// effect.
import type { Clock } from '../../lib/clock.ts';
import type { StoredAnswer } from '../../store/contract/operators.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff } from '../loop.ts';

export interface OtherReplicasOptions {
  readonly store: Pick<Store, 'newsSince'>;
  /** True if other replicas are known to run. */
  readonly hasOthers: () => boolean;
  /** Called when another replica may have stored work that is due. */
  readonly onLook: () => void;
  readonly onTransitions: () => void;
  /** Rejects with a `StorageError` if the changes must be handled again later. */
  readonly onChanged: (changes: readonly StoredAnswer[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 1000;
/** The clocks of two machines may differ, so each check reads the changes of the last ten minutes. */
const LOOK_BACK_MS = 600_000;
/** A replica may store work just before it ends, so `onLook` is called for another minute. */
const AFTER_OTHERS_MS = 60_000;

/** Runs until the signal aborts. */
export async function followOtherReplicas(options: OtherReplicasOptions, signal: AbortSignal): Promise<void> {
  const { store, hasOthers, onLook, onTransitions, onChanged, clock, log } = options;
  const storage = createStorageBackoff({ loop: 'replicas' }, log);
  /**
   * The time when other replicas were last known to run, by the monotonic clock. The first value is the start of this
   * process, since another replica may have run until then.
   */
  let othersAt = clock.monotonic();
  let newest: number | null = null;
  /**
   * Keys of the requests that were handled. Null before the first read: the requests that it returns count as handled.
   */
  let known: ReadonlySet<string> | null = null;

  async function look(): Promise<void> {
    if (hasOthers()) othersAt = clock.monotonic();
    if (clock.monotonic() - othersAt < AFTER_OTHERS_MS) onLook();
    const news = await store.newsSince(clock.now() - LOOK_BACK_MS);
    if (newest !== null && news.newest !== newest) onTransitions();
    newest = news.newest;
    const fresh = news.changes.filter(({ key }) => known !== null && !known.has(key));
    if (fresh.length > 0) await onChanged(fresh.map(({ stored }) => stored));
    known = new Set(news.changes.map(({ key }) => key));
  }

  async function lookSafely(): Promise<number> {
    try {
      await look();
      storage.answered('news');
      return LOOK_MS;
    } catch (error) {
      return storage.failed('news', error);
    }
  }

  while (!signal.aborted) await clock.sleep(await lookSafely(), signal);
}
