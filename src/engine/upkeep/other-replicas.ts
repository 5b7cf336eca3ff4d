// Reads once a second the changes of other replicas that concern this one: transitions of polls, and actions of
// operators. Changes of this process are found too; to act on them again changes nothing.
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
  /** Rejects with a `StorageError` if it must be tried again. */
  readonly onChanged: (changes: readonly StoredAnswer[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const LOOK_MS = 1000;
/** The clocks of two machines may differ, so each check reads the changes of the last ten minutes. */
const LOOK_BACK_MS = 600_000;
/** A replica may store changes just before it ends, so the checks go on for a minute after. */
const AFTER_OTHERS_MS = 60_000;

/** Runs until the signal aborts. */
export async function followOtherReplicas(options: OtherReplicasOptions, signal: AbortSignal): Promise<void> {
  const { store, hasOthers, onLook, onTransitions, onChanged, clock, log } = options;
  const storage = createStorageBackoff({ loop: 'replicas' }, log);
  /**
   * When other replicas were last known to run, by the monotonic clock. It starts with now, since one may have run
   * until the start.
   */
  let othersAt = clock.monotonic();
  let newest: number | null = null;
  /** Keys of the requests that were handled; null before the first reading, whose requests count as handled. */
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
