// Receivers that keep their own state of alerts: the alerts to show, and the alerts that they have accepted.
import type { Accepted, MirroredAlert } from '../../core/model/mirror.ts';
import type { Ack } from '../../dispatch/model.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence } from './fence.ts';

/** An alert in the state that the receiver has accepted. */
export interface AcceptedAlert extends Accepted {
  readonly key: string;
}

/** An acknowledgement to pass on to a receiver that keeps its own state. */
export interface PassedAck extends Pick<Ack, 'key' | 'seq' | 'until'> {
  /** The time at which it was made. */
  readonly at: Instant;
  readonly isEvent: boolean;
}

/** An event that the receiver may still show as open. */
export type OldEvent = Pick<AcceptedAlert, 'key' | 'seq'>;

/** The alerts for receivers that keep their own state. */
export interface MirrorStore {
  /**
   * All firing alerts, and those with a transition after `since` that were stored with the channel or accepted by its
   * receiver. The alert whose newest transition is the oldest comes first. A reload may lead a firing alert to the
   * channel, so the caller must filter by the rules in force.
   */
  mirrored(channel: string, since: Instant): Promise<MirroredAlert[]>;

  /**
   * Acknowledgements in force of alerts that the receiver of the channel was sent. It has not accepted them since they
   * were made. The oldest comes first.
   */
  acksToPass(channel: string, at: Instant): Promise<PassedAck[]>;

  /**
   * Events that are no longer open, but whose end the receiver of the channel has not accepted since they were last
   * sent to it, by `before`. Events with severity `info` are left out. The oldest comes first.
   */
  oldEvents(channel: string, before: Instant, limit: number): Promise<OldEvent[]>;

  /** Stores that the receiver of the channel has accepted these alerts. */
  keepMirrored(channel: string, accepted: readonly AcceptedAlert[], fence: Fence): Promise<'kept' | 'fenced'>;
}
