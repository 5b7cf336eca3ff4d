// Receivers that keep their own state of alerts: what they are shown, and what they accepted.
import type { Accepted, MirroredAlert } from '../core/model/mirror.ts';
import type { Instant } from '../lib/clock.ts';
import type { Fence } from './fence.ts';

/** An alert as a receiver that keeps its own state accepted it. */
export interface AcceptedAlert extends Accepted {
  readonly key: string;
}

/** What receivers that keep their own state are shown. */
export interface MirrorStore {
  /**
   * Alerts whose rule or routes lead to the channel: those that fire, and those of which something happened since. The
   * oldest news first.
   */
  mirrored(channel: string, since: Instant): Promise<MirroredAlert[]>;

  /** The receiver of the channel accepted these. */
  keepMirrored(channel: string, accepted: readonly AcceptedAlert[], fence: Fence): Promise<'kept' | 'fenced'>;
}
