// Computes which watches are due.
//
// A watch with `every:` is due at k x every + phase. The phase is a hash of the watch's first question. So watches with
// the same question have the same phase, and share ticks and answers if one interval is a multiple of the other.
// Watches with different questions are spread over the period. One loop sleeps until the next due time. `cron:` is left
// to node-cron, with one task per distinct expression (when-due.ts).
//
// If the plan of an explorer does not suffice, intervals are stretched. All watches with the same question are then one
// group. The group is due when the shortest of its intervals has passed since its last tick. A watch with a longer
// interval joins the first tick after nine tenths of that interval.
//
// If the machine slept or the process was stopped, several due times of a watch may have passed. The watch then has one
// tick at once, and the other due times are skipped.
//
// A poll may request another poll of its watch before the next due time. The due times stay unchanged.
import type { Clock, Instant } from '../../lib/clock.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';
import { PACE_SLACK } from '../../core/model/watch/schedule.ts';
import {
  createCron,
  createDueGroups,
  type Cron,
  isStretched,
  type PaceOf,
  paceOfRule,
  startDelays,
} from './when-due.ts';

export interface SchedulerOptions {
  readonly clock: Clock;
  /** Must not throw. The scheduler does not wait for its end. */
  readonly onTick: (watches: readonly Watch[]) => void;
  readonly onLag: (seconds: number) => void;
  /** Returns the interval in force. If this is left out, the interval of the rule is in force. */
  readonly paceOf?: (watch: Watch) => number;
}

export interface Scheduler {
  /**
   * Replaces all watches. The watches in `atOnce` are also polled now. If there are many, their polls are spread over
   * time, and watches that are due soon anyway get no extra poll.
   */
  set(watches: readonly Watch[], atOnce: readonly Watch[]): void;
  /** Call this when the intervals in force have changed. */
  repace(): void;
  /** Polls the watch once more after that time, if it is then still one of the scheduled watches. */
  pollAgain(watch: WatchId, afterMs: number): void;
  /** The number of checks for due watches so far. */
  readonly turns: () => number;
  /** Checks for due watches now. */
  readonly turn: () => void;
  /** Runs until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { clock } = options;
  const due = createDueWatches(options);
  let interrupt = new AbortController();
  let turns = 0;
  const turn = (): void => {
    interrupt.abort();
  };
  return {
    set(watches, atOnce) {
      due.set(watches, atOnce);
      turn();
    },
    repace() {
      due.repace();
      turn();
    },
    pollAgain(id, afterMs) {
      const next = due.nextAt();
      due.pollAgain(id, afterMs);
      if (due.nextAt() < next) turn();
    },
    turns: () => turns,
    turn,
    async run(signal) {
      signal.addEventListener('abort', turn, { once: true });
      while (!signal.aborted) {
        interrupt = new AbortController();
        due.check();
        turns += 1;
        const waitMs = Math.max(0, due.nextAt() - clock.now());
        await clock.sleep(Math.min(LONGEST_SLEEP_MS, waitMs), interrupt.signal);
      }
      signal.removeEventListener('abort', turn);
      due.cron.stop();
    },
  };
}

interface DueWatches extends Pick<Scheduler, 'set' | 'repace' | 'pollAgain'> {
  /** Ticks for all watches that are due. */
  check(): void;
  /** The time at which the next watch without a cron is due; Infinity: none is. */
  nextAt(): Instant;
  readonly cron: Pick<Cron, 'stop'>;
}

