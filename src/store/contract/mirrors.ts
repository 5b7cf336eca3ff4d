// Receivers that keep their own state of alerts: the alerts to show, and the accepted ones.
import type { Accepted, MirroredAlert } from '../../core/model/mirror.ts';
import type { Ack } from '../../dispatch/model.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence } from './fence.ts';

/** An alert as a receiver that keeps its own state accepted it. */
export interface AcceptedAlert extends Accepted {
  readonly key: string;
}

/** An acknowledgement that is to be passed on to a receiver that keeps its own. */
export interface PassedAck extends Pick<Ack, 'key' | 'seq' | 'until'> {
  /** When it was made. */
  readonly at: Instant;
  readonly isEvent: boolean;
}

/** An event that the receiver may still show as open. */
export type OldEvent = Pick<AcceptedAlert, 'key' | 'seq'>;

/** The alerts for receivers that keep their own state. */
export interface MirrorStore {
  /**
   * Alerts whose rule or routes lead to the channel: firing ones, and those with a transition since then. The one with
   * the oldest transition comes first.
   */
  mirrored(channel: string, since: Instant): Promise<MirroredAlert[]>;

  /**
   * Acknowledgements in force that the receiver of the channel has not accepted since they were made, for alerts that
   * it was sent. The oldest first.
   */
  acksToPass(channel: string, at: Instant): Promise<PassedAck[]>;

  /**
   * Events, except with severity `info`, that are no longer open, were last sent to the receiver of the channel before
   * then, and whose end it has not accepted since. The oldest first.
   */
  oldEvents(channel: string, before: Instant, limit: number): Promise<OldEvent[]>;

  /** The receiver of the channel accepted these. */
  keepMirrored(channel: string, accepted: readonly AcceptedAlert[], fence: Fence): Promise<'kept' | 'fenced'>;
}
