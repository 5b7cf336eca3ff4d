// How far each explorer has come on its chain, and whether that can be believed now.
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import type { HeadStanding } from '../../core/model/quality/health-summary.ts';
import type { Memory } from '../../core/model/memory.ts';
import { showsHead, type Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';

/** A head as it was read last. */
export interface HeadReading {
  readonly height: bigint;
  readonly at: Instant;
  readonly readAt: Instant;
  readonly isStalled: boolean;
}

export interface HeadCircumstances {
  readonly watches: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  readonly memoryOf: (id: string) => Pick<Memory, 'coveredUntil'> | null | undefined;
  readonly now: Instant;
}

/** `blind`: those of the watches of the explorer that are. */
export function headStanding(head: HeadReading | null, circumstances: HeadCircumstances): HeadStanding {
  return { height: head && String(head.height), at: head && head.at, ...judged(head, circumstances) };
}

const MOST_MISSED = 3;

/** The first that holds. */
function judged(
  head: HeadReading | null,
  { watches, blind, memoryOf, now }: HeadCircumstances,
): Pick<HeadStanding, 'state' | 'since'> {
  if (head?.isStalled === true) return { state: 'stalled', since: head.at };
  if (blind.length > 0) return { state: 'blind', since: Math.min(...blind.map(({ since }) => since)) };
  const paceMs = paceOf(watches);
  if (paceMs === null) return { state: 'unread', since: newestAnswer(watches, memoryOf) };
  if (head === null) return { state: 'unknown', since: null };
  if (now - head.readAt > MOST_MISSED * paceMs) return { state: 'overdue', since: head.readAt };
  return { state: 'fresh', since: null };
}

function newestAnswer(watches: readonly Watch[], memoryOf: HeadCircumstances['memoryOf']): Instant | null {
  let newest: Instant | null = null;
  for (const { id } of watches) {
    const until = memoryOf(id)?.coveredUntil ?? null;
    if (until !== null && (newest === null || until > newest)) newest = until;
  }
  return newest;
}

const paceByWatches = new WeakMap<readonly Watch[], number | null>();

/** The shortest interval in which one of them reads the head; null: none does. Found once for each list of watches. */
function paceOf(watches: readonly Watch[]): number | null {
  const known = paceByWatches.get(watches);
  if (known !== undefined) return known;
  // Outside the hours of a cron nobody expects an answer.
  const paces = watches
    .filter(showsHead)
    .map(({ schedule }) => (schedule.type === 'every' ? schedule.intervalMs : Infinity));
  const pace = paces.length === 0 ? null : paces.reduce((one, other) => Math.min(one, other));
  paceByWatches.set(watches, pace);
  return pace;
}

const byExplorerOfWatches = new WeakMap<readonly Watch[], ReadonlyMap<string, readonly Watch[]>>();

/** Found once for each list of watches. */
export function byExplorer(watches: readonly Watch[]): ReadonlyMap<string, readonly Watch[]> {
  const known = byExplorerOfWatches.get(watches) ?? Map.groupBy(watches, ({ target }) => target.explorer);
  byExplorerOfWatches.set(watches, known);
  return known;
}
