// Groups of watches that are due together. If the explorer's plan allows that many requests, watches with one interval
// and phase are a group. Else intervals are stretched. Then all watches with the same first request as a stretched
// watch are one group. It is due when the shortest of their intervals has passed since the last tick.
import TinyQueue from 'tinyqueue';
import { nextDue, phaseOf } from '../../core/model/watch/schedule.ts';
import type { WatchId } from '../../core/model/ids.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { firstQuestionsOf } from '../../core/spending/asked.ts';
import type { Instant } from '../../lib/clock.ts';

interface Group {
  readonly watches: readonly Watch[];
  readonly intervalMs: number;
  /** Null: the interval is stretched, and counts from the last tick of the group. */
  readonly phaseMs: number | null;
  readonly due: Instant;
}

export type PaceOf = (watch: Watch) => number;

export interface Grouping {
  readonly now: Instant;
  /** The interval in force. */
  readonly paceOf: PaceOf;
  /** The last tick of a watch. */
  readonly lastOf: (watch: Watch) => Instant | undefined;
}

const LONGEST_SPREAD_MS = 300_000;

/** Watches with `cron` are left out: `cron.ts` schedules them. */
function groupsOf(watches: readonly Watch[], grouping: Grouping): Group[] {
  const every = watches.filter(({ schedule }) => schedule.type === 'every');
  const stretched = new Set(every.filter((watch) => isStretched(watch, grouping.paceOf)).map(questionKeyOf));
  // Most plans suffice; then no question key is computed.
  const isShared = (watch: Watch): boolean => stretched.size > 0 && stretched.has(questionKeyOf(watch));
  const groups = Map.groupBy(every, (watch) =>
    isShared(watch) ? questionKeyOf(watch) : `${watch.schedule.intervalMs}/${phaseOf(watch)}`,
  );
  return [...groups].flatMap(([key, members]) =>
    stretched.has(key) ? stretchedGroup(members, grouping) : gridGroup(members, grouping.now),
  );
}

export function isStretched(watch: Watch, paceOf: PaceOf): boolean {
  return paceOf(watch) > watch.schedule.intervalMs;
}

/** The time at which a group that is due at `now` is due the next time. */
function after({ intervalMs, phaseMs }: Group, now: Instant): Instant {
  return phaseMs === null ? now + intervalMs : nextDue({ intervalMs, phaseMs }, now);
}

export function paceOfRule({ schedule }: Watch): number {
  return schedule.intervalMs;
}

/**
 * When a stretched interval becomes shorter, polls may be overdue at once. They are spread, so that polls of watches
 * with more severe alerts do not wait for them.
 */
function stretchedGroup(members: readonly Watch[], { now, paceOf, lastOf }: Grouping): Group[] {
  const [first] = members;
  if (first === undefined) return [];
  const intervalMs = Math.min(...members.map(paceOf));
  const lasts = members.flatMap((watch) => lastOf(watch) ?? []);
  const due = lasts.length === 0 ? now : Math.max(...lasts) + intervalMs;
  const shareMs = (phaseOf(first) % Math.min(intervalMs, LONGEST_SPREAD_MS)) + 1;
  return [{ watches: members, intervalMs, phaseMs: null, due: due > now ? due : now + shareMs }];
}

function gridGroup(members: readonly Watch[], now: Instant): Group[] {
  const [first] = members;
  if (first === undefined) return [];
  const { intervalMs } = first.schedule;
  const phaseMs = phaseOf(first);
  return [{ watches: members, intervalMs, phaseMs, due: nextDue({ intervalMs, phaseMs }, now) }];
}

/** Watches with equal keys are due together if one of them is stretched. */
export function questionKeyOf(watch: Watch): string {
  return firstQuestionsOf(watch)[0]?.key ?? '';
}

export interface DueGroups {
  set(watches: readonly Watch[], grouping: Grouping): void;
  /** Plans all due times again, from `now` on. */
  replan(now: Instant): void;
  /**
   * The watches that are due first, if that is now; null: none is. Watches of different intervals with the same question
   * are due at the same moments: one tick, so one request. `isMixed`: they are of more than one group.
   */
  take(now: Instant): { readonly due: Instant; readonly watches: readonly Watch[]; readonly isMixed: boolean } | null;
  /** The watches that are due and were not taken yet. */
  overdue(now: Instant): Watch[];
  dueById(): ReadonlyMap<WatchId, Instant>;
  /** Infinity: no group. */
  nextDue(): Instant;
}

export function createDueGroups(): DueGroups {
  let queue = new TinyQueue<Group>([], byDue);
  const nextDue = (): Instant => queue.peek()?.due ?? Infinity;
  return {
    set(watches, grouping) {
      queue = new TinyQueue(groupsOf(watches, grouping), byDue);
    },
    replan(now) {
      queue = new TinyQueue(
        queue.data.map((group) => ({ ...group, due: after(group, now) })),
        byDue,
      );
    },
    take(now) {
      const due = nextDue();
      if (due > now) return null;
      const together: Group[] = [];
      for (let next = queue.peek(); next?.due === due; next = queue.peek()) {
        together.push(next);
        queue.pop();
      }
      // The groups are queued again before the tick, since a tick that throws must not remove them from the queue.
      for (const group of together) queue.push({ ...group, due: after(group, now) });
      return { due, watches: together.flatMap((group) => group.watches), isMixed: together.length > 1 };
    },
    overdue: (now) => queue.data.filter(({ due }) => due <= now).flatMap(({ watches }) => watches),
    dueById: () => new Map(queue.data.flatMap(({ watches, due }) => watches.map(({ id }) => [id, due]))),
    nextDue,
  };
}

function byDue(a: Group, b: Group): number {
  return a.due - b.due;
}
