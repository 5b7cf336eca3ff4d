// Queries about alerts: the progress of their messages, and the newest events.
import type { Message } from '../../core/model/delivery.ts';
import type { AlertId, Labels, Recipient, Severity, WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { StoredDelivery } from './deliveries.ts';

/** Every method rejects with a `StorageError`. */
export interface AlertView {
  /** The deliveries of these episodes, sent or pending, the oldest first. */
  progress(of: readonly EpisodeName[]): Promise<Progress[]>;
  /** Messages of these alerts that are held back. */
  heldBack(of: readonly EpisodeName[]): Promise<HeldMessage[]>;
  /**
   * Critical transitions that were decided by `before` and that no recipient was sent. Each has deliveries on channels
   * that are not in `uncounted`, and all of these are pending, or given up and not dismissed. Alerts of the daemon
   * about itself are left out.
   */
  unheard(before: Instant, uncounted: readonly string[]): Promise<Unheard[]>;
  /** Events after `since`, grouped by alert. The alert with the newest event comes first. */
  events(since: Instant, limit: number): Promise<EventGroup[]>;
  /** Alerts that fire now, or that fired or happened after `since`, the oldest first. `watch`: null for all watches. */
  firings(since: Instant, watch: WatchId | null): Promise<FiringSpan[]>;
  /** The transitions of an episode, the oldest first. */
  messages(of: EpisodeName): Promise<Message[]>;
  /** The transitions of an alert, the newest first. */
  messagesOfKey(key: string): Promise<Message[]>;
  /** The transitions of a watch by its name, even if it was removed, the newest first. */
  messagesOf(watch: string, limit: number): Promise<Message[]>;
  /** The watch of an alert; null: the alert is unknown. */
  watchOf(key: string): Promise<WatchId | null>;
  /** The labels of the newest transition of an episode; null: none is stored, or they are damaged. */
  labelsOf(of: EpisodeName): Promise<Labels | null>;
}

/** One episode of an alert. */
export interface EpisodeName {
  readonly key: string;
  readonly episode: number;
}

/** The progress of one message about a transition. */
export interface Progress extends EpisodeName {
  readonly seq: number;
  readonly isDismissed: boolean;
  readonly delivery: Omit<StoredDelivery, 'members' | 'more'>;
}

export interface HeldMessage extends Recipient {
  readonly key: string;
  /** `silenced`, `inhibited`, `mute-window` and so on. */
  readonly why: string;
}

export interface Unheard extends EpisodeName {
  readonly seq: number;
  readonly labels: Labels;
}

/** The events of one alert of a watch. */
export interface EventGroup {
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly count: number;
  /** The message of the newest event. */
  readonly message: Message;
  /** True if the event is retracted. */
  readonly isRetracted: boolean;
  /** The number of pending messages about the alert. */
  readonly owed: number;
}

/** The time for which an alert fired, or the time of an event. */
export interface FiringSpan extends EpisodeName {
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly severity: Severity;
  /** The start of the firing; the requested time if the alert started before that time and has ended since. */
  readonly from: Instant;
  /** Null: it fires. */
  readonly until: Instant | null;
  readonly isEvent: boolean;
}
