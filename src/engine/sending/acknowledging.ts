// Passes acknowledgements on to a receiver that keeps acknowledgements itself, so that it does not call people again.
// They are passed on only for alerts that were sent to it; the state has the accepted ones. A repeated call changes
// nothing there. The end of an acknowledgement is not passed on: the receiver keeps it until the alert is over, or sent
// again. An event has no end of its own, so it is ended at the receiver: when it is acknowledged, else a day after its
// last message, or seven days after it happened if it stayed open for that long.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import { EVENT_SHOWN_MS } from '../../core/model/transition.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenNotifier } from '../../notifiers/notifier.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { PassedAck } from '../../store/contract/mirrors.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff, createWokenLoop, type WokenLoop } from '../loop.ts';

export interface AckPasserOptions {
  readonly channel: string;
  readonly acknowledge: NonNullable<OpenNotifier['acknowledge']>;
  readonly store: Pick<Store, 'acksToPass' | 'oldEvents' | 'keepMirrored'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The wait after a call that was not accepted. */
const AGAIN_MS = 15_000;
const LONGEST_REST_MS = 60_000;
/** The interval of checks for old events: each check reads all recipients. */
const OLD_EVENTS_EVERY_MS = 3_600_000;
const MOST_OLD_EVENTS = 100;

export interface AckPasser extends Pick<WokenLoop, 'wake'> {
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export function createAckPasser(options: AckPasserOptions): AckPasser {
  const { channel, acknowledge, store, ownership, onOutcome, clock, log } = options;
  const loop = createWokenLoop(clock);
  const storage = createStorageBackoff({ loop: 'acknowledgements', channel }, log);
  let lastFailure: string | null = null;
  let oldEventsAtMs = 0;

  /** Returns the milliseconds to wait before the next try; null: no further try is needed. */
  async function pass(
    { key, seq, at, until, isEvent }: PassedAck,
    fence: Fence,
    signal: AbortSignal,
  ): Promise<number | null> {
    const outcome = await acknowledge({ key, isOver: isEvent }, signal);
    // A call that was aborted since the loop ends is no failure of the receiver.
    if (signal.aborted) return 0;
    onOutcome(outcome);
    if (outcome.type === 'again' || outcome.type === 'unknown') {
      const { why } = outcome;
      if (why !== lastFailure)
        log.warn('acknowledgement:failing', { channel, alert: key, why, effect: 'the acknowledgement is tried again' });
      lastFailure = why;
      return outcome.type === 'again' ? Math.max(outcome.afterMs ?? 0, AGAIN_MS) : AGAIN_MS;
    }
    lastFailure = null;
    // The later of both times is stored. Otherwise the acknowledgement would be passed on again and again after the
    // clock was set back.
    const accepted = { key, seq, at: Math.max(clock.now(), at), endsAt: until };
    await store.keepMirrored(channel, [accepted], fence);
    if (outcome.type === 'sent') log.info('acknowledgement:passed-on', { channel, alert: key });
    else
      log.error('acknowledgement:refused', {
        channel,
        alert: key,
        why: outcome.why,
        effect: 'the acknowledgement is in force only in Chainwarden',
      });
    return null;
  }

  /**
   * Returns old events, which end at the receiver as acknowledged ones do. Once the last ones are found, the next check
   * is in an hour.
   */
  async function oldEvents(): Promise<PassedAck[]> {
    if (clock.monotonic() < oldEventsAtMs) return [];
    const now = clock.now();
    const found = await store.oldEvents(channel, now - EVENT_SHOWN_MS, MOST_OLD_EVENTS);
    if (found.length < MOST_OLD_EVENTS) oldEventsAtMs = clock.monotonic() + OLD_EVENTS_EVERY_MS;
    return found.map((event) => ({ ...event, at: now, until: now, isEvent: true }));
  }

  async function passAll(signal: AbortSignal): Promise<number> {
    try {
      const fence = ownership.fenceOf(`channel:${channel}`);
      if (fence === null) return LONGEST_REST_MS;
      for (const ack of [...(await store.acksToPass(channel, clock.now())), ...(await oldEvents())]) {
        const restMs = await pass(ack, fence, signal);
        if (restMs !== null) return restMs;
      }
      if (oldEventsAtMs <= clock.monotonic()) return 0;
      storage.answered('acknowledgements');
      return LONGEST_REST_MS;
    } catch (error) {
      await clock.sleep(storage.failed('acknowledgements', error), signal);
      return 0;
    }
  }

  return { wake: loop.wake, run: (signal) => loop.run(signal, () => passAll(signal)) };
}
