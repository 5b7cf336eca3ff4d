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
import { LONGEST_WAIT_MS } from '../../core/after-outcome.ts';
import type { DeliveryId } from '../../core/model/ids.ts';
import { aborted, earliest, type Instant } from '../../lib/clock.ts';
import type { SendingPace } from '../../notifiers/notifier.ts';
import type { Claimed, DeliveryClaim, Share } from '../../store/contract/deliveries.ts';
import type { Fence, Shard } from '../../store/contract/fence.ts';
import type { Store } from '../../store/contract/store.ts';
import { createRunTime, createStorageBackoff, createWokenLoop } from '../loop.ts';
import { createFailingReceivers, createPacing } from './may-send.ts';
import { type AttemptOptions, createBegunTries, createOutcomeReport, createSettling, deliver } from './attempt.ts';

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

interface SenderOptions extends AttemptOptions {
  readonly store: Pick<
    Store,
    'keepRecipients' | 'claim' | 'unclaim' | 'expire' | 'refusing' | 'ran' | 'settle' | 'nextDue'
  >;
  readonly ownership: Pick<Ownership, 'fenceOf' | 'holds' | 'setBackAt'>;
  /**
   * Deliveries to other recipients wait, since a reload removed these recipients. If the reload changed the type of the
   * channel, a removed recipient may be an address for the former type.
   */
  readonly recipients: readonly string[];
  readonly giveUpAfterMs: number;
  readonly pace?: SendingPace | undefined;
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

/** Changes while the sender works; nothing of it has to survive a restart. */
interface SenderState {
  readonly inFlight: Map<DeliveryId, Promise<void>>;
  /** The part of the run time that is in the store. */
  recordedMs: number;
  /** The run time of the next check for ended leases and waits. */
  expiresAtMs: number;
  /** True if messages that wait for their next attempt are due now. */
  isResumed: boolean;
  /** A claim whose answer was lost; null: none. It may be stored. */
  lostClaim: Pick<DeliveryClaim, 'outOfTurn'> | null;
  /** True until the recipients are stored, and the failing receivers are read from the pending deliveries. */
  isNew: boolean;
}

const toolsOf = (options: SenderOptions) => {
  const { store, channel, giveUpAfterMs, pace = null, clock, log } = options;
  const storage = createStorageBackoff({ channel }, log);
  const shard: Shard = `channel:${channel}`;
  return {
    ...options,
    shard,
    storage,
    settling: createSettling({ store, storage, giveUpAfterMs, clock }),
    begun: createBegunTries(),
    report: createOutcomeReport(channel, log),
    runTime: createRunTime(clock),
    receivers: createFailingReceivers(),
    pacing: createPacing(pace),
    loop: createWokenLoop(clock),
  };
};

type SenderTools = ReturnType<typeof toolsOf>;

/** The milliseconds until the next check; null: the sender waits for a wake. */
async function sendDue(state: SenderState, tools: SenderTools, abandon: AbortSignal): Promise<number | null> {
  const { store, ownership, shard, clock } = tools;
  const fence = ownership.fenceOf(shard);
  if (fence === null) return null;
  // A message that is claimed now could not be sent. A renewal of the lease wakes nobody.
  if (!ownership.holds(shard)) return RENEWED_MS;
  await recordRunTime(state, tools);
  if (state.isNew) await begin(state, tools, fence);
  if (state.inFlight.size === MOST_IN_FLIGHT) return null;
  await expire(state, tools);
  await unclaim(state, tools, fence);
  // A claim is a commit, so it is made only if this read finds a due delivery.
  const now = clock.now();
  const due = await store.nextDue(shareNow(tools).share);
  if (due !== null && due - now > LONGEST_WAIT_MS) {
    // No wait is that long, so the clock was set back. The next check follows at once, and its `expire` ends the wait.
    state.expiresAtMs = 0;
    return 0;
  }
  const dueMs = due !== null && due <= now ? await claimDue(state, tools, fence, abandon) : restUntil(due, tools);
  return earliest([dueMs, due === null ? null : await takeTurn(state, tools, fence, abandon)]);
}

async function begin(state: SenderState, tools: SenderTools, fence: Fence): Promise<void> {
  const { store, channel, recipients, receivers, runTime } = tools;
  await store.keepRecipients(channel, recipients, fence);
  for (const recipient of await store.refusing(channel)) receivers.wasFailing(recipient, runTime.passed());
  state.isNew = false;
}

async function recordRunTime(state: SenderState, { store, channel, runTime }: SenderTools): Promise<void> {
  const passedMs = runTime.passed();
  if (passedMs - state.recordedMs < AGE_STEP_MS) return;
  await store.ran(channel, passedMs - state.recordedMs);
  state.recordedMs = passedMs;
}

async function expire(
  state: SenderState,
  { store, channel, runTime, receivers, clock, log }: SenderTools,
): Promise<void> {
  const passedMs = runTime.passed();
  const all = state.isResumed;
  if (passedMs < state.expiresAtMs && !all) return;
  // Deliveries in flight are left out: they belong to this process, even if it takes long to record their outcome.
  const waits = { all, failing: receivers.failing(passedMs) };
  const deliveries = await store.expire(channel, clock.now(), [...state.inFlight.keys()], waits);
  if (all) state.isResumed = false;
  state.expiresAtMs = passedMs + EXPIRE_STEP_MS;
  if (deliveries > 0)
    log.info('outbox:recovered', { channel, deliveries, effect: 'the deliveries are sent again with the same ids' });
}

/** Takes back a claim whose answer was lost. If it is stored, its messages would stay unsent until the lease ends. */
async function unclaim(state: SenderState, { store, channel, log }: SenderTools, fence: Fence): Promise<void> {
  if (state.lostClaim === null) return;
  const lost = { channel, held: [...state.inFlight.keys()], isOutOfTurn: state.lostClaim.outOfTurn !== null };
  const deliveries = await store.unclaim(lost, fence);
  state.lostClaim = null;
  if (deliveries > 0)
    log.info('outbox:unclaimed', {
      channel,
      deliveries,
      effect: 'the deliveries were not sent before, and are sent now',
    });
}

interface ShareNow {
  readonly share: Share;
  readonly most: number;
  readonly moreInMs: number | null;
}

function shareNow({ channel, pacing, runTime }: SenderTools): ShareNow {
  const nowMs = runTime.passed();
  const { most, resting, onlyCritical, moreAtMs } = pacing.room(nowMs);
  const share = { channel, perRule: MOST_OF_RULE, resting, onlyCritical };
  return { share, most, moreInMs: moreAtMs === null ? null : moreAtMs - nowMs };
}

/** The milliseconds until the next delivery is due, or until the pace leaves more room; null: neither is known. */
function restUntil(due: Instant | null, tools: SenderTools): number | null {
  return earliest([due === null ? null : due - tools.clock.now(), shareNow(tools).moreInMs]);
}

async function claimDue(
  state: SenderState,
  tools: SenderTools,
  fence: Fence,
  abandon: AbortSignal,
): Promise<number | null> {
  for (;;) {
    const free = MOST_IN_FLIGHT - state.inFlight.size;
    const { share, most, moreInMs } = shareNow(tools);
    // Without a free slot, the next freed one wakes the loop.
    if (free === 0) return null;
    if (most <= 0) return moreInMs;
    // With a pace, each claimed delivery changes which ones may be claimed next.
    const limit = most === Infinity ? free : 1;
    const claimed = await claim(state, tools, { share, limit, outOfTurn: null, fence }, abandon);
    if (claimed < limit) return restUntil(await tools.store.nextDue(share), tools);
  }
}

/** Tries one message to a failing receiver, outside of the message's own schedule. */
async function takeTurn(
  state: SenderState,
  tools: SenderTools,
  fence: Fence,
  abandon: AbortSignal,
): Promise<number | null> {
  const { receivers, runTime } = tools;
  const next = receivers.next();
  if (next === null || state.inFlight.size === MOST_IN_FLIGHT) return null;
  const nowMs = runTime.passed();
  if (next.atMs > nowMs) return next.atMs - nowMs;
  receivers.hadTurn(next.recipient, nowMs);
  const { share, most } = shareNow(tools);
  if (most > 0) await claim(state, tools, { share, limit: 1, outOfTurn: next.recipient, fence }, abandon);
  return 0;
}

interface Taking extends Pick<DeliveryClaim, 'limit' | 'outOfTurn'> {
  readonly share: Share;
  readonly fence: Fence;
}

/** Returns the number of claimed deliveries. */
async function claim(
  state: SenderState,
  tools: SenderTools,
  { share, fence, ...how }: Taking,
  abandon: AbortSignal,
): Promise<number> {
  const { store, pacing, runTime, clock } = tools;
  state.lostClaim = how;
  const claimed = await store.claim({ ...share, ...how, at: clock.now(), leaseMs: LEASE_MS }, fence);
  state.lostClaim = null;
  for (const one of claimed) {
    pacing.began(one.rule, runTime.passed());
    start(state, tools, one, abandon);
  }
  return claimed.length;
}

function start(state: SenderState, tools: SenderTools, claimed: Claimed, abandon: AbortSignal): void {
  const { id } = claimed.delivery;
  const done = deliver(claimed, state.recordedMs - claimed.ageMs, tools, abandon)
    .catch((error: unknown) => {
      tools.log.error('sender:failed', { channel: tools.channel, error: String(error) });
    })
    .finally(() => {
      state.inFlight.delete(id);
      tools.loop.wake();
    });
  state.inFlight.set(id, done);
}

export function createSender(options: SenderOptions): Sender {
  const tools = toolsOf(options);
  const { storage, loop, channel, clock, log } = tools;
  const state: SenderState = {
    inFlight: new Map(),
    recordedMs: 0,
    expiresAtMs: 0,
    isResumed: false,
    lostClaim: null,
    isNew: true,
  };

  /**
   * Makes one check of the outbox, and returns the milliseconds until the next one. After a failed check it waits even
   * if the loop is woken.
   */
  async function sendDueSafely(stop: AbortSignal, abandon: AbortSignal): Promise<number> {
    try {
      const restMs = (await sendDue(state, tools, abandon)) ?? LONGEST_REST_MS;
      storage.answered('claim');
      return Math.min(Math.max(restMs, SHORTEST_REST_MS), LONGEST_REST_MS);
    } catch (error) {
      await clock.sleep(storage.failed('claim', error), stop);
      return SHORTEST_REST_MS;
    }
  }

  async function gracePeriod(abandon: AbortSignal): Promise<void> {
    await aborted(abandon);
    const over = new AbortController();
    void Promise.all(state.inFlight.values()).then(() => {
      over.abort();
    });
    await clock.sleep(GRACE_PERIOD_MS, over.signal);
  }

  return {
    async run(stop, abandon) {
      // Another process may have sent on the channel since the last run, and ended during an attempt.
      state.expiresAtMs = 0;
      state.isNew = true;
      await loop.run(stop, () => sendDueSafely(stop, abandon));
      await Promise.race([Promise.all(state.inFlight.values()), gracePeriod(abandon)]);
      if (state.inFlight.size > 0) log.warn('sender:abandoned', { channel, inFlight: state.inFlight.size });
    },
    wake: loop.wake,
    resume() {
      state.isResumed = true;
      loop.wake();
    },
  };
}
