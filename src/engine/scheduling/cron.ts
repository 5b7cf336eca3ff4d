// node-cron, one task per distinct expression: ten thousand tasks would cost half a second of every stroke of the
// minute, one costs nothing. Always in UTC: in a zone with daylight saving time an hour of polls would be left out.
import { schedule, type ScheduledTask } from 'node-cron';
import type { Instant } from '../../lib/clock.ts';
import type { Watch } from '../../core/model/watch/watch.ts';

export interface Cron {
  set(watches: readonly Watch[]): void;
  /** To be called now and then: node-cron's timers do not notice that the clock was moved or the machine slept. */
  check(now: Instant): void;
  stop(): void;
}

interface Group {
  readonly task: ScheduledTask;
  watches: readonly Watch[];
  due: Instant;
}

// A busy event loop makes ticks late; node-cron would drop those later than a second.
const LATEST_TICK_MS = 60_000;
const CHECK_MS = 30_000;

export function createCron({ onTick }: { onTick: (watches: readonly Watch[], due: Instant) => void }): Cron {
  const groupByExpression = new Map<string, Group>();
  let checkedAt = -Infinity;

  function start(expression: string, watches: readonly Watch[]): Group {
    const task = schedule(
      expression,
      ({ date }) => {
        group.due = nextOf(task);
        onTick(group.watches, date.getTime());
      },
      { timezone: 'UTC', missedExecutionTolerance: LATEST_TICK_MS, suppressMissedWarning: true },
    );
    const group: Group = { task, watches, due: nextOf(task) };
    return group;
  }

  function end(expression: string, { task }: Group): void {
    void task.destroy();
    groupByExpression.delete(expression);
  }

  return {
    set(watches) {
      const watchesByExpression = Map.groupBy(watches.filter(isCron), ({ schedule: { expression } }) => expression);
      for (const [expression, group] of groupByExpression)
        if (!watchesByExpression.has(expression)) end(expression, group);
      for (const [expression, members] of watchesByExpression) {
        const group = groupByExpression.get(expression);
        if (group === undefined) groupByExpression.set(expression, start(expression, members));
        else group.watches = members;
      }
    },
    check(now) {
      if (Math.abs(now - checkedAt) < CHECK_MS) return;
      checkedAt = now;
      for (const [expression, { task, watches, due }] of groupByExpression) {
        if (nextOf(task) === due) continue;
        // Its timer is set for another time than its next one.
        void task.destroy();
        groupByExpression.set(expression, start(expression, watches));
        if (due <= now) onTick(watches, due);
      }
    },
    stop() {
      for (const [expression, group] of groupByExpression) end(expression, group);
    },
  };
}

function nextOf(task: ScheduledTask): Instant {
  return task.getNextRun()?.getTime() ?? Infinity;
}

type CronWatch = Watch & { readonly schedule: Extract<Watch['schedule'], { type: 'cron' }> };

function isCron(watch: Watch): watch is CronWatch {
  return watch.schedule.type === 'cron';
}
