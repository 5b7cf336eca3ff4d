// The card of an open alert that nobody has acknowledged: all that a person on call needs first.
import type { AlertCard } from '../../../query/shapes/alerts.ts';
import type { MeasureShape } from '../../../query/shapes/common.ts';
import type { Overview } from '../../../query/shapes/overview.ts';
import { counted, plural } from '../../parts/amount.ts';
import { isBlank, textTag } from '../../parts/chain-text.ts';
import { curve } from '../../parts/drawings.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { againstTag, isBeyond, itemsWords, manyWords, valueTag } from '../../parts/measures.ts';
import { recipientList } from '../../parts/recipients.ts';
import { capital, rowTone, severityTag } from '../../parts/states.ts';
import { pageLinks, subjectTag } from '../../parts/subject.ts';
import { ageTag, timeOfDay, timeTag, type Moment } from '../../parts/time.ts';
import { NEWS, part } from '../frame/parts.ts';
import { ackAllButtons, ackButtons } from '../operators/buttons.ts';
import { labelLinks, type OfLabels } from '../labels.ts';
import { linkTo } from '../lists.ts';
import { alertPath } from '../paths.ts';
import { labelsOfOne, silenceLink, watchPath } from '../paths.ts';
import type { PageRequest } from '../route.ts';

export function cardSection({ cards, more }: Overview, request: PageRequest & OfLabels): Html {
  if (cards.length === 0) return NOTHING;
  return html`<section aria-labelledby="open">
    <h2 class="skip" id="open">Open alerts that nobody has acknowledged</h2>
    ${cards.map((card) => part(partName(card), alertCard(card, request)))}${moreLine(more, request)}
  </section>`;
}

const KEY_CHARS = 10;

/** There are at most eight cards, so the start of a key is enough. */
function partName({ key, episode }: AlertCard): string {
  return `${NEWS}${key.slice(0, KEY_CHARS)}-${episode}`;
}

function moreLine({ alerts, rules }: Overview['more'], { label }: OfLabels): Html {
  if (alerts === 0) return NOTHING;
  return html`<p class="small quiet">
    <a href="${linkTo('/watches', { state: 'firing', label })}"
      >and ${plural(alerts, 'more', 'more')} of ${plural(rules, 'rule')}</a
    >
  </p>`;
}

function alertCard(card: AlertCard, request: PageRequest & OfLabels): Html {
  return html`<article class="alert ${rowTone(card.severity)}">
    <div>
      <p class="alert-top">
        ${severityTag(card.severity, stateWords(card))}<span class="quiet small"
          >${isSingleEvent(card) ? 'at' : 'since'} ${timeTag(card.since, request)} ·
          <b>${ageTag(card.since, request)}</b></span
        >
      </p>
      <h3><a href="${alertPath(card.key, card.episode)}">${card.title}</a></h3>
      ${whereLine(card, request)}
      ${facts(card, request)}${pageLinks(card)}${labelLinks(card.labels, '/', request.label)}
    </div>
    ${drawing(card, request)}
    <div class="notified">
      ${recipientList(card.recipients, request)}
      ${request.role === 'operator' ? html`<div class="acts">${ackButtonsOf(card)}${silenceLinkOf(card)}</div>` : NOTHING}
    </div>
  </article>`;
}

function isSingleEvent({ state, alerts }: AlertCard): boolean {
  return state === 'event' && alerts === 1;
}

function ackButtonsOf(card: AlertCard): Html {
  return card.alerts > 1 ? ackAllButtons(card) : ackButtons(card, '/');
}

function silenceLinkOf({ alert, rule, alerts, labels }: AlertCard): Html {
  return alerts > 1 ? silenceLink({ watch: rule, alert }, 'Silence this rule…') : silenceLink(labelsOfOne(labels));
}

