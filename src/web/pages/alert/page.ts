// One episode of an alert: its events, its recipients, and its acknowledgement.
import { isLargest, UNLIMITED } from '../../../lib/abi/largest.ts';
import type { FieldRow } from '../../../query/shapes/common.ts';
import type { AlertHistory } from '../../../query/shapes/alerts.ts';
import { textTag } from '../../parts/chain-text.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { againstTag, valueTag } from '../../parts/measures.ts';
import { recipientList, toldFacts } from '../../parts/recipients.ts';
import { severityTag, stateTag } from '../../parts/states.ts';
import { outLink, pageLinks, subjectTag } from '../../parts/subject.ts';
import { ageTag, clockTime, timeTag, type Moment } from '../../parts/time.ts';
import { ackButtons } from '../operators/buttons.ts';
import { alertPath } from '../paths.ts';
import { errorPage } from '../frame/errors.ts';
import { stateWords } from '../now/cards.ts';
import { labelLink } from '../labels.ts';
import { labelsOfOne, silenceLink, watchPath } from '../paths.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRequest, PageRoute } from '../route.ts';
import { conditionNow } from '../watch/explanations.ts';
import { episodeList } from '../watch/facts.ts';
import { gonePage } from '../frame/gone.ts';
import { timeline } from './timeline.ts';

export function alertPage({ alert }: Pick<PageQueries, 'alert'>): PageRoute {
  return {
    path: '/alerts/:key/:episode',
    role: 'viewer',
    nav: null,
    under: '/history',
    async show(request) {
      const episode = request.parameter('episode');
      const found = /^\d{1,15}$/.test(episode)
        ? await alert({ key: request.parameter('key'), episode: Number(episode) })
        : null;
      if (found === null) return errorPage(404, 'There is no such episode, and the journal knows none.');
      if ('history' in found) return gonePage('An alert of the past', found, request);
      return { title: found.card.title, main: content(found, request) };
    },
  };
}

function content(found: AlertHistory, request: PageRequest): Html {
  const { card, ended, earlier } = found;
  const isOpen = ended === null;
  const acts = isOpen && request.role === 'operator';
  return html`<div>
      <p class="crumbs">
        <a href="/history">History</a> /
        <a class="mono" href="${watchPath(card.watch)}">${card.watch}/${card.alert}</a> / episode ${card.episode}
      </p>
      <h1>${card.title}</h1>
      <p class="lead">${summary(found, request)}</p>
      ${pageLinks(card)}
    </div>
    ${acts ? html`<div class="acts wide">${ackButtons(card, alertPath(card.key, card.episode))}${silenceLink(labelsOfOne(card.labels))}</div>` : NOTHING}
    <section class="two">
      <div>
        <div class="head"><h2>What happened</h2></div>
        ${timeline(found.timeline, card.severity, request)} ${condition(found, request)}${fields(found, request)}
      </div>
      <aside class="stack" aria-label="Who">
        <div class="card">
          <h3>Who was notified</h3>
          ${notified(found, request)}
        </div>
        <div class="card">
          <h3>Labels</h3>
          ${labels(card.labels)}
        </div>
        <div class="card">
          <h3>Acknowledged by</h3>
          ${ackCard(found, request)}
        </div>
        ${
          earlier.length === 0
            ? NOTHING
            : html`<div class="card">
                <h3>Earlier</h3>
                ${episodeList(earlier, request)}
              </div>`
        }
      </aside>
    </section>`;
}

/** The present condition of the rule, which may have changed since the alert began. */
function condition({ condition: now }: AlertHistory, moment: Moment): Html {
  if (now === null) return NOTHING;
  return html`<div class="head"><h2>How it reads now</h2></div>
    <div class="card stack tight">${conditionNow(now, moment)}</div>`;
}

function fields({ fields: all }: AlertHistory, moment: Moment): Html {
  if (all.length === 0) return NOTHING;
  return html`<div class="head">
      <h2>Values</h2>
      <span class="small quiet">of the newest message, in full</span>
    </div>
    <div class="card">
      <dl class="facts">
        ${all.map(
          (field) =>
            html`<dt>${field.name.replaceAll(/[_.]/g, ' ')}</dt>
              <dd>${fieldValue(field, moment)}</dd>`,
        )}
      </dl>
    </div>`;
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function fieldValue({ name, value, page_url: page }: FieldRow, moment: Moment): Html {
  const [first] = value;
  if (first !== undefined && 'text' in first && INSTANT.test(first.text)) return timeTag(first.text, moment);
  if (first !== undefined && 'text' in first && isUnlimited(name, first.text)) return html`${UNLIMITED}`;
  const words = html`<span class="mono">${textTag(value)}</span>`;
  return page === null ? words : outLink(page, words);
}

/** `isUnlimited('args.value', '115792…') // true`. Ids are copied, so they stay as they are. */
function isUnlimited(name: string, text: string): boolean {
  return /^\d+(?:\.\d+)?$/.test(text) && !/(?:^|[._])id$/.test(name) && isLargest(BigInt(text.replace('.', '')));
}

/** The labels for routing and silencing. */
function labels(all: AlertHistory['card']['labels']): Html {
  return html`<dl class="facts">
    ${Object.entries(all).map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd>${labelLink(label, value)}</dd>`,
    )}
  </dl>`;
}

function notified({ card, told }: AlertHistory, moment: Moment): Html {
  const held = card.recipients.filter(({ state }) => state === 'held');
  if (told.length === 0 && held.length === 0) return html`<p class="quiet small">Nobody.</p>`;
  return html`${toldFacts(told, moment)}${held.length === 0 ? NOTHING : recipientList(held, moment)}`;
}

function summary({ card, ended, timeline: entries }: AlertHistory, moment: Moment): Html {
  const { measure, of, since } = card;
  const state =
    ended === null
      ? html`${severityTag(card.severity, stateWords(card))} since ${timeTag(since, moment)}, ${ageTag(since, moment)}`
      : html`${endTag(entries)} ${timeTag(ended, moment)}, began ${timeTag(since, moment)}`;
  const value =
    measure === null || measure.value === null ? NOTHING : html` · ${valueTag(measure)}, ${againstTag(measure)}`;
  return html`${state}${value}${of === null ? NOTHING : html` · ${subjectTag(of)}`}`;
}

function endTag(entries: AlertHistory['timeline']): Html {
  const last = entries.findLast(({ kind }) => kind === 'resolved' || kind === 'retracted');
  return last?.kind === 'retracted' ? stateTag('ok', 'back', 'Retracted') : stateTag('ok', 'ok', 'Ended');
}

function ackCard({ ack, ended }: AlertHistory, moment: Moment): Html {
  if (ack === null && ended !== null) return html`<p class="quiet small">Nobody.</p>`;
  if (ack === null)
    return html`<p class="quiet small">
      Nobody yet. An acknowledgement stops repeats and escalation until the alert ends, for 24 h at most. The end of the
      alert is sent in any case.
    </p>`;
  const comment = ack.comment === null ? NOTHING : html`: <q>${ack.comment}</q>`;
  return html`<p>${ack.actor}, ${timeTag(ack.at, moment)}, until ${clockTime(ack.until, moment)}${comment}</p>`;
}
