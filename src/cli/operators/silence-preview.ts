// What a silence would be about, as the daemon answers it and as people read it.
import { z } from 'zod';
import type { Instant } from '../../lib/clock.ts';
import { singleLine } from '../../lib/untrusted.ts';
import { showTime } from '../times.ts';

const OpenAlert = z.object({
  labels: z.record(z.string(), z.string()),
  title: z.string(),
  since: z.iso.datetime(),
});

export const PreviewAnswer = z.object({
  rules: z.int(),
  of_rules: z.int(),
  alerts: z.int(),
  open_alerts: z.int(),
  confirm_needed: z.boolean(),
  silenced: z.array(z.object({ watch: z.string(), alert: z.string(), watches: z.int() })),
  open: z.array(OpenAlert),
  left_out: z.object({ silenced: z.int(), open: z.int() }),
});

type Preview = z.infer<typeof PreviewAnswer>;

const MOST_SHOWN = 10;

/** How much it is about, the alerts by rule, and those that are open. */
export function previewLines({ rules, of_rules, alerts, open_alerts, ...lists }: Preview, now: Instant): string[] {
  const { silenced, open, left_out } = lists;
  const isOwn = rules === 0;
  const about = isOwn ? 'what the daemon tells of itself' : `${rules} of ${counted(of_rules, 'rule')}`;
  return [
    `About ${about}: ${counted(alerts, 'alert')}, ${open_alerts === 0 ? 'none' : open_alerts} open now.`,
    ...listed(silenced.map(silencedText), left_out.silenced),
    ...(open_alerts === 0
      ? []
      : [
          'Open now:',
          ...listed(
            open.map((one) => openText(one, now)),
            left_out.open,
          ),
        ]),
  ];
}

function silencedText({ watch, alert, watches }: Preview['silenced'][number]): string {
  return `${watch}/${alert}${watches === 1 ? '' : `, ${watches} watches`}`;
}

function openText({ labels, title, since }: Preview['open'][number], now: Instant): string {
  return `${labels['severity'] ?? ''} ${title}, since ${showTime(Date.parse(since), now)}`;
}

function listed(texts: readonly string[], leftOut: number): string[] {
  const more = Math.max(0, texts.length - MOST_SHOWN) + leftOut;
  const shown = texts.slice(0, MOST_SHOWN).map((text) => `  ${singleLine(text)}`);
  return more === 0 ? shown : [...shown, `  and ${more} more`];
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}
