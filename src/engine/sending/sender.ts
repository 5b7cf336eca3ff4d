// Sends the deliveries of one channel. There is one sender per channel, so that a dead channel delays no other.
//
//   looking    claims as many due deliveries as it has free slots, and starts to send each
//   resting    until the next delivery is due, a commit or a freed slot wakes it, or a minute has passed
//   stopping   claims no more; running attempts end, within the time that the caller allows
//
// A delivery is marked as `sending` before its attempt, and settled after its outcome is known. If the process dies in
// between, the delivery stays `sending` until its lease ends. Then it is due again, and is sent under the same id. A
// storage that does not answer only delays the sender: it tries again after a wait, and an outcome that cannot be
// recorded keeps its slot until it can be, so that no message is sent twice meanwhile.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Delivery, Outcome } from '../../core/model/delivery.ts';
import { LONGEST_WAIT_MS } from '../../core/after-outcome.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import { aborted, type Clock, earliest, type Instant } from '../../lib/clock.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { OpenNotifier, SendingPace } from '../../notifiers/notifier.ts';
import type { Claimed, DeliveryClaim, Share } from '../../store/contract/deliveries.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createRunTime, createStorageBackoff, createWokenLoop } from '../loop.ts';
import { createOutcomeReport } from './outcome-report.ts';
import { createFailingReceivers, createPacing, type MayGo } from './may-send.ts';
import { createBegunTries, createSettling } from './settling.ts';

export interface Sender {
  /**
   * Works until `stop` aborts, then resolves once all running attempts have ended. When `abandon` aborts, they are
   * aborted. The delivery of an attempt that does not end within a second stays `sending`, and is sent again after the
   * next start.
   */
  run(stop: AbortSignal, abandon: AbortSignal): Promise<void>;
  /** Call this after a commit that may be for this channel. Safe to call at any time, also before `run`. */
  wake(): void;
  /**
   * Makes messages that wait for their next attempt due now, since their receiver may work again. Safe to call at any
   * time.
   */
  resume(): void;
}

interface SenderOptions {
  readonly store: Pick<
    Store,
    'keepRecipients' | 'claim' | 'unclaim' | 'expire' | 'refusing' | 'ran' | 'settle' | 'nextDue'
  >;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'holds'>;
  readonly channel: string;
  /**
   * Deliveries to others wait: a reload removed their recipient, and after one that changed the type of the channel it
   * may be an address of another type.
   */
  readonly recipients: readonly string[];
  readonly notifier: Pick<OpenNotifier, 'send'>;
  readonly giveUpAfterMs: number;
  readonly pace?: SendingPace | undefined;
  readonly mayGo: MayGo;
  /** True if a message about it was sent while the state was not writable. */
  readonly isToldUnrecorded: (delivery: Delivery) => boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOutcome: (outcome: Outcome) => void;
  /** Called once for each delivery that was given up, when that is stored. */
  readonly onDead: () => void;
}

/** The most deliveries in flight at once. */
const MOST_IN_FLIGHT = 4;
/** The most slots for one rule, so that its storm leaves the other slots to other rules. */
const MOST_OF_RULE = MOST_IN_FLIGHT / 2;
// The longest wait. A delivery may be due without a wake if the wall clock jumped, the machine slept, or another
// program changed the outbox.
const LONGEST_REST_MS = 60_000;
// The shortest wait, so that the loop is not too fast if the store contradicts itself or the clock goes backwards.
const SHORTEST_REST_MS = 100;
const GRACE_PERIOD_MS = 1000;
/** Pending messages age in steps of this length: each step is a commit. */
const AGE_STEP_MS = 60_000;
/** The interval of checks for ended waits and for leases of other processes: each check is a commit. */
const EXPIRE_STEP_MS = 60_000;
/** Longer than any attempt. A process that takes over the channel does not wait for the end of a lease. */
const LEASE_MS = 300_000;
/** The interval of checks whether a lease that ended by the clock of this process was renewed. */
const RENEWED_MS = 1000;
const NOT_HELD: Outcome = { type: 'again', why: 'not sent: this process lost the channel before the first byte' };

