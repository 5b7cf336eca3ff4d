// The condition of an alert in words, for messages and for `explain`.
import { showDuration } from '../../lib/clock.ts';
import { ON_SCHEDULE } from '../model/delivery.ts';
import type { AlertRule, CountAlert, EventAlert } from '../model/watch/watch.ts';
import { showPart } from '../wording/words.ts';

/** The condition as written, with its threshold: `at least 3 new within 10m: success == false`. */
export function conditionText(alert: AlertRule): string {
  if (alert.type === 'condition') return alert.while.text;
  const selector = alert.if?.text;
  if (alert.type === 'event') return selector ?? eventText(alert);
  const what = thresholdText(alert);
  return selector === undefined ? what : `${what}: ${selector}`;
}

/** `on new`, `on schedule 0 8 * * *` */
export function eventText({ on, report }: EventAlert): string {
  return report === null ? `on ${on}` : `${ON_SCHEDULE} ${report.cron}`;
}

function thresholdText({ on, fires }: CountAlert): string {
  if (fires.type === 'none-for') return `none ${on} for ${showDuration(fires.ms)}`;
  if (fires.type === 'in-a-row') return `at least ${fires.count} ${on} in a row`;
  const within = `within ${showDuration(fires.withinMs)}`;
  switch (fires.type) {
    case 'at-least':
      return `at least ${fires.count} ${on} ${within}`;
    case 'sum':
      return `sum of ${fires.path} at least ${fires.least.toString()}, ${on} ${within}`;
    case 'ratio': {
      const of = fires.of === null ? '' : ` of those with ${fires.of.text}`;
      return `at least ${showPart(fires.part)} of ${fires.min} or more ${on} ${within}${of}`;
    }
  }
}
