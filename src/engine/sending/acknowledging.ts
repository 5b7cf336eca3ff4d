// Passes acknowledgements on to a receiver that has its own: who answered here is not called there again. Only what the
// receiver knows of is passed on, and what it accepted is in the state file. A call may be repeated, which changes nothing.
// An acknowledgement that ends is not passed on: what was acknowledged there stays so until the alert is over.
import type { Ownership } from '../../cluster/ownership.ts';
import type { Outcome } from '../../core/model/delivery.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OpenNotifier } from '../../notifiers/notifier.ts';
import type { Fence } from '../../store/contract/fence.ts';
import type { PassedAck } from '../../store/contract/mirrors.ts';
import type { Store } from '../../store/contract/store.ts';
import type { Log } from '../../telemetry/log.ts';
import { createStorageBackoff } from '../reporting/storage-backoff.ts';
import { createWokenLoop, type WokenLoop } from '../woken-loop.ts';

export interface AckPasserOptions {
  readonly channel: string;
  readonly acknowledge: NonNullable<OpenNotifier['acknowledge']>;
  readonly store: Pick<Store, 'acksToPass' | 'keepMirrored'>;
  readonly ownership: Pick<Ownership, 'fenceOf'>;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** After a call that was not taken. */
const AGAIN_MS = 15_000;
const LONGEST_REST_MS = 60_000;

export interface AckPasser extends Pick<WokenLoop, 'wake'> {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function createAckPasser(options: AckPasserOptions): AckPasser {
  const { channel, acknowledge, store, ownership, onOutcome, clock, log } = options;
  const loop = createWokenLoop(clock);
  const storage = createStorageBackoff({ loop: 'acknowledgements', channel }, log);
  let lastFailure: string | null = null;

  /** How long to rest; null: it is passed on. */
  async function pass({ key, seq, at, until }: PassedAck, fence: Fence, signal: AbortSignal): Promise<number | null> {
    const outcome = await acknowledge(key, signal);
    // A call that the stop cut off says nothing of the receiver.
    if (signal.aborted) return 0;
    onOutcome(outcome);
    if (outcome.type === 'again' || outcome.type === 'unknown') {
      const { why } = outcome;
      if (why !== lastFailure) log.warn('acknowledgement:failing', { channel, alert: key, why, effect: 'tried again' });
      lastFailure = why;
      return outcome.type === 'again' ? Math.max(outcome.afterMs ?? 0, AGAIN_MS) : AGAIN_MS;
    }
    lastFailure = null;
    // With a clock that was set back it would be passed on again and again.
    const accepted = { key, seq, at: Math.max(clock.now(), at), endsAt: until };
    await store.keepMirrored(channel, [accepted], fence);
    if (outcome.type === 'sent') log.info('acknowledgement:passed-on', { channel, alert: key });
    else log.error('acknowledgement:refused', { channel, alert: key, why: outcome.why, effect: 'it holds here alone' });
    return null;
  }

  async function passAll(signal: AbortSignal): Promise<number> {
    try {
      const fence = ownership.fenceOf(`channel:${channel}`);
      if (fence === null) return LONGEST_REST_MS;
      for (const ack of await store.acksToPass(channel, clock.now())) {
        const restMs = await pass(ack, fence, signal);
        if (restMs !== null) return restMs;
      }
      storage.answered('acknowledgements');
      return LONGEST_REST_MS;
    } catch (error) {
      await clock.sleep(storage.failed('acknowledgements', error), signal);
      return 0;
    }
  }

  return { wake: loop.wake, run: (signal) => loop.run(signal, () => passAll(signal)) };
}