function createDueWatches({ clock, onTick, onLag, paceOf = paceOfRule }: SchedulerOptions): DueWatches {
  const groups = createDueGroups();
  const extra = createExtraPolls();
  const ticks = createTicks({ clock, onTick, paceOf });
  const cron = createCron({
    onTick(watches, due) {
      onLag(secondsSince(clock, due));
      ticks.run(watches);
    },
  });
  let checkedAt = -Infinity;
  /** All watches, the most severe first. */
  let all: readonly Watch[] = [];
  const regroup = (now: Instant): void => {
    groups.set(all, { now, paceOf, lastOf: ticks.lastOf });
  };

  /** Plans all due times again after the clock was set back, so that no watch waits until the clock has caught up. */
  function plan(now: Instant): void {
    groups.replan(now);
    ticks.noLaterThan(now);
    extra.clear();
  }

  function start(due: readonly Watch[], now: Instant): void {
    const dueById = groups.dueById();
    const delays = startDelays(due, ({ id }) => (dueById.get(id) ?? Infinity) - now);
    for (const [id, delayMs] of delays) if (delayMs > 0) extra.add(id, now + delayMs);
    const first = due.filter(({ id }) => delays.get(id) === 0);
    ticks.start(first, now);
  }

  return {
    set(watches, atOnce) {
      const now = clock.now();
      all = byRank(watches);
      // A watch that became due while the new set was read would otherwise wait for another interval.
      const ids = new Set([...atOnce, ...groups.overdue(now)].map(({ id }) => id));
      ticks.keep(all);
      regroup(now);
      cron.set(all);
      const due = all.filter(({ id }) => ids.has(id));
      start(due, now);
    },
    repace() {
      regroup(clock.now());
    },
    pollAgain(id, afterMs) {
      extra.add(id, clock.now() + afterMs);
    },
    check() {
      const now = clock.now();
      if (now < checkedAt) plan(now);
      checkedAt = now;
      const again = extra.take(now);
      for (let next = groups.take(now); next !== null; next = groups.take(now)) {
        onLag(secondsSince(clock, next.due));
        const watches = next.isMixed ? byRank(next.watches) : next.watches;
        for (const { id } of watches) again.delete(id);
        ticks.run(watches);
      }
      // Extra polls run in one tick, so that they share their answers.
      const watches = again.size === 0 ? [] : all.filter(({ id }) => again.has(id));
      if (watches.length > 0) onTick(watches);
      cron.check(now);
    },
    nextAt: () => Math.min(groups.nextDue(), extra.nextDue()),
    cron,
  };
}

interface Ticks {
  /** The time of the last tick of the watch. */
  readonly lastOf: (watch: Watch) => Instant | undefined;
  /** Ticks for those of the watches that are due by the intervals in force. */
  run(watches: readonly Watch[]): void;
  start(watches: readonly Watch[], now: Instant): void;
  /** Forgets all other watches. */
  keep(watches: readonly Watch[]): void;
  /** Call this when the clock was set back. */
  noLaterThan(now: Instant): void;
}

function createTicks({
  clock,
  onTick,
  paceOf,
}: Pick<SchedulerOptions, 'clock' | 'onTick'> & { paceOf: PaceOf }): Ticks {
  const lastById = new Map<WatchId, Instant>();

  function start(watches: readonly Watch[], now: Instant): void {
    for (const { id } of watches) lastById.set(id, now);
    if (watches.length > 0) onTick(watches);
  }

  return {
    lastOf: ({ id }) => lastById.get(id),
    run(watches) {
      const now = clock.now();
      const isDue = (watch: Watch): boolean => {
        const last = lastById.get(watch.id) ?? -Infinity;
        return !isStretched(watch, paceOf) || last > now || now - last >= PACE_SLACK * paceOf(watch);
      };
      start(watches.filter(isDue), now);
    },
    start,
    keep(watches) {
      const known = new Set(watches.map(({ id }) => id));
      for (const id of lastById.keys()) if (!known.has(id)) lastById.delete(id);
    },
    noLaterThan(now) {
      for (const [id, last] of lastById) if (last > now) lastById.set(id, now);
    },
  };
}

// The loop also wakes when nothing is due, in case the clock was set.
const LONGEST_SLEEP_MS = 60_000;

/**
 * Sorts watches so that those with the most severe alerts come first. If several watches are due together, the plan may
 * allow a request for the first one only.
 */
function byRank(watches: readonly Watch[]): Watch[] {
  return watches.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ alerts }: Watch): number {
  return Math.min(...alerts.map(({ severity }) => RANK_OF[severity]));
}

function secondsSince(clock: Clock, due: Instant): number {
  return Math.max(0, clock.now() - due) / 1000;
}

/** The watches that are polled once more before their next tick, and the times of these polls. */
interface ExtraPolls {
  /** The time at which the first of them is due; Infinity = there is none. */
  nextDue(): Instant;
  /** If the watch has an extra poll already, the earlier time is kept. */
  add(watch: WatchId, due: Instant): void;
  /** Removes and returns the watches that are due. */
  take(now: Instant): Set<WatchId>;
  clear(): void;
}

function createExtraPolls(): ExtraPolls {
  const dueById = new Map<WatchId, Instant>();
  let earliest = Infinity;
  return {
    nextDue: () => earliest,
    add(watch, due) {
      const at = Math.min(due, dueById.get(watch) ?? Infinity);
      dueById.set(watch, at);
      earliest = Math.min(earliest, at);
    },
    take(now) {
      if (now < earliest) return new Set();
      const taken = new Set([...dueById].filter(([, due]) => due <= now).map(([watch]) => watch));
      for (const watch of taken) dueById.delete(watch);
      earliest = [...dueById.values()].reduce((first, due) => Math.min(first, due), Infinity);
      return taken;
    },
    clear() {
      dueById.clear();
      earliest = Infinity;
    },
  };
}
