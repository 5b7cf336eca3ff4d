// The journal: what is appended to it, chained, and read.
import type { Anchor, Verdict } from '../core/journal/chain.ts';
import type { JournalEntry } from '../core/journal/entry.ts';
import type { Json } from '../core/values/fields.ts';
import type { Instant } from '../lib/clock.ts';
import type { Fence } from './fence.ts';

/** All that are given must match. */
export interface HistoryFilter {
  readonly subjects?: readonly string[];
  readonly since?: Instant;
  readonly limit: number;
}

/** A line of the journal as it is stored. */
export interface JournalLine {
  readonly at: Instant;
  readonly kind: string;
  readonly subject: string;
  readonly actor: string;
  /** Its text, where that is no JSON any more. */
  readonly data: Json;
  /** Null: it is not chained yet. */
  readonly anchor: Anchor | null;
}

export interface JournalCounts {
  /** 0: there is none. */
  readonly line: number;
  readonly lines: Readonly<Record<string, number>>;
}

/** What writes the journal, and what reads it. */
export interface JournalStore {
  /** Appends lines to the journal. Those of a commit, of a try and of an operator are appended with what caused them. */
  record(entries: readonly JournalEntry[], fence: Fence): Promise<'kept' | 'fenced'>;

  /** Chains what was appended to the journal, up to `limit` lines; true when more are left. */
  chainJournal(limit: number, fence: Fence): Promise<boolean>;

  /** The newest line that is chained; null when there is none. Durable before it is answered. */
  journalHead(): Promise<Anchor | null>;

  /**
   * How many lines of each kind follow the line of that number, among the next 20,000 lines, and the number of the last one
   * of them. Null: none is counted, and the newest line is named.
   */
  countJournal(after: number | null): Promise<JournalCounts>;

  /** Lines of the journal, newest first. */
  history(filter: HistoryFilter): Promise<JournalLine[]>;

  /** Follows the chain of the journal from where it begins. `anchor` is one that was kept elsewhere. */
  verifyJournal(anchor: Anchor | null): Promise<Verdict>;
}
