// The journal: appending, chaining and reading.
import type { JournalAnchor, ChainCheck } from '../../core/journal/chain.ts';
import type { JournalEntry } from '../../core/journal/entry.ts';
import type { Message } from '../../core/model/delivery.ts';
import type { AlertId, WatchId } from '../../core/model/ids.ts';
import type { TransitionName } from '../../core/model/transition.ts';
import type { Json } from '../../core/values/fields.ts';
import type { Instant } from '../../lib/clock.ts';
import type { Fence } from './fence.ts';

/** All given fields must match. */
export interface HistoryFilter {
  readonly subjects?: readonly string[];
  readonly since?: Instant;
  readonly limit: number;
}

/** A filter of journal lines: all given fields must match. */
export interface JournalFilter {
  /** Null: every kind. */
  readonly kinds: readonly string[] | null;
  /** Lines of these kinds are left out. */
  readonly without: readonly string[];
  /** The beginnings of the subject; null: any subject. */
  readonly subjects: readonly string[] | null;
  readonly search: JournalSearch | null;
  /** Null: any line. */
  readonly labelled: LabelledLines | null;
  /** Lines of this time or later; null: any age. */
  readonly since: Instant | null;
  /** Lines before this time; null: up to the newest. */
  readonly until: Instant | null;
  /** Lines with a lower number only; null: from the newest on. */
  readonly before: number | null;
  readonly limit: number;
}

/** Either is enough. */
export interface JournalSearch {
  /** Contained in the line, or in recent notifications of its alert; upper and lower case of ASCII are equal. */
  readonly text: string;
  /** The line is about one of these, or about an alert of theirs. */
  readonly watches: readonly WatchId[];
}

/** Lines about alerts with labels. Any of the three is enough. */
export interface LabelledLines {
  /** An alert that the line is about had all of them, or the line names them itself. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The line is about one of these, and about no single alert of it. */
  readonly watches: readonly WatchId[];
  /** The line is about one of these. */
  readonly alerts: readonly { readonly watch: WatchId; readonly alert: AlertId }[];
}

export interface JournalPage {
  /** Newest first. */
  readonly lines: readonly JournalLine[];
  /** `before` of the next page; null: there is none. */
  readonly next: number | null;
}

/** An alert at the time of a line of the journal. */
export interface NotificationOf {
  readonly key: string;
  /** Null: the newest transition of any name. */
  readonly transition: TransitionName | null;
  readonly until: Instant;
}

/** A transition of a poll, with its message. */
export interface StoredNotification {
  readonly watch: WatchId;
  readonly episode: number;
  readonly seq: number;
  readonly message: Message;
}

/** A line of the journal as it is stored. */
export interface JournalLine {
  /** Rises with every line. */
  readonly number: number;
  readonly at: Instant;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  /** The text of the data if it is no JSON any more. */
  readonly data: Json;
  /** Null: it is not chained yet. */
  readonly anchor: JournalAnchor | null;
}

export interface JournalCounts {
  /** 0: there is none. */
  readonly line: number;
  readonly lines: Readonly<Record<string, number>>;
}

/** The methods that write and read the journal. */
export interface JournalStore {
  /**
   * Appends lines to the journal. Lines of a commit, a try and an operator's action are appended in its transaction.
   */
  record(entries: readonly JournalEntry[]): Promise<void>;

  /** Chains up to `limit` appended lines of the journal; true if more are left. */
  chainJournal(limit: number, fence: Fence): Promise<boolean>;

  /** The newest chained line; null if there is none. It is durable before the answer. */
  journalHead(): Promise<JournalAnchor | null>;

  /** The hash of the line at that position; null: it is not there, or was dropped by its age. */
  journalHashAt(position: number): Promise<string | null>;

  /**
   * How many chained lines of each kind follow the one at that position, among the next 20,000, and the position of the last
   * one of them. Null: none is counted, and the newest line is named.
   */
  countJournal(after: number | null): Promise<JournalCounts>;

  /** Lines of the journal, newest first. */
  history(filter: HistoryFilter): Promise<JournalLine[]>;

  /** Follows the chain of the journal from its beginning. `anchor` is one that was stored elsewhere. */
  verifyJournal(anchor: JournalAnchor | null): Promise<ChainCheck>;
}
