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

/** A line is found by its text or by its watch. */
export interface JournalSearch {
  /** Contained in the line, or in recent notifications of its alert; upper and lower case of ASCII are equal. */
  readonly text: string;
  /** The line is about one of these watches, or about one of their alerts. */
  readonly watches: readonly WatchId[];
}

/** Lines about alerts with labels. A line that fulfils one of the three conditions is found. */
export interface LabelledLines {
  /** The line is about an alert that had all of these labels, or the line itself contains them. */
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The line is about one of these watches, and not about one of its alerts. */
  readonly watches: readonly WatchId[];
  /** The line is about one of these alerts. */
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
  /** The position of the last counted line; 0: the journal has no chained line. */
  readonly line: number;
  readonly lines: Readonly<Record<string, number>>;
}

/** The methods that write and read the journal. */
export interface JournalStore {
  /**
   * Appends lines to the journal. The lines of commits, tries and actions of operators do not need this: they are
   * appended in the transaction that causes them.
   */
  readonly record: (entries: readonly JournalEntry[]) => Promise<void>;

  /** Chains up to `limit` appended lines of the journal; true if more are left. */
  chainJournal(limit: number, fence: Fence): Promise<boolean>;

  /** The newest chained line, which is on the disk; null: there is none. */
  journalHead(): Promise<JournalAnchor | null>;

  /** The hash of the line at that position; null: there is no such line, or it was dropped by its age. */
  journalHashAt(position: number): Promise<string | null>;

  /**
   * Counts the chained lines after a position by kind, at most 20,000, and gives the position of the last counted line.
   * Null: counts none, and gives the position of the newest line.
   */
  countJournal(after: number | null): Promise<JournalCounts>;

  /** Lines of the journal, newest first. */
  history(filter: HistoryFilter): Promise<JournalLine[]>;

  /**
   * Verifies the chain of the journal from its beginning. `anchor`: an anchor that was stored elsewhere and must match.
   */
  verifyJournal(anchor: JournalAnchor | null): Promise<ChainCheck>;
}