/** `Critical, firing`; `Critical, 66 events` */
export function stateWords({ severity, state, firings, alerts }: AlertCard): string {
  const words = state === 'flapping' && firings > 0 ? `flapping: fired ${firings} times, notified once` : state;
  const many = state === 'event' ? `${counted(alerts)} events` : `${counted(alerts)} firing`;
  return `${capital(severity)}, ${alerts === 1 ? words : many}`;
}

function whereLine(card: AlertCard, request: PageRequest): Html {
  const { watch, alert, rule, of, alerts, state } = card;
  if (alerts > 1) {
    const which = state === 'event' ? html`the newest at ${timeTag(card.up_to, request)}` : 'the oldest';
    return html`<p class="small quiet"><span class="mono">${rule}/${alert}</span> · this is ${which}</p>`;
  }
  const where = of === null ? NOTHING : html` · ${subjectTag(of)} on ${of.explorer}`;
  return html`<p class="small quiet"><a class="mono" href="${watchPath(watch)}">${watch}/${alert}</a>${where}</p>`;
}

/** The measured value, the count, or the event. */
function facts(card: AlertCard, moment: Moment): Html {
  const { measure, count, detail } = card;
  if (count !== null)
    return html`<p class="value">${manyWords(count)} <span class="unit">${itemsWords(count)}</span></p>
      ${countLine(count)}`;
  if (measure !== null && measure.value !== null)
    return html`<p class="value">${valueTag(measure)}</p>
      <p class="against">${againstTag(measure)}${readAgo(measure, moment)}</p>`;
  return isBlank(detail) ? NOTHING : html`<p class="against">${textTag(detail)}</p>`;
}

function readAgo({ at }: MeasureShape, moment: Moment): Html {
  return at === null ? NOTHING : html` <span class="quiet">· read ${ageTag(at, moment)} ago</span>`;
}

/** `4 more than the limit of 3 · last: block 21,033,104` */
function countLine({ count, is_least: isLeast, limit, newest }: NonNullable<AlertCard['count']>): Html {
  const last = isBlank(newest) ? NOTHING : html`last: ${textTag(newest)}`;
  if (limit === null) return isBlank(newest) ? NOTHING : html`<p class="against">${last}</p>`;
  const beyond =
    count > limit
      ? html`<b>${counted(count - limit)}${isLeast ? ' or more' : ' more'}</b> ${isLeast ? 'beyond' : 'than'}`
      : count < limit
        ? 'below'
        : 'at';
  return html`<p class="against">
    ${beyond} the limit of ${counted(limit)}${isBlank(newest) ? NOTHING : html` · ${last}`}
  </p>`;
}

const LINE_MS = 6 * 3_600_000;

function drawing(card: AlertCard, { now, zone }: PageRequest): Html {
  const { line, line_has_limits: hasLimits, measure, title, severity } = card;
  const from = beginOf(line, now);
  // The usual start is shown as `6 h ago`, because its time of day would change each minute.
  const begin = now - from === LINE_MS ? '6 h ago' : timeOfDay(from, zone).slice(0, 5);
  const limits = hasLimits ? measure : null;
  const drawn = curve({
    width: 380,
    height: 96,
    points: line,
    from,
    to: now,
    class: 'wide',
    limit: limits?.limit ?? null,
    clear: limits?.clears_at ?? null,
    limitTone: rowTone(severity),
    tone: measure !== null && isBeyond(measure) ? rowTone(severity) : '',
    label: `${title}: since ${begin}`,
  });
  if (drawn === null) return NOTHING;
  return html`<figure class="chart">
    ${drawn}
    <figcaption class="cap"><span>${begin}</span><span>now</span></figcaption>
  </figure>`;
}

/**
 * Six hours ago. For a new watch it is the time of the first value, because a few minutes of six hours would be drawn
 * as one upright stroke.
 */
function beginOf([first]: AlertCard['line'], now: number): number {
  const begin = now - LINE_MS;
  const known = first === undefined ? begin : Date.parse(first[0]);
  return known - begin > LINE_MS / 2 && known < now ? known : begin;
}
