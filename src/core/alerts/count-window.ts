// The window of a group of a count: which items are in it at a time, when its condition held last, and if it is over.
import { mostInRow, streakOf } from './in-a-row.ts';
import { byNumber, reasonsBetween } from './counted-beside.ts';
import type { Counted } from './sentence.ts';
import { lastAddedUp, talliesAfter, totalsOf, ZERO, type Totals } from './tallies.ts';
import type { CountedItem, GroupState } from '../model/memory.ts';
import type { CountAlert } from '../model/watch/watch.ts';
import { Amount } from '../values/amount.ts';
import type { Instant } from '../../lib/clock.ts';

const MATCHES_SHOWN = 100;

/** The most matches that are kept after evaluation. If there are more, the message shows this number with `or more`. */
export function mostNeeded({ fires }: CountAlert): number {
  return fires.type === 'at-least' ? Math.max(fires.count, MATCHES_SHOWN) : 1;
}

const NO_REASONS: Counted['reasons'] = new Map();

/** The counted items and totals, as a message shows them. */
export function countedIn(alert: CountAlert, group: GroupState, at: Instant): Counted {
  const { matches, tallies, items, row = [], others = null } = group;
  const { fires } = alert;
  const past = matches.filter((then) => then <= at);
  const newest = past.at(-1) ?? null;
  if (fires.type === 'none-for')
    return { count: null, isLeast: false, total: ZERO, newest, items: [], others, reasons: NO_REASONS };
  if (fires.type === 'in-a-row') {
    const { count, since, newest: last, reasons } = streakOf(row, fires.count, at);
    const ofStreak = items.filter((item) => since !== null && item.at >= since && item.at <= at);
    const isLeast = count >= mostInRow(fires.count);
    const shown = { newest: last, items: ofStreak.toReversed(), others, reasons: byNumber(reasons) };
    return { count, isLeast, total: ZERO, ...shown };
  }
  const isCounted = (item: CountedItem): boolean => item.at > at - fires.withinMs && item.at <= at;
  const reasons = reasonsBetween(group, at - fires.withinMs, at);
  const shown = { newest, items: items.filter(isCounted).toReversed(), others, reasons };
  if (fires.type === 'at-least')
    return { count: past.length, isLeast: past.length >= mostNeeded(alert), total: ZERO, ...shown };
  const { items: count, total } = totalsOf(tallies, at);
  return { count, isLeast: false, total, ...shown };
}

/**
 * The group without items that are too old. Items with a future time (their clock is ahead) are kept, and count later.
 */
export function keptAt({ fires }: CountAlert, group: GroupState, at: Instant): GroupState {
  if (fires.type === 'none-for' || fires.type === 'in-a-row') return group;
  const from = at - fires.withinMs;
  return { ...group, matches: group.matches.filter((then) => then > from), tallies: talliesAfter(group.tallies, from) };
}

interface Judged {
  /** Items up to this time were evaluated already. */
  readonly from: Instant;
  readonly at: Instant;
}

/** The time at which the condition held last: at the poll, else at the newest own time of an item; null: at no time. */
export function lastHeld({ fires }: CountAlert, group: GroupState, judged: Judged): Instant | null {
  const { at } = judged;
  switch (fires.type) {
    case 'at-least':
      return lastCounted(group.matches, fires, judged);
    case 'sum':
      return lastAddedUp(group.tallies, fires.withinMs, judged, ({ total }) => total.compare(fires.least) >= 0);
    case 'ratio': {
      const { min, part } = fires;
      const isSo = ({ items, total }: Totals): boolean =>
        items >= min && total.compare(part.times(new Amount(BigInt(items), 0))) >= 0;
      return lastAddedUp(group.tallies, fires.withinMs, judged, isSo);
    }
    case 'in-a-row': {
      // The order is that of the chain. A clock that was set back changes no row.
      const { count, newest, isLast } = streakOf(group.row ?? [], fires.count, Infinity);
      return count < fires.count ? null : isLast ? Math.max(at, newest ?? at) : newest;
    }
    case 'none-for':
      return at - (group.matches.at(-1) ?? group.condition.born) >= fires.ms ? at : null;
  }
}

/** `matches`: the oldest first. */
function lastCounted(
  matches: readonly Instant[],
  { count, withinMs }: { readonly count: number; readonly withinMs: number },
  { from, at }: Judged,
): Instant | null {
  const past = matches.filter((then) => then <= at);
  const isCounted = (last: number, until: Instant): boolean => (past[last - count + 1] ?? -Infinity) > until - withinMs;
  if (isCounted(past.length - 1, at)) return at;
  return past.findLast((then, i) => then > from && isCounted(i, then)) ?? null;
}

/** True if the group can be removed, since no later message needs its state. */
export function isOver(alert: CountAlert, group: GroupState, at: Instant): boolean {
  const { state, firing, flapping, flaps, cooldownUntil } = group.condition;
  const isInactive = state === 'inactive' && firing === null && flapping === null && flaps === 0;
  const { matches, tallies } = keptAt(alert, group, at);
  const isEmpty = matches.length === 0 && tallies.length === 0;
  return alert.per.length > 0 && isInactive && (cooldownUntil ?? 0) <= at && isEmpty;
}
