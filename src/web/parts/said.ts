// Sentences that the command line prints too. A page shows their times in its own zone, and formats their code.
import { html, type Html } from './html.ts';
import { timeTag, type Moment } from './time.ts';

const PARTS = /`([^`]+)`|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))/;

/** `` said('`for`, until 2026-01-01T12:00:00Z', moment) // <code>for</code>, until <time …>12:00:00</time> `` */
export function said(text: string, moment: Moment): Html {
  // For each match: the text before it, then its code, then its time. Either the code or the time is undefined.
  const parts: (string | undefined)[] = text.split(PARTS);
  return html`${parts.map((part, at) => {
    if (part === undefined) return null;
    if (at % 3 === 0) return part;
    return at % 3 === 1 ? html`<code>${part}</code>` : timeTag(part, moment);
  })}`;
}
