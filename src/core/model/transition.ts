import type { Instant } from '../../lib/clock.ts';
import type { Message, MessageType, Outcome } from './delivery.ts';
import type { WantedDetails } from './details.ts';
import type { Labels, Recipient } from './ids.ts';

/** The time that an event, and an alert that is over, is stored. */
export const ALERTS_KEPT_MS = 30 * 86_400_000;

/** The change of one alert by a poll: an event happened, a condition fires or ended, or a sent event has changed. */
export interface Transition {
  readonly message: Message;
  readonly labels: Labels;
  /**
   * The channels of its rule and the routes. A recipient that got the begin also gets the rest, even if it is not named
   * here.
   */
  readonly notify: readonly string[];
  /**
   * The recipients to which the message was sent from memory, before it could be stored; left out if there are none.
   */
  readonly told?: readonly ToldUnrecorded[];
  /** Set if its message gets details before it is routed; left out: it gets none. */
  readonly details?: WantedDetails;
}

/** True if the stored message waits for details. One that was sent already does not. */
export function awaitsDetails({ told, details }: Transition): boolean {
  return details !== undefined && told === undefined;
}

/** A message that was accepted, or may have been, while the state could not be written. */
export interface ToldUnrecorded extends Recipient {
  readonly at: Instant;
  readonly outcome: Extract<Outcome, { type: 'sent' | 'unknown' }>;
}

export type TransitionName = 'event' | 'firing' | 'resolved' | 'retracted' | 'corrected' | 'reinstated';

const NAMES: Readonly<Record<Exclude<MessageType, 'alert.summary'>, TransitionName>> = {
  'alert.event': 'event',
  'alert.firing': 'firing',
  'alert.resolved': 'resolved',
  'alert.retracted': 'retracted',
  'alert.corrected': 'corrected',
  'alert.reinstated': 'reinstated',
};

/** `alert.firing` is `firing`. A summary has the name of its members. */
export function nameOfTransition({ type, summary }: Pick<Message, 'type' | 'summary'>): TransitionName {
  const of = summary?.of ?? type;
  return of === 'alert.summary' ? 'event' : NAMES[of];
}

/** True if the transition is also sent to recipients that were sent nothing about the alert before. */
export function isBegin(name: TransitionName): boolean {
  return name === 'event' || name === 'firing';
}

/** True if the transition reports that something holds now: it begins to hold, or a retracted event holds again. */
export function isNowTrue(name: TransitionName): boolean {
  return isBegin(name) || name === 'reinstated';
}

/** True if the message may be sent before the state is written. */
export function isUrgent({ message }: Transition): boolean {
  return isBegin(nameOfTransition(message)) && message.severity === 'critical';
}

/** The time that an event stays open if it has to be acknowledged and is not retracted: it has no end of its own. */
export const EVENT_OPEN_MS = 7 * 86_400_000;

/** The time during which any other event is shown and can be acknowledged. */
export const EVENT_SHOWN_MS = 86_400_000;
