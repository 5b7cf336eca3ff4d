// Groups of watches that are due together. If the explorer's plan allows that many requests, watches with one interval
// and phase are a group. Else intervals are stretched. Then all watches with the same first request as a stretched
// watch are one group. It is due when the shortest of their intervals has passed since the last tick.
import { nextDue, phaseOf } from '../../core/model/watch/schedule.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { firstQuestionsOf } from '../../core/spending/asked.ts';
import type { Instant } from '../../lib/clock.ts';

export interface Group {
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
export function groupsOf(watches: readonly Watch[], grouping: Grouping): Group[] {
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

/** When a group that is due at `now` is due the next time. */
export function after({ intervalMs, phaseMs }: Group, now: Instant): Instant {
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
