// Computes which watches are due.
//
// `every:` is due at k x every + phase, where the phase is a hash of the watch's first question: watches with the same
// question share the tick, and so the answer, if one pace is a multiple of the other; others are spread over the
// period. One loop sleeps until the next due time. `cron:` is left to node-cron, one task per distinct expression
// (cron.ts).
//
// If the plan of an explorer does not suffice, intervals are stretched: then all watches with one question are one
// group, which is due when the shortest of their intervals has passed since its last tick. A slower watch joins the
// first tick after nine tenths of its own interval.
//
// A late tick runs once, now: slots that passed meanwhile (sleep, a stopped process) are skipped.
//
// A poll may request another poll of its watch before the next due time. The due times stay unchanged.
import type { Clock, Instant } from '../../lib/clock.ts';
import { RANK_OF } from '../../core/model/delivery.ts';
import type { Watch } from '../../core/model/watch/watch.ts';
import type { WatchId } from '../../core/model/ids.ts';
import { PACE_SLACK } from '../../core/model/watch/schedule.ts';
import { createCron } from './cron.ts';
import { createExtraPolls } from './extra-polls.ts';
import { createDueGroups, isStretched, paceOfRule } from './groups.ts';
import { startDelays } from './start-delays.ts';

export interface SchedulerOptions {
  readonly clock: Clock;
  /** Must not throw, and is not waited for. */
  readonly onTick: (watches: readonly Watch[]) => void;
  readonly onLag: (seconds: number) => void;
  /** The interval in force; that of the rule when left out. */
  readonly paceOf?: (watch: Watch) => number;
}

export interface Scheduler {
  /**
   * Replaces all watches. Those in `atOnce` are also polled now. If they are many, they are polled one after the other,
   * without those that are due soon anyway.
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

export function createScheduler({ clock, onTick, onLag, paceOf = paceOfRule }: SchedulerOptions): Scheduler {
  const groups = createDueGroups();
  let interrupt = new AbortController();
  const cron = createCron({
    onTick(watches, due) {
      onLag(secondsSince(clock, due));
      run(watches);
    },
  });

  let checkedAt = -Infinity;
  let turns = 0;
  /** All watches, the most severe first. */
  let all: readonly Watch[] = [];
  const extra = createExtraPolls();
  /** The time of the last tick of each watch. */
  const lastById = new Map<WatchId, Instant>();
  const regroup = (now: Instant): void => {
    groups.set(all, { now, paceOf, lastOf: ({ id }) => lastById.get(id) });
  };

  /** Ticks for the watches that are due by the intervals in force. */
  function run(watches: readonly Watch[]): void {
    const now = clock.now();
    const due = watches.filter((watch) => {
      const last = lastById.get(watch.id) ?? -Infinity;
      return !isStretched(watch, paceOf) || last > now || now - last >= PACE_SLACK * paceOf(watch);
    });
    for (const { id } of due) lastById.set(id, now);
    if (due.length > 0) onTick(due);
  }

  /** Plans all due times again after the clock was set back, so that no watch waits until the clock has caught up. */
  function plan(now: Instant): void {
    groups.replan(now);
    for (const [id, last] of lastById) if (last > now) lastById.set(id, now);
    extra.clear();
  }

  function start(due: readonly Watch[], now: Instant): void {
    const dueById = groups.dueById();
    const delays = startDelays(due, ({ id }) => (dueById.get(id) ?? Infinity) - now);
    for (const [id, delayMs] of delays) if (delayMs > 0) extra.add(id, now + delayMs);
    const first = due.filter(({ id }) => delays.get(id) === 0);
    for (const { id } of first) lastById.set(id, now);
    if (first.length > 0) onTick(first);
  }

  function tick(): void {
    const now = clock.now();
    if (now < checkedAt) plan(now);
    checkedAt = now;
    const again = extra.take(now);
    for (let next = groups.take(now); next !== null; next = groups.take(now)) {
      onLag(secondsSince(clock, next.due));
      const watches = next.isMixed ? byRank(next.watches) : next.watches;
      for (const { id } of watches) again.delete(id);
      run(watches);
    }
    // Extra polls run in one tick, so that they share their answers.
    const watches = again.size === 0 ? [] : all.filter(({ id }) => again.has(id));
    if (watches.length > 0) onTick(watches);
    cron.check(now);
  }

  return {
    set(watches, atOnce) {
      const now = clock.now();
      all = byRank(watches);
      // A watch that became due while the new set was read would otherwise wait for another interval.
      const overdue = groups.overdue(now);
      const ids = new Set([...atOnce, ...overdue].map(({ id }) => id));
      const known = new Set(all.map(({ id }) => id));
      for (const id of lastById.keys()) if (!known.has(id)) lastById.delete(id);
      regroup(now);
      cron.set(all);
      start(
        all.filter(({ id }) => ids.has(id)),
        now,
      );
      interrupt.abort();
    },
    repace() {
      regroup(clock.now());
      interrupt.abort();
    },
    pollAgain(id, afterMs) {
      const next = extra.nextDue();
      extra.add(id, clock.now() + afterMs);
      if (extra.nextDue() < next) interrupt.abort();
    },
    turns: () => turns,
    turn: () => {
      interrupt.abort();
    },
    async run(signal) {
      const stop = (): void => {
        interrupt.abort();
      };
      signal.addEventListener('abort', stop, { once: true });
      while (!signal.aborted) {
        interrupt = new AbortController();
        tick();
        turns += 1;
        const next = Math.min(groups.nextDue(), extra.nextDue());
        await clock.sleep(Math.min(LONGEST_SLEEP_MS, Math.max(0, next - clock.now())), interrupt.signal);
      }
      signal.removeEventListener('abort', stop);
      cron.stop();
    },
  };
}

// The loop also wakes when nothing is due, in case the clock was set.
const LONGEST_SLEEP_MS = 60_000;

/**
 * The watches with the most severe alert first: the plan may allow only one request for watches that are due together.
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
