// What happened to an alert, in order.
import type { TimelineEntry } from '../../../query/shapes/alerts.ts';
import { plural } from '../../parts/amount.ts';
import { textTag } from '../../parts/chain-text.ts';
import { html, NOTHING, type Content, type Html } from '../../parts/html.ts';
import { icon, type IconName } from '../../parts/icons.ts';
import { recipientName } from '../../parts/recipients.ts';
import { timeTag, type Moment } from '../../parts/time.ts';

const LOOKS: Readonly<Record<string, readonly [tone: string, name: IconName]>> = {
  pending: ['', 'clock'],
  fires: ['alarm', 'critical'],
  event: ['warn', 'warning'],
  accepted: ['good', 'check'],
  'not-accepted': ['alarm', 'cross'],
  unverified: ['', 'blind'],
  escalated: ['warn', 'mail'],
  acknowledged: ['good', 'acknowledged'],
  silenced: ['', 'muted'],
  retracted: ['', 'back'],
  resolved: ['good', 'ok'],
};

export function timeline(entries: readonly TimelineEntry[], moment: Moment): Html {
  if (entries.length === 0)
    return html`<div class="card"><p class="quiet">The journal knows nothing of it any more.</p></div>`;
  return html`<div class="card">
    <ol class="line-of-time">
      ${entries.map((entry) => oneEntry(entry, moment))}
    </ol>
  </div>`;
}

function oneEntry(entry: TimelineEntry, moment: Moment): Html {
  const [tone, name] = LOOKS[entry.kind] ?? ['', 'info'];
  const { recipient } = entry;
  const who = recipient === null ? NOTHING : html`<b>${recipientName(recipient)}</b> `;
  return html`<li class="${tone}">
    ${timeTag(entry.at, moment)}${icon(name)}
    <div>${who}${textTag(entry.text)}${detail(entry, moment)}</div>
  </li>`;
}

function detail({ detail: said, actor, tries, until }: TimelineEntry, moment: Moment): Html {
  const isLater = tries !== null && tries > 1 && until !== null;
  const parts: Content[] = [
    ...(tries === null || tries < 2 ? [] : [plural(tries, 'try', 'tries')]),
    ...(said === null || said === '' ? [] : [html`<q>${said}</q>`]),
    ...(isLater ? [html`the last at ${timeTag(until, moment)}`] : []),
    ...(!isLater && until !== null ? [html`until ${timeTag(until, moment)}`] : []),
    ...(actor === null ? [] : [`by ${actor}`]),
  ];
  if (parts.length === 0) return NOTHING;
  return html`<span class="sub">${parts.flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))}</span>`;
}
