// Records the outcomes of attempts, and knows those that the storage has lost. A storage that does not answer is tried again until it does, so that no message is
// sent twice meanwhile.
import type { Outcome, Settlement } from '../../core/model/delivery.ts';
import { afterOutcome, namedWaitOf } from '../../core/after-outcome.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Store } from '../../store/contract/store.ts';
import type { StorageBackoff } from '../loop.ts';

export interface Settling {
  /** The next state of a delivery after an attempt. `ageMs`: how long it was pending while its sender ran. */
  settlementOf(claimed: Claimed, outcome: Outcome, ageMs: number): Settlement;
  /** False if the attempt is not the current one any more, or if `abandon` aborted before the storage answered. */
  record(claimed: Claimed, settlement: Settlement, abandon: AbortSignal): Promise<boolean>;
}

interface SettlingOptions {
  readonly store: Pick<Store, 'settle'>;
  readonly storage: StorageBackoff;
  readonly giveUpAfterMs: number;
  readonly clock: Clock;
}

/**
 * After an attempt outside of its schedule the delivery keeps its due time, unless the receiver named another one.
 */
function afterTurn({ dueAt }: Claimed, outcome: Outcome, now: Instant): Settlement {
  const namedMs = namedWaitOf(outcome);
  return { state: 'due', outcome, dueAt: namedMs === null ? dueAt : now + namedMs, isOutOfTurn: true };
}

export function createSettling({ store, storage, giveUpAfterMs, clock }: SettlingOptions): Settling {
  // Not stored, so after a restart a rejected message gets its three attempts again.
  const rejectionsById = new Map<DeliveryId, number>();

  return {
    settlementOf(claimed, outcome, ageMs) {
      if (claimed.isOutOfTurn && outcome.type !== 'sent' && outcome.type !== 'rejected')
        return afterTurn(claimed, outcome, clock.now());
      const {
        delivery: { id },
        scheduled: attempt,
      } = claimed;
      const rejections = (rejectionsById.get(id) ?? 0) + (outcome.type === 'rejected' ? 1 : 0);
      const settlement = afterOutcome({ id, attempt, rejections, ageMs, outcome, at: clock.now(), giveUpAfterMs });
      if (settlement.state === 'due' && rejections > 0) rejectionsById.set(id, rejections);
      else rejectionsById.delete(id);
      return settlement;
    },
    async record({ delivery: { id }, attempt }, settlement, abandon) {
      for (;;) {
        try {
          const end = await store.settle({ id, attempt }, settlement, clock.now());
          storage.answered('settle');
          return end === 'settled';
        } catch (error) {
          const pauseMs = storage.failed('settle', error);
          if (abandon.aborted) return false;
          await clock.sleep(pauseMs, abandon);
        }
      }
    },
  };
}

// A database that has gone back has lost tries of this process: it hands out the same message as if it were new.

export interface BegunTries {
  /** Call this before the first byte of a try. True if this process began the same try before. */
  begin(claimed: Claimed): boolean;
}

/** The most messages that are remembered: a standby lacks seconds. */
const MOST_BEGUN = 1000;

export function createBegunTries(): BegunTries {
  // The newest last.
  const attempts = new Map<DeliveryId, number>();
  return {
    begin({ delivery: { id }, attempt }) {
      const before = attempts.get(id) ?? 0;
      attempts.delete(id);
      attempts.set(id, Math.max(before, attempt));
      for (const oldest of attempts.keys()) {
        if (attempts.size <= MOST_BEGUN) break;
        attempts.delete(oldest);
      }
      return attempt <= before;
    },
  };
}
