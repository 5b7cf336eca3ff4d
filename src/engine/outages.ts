// One line when an explorer stops answering, or answers for another reason, and one when it is back: not one per poll.
import type { MissReason, Observation, Watch } from '../core/model.ts';
import type { Log } from '../telemetry/log.ts';

export interface Outages {
  polled(watch: Watch, observation: Observation): void;
  storageFails(error: unknown): void;
  storageWorks(): void;
}

// These speak of the thing that was asked for, not of the explorer.
const ABOUT_THE_QUESTION: ReadonlySet<MissReason> = new Set(['not-found', 'unprocessable', 'shape']);

export function createOutages(log: Log): Outages {
  const reasonByCause = new Map<string, MissReason>();
  let isStorageDown = false;

  return {
    polled(watch, observation) {
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
        log.error('storage:failed', { error, effect: 'nothing is acknowledged until it works again' });
      isStorageDown = true;
    },
    storageWorks() {
      if (isStorageDown) log.info('storage:works-again');
      isStorageDown = false;
    },
  };
}
