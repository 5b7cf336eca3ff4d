// The head of each explorer, and whether it can be believed now.
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { latest } from '../../core/model/quality/blindness.ts';
import type { HeadStanding } from '../../core/model/quality/health-summary.ts';
import type { Memory } from '../../core/model/memory.ts';
import { paceIn, showsHead, type Watch } from '../../core/model/watch/watch.ts';
import type { Instant } from '../../lib/clock.ts';
import { remembered } from '../../lib/remembered.ts';

/** The newest reading of a head. */
export interface HeadReading {
  readonly height: bigint;
  readonly at: Instant;
  readonly readAt: Instant;
  readonly isStalled: boolean;
}

export interface HeadCircumstances {
  readonly watches: readonly Watch[];
  readonly blind: readonly BlindWatch[];
  readonly memoryOf: (id: string) => Pick<Memory, 'coveredUntil' | 'paceMs'> | null | undefined;
  readonly now: Instant;
}

/** `blind`: the blind watches of the explorer. */
export function headStanding(head: HeadReading | null, circumstances: HeadCircumstances): HeadStanding {
  return { height: head && String(head.height), at: head && head.at, ...judged(head, circumstances) };
}

const MOST_MISSED = 3;

/** Returns the first state that applies. */
function judged(
  head: HeadReading | null,
  { watches, blind, memoryOf, now }: HeadCircumstances,
): Pick<HeadStanding, 'state' | 'since'> {
  if (head?.isStalled === true) return { state: 'stalled', since: head.at };
  if (blind.length > 0) return { state: 'blind', since: Math.min(...blind.map(({ since }) => since)) };
  const paceMs = paceOf(watches, memoryOf);
  if (paceMs === null) return { state: 'unread', since: newestAnswer(watches, memoryOf) };
  if (head === null) return { state: 'unknown', since: null };
  if (now - head.readAt > MOST_MISSED * paceMs) return { state: 'overdue', since: head.readAt };
  return { state: 'fresh', since: null };
}

function newestAnswer(watches: readonly Watch[], memoryOf: HeadCircumstances['memoryOf']): Instant | null {
  return watches.reduce<Instant | null>((newest, { id }) => latest(newest, memoryOf(id)?.coveredUntil ?? null), null);
}

/** Found once for each list of watches. */
const showingHead = remembered((watches: readonly Watch[]): readonly Watch[] => watches.filter(showsHead));

/** The shortest interval in which one of them reads the head; null: none does. */
function paceOf(watches: readonly Watch[], memoryOf: HeadCircumstances['memoryOf']): number | null {
  // A cron has times without polls, so it never makes a head overdue.
  const paces = showingHead(watches).map((watch) =>
    watch.schedule.type === 'every' ? paceIn(memoryOf(watch.id), watch) : Infinity,
  );
  return paces.length === 0 ? null : paces.reduce((one, other) => Math.min(one, other));
}

/** Found once for each list of watches. */
export const byExplorer = remembered((watches: readonly Watch[]): ReadonlyMap<string, readonly Watch[]> =>
  Map.groupBy(watches, ({ target }) => target.explorer),
);
