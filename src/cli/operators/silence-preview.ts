// The preview of a silence: the daemon's answer in words.
import { singleLine } from '../../lib/untrusted.ts';
import type { SilencePreview } from '../../query/shapes/operators.ts';

const MOST_SHOWN = 10;

/** The number of alerts that the silence covers, the messages that it would have held back, and the alerts by rule. */
export function previewLines(preview: SilencePreview): string[] {
  const { rules, of_rules, all, open, alerts, left_out, notifications_24h, recipients_24h, critical_24h } = preview;
  const about = rules === 0 ? 'alerts about the daemon itself' : `${rules} of ${counted(of_rules, 'rule')}`;
  const held = `${counted(notifications_24h, 'notification')} to ${counted(recipients_24h, 'recipient')}`;
  const more = Math.max(0, alerts.length - MOST_SHOWN) + left_out;
  return [
    `About ${about}: ${counted(all, 'alert')}, ${open === 0 ? 'none' : open} open now.`,
    notifications_24h === 0
      ? 'In the last 24 hours it would have held nothing back.'
      : `In the last 24 hours it would have held back ${held}, ${critical_24h === 0 ? 'none' : critical_24h} of them critical.`,
    ...alerts.slice(0, MOST_SHOWN).map(alertText),
    ...(more === 0 ? [] : [`  and ${more} more`]),
  ];
}

/** `  all/low, 2 watches, 1 open, 3 notifications to ops, oncall` */
function alertText({ watch, alert, watches, open, notifications_24h, to }: SilencePreview['alerts'][number]): string {
  const parts = [
    `${watch}/${alert}`,
    ...(watches === 1 ? [] : [`${watches} watches`]),
    ...(open === 0 ? [] : [`${open} open`]),
    ...(notifications_24h === 0 ? [] : [`${counted(notifications_24h, 'notification')} to ${to.join(', ')}`]),
  ];
  return `  ${singleLine(parts.join(', '), LONGEST)}`;
}

const LONGEST = 300;

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
