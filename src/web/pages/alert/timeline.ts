// The events of an alert, in order.
import type { TimelineEntry } from '../../../query/shapes/alerts.ts';
import type { SeverityShape } from '../../../query/shapes/common.ts';
import { plural } from '../../parts/amount.ts';
import { isBlank, textTag } from '../../parts/chain-text.ts';
import { html, NOTHING, type HtmlContent, type Html } from '../../parts/html.ts';
import { icon, type IconName } from '../../parts/icons.ts';
import { messageName, recipientName } from '../../parts/recipients.ts';
import { rowTone } from '../../parts/states.ts';
import { timeTag, type Moment } from '../../parts/time.ts';

/** The look of an entry. The words stand between recipient and message, or before the event. */
type Looks = readonly [tone: string, name: IconName, words: string];
type Begin = 'fires' | 'event';
const LOOKS: Readonly<Record<Exclude<TimelineEntry['kind'], Begin>, Looks>> = {
  pending: ['', 'clock', 'The condition became true'],
  accepted: ['good', 'check', 'accepted'],
  'not-accepted': ['alarm', 'cross', 'did not accept'],
  'given-up': ['alarm', 'cross', 'never accepted'],
  acknowledged: ['good', 'acknowledged', 'Acknowledged'],
  held: ['', 'muted', 'Held back'],
  released: ['', 'mail', 'Held back no more'],
  corrected: ['', 'info', 'Corrected'],
  retracted: ['', 'back', 'Retracted'],
  reinstated: ['warn', 'warning', 'Reinstated'],
  resolved: ['good', 'ok', 'Resolved'],
};

/** `severity`: that of the alert, for all entries. */
export function timeline(entries: readonly TimelineEntry[], severity: SeverityShape, moment: Moment): Html {
  if (entries.length === 0)
    return html`<div class="card"><p class="quiet">The journal knows nothing of it any more.</p></div>`;
  return html`<div class="card">
    <ol class="line-of-time">
      ${entries.map((entry) => oneEntry(entry, severity, moment))}
    </ol>
  </div>`;
}

function oneEntry(entry: TimelineEntry, severity: SeverityShape, moment: Moment): Html {
  const [tone, name, words] = looksOf(entry.kind, severity);
  const { recipient, text } = entry;
  const head =
    recipient === null
      ? html`<b>${words}</b>`
      : html`<b>${recipientName(recipient)}</b> ${words} ${entry.about === null ? 'it' : messageName(entry.about)}`;
  return html`<li class="${tone}">
    ${timeTag(entry.at, moment)}${icon(name)}
    <div>${head}${isBlank(text) ? NOTHING : html`: ${textTag(text)}`}${detail(entry, moment)}</div>
  </li>`;
}

const BEGINS: Readonly<Record<Begin, string>> = { fires: 'Fires', event: 'Event' };

/** The entry that begins an alert has the colour of its severity; info has no colour. */
function looksOf(kind: TimelineEntry['kind'], severity: SeverityShape): Looks {
  return kind === 'fires' || kind === 'event' ? [rowTone(severity), severity, BEGINS[kind]] : LOOKS[kind];
}

function detail({ detail: said, actor, tries, until }: TimelineEntry, moment: Moment): Html {
  const isLater = tries !== null && tries > 1 && until !== null;
  const parts: HtmlContent[] = [
    ...(tries === null || tries < 2 ? [] : [plural(tries, 'try', 'tries')]),
    ...(said === null || said === '' ? [] : [html`<q>${said}</q>`]),
    ...(isLater ? [html`the last at ${timeTag(until, moment)}`] : []),
    ...(!isLater && until !== null ? [html`until ${timeTag(until, moment)}`] : []),
    ...(actor === null ? [] : [`by ${actor}`]),
  ];
  if (parts.length === 0) return NOTHING;
  return html`<span class="sub">${parts.flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))}</span>`;
}
