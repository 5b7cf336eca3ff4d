// The text part of a mail.
import { alertText, othersText, rowText, type MessageContent } from './content.ts';

/** A stranger's text among the facts stands in “quotes”; none of it can begin a line. */
export function toText({ subject, lead, alerts, others, links, text, values, about, notes }: MessageContent): string {
  const left = othersText(others);
  const parts = [
    [subject, ...lead.map((line) => line.text)],
    alerts.flatMap((alert) => [alertText(alert), ...(alert.link === null ? [] : [`  ${alert.link}`])]),
    left === null ? [] : [left],
    links.map(({ label, url }) => `${label}: ${url}`),
    text.map((line) => line.text),
    values.map(rowText),
    about.map(rowText),
    notes,
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
