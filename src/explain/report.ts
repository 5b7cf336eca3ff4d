// Explains a report: its times, the watches that it reads, its recipients, and its present text.
import type { Message } from '../core/model/delivery.ts';
import { showCron } from '../core/model/watch/schedule.ts';
import type { Report } from '../core/reports/model.ts';
import { mainText } from '../core/wording/words.ts';
import type { Instant } from '../lib/clock.ts';
import { showInZone } from '../lib/time-zone.ts';
import { plainJoined, singleLine } from '../lib/untrusted.ts';

const MOST_NAMES = 20;

/** `message`: the report as it would be sent now; null if there is no state yet. */
export function reportLines(report: Report, message: Message | null, now: Instant): string[] {
  const { id, source, severity, schedule, members, total, notify, zone } = report;
  const next = schedule.times.after(now);
  const names = members.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = members.length > MOST_NAMES ? ` and ${members.length - MOST_NAMES} more` : '';
  return [
    `${id}  ${source}  ${severity}`,
    `  cron: ${showCron(schedule)}`,
    `  next: ${next === null ? 'no time within a year' : showInZone(zone, next)}`,
    `  reads: ${names.join(', ')}${more}; asks nothing`,
    `  total: ${total ?? 'none'}`,
    `  would notify: ${notify.join(', ')}`,
    ...(message === null ? [] : sayingNow(message)),
  ];
}

function sayingNow(message: Message): string[] {
  const lines = mainText(message).map((line) => singleLine(plainJoined(line)));
  return [`  now it would say: ${singleLine(message.title)}`, ...lines.map((line) => `      ${line}`)];
}
