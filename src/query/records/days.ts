// The days of the journal, each with the times when watches of an explorer were unknown.
import type { Watch } from '../../core/model/watch/watch.ts';
import { showInstant, type Instant } from '../../lib/clock.ts';
import { zoneOffset } from '../../lib/time-zone.ts';
import type { UnknownSpan } from '../../store/contract/samples.ts';
import type { HistoryDay } from '../shapes/history.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';

const DAY_MS = 86_400_000;
/** The most gaps of one day; later ones are left out. */
const MOST_GAPS = 20;

export interface DaysOptions {
  readonly store: Pick<QueryContext['store'], 'unknownSpans'>;
  /** The watches whose gaps are listed. */
  readonly watches: readonly Watch[];
  readonly now: Instant;
  readonly zone: string;
}

/** The days of these instants, newest first. Rejects with a `StorageError`. */
export async function daysOf(
  { store, watches, now, zone }: DaysOptions,
  instants: readonly Instant[],
): Promise<HistoryDay[]> {
  const days = [...new Set(instants.map((at) => dayOf(at, zone)))].toSorted().toReversed();
  const oldest = days.at(-1);
  if (oldest === undefined) return [];
  const spans = await store.unknownSpans(beginOf(oldest, zone), null);
  const gaps = gapsIn(spans, byId(watches));
  return days.map((day) => {
    const [from, until] = [beginOf(day, zone), Math.min(beginOf(nextDay(day), zone), now)];
    return { day, gaps: gaps.flatMap((gap) => clipped(gap, from, until)).slice(0, MOST_GAPS) };
  });
}

/** `'2026-11-21'` */
function dayOf(at: Instant, zone: string): string {
  return new Date(at + zoneOffset(zone, at)).toISOString().slice(0, 10);
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** The start of the day in the zone. */
function beginOf(day: string, zone: string): Instant {
  const wall = Date.parse(day);
  return wall - zoneOffset(zone, wall - zoneOffset(zone, wall));
}

/** A time in which some watches of one explorer were unknown, for one cause. */
interface Gap {
  readonly explorer: string;
  readonly cause: string;
  readonly from: Instant;
  /** Null: it has not ended. */
  until: Instant | null;
  readonly watches: Set<string>;
}

/** Joins overlapping spans. The spans must be sorted by their start. */
function gapsIn(spans: readonly UnknownSpan[], watchById: ReadonlyMap<string, Watch>): Gap[] {
  const gaps: Gap[] = [];
  const last = new Map<string, Gap>();
  for (const { watch: id, since, until, cause } of spans) {
    const watch = watchById.get(id);
    if (watch === undefined) continue;
    const { explorer } = watch.target;
    const name = JSON.stringify([explorer, cause]);
    const before = last.get(name);
    if (before !== undefined && (before.until === null || since <= before.until)) {
      before.watches.add(watch.name);
      before.until = before.until === null || until === null ? null : Math.max(before.until, until);
      continue;
    }
    const gap = { explorer, cause, from: since, until, watches: new Set([watch.name]) };
    gaps.push(gap);
    last.set(name, gap);
  }
  return gaps;
}

function clipped({ explorer, cause, watches, ...gap }: Gap, from: Instant, until: Instant): HistoryDay['gaps'] {
  const begin = Math.max(gap.from, from);
  const end = gap.until === null ? null : Math.min(gap.until, until);
  if (begin >= until || (end !== null && end <= begin)) return [];
  const isCut = gap.until === null || gap.until > until;
  return [
    {
      explorer,
      cause,
      watches: watches.size,
      from: showInstant(begin),
      until: isCut ? null : showInstant(end ?? until),
    },
  ];
}
