// Logs one line when an explorer stops answering, or fails for another reason, and one when it answers again, not one
// per poll. Complaints of a watch about its readings are filtered in the same way.
import type { MissReason, Observation } from '../../core/model/observation.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Log } from '../../telemetry/log.ts';

export interface Outages {
  polled(watch: Watch, observation: Observation): void;
  storageFails(error: unknown): void;
  storageWorks(): void;
}

// These reasons concern the requested object, not the explorer.
const ABOUT_THE_QUESTION: ReadonlySet<MissReason> = new Set(['not-found', 'unprocessable', 'shape']);

export function createOutages(log: Log): Outages {
  const reasonByCause = new Map<string, MissReason>();
  let isStorageDown = false;

  return {
    polled(watch, observation) {
      if (observation.type === 'seen' && reasonByCause.size === 0) return;
      const { explorer, operation, path } = watch.kind.question(watch.target);
      const causes = { broad: `${explorer} ${operation}`, narrow: `${explorer} ${path}` };
      if (observation.type === 'seen') {
        const wasDown = [causes.broad, causes.narrow].filter((cause) => reasonByCause.delete(cause)).length > 0;
        if (wasDown) log.info('explorer:answers-again', { explorer, operation, watch: watch.name });
        return;
      }
      const { reason, detail } = observation;
      const cause = ABOUT_THE_QUESTION.has(reason) ? causes.narrow : causes.broad;
      if (reasonByCause.get(cause) === reason) return;
      reasonByCause.set(cause, reason);
      log.warn('explorer:no-answer', { explorer, operation, watch: watch.name, reason, detail });
    },
    storageFails(error) {
      if (!isStorageDown)
        log.error('storage:failed', { error, effect: 'no decision is committed until the storage works again' });
      isStorageDown = true;
    },
    storageWorks() {
      if (isStorageDown) log.info('storage:works-again');
      isStorageDown = false;
    },
  };
}

/** Filters the complaints of a watch to new ones. A complaint that is absent from a poll is over. */
export interface Complaints {
  /**
   * Returns the complaints that the watch's last poll did not have. Texts that differ only in numbers count as equal.
   */
  news(watch: WatchId, texts: readonly string[]): readonly string[];
}

export function createComplaints(): Complaints {
  const causesByWatch = new Map<WatchId, ReadonlySet<string>>();
  return {
    news(watch, texts) {
      const before = causesByWatch.get(watch);
      if (texts.length === 0) causesByWatch.delete(watch);
      else causesByWatch.set(watch, new Set(texts.map(causeOf)));
      return texts.filter((text) => before?.has(causeOf(text)) !== true);
    },
  };
}

function causeOf(text: string): string {
  return text.replaceAll(/\d+/g, '#');
}
