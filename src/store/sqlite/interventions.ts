// What operators change. Each request is answered and carried out in one transaction of the caller's, so that a client
// that lost its answer gets the same one for the same key.
import type { DatabaseSync } from 'node:sqlite';
import type { JournalEntry } from '../../core/journal/entry.ts';
import { pauseLine } from '../../core/journal/operator.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Changed, Intervened, Intervention, OperatorRequest, Unchanged } from '../store.ts';
import { createGivenUpTable } from './given-up-table.ts';
import { createRequestsTable } from './requests-table.ts';
import { createSilencesTable } from './silences-table.ts';

interface Interventions {
  answerTo(request: OperatorRequest): Intervened | null;
  intervene(change: Intervention, request: OperatorRequest, at: Instant): Intervened;
  /** `before`: what is dropped of the outbox. What people did is kept for two months longer. */
  prune(before: Instant): void;
}

const KEPT_LONGER_MS = 60 * 86_400_000;

/** `append`: to the journal, in the same transaction. */
export function createInterventions(db: DatabaseSync, append: (line: JournalEntry) => void): Interventions {
  const requests = createRequestsTable(db);
  const silences = createSilencesTable(db);
  const givenUp = createGivenUpTable(db);

  function answerTo(request: OperatorRequest): Intervened | null {
    const answer = requests.answerTo(request);
    return answer === 'key-taken' ? { type: 'refused', why: answer } : answer;
  }

  function apply(change: Intervention, { key, actor }: OperatorRequest, at: Instant): Changed | Unchanged {
    switch (change.type) {
      case 'pause': {
        // Longer ago than answers are kept.
        if (silences.hasId(key)) return 'key-taken';
        const { watch, until, comment } = change;
        const pause = { id: key, watch, from: at, until, actor, comment };
        silences.pause(pause);
        return { type: 'pause', pause };
      }
      case 'end-pause': {
        const pause = silences.endPause(change.watch, at);
        return pause === null ? 'not-found' : { type: 'pause', pause };
      }
      case 'retry':
        return givenUp.retry(change.delivery, at);
      case 'dismiss':
        return givenUp.dismiss(change.delivery, at);
      case 'retry-channel':
        return { type: 'channel', deliveries: givenUp.retryChannel(change.channel, at) };
    }
  }

  return {
    answerTo,
    intervene(change, request, at) {
      const before = answerTo(request);
      if (before !== null) return before;
      const changed = apply(change, request, at);
      if (typeof changed === 'string') return { type: 'refused', why: changed };
      requests.keep(request, changed, at);
      if (changed.type === 'pause') append(pauseLine(changed.pause, request.actor, at));
      return { type: 'kept', changed };
    },
    prune(before) {
      silences.prune(before - KEPT_LONGER_MS);
    },
  };
}