export function createSender(options: SenderOptions): Sender {
  const { store, ownership, channel, notifier, giveUpAfterMs, isToldUnrecorded, clock, log, onOutcome, onDead } =
    options;
  const shard: Shard = `channel:${channel}`;
  const inFlight = new Map<DeliveryId, Promise<void>>();
  const storage = createStorageBackoff({ channel }, log);
  const settling = createSettling({ store, storage, giveUpAfterMs, clock });
  const begun = createBegunTries();
  const report = createOutcomeReport(channel, log);
  const runTime = createRunTime(clock);
  const receivers = createFailingReceivers();
  const pacing = createPacing(options.pace ?? null);
  // The part of the run time that is in the state file.
  let recordedMs = 0;
  // The run time of the next check for ended leases and waits.
  let expiresAtMs = 0;
  const loop = createWokenLoop(clock);

  let isResumed = false;
  /** A claim whose answer was lost; null: none. It may be stored. */
  let lostClaim: Pick<DeliveryClaim, 'outOfTurn'> | null = null;
  // True until the recipients are stored, and the failing receivers are read from the pending deliveries.
  let isNew = true;

  const resume = (): void => {
    isResumed = true;
    loop.wake();
  };

  /** The milliseconds until the next check; null: the sender waits for a wake. */
  async function sendDue(abandon: AbortSignal): Promise<number | null> {
    const fence = ownership.fenceOf(shard);
    if (fence === null) return null;
    // A message that is claimed now could not be sent. A renewal of the lease wakes nobody.
    if (!ownership.holds(shard)) return RENEWED_MS;
    await recordRunTime();
    if (isNew) await begin(fence);
    if (inFlight.size === MOST_IN_FLIGHT) return null;
    await expire();
    await unclaim(fence);
    // A claim is a commit, so it is made only if this read finds a due delivery.
    const now = clock.now();
    const due = await store.nextDue(shareNow().share);
    if (due !== null && due - now > LONGEST_WAIT_MS) {
      // No wait is that long, so the clock was set back. The next check follows at once, and its `expire` ends the
      // wait.
      expiresAtMs = 0;
      return 0;
    }
    const dueMs = due !== null && due <= now ? await claimDue(fence, abandon) : restUntil(due);
    return earliest([dueMs, due === null ? null : await takeTurn(fence, abandon)]);
  }

  function shareNow(): { readonly share: Share; readonly most: number; readonly moreInMs: number | null } {
    const nowMs = runTime.passed();
    const { most, resting, onlyCritical, moreAtMs } = pacing.room(nowMs);
    const share = { channel, perRule: MOST_OF_RULE, resting, onlyCritical };
    return { share, most, moreInMs: moreAtMs === null ? null : moreAtMs - nowMs };
  }

  /** The milliseconds until the next delivery is due, or until the pace leaves more room; null: neither is known. */
  function restUntil(due: Instant | null): number | null {
    return earliest([due === null ? null : due - clock.now(), shareNow().moreInMs]);
  }

  async function claimDue(fence: Fence, abandon: AbortSignal): Promise<number | null> {
    for (;;) {
      const free = MOST_IN_FLIGHT - inFlight.size;
      const { share, most, moreInMs } = shareNow();
      // Without a free slot, the next freed one wakes the loop.
      if (free === 0) return null;
      if (most <= 0) return moreInMs;
      // With a pace, each claimed delivery changes which ones may be claimed next.
      const limit = most === Infinity ? free : 1;
      const claimed = await claim({ share, limit, outOfTurn: null }, fence, abandon);
      if (claimed < limit) return restUntil(await store.nextDue(share));
    }
  }

  /** Tries one message to a failing receiver, outside of the message's own schedule. */
  async function takeTurn(fence: Fence, abandon: AbortSignal): Promise<number | null> {
    const next = receivers.next();
    if (next === null || inFlight.size === MOST_IN_FLIGHT) return null;
    const nowMs = runTime.passed();
    if (next.atMs > nowMs) return next.atMs - nowMs;
    receivers.hadTurn(next.recipient, nowMs);
    const { share, most } = shareNow();
    if (most > 0) await claim({ share, limit: 1, outOfTurn: next.recipient }, fence, abandon);
    return 0;
  }

  interface Taking extends Pick<DeliveryClaim, 'limit' | 'outOfTurn'> {
    readonly share: Share;
  }

  /** Returns the number of claimed deliveries. */
  async function claim({ share, ...how }: Taking, fence: Fence, abandon: AbortSignal): Promise<number> {
    lostClaim = how;
    const claimed = await store.claim({ ...share, ...how, at: clock.now(), leaseMs: LEASE_MS }, fence);
    lostClaim = null;
    for (const one of claimed) {
      pacing.began(one.rule, runTime.passed());
      start(one, abandon);
    }
    return claimed.length;
  }

  async function begin(fence: Fence): Promise<void> {
    await store.keepRecipients(channel, options.recipients, fence);
    for (const recipient of await store.refusing(channel)) receivers.wasFailing(recipient, runTime.passed());
    isNew = false;
  }

  async function expire(): Promise<void> {
    const passedMs = runTime.passed();
    const all = isResumed;
    if (passedMs < expiresAtMs && !all) return;
    // Deliveries in flight are left out: they belong to this process, even if it takes long to record their outcome.
    const waits = { all, failing: receivers.failing(passedMs) };
    const deliveries = await store.expire(channel, clock.now(), [...inFlight.keys()], waits);
    if (all) isResumed = false;
    expiresAtMs = passedMs + EXPIRE_STEP_MS;
    if (deliveries > 0)
      log.info('outbox:recovered', { channel, deliveries, effect: 'the deliveries are sent again with the same ids' });
  }

  /** Takes back a claim whose answer was lost. If it is stored, its messages would stay unsent until the lease ends. */
  async function unclaim(fence: Fence): Promise<void> {
    if (lostClaim === null) return;
    const lost = { channel, held: [...inFlight.keys()], isOutOfTurn: lostClaim.outOfTurn !== null };
    const deliveries = await store.unclaim(lost, fence);
    lostClaim = null;
    if (deliveries > 0)
      log.info('outbox:unclaimed', {
        channel,
        deliveries,
        effect: 'the deliveries were not sent before, and are sent now',
      });
  }

  async function recordRunTime(): Promise<void> {
    const passedMs = runTime.passed();
    if (passedMs - recordedMs < AGE_STEP_MS) return;
    await store.ran(channel, passedMs - recordedMs);
    recordedMs = passedMs;
  }

  function start(claimed: Claimed, abandon: AbortSignal): void {
    const done = deliver(claimed, recordedMs - claimed.ageMs, abandon)
      .catch((error: unknown) => {
        log.error('sender:failed', { channel, error: String(error) });
      })
      .finally(() => {
        inFlight.delete(claimed.delivery.id);
        loop.wake();
      });
    inFlight.set(claimed.delivery.id, done);
  }

  /** `owedSinceMs`: the run time when the delivery was committed. */
  async function deliver(claimed: Claimed, owedSinceMs: number, abandon: AbortSignal): Promise<void> {
    if (!(await mayGo(claimed, abandon))) return;
    // The check may have outlasted the lease of the channel. Then another replica may have sent the message meanwhile.
    if (!ownership.holds(shard)) {
      await settling.record(claimed, { state: 'due', outcome: NOT_HELD, dueAt: clock.now() }, abandon);
      return;
    }
    failpoint('send.begun');
    const outcome = await send(claimed, abandon);
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
  async function mayGo(claimed: Claimed, abandon: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        const may = await options.mayGo(claimed);
        storage.answered('first-try');
        return may;
      } catch (error) {
        const pauseMs = storage.failed('first-try', error);
        if (abandon.aborted) return false;
        await clock.sleep(pauseMs, abandon);
      }
    }
  }

  async function send(claimed: Claimed, abandon: AbortSignal): Promise<Outcome> {
    const { delivery, attempt, maybeCopy, receipt, ownReceipts } = claimed;
    const isAgain = begun.begin(claimed);
    try {
      const isCopy = maybeCopy || isAgain || isToldUnrecorded(delivery);
      return await notifier.send(delivery, { number: attempt, maybeCopy: isCopy, receipt, ownReceipts }, abandon);
    } catch (error) {
      log.error('delivery:threw', { channel, delivery: delivery.id, attempt, error: String(error) });
      return { type: 'again', why: String(error) };
    }
  }

  /**
   * Makes one check of the outbox, and returns the milliseconds until the next one. After a failed check it waits even
   * if the loop is woken.
   */
  async function claimOnce(stop: AbortSignal, abandon: AbortSignal): Promise<number> {
    try {
      const restMs = await sendDue(abandon);
      storage.answered('claim');
      return restMs ?? LONGEST_REST_MS;
    } catch (error) {
      await clock.sleep(storage.failed('claim', error), stop);
      return 0;
    }
  }

  async function run(stop: AbortSignal, abandon: AbortSignal): Promise<void> {
    // Another process may have sent on the channel since the last run, and ended during an attempt.
    expiresAtMs = 0;
    isNew = true;
    await loop.run(stop, async () => {
      const restMs = await claimOnce(stop, abandon);
      return Math.min(Math.max(restMs, SHORTEST_REST_MS), LONGEST_REST_MS);
    });
    await Promise.race([Promise.all(inFlight.values()), gracePeriod(abandon)]);
    if (inFlight.size > 0) log.warn('sender:abandoned', { channel, inFlight: inFlight.size });
  }

  async function gracePeriod(abandon: AbortSignal): Promise<void> {
    await aborted(abandon);
    const over = new AbortController();
    void Promise.all(inFlight.values()).then(() => {
      over.abort();
    });
    await clock.sleep(GRACE_PERIOD_MS, over.signal);
  }

  return { run, wake: loop.wake, resume };
}
