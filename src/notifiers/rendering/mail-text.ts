// The text part of a mail.
import { alertText, detailsText, othersText, rowText, type MessageContent } from './content.ts';

/** Untrusted text among the facts is in “quotes”, and never begins a line. */
export function toText(content: MessageContent): string {
  const { subject, lead, alerts, others, links, text, values, about, notes } = content;
  const details = detailsText(content);
  const left = othersText(others);
  const parts = [
    [subject, ...lead.map((line) => line.text)],
    alerts.flatMap((alert) => [alertText(alert), ...(alert.link === null ? [] : [`  ${alert.link}`])]),
    left === null ? [] : [left],
    links.map(({ label, url }) => `${label}: ${url}`),
    text.map((line) => line.text),
    [...values, ...about].map(rowText),
    notes,
    details === null ? [] : [details],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}
