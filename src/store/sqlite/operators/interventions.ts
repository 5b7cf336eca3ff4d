// What operators change. Each request is answered and carried out in one transaction of the caller's, so that a client
// that lost its answer gets the same one for the same key.
import type { DatabaseSync } from 'node:sqlite';
import type { JournalEntry } from '../../../core/journal/entry.ts';
import type { Transition } from '../../../core/model/transition.ts';
import type { Instant } from '../../../lib/clock.ts';
import type {
  Act,
  Announceable,
  OperatorChange,
  Intervened,
  Intervention,
  ReplicaChanges,
  OperatorRequest,
  Unchanged,
} from '../../interventions.ts';
import { ackOr, decidesMessages, KEPT_LONGER_MS, lineOf, makes, silenceOr } from '../../changes.ts';
import { createAcksTable } from './acks-table.ts';
import { createGivenUpTable } from '../deliveries/given-up-table.ts';
import { createPolicyVersion } from './policy.ts';
import { createRequestsTable } from './requests-table.ts';
import { createSilencesTable } from './silences-table.ts';

interface Interventions {
  answerTo(request: OperatorRequest): Intervened | null;
  changesSince(since: Instant): ReplicaChanges['changes'];
  intervene(change: Intervention, request: OperatorRequest, act: Act): Intervened;
  announceable(at: Instant): Announceable[];
  announce(id: string, transitions: readonly Transition[], at: Instant): void;
  /** `before`: what is dropped of the outbox. What people did is kept for two months longer. */
  prune(before: Instant): void;
}

/** What a change does besides, in the same transaction. */
interface Effects {
  /** To the journal. */
  readonly append: (line: JournalEntry) => void;
  /** Notifications. */
  readonly tell: (transitions: readonly Transition[], at: Instant) => void;
  /** What decides who is told has changed: what is held back is decided anew. */
  readonly decideAgain: (at: Instant) => void;
}

export function createInterventions(db: DatabaseSync, { append, tell, decideAgain }: Effects): Interventions {
  const requests = createRequestsTable(db);
  const silences = createSilencesTable(db);
  const acks = createAcksTable(db);
  const policy = createPolicyVersion(db);
  const givenUp = createGivenUpTable(db);

  function answerTo(request: OperatorRequest): Intervened | null {
    const answer = requests.answerTo(request);
    return answer === 'key-taken' ? { type: 'refused', why: answer } : answer;
  }

  function apply(change: Intervention, { key, actor }: OperatorRequest, at: Instant): OperatorChange | Unchanged {
    switch (change.type) {
      case 'pause': {
        const { watch, matchers, until, comment } = change;
        const pause = { id: key, watch, from: at, until, actor, comment };
        silences.pause(pause, matchers);
        return { type: 'pause', pause };
      }
      case 'end-pause': {
        const pause = silences.endPause(change.watch, at);
        return pause === null ? 'not-found' : { type: 'pause', pause };
      }
      case 'silence': {
        const { type: _type, ...draft } = change;
        return silenceOr(silences.silence({ ...draft, id: key, actor }, at));
      }
      case 'extend-silence':
        return silenceOr(silences.end(change.id, change.until, at));
      case 'end-silence':
        return silenceOr(silences.end(change.id, at, at));
      case 'ack': {
        const { type: _type, ...draft } = change;
        return ackOr(acks.ack({ ...draft, id: key, actor, at }));
      }
      case 'end-ack':
        return ackOr(acks.end(change, at));
      case 'retry':
        return givenUp.retry(change.delivery, at);
      case 'dismiss':
        return givenUp.dismiss(change.delivery, at);
      case 'retry-channel':
        return { type: 'channel', channel: change.channel, deliveries: givenUp.retryChannel(change.channel, at) };
      case 'sample':
        return change;
    }
  }

  return {
    answerTo,
    changesSince: (since) => requests.since(since),
    intervene(change, request, { at, announce }) {
      const before = answerTo(request);
      if (before !== null) return before;
      // Its answer is no longer kept, but what was made under that key is.
      if (makes(change) && (silences.hasId(request.key) || acks.hasId(request.key)))
        return { type: 'refused', why: 'key-taken' };
      const changed = apply(change, request, at);
      if (typeof changed === 'string') return { type: 'refused', why: changed };
      requests.keep(request, changed, at);
      append(lineOf(changed, request.actor, at));
      if (decidesMessages(changed)) {
        policy.raise();
        decideAgain(at);
      }
      tell(announce?.(changed) ?? [], at);
      return { type: 'kept', changed };
    },
    announceable: (at) => silences.announceable(at),
    announce(id, transitions, at) {
      silences.announced(id, at);
      tell(transitions, at);
    },
    prune(before) {
      silences.prune(before - KEPT_LONGER_MS);
      acks.prune(before - KEPT_LONGER_MS);
    },
  };
}
