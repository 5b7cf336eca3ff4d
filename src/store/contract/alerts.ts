// What people look at of alerts: how far their messages came, and what happened lately.
import type { Message } from '../../core/model/delivery.ts';
import type { AlertId, Labels, Recipient, Severity, WatchId } from '../../core/model/ids.ts';
import type { Instant } from '../../lib/clock.ts';
import type { StoredDelivery } from './deliveries.ts';

/** Every method rejects with a `StorageError`. */
export interface AlertView {
  /** What of these episodes was, or is to be, sent to whom, the oldest first. */
  progress(of: readonly EpisodeName[]): Promise<Progress[]>;
  /** What is held back of these alerts. */
  heldBack(of: readonly EpisodeName[]): Promise<HeldMessage[]>;
  /**
   * Critical transitions decided before then of which no message arrived, though there are some on other channels than
   * these: all are owed, or were given up and not dismissed. What the daemon tells of itself is left out.
   */
  unheard(before: Instant, uncounted: readonly string[]): Promise<Unheard[]>;
  /** Events since then by alert, those with the newest first. */
  events(since: Instant, limit: number): Promise<EventGroup[]>;
  /** What fired or happened since then, or fires, the oldest first; of one watch, or of all. */
  firings(since: Instant, watch: WatchId | null): Promise<FiringSpan[]>;
  /** The transitions of an episode, the oldest first. */
  messages(of: EpisodeName): Promise<Message[]>;
  /** The transitions of an alert, the newest first. */
  messagesOfKey(key: string): Promise<Message[]>;
  /** The transitions of a watch by its name, whether it is still there or not, the newest first. */
  messagesOf(watch: string, limit: number): Promise<Message[]>;
  /** Of which watch an alert is; null: nothing is known of it. */
  watchOf(key: string): Promise<WatchId | null>;
}

/** One episode of an alert. */
export interface EpisodeName {
  readonly key: string;
  readonly episode: number;
}

/** How far one message about a transition came. */
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
  /** Of the newest. */
  readonly message: Message;
  /** It is retracted. */
  readonly isRetracted: boolean;
  /** Messages about the alert that are owed. */
  readonly owed: number;
}

/** For how long an alert fired, or when an event happened. */
export interface FiringSpan extends EpisodeName {
  readonly watch: WatchId;
  readonly alert: AlertId;
  readonly severity: Severity;
  /** Not before the time that was asked for. */
  readonly from: Instant;
  /** Null: it fires. */
  readonly until: Instant | null;
  readonly isEvent: boolean;
}
