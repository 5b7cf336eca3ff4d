// Runs one task of node-cron for each distinct expression and zone: ten thousand tasks would take half a second at the
// start of every minute. An hour that comes twice at the end of daylight saving time counts once.
import { schedule, type ScheduledTask } from 'node-cron';
import type { Instant } from '../../lib/clock.ts';
import { showCron } from '../../core/model/watch/schedule.ts';
import type { Watch } from '../../core/model/watch/watch.ts';

export interface Cron {
  set(watches: readonly Watch[]): void;
  /** Call this regularly: node-cron's timers do not notice that the clock was moved or the machine slept. */
  check(now: Instant): void;
  stop(): void;
}

interface Group {
  readonly of: CronSchedule;
  readonly task: ScheduledTask;
  watches: readonly Watch[];
  due: Instant;
}

// A busy event loop makes ticks late; node-cron would drop those later than a second.
const LATEST_TICK_MS = 60_000;
const CHECK_MS = 30_000;

export function createCron({ onTick }: { onTick: (watches: readonly Watch[], due: Instant) => void }): Cron {
  const groupByCron = new Map<string, Group>();
  let checkedAt = -Infinity;

  function start(of: CronSchedule, watches: readonly Watch[]): Group {
    const task = schedule(
      of.pattern,
      ({ date }) => {
        group.due = nextOf(task);
        tick(group, date.getTime());
      },
      { timezone: of.zone, missedExecutionTolerance: LATEST_TICK_MS, suppressMissedWarning: true },
    );
    const group: Group = { of, task, watches, due: nextOf(task) };
    return group;
  }

  /** Drops times that node-cron's pattern has but the schedule does not. */
  function tick({ of, watches }: Group, due: Instant): void {
    if (of.times.upTo(due) === due) onTick(watches, due);
  }

  function end(name: string, { task }: Group): void {
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
