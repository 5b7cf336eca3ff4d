// The explanation of a watch, as data. Pages and the API use it, and `lines.ts` prints it.
import type { Segment } from '../core/model/watch/condition.ts';
import type { Health } from '../core/model/health.ts';
import type { Labels, Recipient, Truth } from '../core/model/ids.ts';
import type { AlertRule, Watch } from '../core/model/watch/watch.ts';
import type { Instant } from '../lib/clock.ts';
import type { StoredDelivery } from '../store/contract/deliveries.ts';

export interface Explained {
  readonly watch: Watch;
  /** Sentences about the data of the watch and its next poll. */
  readonly remarks: readonly string[];
  /** The time of the next poll; null if the watch is paused, or if the next poll is more than a year away. */
  readonly next: Instant | null;
  readonly alerts: readonly ExplainedAlert[];
}

export interface ExplainedAlert {
  readonly alert: AlertRule;
  /** The event of the alert; null if it compares values. */
  readonly on: string | null;
  /**
   * The item on which the condition was last evaluated; null if the alert is not about items, or without a snapshot.
   */
  readonly item: ExplainedItem | null;
  readonly conditions: readonly ExplainedCondition[];
  /** One state for each group of a count, else one. */
  readonly states: readonly ExplainedState[];
  /** The number of groups that are left out. */
  readonly moreGroups: number;
  /** Reasons why no decision is possible; empty if there are none. */
  readonly heldBack: readonly string[];
  /** Sentences that must all come true to reach `aim`; empty if they are unknown, or if only an item is missing. */
  readonly needs: readonly string[];
  readonly aim: 'to fire' | 'to end' | 'to match' | null;
  /** Silences and acknowledgements, in words. */
  readonly operators: readonly string[];
  readonly health: { readonly is: Health; readonly since: Instant | null };
  readonly labels: Labels;
  readonly wouldNotify: readonly Recipient[];
  /** The newest first. */
  readonly messages: readonly ExplainedMessage[];
}

export interface ExplainedItem {
  readonly which: string;
  readonly text: readonly Segment[];
}

export interface ExplainedState {
  readonly state: 'inactive' | 'pending' | 'firing' | 'recovering' | 'event';
  readonly since: Instant | null;
  readonly words: string;
  readonly heldBack: readonly string[];
  readonly remarks: readonly string[];
}

export interface ExplainedPart {
  readonly text: string;
  /** Null if no value has been read yet. */
  readonly truth: Truth | null;
  readonly reads: readonly ExplainedRead[];
  readonly parts: readonly ExplainedPart[];
}

export interface ExplainedCondition extends ExplainedPart {
  readonly name: 'while' | 'until' | 'if';
  /** Reasons for "unknown" that are not shown beside the values. */
  readonly reasons: readonly string[];
}

export interface ExplainedRead {
  readonly name: string;
  /** Null if the value is unknown. */
  readonly value: readonly Segment[] | null;
  /** The previous value, if it was different. */
  readonly before: readonly Segment[] | null;
  /** The reason why the value is unknown, if there is a reason. */
  readonly why: string | null;
}

export interface ExplainedMessage extends Recipient {
  /** The state in the message's type, such as `firing`. */
  readonly what: string;
  readonly at: Instant;
  readonly state: StoredDelivery['state'];
  /** The server's answer if it refused the message. */
  readonly answer: string | null;
}
