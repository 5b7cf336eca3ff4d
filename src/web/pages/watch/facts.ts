// Facts about a watch, shown beside its chart.
import type { AlertExplanation } from '../../../query/shapes/explanations.ts';
import type { WatchExplanation } from '../../../query/shapes/watches.ts';
import type { Episode } from '../../../query/shapes/alerts.ts';
import { counted, plural } from '../../parts/amount.ts';
import { html, NOTHING, type HtmlContent, type Html } from '../../parts/html.ts';
import { sourceLink } from '../../parts/source.ts';
import { explorerLink } from '../../parts/subject.ts';
import { clockTime, duration, timeTag, type Moment } from '../../parts/time.ts';
import { alertPath } from '../paths.ts';
import { codeBlock } from '../../parts/code.ts';

export function facts(found: WatchExplanation, moment: Moment): Html {
  const rows = factRows(found, moment);
  return html`<div class="card">
      <h3>Facts</h3>
      <dl class="facts">
        ${rows.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
    </div>
    ${episodeCard(found, moment)}${ruleCard(found)}`;
}

function factRows(found: WatchExplanation, moment: Moment): (readonly [string, HtmlContent])[] {
  const { watch, of, token, polls, data, next, credits_per_day: credits } = found;
  const [last] = polls ?? [];
  return [
    ...row(
      'Address',
      of && html`<span class="mono">${of.address}</span> ${of.page_url === null ? NOTHING : explorerLink(of, '')}`,
    ),
    ...row('Token', token && html`${token.name ?? ''} <span class="mono">${token.address}</span>`),
    ...row('Last poll', last && html`${timeTag(last.at, moment)}, ${last.outcome}`),
    ...row('Last data', watch.as_of === null ? null : timeTag(watch.as_of, moment)),
    ...row('Next poll', next === null ? null : html`${timeTag(next, moment)}, ${wait(next, moment)}`),
    ...row('Data', data && html`${data.state} since ${timeTag(data.since, moment)}`),
    ['Costs', credits === null ? 'not known' : `${counted(credits)} credits a day`],
    ['Samples', plural(found.samples_kept, 'run')],
  ];
}

function row(name: string, value: HtmlContent | undefined): (readonly [string, HtmlContent])[] {
  return value === null || value === undefined ? [] : [[name, value]];
}

function wait(time: string, { now }: Moment): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'due' : `in ${duration(ms)}`;
}

function episodeCard({ episodes }: WatchExplanation, moment: Moment): Html {
  if (episodes.length === 0) return NOTHING;
  return html`<div class="card">
    <h3>Episodes</h3>
    ${episodeList(episodes, moment)}
  </div>`;
}

export function episodeList(episodes: readonly Episode[], moment: Moment): Html {
  return html`<dl class="facts">
    ${episodes.map(
      (one) =>
        html`<dt><a href="${alertPath(one.key, one.episode)}">${clockTime(one.since, moment)}</a></dt>
          <dd>
            ${lasted(one, moment)}${one.acknowledged_by === null ? null : `, acknowledged by ${one.acknowledged_by}`}
          </dd>`,
    )}
  </dl>`;
}

function lasted({ since, until }: Episode, { now }: Moment): string {
  const ms = (until === null ? now : Date.parse(until)) - Date.parse(since);
  return until === null ? `${duration(ms)}, and lasts` : duration(ms);
}

/** `lineOf({ source: 'rules/treasury.yaml:21' }) // 21` */
function lineOf({ source }: Pick<AlertExplanation, 'source'>): number {
  return Number(source.split(':').at(-1));
}

/** Marks the line of the firing alert, else of the first one. */
function ruleCard({ source, rule, alerts }: WatchExplanation): Html {
  const isOpen = ({ states }: AlertExplanation): boolean => states.some(({ state }) => state === 'firing');
  const marked = alerts.find(isOpen) ?? alerts[0];
  return html`<div class="card">
    <h3>Rule</h3>
    <p class="small">${sourceLink(source)}</p>
    ${rule === null ? NOTHING : codeBlock(rule, { first: source.line, marked: marked === undefined ? null : lineOf(marked), label: 'The rule' })}
  </div>`;
}
