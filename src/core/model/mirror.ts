// The alerts as shown to a receiver that keeps its own state of them: open or not, and until when. Every alert is shown
// again and again, so a receiver that lost its memory gets it back, and no order of messages matters.
//
//   fires      open for `holdMs` from now; shown at every refresh
//   ended      over since it ended; shown until it was accepted, and fifteen minutes more
//   late end   the channel was added while it fired, and nothing was accepted before it ended: shown as over
//   event      open for fifteen minutes after it was first accepted: it has no end of its own
//   unsent     it fired and ended before the receiver accepted a message about it: shown like an event
import type { Instant } from '../../lib/clock.ts';
import { firedAtOf, type Message } from './delivery.ts';
import type { Labels, WatchId } from './ids.ts';
import { nameOfTransition } from './transition.ts';

/** An alert in the state of its newest message. */
export interface MirroredAlert {
  readonly message: Message;
  readonly watch: WatchId;
  /** The labels when it began, or when it was last raised: receivers identify the alert by them. */
  readonly labels: Labels;
  /** The labels by which receivers identified the alert before it was raised. */
  readonly former: readonly FormerLabels[];
  /** The newest message that the receiver accepted; null if there is none. */
  readonly accepted: Accepted | null;
  /** True if the alert began, or was raised, while its rule or routes led to the channel. */
  readonly isNamed: boolean;
}

export interface FormerLabels {
  readonly labels: Labels;
  /** When the alert was raised, and these labels ended. */
  readonly until: Instant;
}

export interface Accepted {
  readonly seq: number;
  readonly at: Instant;
  /** The end of the period in which the alert was shown as open. */
  readonly endsAt: Instant;
}

/** The period in which the alert is open; an end in the past means that it is over. */
export interface ShownPeriod {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** The time that an event is open, and that an end is repeated. */
export const EVENT_SHOWN_MS = 15 * 60_000;

/** An alert in the form that a receiver is shown. */
export interface ShownAlert extends Pick<MirroredAlert, 'message' | 'labels'> {
  readonly shown: ShownPeriod;
  /** The daemon's page of the alert; null or left out: it has none. */
  readonly page?: string | null;
}

/** Shows an alert under earlier labels as over. A receiver drops it without further messages after `holdMs`. */
export function formerlyShown({ message, former }: MirroredAlert, now: Instant, holdMs: number): ShownAlert[] {
  const recent = former.filter(({ until }) => now - until < holdMs);
  return recent.map(({ labels, until }) => ({ message, labels, shown: periodUntil(message, Math.min(until, now)) }));
}

function periodUntil(message: Message, endsAt: Instant): ShownPeriod {
  return { startsAt: Math.min(firedAtOf(message), endsAt), endsAt };
}

/** Null if the alert is not shown yet, or not any more. */
export function shownOf(
  { message, accepted, isNamed }: Pick<MirroredAlert, 'message' | 'accepted' | 'isNamed'>,
  now: Instant,
  holdMs: number,
): ShownPeriod | null {
  const transition = nameOfTransition(message);
  const shown = (endsAt: Instant): ShownPeriod => periodUntil(message, endsAt);
  if (transition === 'firing') return shown(now + holdMs);
  if (accepted !== null && accepted.seq >= message.seq)
    // After a clock was set back, the alert must not stay shown until that time comes again.
    return Math.abs(now - accepted.at) < EVENT_SHOWN_MS ? shown(accepted.endsAt) : null;
  // A channel that was renamed while the alert fired leads to a receiver that may still show it as open.
  if (transition === 'resolved' && (accepted !== null || !isNamed)) return shown(Math.min(message.at, now));
  if (transition === 'retracted') return accepted === null ? null : shown(Math.min(message.at, now));
  return shown(now + EVENT_SHOWN_MS);
}
