// What operators change, in plain maps: a part of the second subject of the contract suite.
import type { JournalEntry } from '../../src/core/journal/entry.ts';
import { pauseLine } from '../../src/core/journal/operator.ts';
import type { Pause } from '../../src/core/model/pause.ts';
import type { Instant } from '../../src/lib/clock.ts';
import type { DeliveryId } from '../../src/core/model/ids.ts';
import type { Changed, Intervened, Intervention, OperatorRequest, Unchanged } from '../../src/store/store.ts';

export interface KeptOfOperators {
  readonly pauseById: Map<string, Pause>;
  readonly requestByKey: Map<string, { readonly asked: string; readonly changed: Changed; readonly at: Instant }>;
}

export function nothingOfOperators(): KeptOfOperators {
  return { pauseById: new Map(), requestByKey: new Map() };
}

const DAY_MS = 86_400_000;

/** What operators do to the outbox, and the journal that says so. */
export interface OutboxOfOperators {
  append(line: JournalEntry): void;
  retry(id: DeliveryId, at: Instant): Changed | Unchanged;
  dismiss(id: DeliveryId): Changed | Unchanged;
  retryChannel(channel: string, at: Instant): number;
}

export function createMemoryInterventions({ pauseById, requestByKey }: KeptOfOperators, outbox: OutboxOfOperators) {
  function answerTo({ key, asked }: OperatorRequest): Intervened | null {
    const found = requestByKey.get(key);
    if (found === undefined) return null;
    return found.asked === asked ? { type: 'kept', changed: found.changed } : { type: 'refused', why: 'key-taken' };
  }

  function endPause(watch: string, at: Instant): Pause | null {
    const [ended] = [...pauseById.values()].filter((one) => one.watch === watch && one.until > at);
    if (ended === undefined) return null;
    const pause = { ...ended, until: at };
    pauseById.set(pause.id, pause);
    return pause;
  }

  function pause(change: Extract<Intervention, { type: 'pause' }>, id: string, by: Pick<Pause, 'actor' | 'from'>) {
    if (pauseById.has(id)) return 'key-taken';
    endPause(change.watch, by.from);
    const { watch, until, comment } = change;
    const made: Pause = { id, watch, until, comment, ...by };
    pauseById.set(id, made);
    return { type: 'pause', pause: made } as const;
  }

  function apply(change: Intervention, { key, actor }: OperatorRequest, at: Instant): Changed | Unchanged {
    switch (change.type) {
      case 'pause':
        return pause(change, key, { actor, from: at });
      case 'end-pause': {
        const ended = endPause(change.watch, at);
        return ended === null ? 'not-found' : { type: 'pause', pause: ended };
      }
      case 'retry':
        return outbox.retry(change.delivery, at);
      case 'dismiss':
        return outbox.dismiss(change.delivery);
      case 'retry-channel':
        return { type: 'channel', deliveries: outbox.retryChannel(change.channel, at) };
    }
  }

  return {
    answerTo,
    intervene(change: Intervention, request: OperatorRequest, at: Instant): Intervened {
      const before = answerTo(request);
      if (before !== null) return before;
      const changed = apply(change, request, at);
      if (typeof changed === 'string') return { type: 'refused', why: changed };
      for (const [key, row] of requestByKey) if (row.at < at - DAY_MS) requestByKey.delete(key);
      requestByKey.set(request.key, { asked: request.asked, changed, at });
      if (changed.type === 'pause') outbox.append(pauseLine(changed.pause, request.actor, at));
      return { type: 'kept', changed };
    },
    pauses: (): Pause[] => [...pauseById.values()],
    prune(before: Instant): void {
      for (const { id, until } of pauseById.values()) if (until < before - 60 * DAY_MS) pauseById.delete(id);
    },
  };
}
