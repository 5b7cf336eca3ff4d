// The history that an explorer still has, as polls of a watch.
//
// Lists whose rows carry their time can be read backwards: internal transactions, transactions, blocks. Their rows are
// then given to the watch at their own times, as if it had been polled at its schedule. This is an approximation. It
// differs from real polls in these points: every row has the status, names and reputation of today; it appears at the
// second of its block, while a real explorer shows it some seconds later; rows that were pending, dropped or replaced
// by a reorganisation are missing, so `mined` and `reorg` send nothing, and nothing is retracted; confirmations are
// counted from a head that is computed from the pace of the rows' own blocks; no poll is ever missed; `cron` counts as
// its shortest interval.
import { upToHead } from '../core/chain/tick-chain.ts';
import type { ListHistory } from '../core/model/watch/kind.ts';
import type { Head, TickChain } from '../core/model/observation.ts';
import type { Instant } from '../lib/clock.ts';
import type { Watch } from '../core/model/watch/watch.ts';
import { Missed, type ListQuestion, type Page, type Question, type Read } from '../core/model/watch/question.ts';
import { readThrough, type AskPage } from '../core/model/quality/read-through.ts';
import { phaseOf } from '../core/model/watch/schedule.ts';
import { readUntil } from '../explorer/reading/paging.ts';
import { keyOfAsked } from '../recording/model.ts';
import type { ReplayedPoll } from './run.ts';

/** A question, which is read once, and the watches that ask it. */
export interface QuestionGroup {
  readonly question: ListQuestion;
  readonly past: ListHistory;
  readonly watches: readonly Watch[];
}

/** The questions whose older pages can be read, and the watches without such a question. */
export function questionGroupsOf(watches: readonly Watch[]): {
  groups: readonly QuestionGroup[];
  without: readonly Watch[];
} {
  const byKey = new Map<string, QuestionGroup & { readonly watches: Watch[] }>();
  const without: Watch[] = [];
  for (const watch of watches) {
    const question = watch.kind.question(watch.target);
    const past = watch.kind.history;
    if (past === null || !isList(question)) {
      without.push(watch);
      continue;
    }
    const key = keyOfAsked(question);
    const group = byKey.get(key) ?? { question, past, watches: [] };
    group.watches.push(watch);
    byKey.set(key, group);
  }
  return { groups: [...byKey.values()], without };
}

export interface HistoryDepth {
  /** The time back to which the history is read. */
  readonly from: Instant;
  readonly now: Instant;
  /** The largest number of pages for one question. */
  readonly maxPages: number;
}

/**
 * The number of pages back to `from`, estimated from the time span of the first page, which is read for this. Throws
 * `Missed`.
 */
export async function estimatePages(
  read: Read,
  { question, past }: QuestionGroup,
  reach: HistoryDepth,
): Promise<number> {
  const { rows, next } = await read.page(question, null);
  const oldest = Math.min(...rows.map((row) => past.timeOf(row)).filter((time) => time !== null));
  if (next === null || !Number.isFinite(oldest) || oldest < reach.from) return 1;
  const spanMs = Math.max(reach.now - oldest, 1);
  return Math.min(reach.maxPages, Math.ceil((reach.now - reach.from) / spanMs));
}

export interface ReplayedHistory {
  /** The rows, the newest first. */
  readonly rows: readonly DatedRow[];
  /** The time from which on the history is complete. */
  readonly from: Instant;
  /** The reason why the history does not reach the requested time; null if it does. */
  readonly partial: string | null;
}

interface DatedRow {
  readonly at: Instant;
  readonly row: Page['rows'][number];
}

/**
 * Reads pages backwards, newest first, until a row is older than `from`. With the same `read`, the first page is not
 * read again.
 */
