// Walks along what is owed until it was sent, is owed no more, or 90 s have passed in which nothing excused it. The timer of
// the group and the cap excuse it once each, whenever something else has just done so.
import type { Instant } from '../model.ts';
import type { Caps } from './caps.ts';
import type { Excused } from './excuses.ts';
import { nextStart, spanAt } from './facts/spans.ts';
import type { Story } from './facts/stories.ts';
import type { Excuse } from './verdict.ts';

/** How long a message may take that nothing holds. */
export const SENT_WITHIN_MS = 90_000;

export interface Way {
  readonly target: string;
  readonly story: Story;
  readonly from: Instant;
  /** When it was sent, or is owed no more. */
  readonly until: Instant;
  readonly excused: readonly Excused[];
  /** Until when the group waits that is free at that time. `since`: as in `Groups`. `isGivenUp`: it is told again. */
  readonly groupUntil: (at: Instant, since: Instant | null, isGivenUp: boolean) => Instant;
  /** Null: the cap does not hold it. */
  readonly caps: Caps | null;
  /** It tells of a begin, which may pass the cap in any case. */
  readonly isOfBegin: boolean;
}

export interface Missed {
  /** Since when nothing excused it. */
  readonly from: Instant;
  /** When it began to wait for the timer of its group. */
  readonly groupedAt: readonly Instant[];
  /** When the last hold of it ended; null: nothing held it. */
  readonly heldUntil: Instant | null;
  readonly after: Excuse | null;
  readonly trail: ReadonlySet<Excuse>;
}

interface Step {
  readonly to: Instant;
  readonly by: Excuse;
}

/** Null: it was sent in time, or there was no time for it. `trail` says what excused it. */
export function missedOn(way: Way): { readonly missed: Missed | null; readonly trail: ReadonlySet<Excuse> } {
  const trail = new Set<Excuse>();
  const groupedAt: Instant[] = [];
  let heldUntil: Instant | null = null;
  let after: Excuse | null = null;
  let once: Once = { groupSince: null, isCapped: false };
  let at = way.from;
  while (at < way.until) {
    const step: Step | null = stepFrom(way, at, once, trail);
    if (step === null) {
      const free = Math.min(...way.excused.map(({ spans }) => nextStart(spans, at)));
      if (Math.min(free, way.until) - at >= SENT_WITHIN_MS)
        return { missed: { from: at, groupedAt, heldUntil, after, trail }, trail };
      at = free;
      continue;
    }
    once = onceAfter(once, step, at);
    trail.add(step.by);
    if (step.by === 'group') groupedAt.push(at);
    if (HOLDS.has(step.by)) heldUntil = step.to;
    after = step.by;
    at = step.to;
  }
  return { missed: null, trail };
}

/** A channel that is busy holds back what is closed: group and cap act before. */
function stepFrom(way: Way, at: Instant, once: Once, trail: ReadonlySet<Excuse>): Step | null {
  const step = covering(way, at);
  return step !== null && step.by !== 'busy' ? step : (onceMore(way, at, once, trail) ?? step);
}

/** What waits for its turn is held by what begins meanwhile. */
function covering({ excused }: Way, at: Instant): Step | null {
  for (const { by, spans } of excused) {
    const span = spanAt(spans, at);
    if (span !== null) return { to: by === 'busy' ? Math.min(span.to, holdAfter(excused, at)) : span.to, by };
  }
  return null;
}

export const HOLDS: ReadonlySet<Excuse> = new Set(['silence', 'mute', 'inhibition', 'ack']);

function holdAfter(excused: readonly Excused[], at: Instant): Instant {
  return Math.min(...excused.filter(({ by }) => HOLDS.has(by)).map(({ spans }) => nextStart(spans, at)));
}

/** What has excused it since anything else did. */
interface Once {
  readonly groupSince: Instant | null;
  readonly isCapped: boolean;
}

function onceAfter(once: Once, { by }: Step, at: Instant): Once {
  // What waited for its group meets the cap of that time.
  if (by === 'group') return { groupSince: at, isCapped: false };
  return by === 'cap' ? { ...once, isCapped: true } : { groupSince: null, isCapped: false };
}

function onceMore(
  { target, story, groupUntil, caps, isOfBegin }: Way,
  at: Instant,
  once: Once,
  trail: ReadonlySet<Excuse>,
): Step | null {
  const grouped = groupUntil(at, once.groupSince, trail.has('given-up'));
  if (grouped > at) return { to: grouped, by: 'group' };
  if (caps === null || once.isCapped || (isOfBegin && caps.isFree(target, story, at))) return null;
  const full = caps.fullFrom(target, story, at, SENT_WITHIN_MS);
  return full === null ? null : { to: caps.slotEnd(full), by: 'cap' };
}
