// The contents of a recording: polls, the answers that each of them used, and bodies, each stored once.
import type { Memory } from '../core/model/memory.ts';
import type { Head, MissReason, TickChain } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { WatchId } from '../core/model/ids.ts';
import type { Cursor, Question } from '../core/model/watch/question.ts';

/** A question as it is recorded, without host, key or headers. */
export type RecordedQuestion = Pick<Question, 'explorer' | 'operation' | 'path' | 'params'>;

/** One call of a `Read`, and its result: a body by its number, or the reason why there was no usable answer. */
export interface RecordedAnswer {
  readonly asked: RecordedQuestion;
  readonly cursor: Cursor | null;
  /** Whether the poll read the same page for a second time. */
  readonly again: boolean;
  readonly gave: { readonly body: number } | RecordedRefusal;
}

export interface RecordedRefusal {
  readonly reason: MissReason;
  readonly detail: string;
}

export interface RecordedPoll {
  readonly id: number;
  readonly watch: WatchId;
  readonly startedAt: Instant;
  /** The time of the observation. */
  readonly at: Instant;
  readonly head: Head | null;
  /** The newest block that the explorer had read, if the poll asked for it; else null. */
  readonly chain: TickChain | null;
  /** The time up to which the watch was covered before this poll. A restart may set it back. */
  readonly coveredUntil: Instant | null;
  /** The interval in force; null in recordings of earlier releases. */
  readonly paceMs: number | null;
  /** The memory before this poll, stored every few hours so that a replay can start from it; null for other polls. */
  readonly memory: Memory | null;
}

/** A key that is equal for equal questions. The order of their parameters makes no difference. */
export function keyOfAsked({ explorer, operation, path, params }: RecordedQuestion): string {
  return JSON.stringify([explorer, operation, path, sortedEntries(params)]);
}

/** A text that is equal for equal cursors; null for the first page. */
export function cursorText(cursor: Cursor | null): string | null {
  return cursor === null ? null : JSON.stringify(Object.fromEntries(sortedEntries(cursor)));
}

/** The entries, sorted by key. */
export function sortedEntries(map: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