export async function readHistory(
  read: Read,
  { question, past }: QuestionGroup,
  { from, maxPages }: HistoryDepth,
): Promise<ReplayedHistory> {
  const { rows, partial } = await readUntil(read, question, {
    identityOf: (row) => past.identityOf(row),
    maxPages,
    matches: (row) => (past.timeOf(row) ?? Infinity) < from,
  });
  const dated = rows.flatMap((row) => {
    const at = past.timeOf(row);
    return at === null ? [] : [{ at, row }];
  });
  const newestFirst = dated.toSorted((a, b) => b.at - a.at);
  const oldest = newestFirst.at(-1)?.at;
  // Other rows of the oldest time may be missing, so the history is complete only after it.
  return { rows: newestFirst, from: partial === null || oldest === undefined ? from : oldest + 1, partial };
}

/** The most polls of a replay. For a longer history the interval becomes longer. */
const MOST_POLLS = 100_000;

/** The polls that the watch's schedule would have made over a history. */
export function* historyPolls(
  watch: Watch,
  { past, question }: QuestionGroup,
  { rows, from }: ReplayedHistory,
  until: Instant,
): Generator<ReplayedPoll> {
  const intervalMs = Math.max(watch.schedule.intervalMs, Math.ceil((until - from) / MOST_POLLS));
  const headAt = estimateHeads(rows, past);
  let newest = rows.length;
  for (let at = firstPoll(watch, from, intervalMs); at <= until; at += intervalMs) {
    while (newest > 0 && (rows[newest - 1]?.at ?? Infinity) <= at) newest -= 1;
    const page = pageFrom(rows, newest);
    const head = (): Head | null => (question.head === undefined ? headAt(at) : question.head(page.rows, at));
    const chain = async (): Promise<TickChain> => readingOf(head());
    yield { at, read: readOf(rows, newest), head, chain, canAskHead: false };
  }
}

function readingOf(head: Head | null): TickChain {
  return head === null ? 'unknown' : upToHead(Number(head.height));
}

/** For a head that is estimated from another list: it must never count as stale. */
const NEVER_STALE_MS = Number.MAX_SAFE_INTEGER;

/** Estimates the head at a time, for confirmations, from the rate at which the blocks of these rows were made. */
function estimateHeads(rows: readonly DatedRow[], past: ListHistory): (at: Instant) => Head | null {
  const [last, first] = [placeOf(rows[0], past), placeOf(rows.at(-1), past)];
  if (last === null || first === null || last.at <= first.at) return () => null;
  const blocksPerMs = (last.block - first.block) / (last.at - first.at);
  return (at) => {
    const height = BigInt(Math.max(0, Math.floor(first.block + (at - first.at) * blocksPerMs)));
    return { height, timestamp: at, readAt: at, staleAfterMs: NEVER_STALE_MS };
  };
}

function placeOf(
  dated: DatedRow | undefined,
  past: ListHistory,
): { readonly at: Instant; readonly block: number } | null {
  const block = dated === undefined ? null : past.blockOf(dated.row);
  return dated === undefined || block === null ? null : { at: dated.at, block };
}

function firstPoll(watch: Watch, from: Instant, intervalMs: number): Instant {
  const phaseMs = phaseOf(watch);
  return Math.ceil((from - phaseMs) / intervalMs) * intervalMs + phaseMs;
}

/** Reads the list as it was when row `newest` was its first. */
function readOf(rows: readonly DatedRow[], newest: number): Read {
  const answer: AskPage = async ({ shape }, cursor) => {
    if (shape === 'one') throw new Missed('not-found', 'has no history on an explorer');
    return pageFrom(rows, cursor === null ? newest : Number(cursor[OFFSET]));
  };
  return readThrough({ answer, again: answer });
}

const OFFSET = 'offset';
const PAGE_SIZE = 50;

function pageFrom(rows: readonly DatedRow[], offset: number): Page {
  const end = offset + PAGE_SIZE;
  const next = end < rows.length ? { [OFFSET]: String(end) } : null;
  return { rows: rows.slice(offset, end).map(({ row }) => row), next };
}

function isList(question: Question): question is Question & ListQuestion {
  return question.shape === 'list';
}
