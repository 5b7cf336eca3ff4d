// `on: schedule`: the reported values and their times.
import type { Path } from '../../config/yaml/written.ts';
import type { ScheduledReport } from '../../core/model/watch/watch.ts';
import { showCron } from '../../core/model/watch/schedule.ts';
import { formatDuration } from '../../lib/durations.ts';
import { SCHEDULE } from '../language/events.ts';
import type { CompiledTemplate } from '../language/model.ts';
import type { WrittenAlert } from '../schema/shape.ts';
import type { Compiling } from './model.ts';
import { cronSchedule, type CronSchedule } from './schedule.ts';

export interface CompiledReport extends ScheduledReport {
  readonly values: readonly { readonly name: string; readonly template: CompiledTemplate }[];
}

/**
 * `compile`: compiles one value, as in a text; null if it is wrong. The result is null if the alert is no report, or is
 * wrong.
 */
export function reportOf(
  compiling: Compiling,
  { on, cron, zone, values = [] }: WrittenAlert,
  { path, compile }: { readonly path: Path; readonly compile: (value: string, at: Path) => CompiledTemplate | null },
): CompiledReport | null {
  if (on !== SCHEDULE) return null;
  const { complain, kind } = compiling;
  const compiled = values.flatMap((written, i) => {
    const template = compile(written, [...path, 'values', ...(values.length > 1 ? [i] : [])]);
    return template === null ? [] : [{ name: written.split('|')[0]?.trim() ?? '', template }];
  });
  if (values.length === 0)
    complain([...path, 'on'], {
      message: 'on: schedule needs values',
      hint: `Write the values to send, as values: [${kind.shown[0] ?? 'balance'}].`,
    });
  if (cron === undefined)
    complain([...path, 'on'], {
      message: 'on: schedule needs cron',
      hint: 'Write when, as cron: "0 8 * * *", with a zone if not in UTC.',
    });
  const schedule = cron === undefined ? null : checkedCron(compiling, [...path, 'cron'], { cron, zone });
  return schedule && { cron: showCron(schedule), times: schedule.times, values: compiled };
}

interface WrittenCron {
  readonly cron: string;
  readonly zone: string | undefined;
}

function checkedCron({ complain, intervalMs }: Compiling, at: Path, written: WrittenCron): CronSchedule | null {
  const schedule = cronSchedule(written.cron, written.zone);
  if (!('type' in schedule)) {
    complain(at, { message: schedule.complaint });
    return null;
  }
  if (schedule.intervalMs < intervalMs)
    complain(at, {
      message: `its messages come every ${formatDuration(schedule.intervalMs)}, and the watch polls every ${formatDuration(intervalMs)}`,
      hint: 'Send less often, or poll more often.',
    });
  return schedule;
}
