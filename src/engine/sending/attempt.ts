// One attempt of a delivery: the check whether it may still be sent, the call of the channel type, and the record of its
// outcome.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Delivery, Outcome, Settlement } from '../../core/model/delivery.ts';
import { afterOutcome, namedWaitOf } from '../../core/after-outcome.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import type { Clock, Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { OpenNotifier } from '../../notifiers/notifier.ts';
import type { Claimed } from '../../store/contract/deliveries.ts';
import type { Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import type { StorageBackoff } from '../loop.ts';
import type { createFailingReceivers, MayGo } from './may-send.ts';

/** Given to each attempt of a channel. */
export interface AttemptOptions {
  readonly ownership: Pick<Ownership, 'holds' | 'setBackAt'>;
  readonly channel: string;
  readonly notifier: Pick<OpenNotifier, 'send'>;
  readonly mayGo: MayGo;
  /** True if a message about it was sent while the state was not writable. */
  readonly isToldUnrecorded: (delivery: Delivery) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Called once for each delivery that was given up, when that is stored. */
  readonly onDead: () => void;
}

interface AttemptTools extends AttemptOptions {
  readonly shard: Shard;
  readonly storage: StorageBackoff;
  readonly settling: Settling;
  readonly begun: BegunTries;
  readonly report: OutcomeReport;
  readonly receivers: Pick<ReturnType<typeof createFailingReceivers>, 'ended'>;
  /** The run time of the sender so far, in milliseconds. */
  readonly runTime: { passed(): number };
}

const NOT_HELD: Outcome = { type: 'again', why: 'not sent: this process lost the channel before the first byte' };

/** `owedSinceMs`: the run time when the delivery was committed. */
export async function deliver(
  claimed: Claimed,
  owedSinceMs: number,
  tools: AttemptTools,
  abandon: AbortSignal,
): Promise<void> {
  const { ownership, shard, settling, receivers, runTime, clock, report, onOutcome, onDead } = tools;
  if (!(await mayGo(claimed, tools, abandon))) return;
  // The check may have outlasted the lease of the channel. Then another replica may have sent the message meanwhile.
  if (!ownership.holds(shard)) {
    await settling.record(claimed, { state: 'due', outcome: NOT_HELD, dueAt: clock.now() }, abandon);
    return;
  }
  failpoint('send.begun');
  const outcome = await send(claimed, tools, abandon);
  failpoint('send.ended');
  const isBack = receivers.ended(claimed.delivery.recipient, outcome, runTime.passed());
  const ended = settling.settlementOf(claimed, outcome, runTime.passed() - owedSinceMs);
  const settlement = ended.state === 'sent' ? { ...ended, isBack } : ended;
  const isRecorded = await settling.record(claimed, settlement, abandon);
  report(claimed, settlement);
  onOutcome(outcome);
  if (isRecorded && settlement.state === 'dead') onDead();
}

/**
 * Repeats the check while the storage does not answer. If `abandon` aborts first, it returns false, and the delivery
 * stays `sending`.
 */
async function mayGo(
  claimed: Claimed,
  { storage, clock, ...tools }: AttemptTools,
  abandon: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      const may = await tools.mayGo(claimed);
      storage.answered('first-try');
      return may;
    } catch (error) {
      const pauseMs = storage.failed('first-try', error);
      if (abandon.aborted) return false;
      await clock.sleep(pauseMs, abandon);
    }
  }
}

async function send(
  claimed: Claimed,
  { ownership, notifier, begun, isToldUnrecorded, channel, log }: AttemptTools,
  abandon: AbortSignal,
): Promise<Outcome> {
  const { delivery, attempt, maybeCopy, receipt, ownReceipts } = claimed;
  const isAgain = begun.begin(claimed);
  try {
    const mayBeLost = isBeforeLoss(delivery, ownership.setBackAt());
    const isCopy = maybeCopy || isAgain || mayBeLost || isToldUnrecorded(delivery);
    return await notifier.send(delivery, { number: attempt, maybeCopy: isCopy, receipt, ownReceipts }, abandon);
  } catch (error) {
    log.error('delivery:threw', { channel, delivery: delivery.id, attempt, error: String(error) });
    return { type: 'again', why: String(error) };
  }
}

/** Watches whose last polls the database has lost are polled again within this time. */
const DECIDED_AGAIN_MS = 60_000;

/**
 * True if the database may have lost the record that another process sent the delivery: it was closed before the loss,
 * or from a decision that was made again after it.
 */
function isBeforeLoss({ at }: Delivery, setBackAt: Instant | null): boolean {
  return setBackAt !== null && at < setBackAt + DECIDED_AGAIN_MS;
}

interface Settling {
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

/** A storage that does not answer is asked again until it does, so that no message is sent twice meanwhile. */
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

interface BegunTries {
  /** Call this before the first byte of a try. True if this process began the same try before. */
  begin(claimed: Claimed): boolean;
}

/** The most messages that are remembered. A standby server may lack the data of some seconds, so few are needed. */
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

type OutcomeReport = (claimed: Claimed, settlement: Settlement) => void;

/**
 * Logs the outcome of each attempt. A failing channel fails many deliveries for one reason: the first is logged as a
 * warning, the others at debug level. A reason that only a person can remove is logged as an error.
 */
export function createOutcomeReport(channel: string, log: Log): OutcomeReport {
  let lastFailure: string | null = null;

  return ({ delivery, attempt }, { state, outcome }) => {
    const [{ message }, ...others] = delivery.members;
    const fields = {
      channel,
      delivery: delivery.id,
      // Names the recipient if a channel has many: one of them may be refused. The only receiver of a channel has the
      // channel's name.
      ...(delivery.recipient === channel ? {} : { recipient: delivery.recipient }),
      // The first member is the most severe one.
      watch: message.watch,
      alert: message.alert,
      ...(others.length === 0 ? {} : { members: delivery.members.length }),
      attempt,
    };
    if (outcome.type === 'sent') {
      lastFailure = null;
      log.debug('delivery:sent', { ...fields, answer: outcome.answer });
      return;
    }
    const isNews = outcome.why !== lastFailure;
    lastFailure = outcome.why;
    const isRefused = outcome.type === 'again' && outcome.auth === true;
    if (state === 'dead') log.error('delivery:dead', { ...fields, outcome: outcome.type, why: outcome.why });
    else if (isNews && isRefused) log.error('channel:refused', { ...fields, why: outcome.why });
    else log[isNews ? 'warn' : 'debug'](`delivery:${outcome.type}`, { ...fields, why: outcome.why });
  };
}
