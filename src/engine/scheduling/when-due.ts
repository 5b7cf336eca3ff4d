// The times at which watches are due: by interval, by `cron`, and after a start.
import { schedule, type ScheduledTask } from 'node-cron';
import TinyQueue from 'tinyqueue';
import type { WatchId } from '../../core/model/ids.ts';
import { sharedKey } from '../../core/model/watch/question.ts';
import { nextDue, phaseOf, showCron } from '../../core/model/watch/schedule.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import { firstQuestionsOf } from '../../core/spending/asked.ts';
import type { Instant } from '../../lib/clock.ts';

// Groups of watches that are due together. If the explorer's plan allows that many requests, watches with one interval
// and phase are a group. Otherwise intervals are stretched, and all watches with the same first request as a stretched
// watch are one group. It is due when the shortest of their intervals has passed since the last tick.

interface Group {
  readonly watches: readonly Watch[];
  readonly intervalMs: number;
  /** Null: the interval is stretched, and counts from the last tick of the group. */
  readonly phaseMs: number | null;
  readonly due: Instant;
}

export type PaceOf = (watch: Watch) => number;

interface Grouping {
  readonly now: Instant;
  /** The interval in force. */
  readonly paceOf: PaceOf;
  /** The last tick of a watch. */
  readonly lastOf: (watch: Watch) => Instant | undefined;
}

const LONGEST_SPREAD_MS = 300_000;

/** Watches with `cron` are left out. */
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

interface DueGroups {
  set(watches: readonly Watch[], grouping: Grouping): void;
  /** Plans all due times again, from `now` on. */
  replan(now: Instant): void;
  /**
   * Returns the watches that are due first, if they are due now; otherwise null. Groups that are due at the same moment
   * are returned together: watches with the same question and different intervals then share one tick, and so one
   * request. `isMixed` is true if the watches are from more than one group.
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

// Runs one task of node-cron for each distinct expression and zone: ten thousand tasks would take half a second at the
// start of every minute. An hour that comes twice at the end of daylight saving time counts once.

export interface Cron {
  set(watches: readonly Watch[]): void;
  /** Call this regularly: node-cron's timers do not notice that the clock was moved or the machine slept. */
  check(now: Instant): void;
  stop(): void;
}

interface CronGroup {
  readonly of: CronSchedule;
  readonly task: ScheduledTask;
  watches: readonly Watch[];
  due: Instant;
}

// A busy event loop makes ticks late; node-cron would drop those later than a second.
const LATEST_TICK_MS = 60_000;
const CHECK_MS = 30_000;

export function createCron({ onTick }: { onTick: (watches: readonly Watch[], due: Instant) => void }): Cron {
  const groupByCron = new Map<string, CronGroup>();
  let checkedAt = -Infinity;

  function start(of: CronSchedule, watches: readonly Watch[]): CronGroup {
    const task = schedule(
      of.pattern,
      ({ date }) => {
        group.due = nextOf(task);
        tick(group, date.getTime());
      },
      { timezone: of.zone, missedExecutionTolerance: LATEST_TICK_MS, suppressMissedWarning: true },
    );
    const group: CronGroup = { of, task, watches, due: nextOf(task) };
    return group;
  }

  /** Drops times that node-cron's pattern has but the schedule does not. */
  function tick({ of, watches }: CronGroup, due: Instant): void {
    if (of.times.upTo(due) === due) onTick(watches, due);
  }

  function end(name: string, { task }: CronGroup): void {
    void task.destroy();
    groupByCron.delete(name);
  }

  return {
    set(watches) {
      const watchesByCron = Map.groupBy(watches.filter(isCron), (watch) => showCron(watch.schedule));
      for (const [name, group] of groupByCron) if (!watchesByCron.has(name)) end(name, group);
      for (const [name, members] of watchesByCron) {
        const group = groupByCron.get(name);
        const [first] = members;
        if (group !== undefined) group.watches = members;
        else if (first !== undefined) groupByCron.set(name, start(first.schedule, members));
      }
    },
    check(now) {
      if (Math.abs(now - checkedAt) < CHECK_MS) return;
      checkedAt = now;
      for (const [name, group] of groupByCron) {
        const { of, task, watches, due } = group;
        if (nextOf(task) === due) continue;
        // The next time has changed, so the task's timer is set for a wrong time.
        void task.destroy();
        groupByCron.set(name, start(of, watches));
        if (due <= now) tick(group, due);
      }
    },
    stop() {
      for (const [name, group] of groupByCron) end(name, group);
    },
  };
}

function nextOf(task: ScheduledTask): Instant {
  return task.getNextRun()?.getTime() ?? Infinity;
}

type CronSchedule = Extract<Watch['schedule'], { type: 'cron' }>;
type CronWatch = Watch & { readonly schedule: CronSchedule };

function isCron(watch: Watch): watch is CronWatch {
  return watch.schedule.type === 'cron';
}

// Delays of the first polls of watches without a recent one. After a start all watches are polled: ten thousand
// requests at once keep the process busy past the next due times, which it then skips, and all their answers are in
// memory together. So if there are many, some are polled at once and the others one after the other. A watch that is
// due soon anyway is not polled before that.

const MOST_AT_ONCE = 50;
const STEP_MS = 100;
const MOST_IN_A_STEP = 25;
/** An answer that comes this much earlier is not worth a second request. */
const SOON_MS = 5_000;

/**
 * The delay of each watch in milliseconds from now, in the order of `watches`. Watches with the same question are
 * polled together. Watches that are due soon anyway are left out. `dueInMs`: the time until a watch is due by its
 * schedule.
 */
export function startDelays(watches: readonly Watch[], dueInMs: (watch: Watch) => number): Map<WatchId, number> {
  const groups = [...Map.groupBy(watches, questionOf).values()];
  const areMany = groups.length > MOST_AT_ONCE;
  let before = 0;
  const delays = groups.flatMap((group) => {
    const delayMs = delayOf(before);
    if (areMany && group.every((watch) => dueInMs(watch) <= delayMs + SOON_MS)) return [];
    before += 1;
    return group.map(({ id }) => [id, delayMs] as const);
  });
  return new Map(delays);
}

function questionOf({ kind, target }: Watch): string {
  return sharedKey(kind.question(target));
}

/** `before`: the number of questions that are polled before this one. */
function delayOf(before: number): number {
  return before < MOST_AT_ONCE ? 0 : (Math.floor((before - MOST_AT_ONCE) / MOST_IN_A_STEP) + 1) * STEP_MS;
}
