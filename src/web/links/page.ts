// The page behind the link of a message. Opening it changes nothing, because programs that check links open it too.
import type { LinkedAlert, LinkedMessage } from '../../query/shapes/operators.ts';
import { plural } from '../parts/amount.ts';
import { html, joined, NOTHING, type Html } from '../parts/html.ts';
import { againstTag, valueTag } from '../parts/measures.ts';
import { severityTag } from '../parts/states.ts';
import { outLink, subjectTag } from '../parts/subject.ts';
import { ageTag, clockTime, type Moment } from '../parts/time.ts';
import type { HtmlPage } from '../pages/frame/layout.ts';
import { alertPath } from '../pages/paths.ts';

/** `said`: the result of the form that was sent; null: none was sent. */
export function linkPage(message: LinkedMessage, moment: Moment, said: Html | null = null): HtmlPage {
  const waiting = message.alerts.filter(isWaiting);
  const [only, ...others] = message.alerts;
  const isAlone = only !== undefined && others.length === 0;
  const heading = headingOf(message, waiting.length);
  return {
    title: heading,
    main: html`<div class="centre stack">
      ${said ?? NOTHING}
      <div>
        <h1>${heading}</h1>
        ${isAlone ? aboutAlert(only, moment) : NOTHING}
      </div>
      ${isAlone ? NOTHING : alertList(message.alerts, moment)}
      ${waiting.length === 0 ? NOTHING : form(message, waiting, moment)}
    </div>`,
  };
}

function headingOf({ alerts }: LinkedMessage, waiting: number): string {
  const [only, ...others] = alerts;
  if (only !== undefined && others.length === 0) return only.title;
  if (waiting > 0) return `${plural(waiting, 'alert waits', 'alerts wait')} for somebody`;
  return alerts.some(({ ack }) => ack !== null) ? 'Acknowledged' : 'All of it is over';
}

function alertList(alerts: readonly LinkedAlert[], moment: Moment): Html {
  const items = alerts.map((alert) => html`<li><b>${alert.title}</b>${aboutAlert(alert, moment)}</li>`);
  return html`<div class="card">
    <ul class="plain stack">
      ${items}
    </ul>
  </div>`;
}

/** The page for a link that is wrong or too old, or whose message is no longer stored. */
export const DEAD_LINK: HtmlPage = {
  title: 'The link does not work',
  status: 410,
  main: html`<div class="centre stack">
    <h1>The link does not work</h1>
    <p>
      Links in messages hold for a day. Acknowledge on the page of the daemon, or with <code>chainwarden ack</code>.
    </p>
  </div>`,
};

export function isWaiting({ seq, ack }: LinkedAlert): boolean {
  return seq !== null && ack === null;
}

/** The name of an alert in the form. */
export function shownName({ key, episode }: Pick<LinkedAlert, 'key' | 'episode'>): string {
  return `${episode}.${key}`;
}

/** The alert's present value, its watch, and its acknowledgement. */
function aboutAlert(alert: LinkedAlert, moment: Moment): Html {
  const { watch, alert: name, severity, measure, of, seq, ack, key, episode, runbook } = alert;
  const value =
    seq === null || measure === null || measure.value === null
      ? NOTHING
      : html`<p><b>${valueTag(measure)}</b>: ${againstTag(measure)}</p>`;
  const where = of === null ? NOTHING : html` · ${subjectTag(of)} on ${of.explorer}`;
  const links = [
    ...(runbook === null ? [] : [outLink(runbook, 'Runbook')]),
    html`<a href="${alertPath(key, episode)}">See what happened</a>`,
  ];
  return html`<p>${severityTag(severity, severity)} ${sinceWords(alert, moment)}</p>
    ${value}
    <p class="small quiet"><span class="mono">${watch}/${name}</span>${where}</p>
    ${
      ack === null
        ? NOTHING
        : html`<p>
            Acknowledged by ${ack.actor} at ${clockTime(ack.at, moment)}, until ${clockTime(ack.until, moment)}
            ${moment.zone}.
          </p>`
    }
    <p class="small">${joined(links, ' · ')}</p>`;
}

function sinceWords({ since, is_event: isEvent, seq }: LinkedAlert, moment: Moment): Html {
  if (seq === null) return html`It is over.`;
  return html`${isEvent ? 'at' : 'since'} ${clockTime(since, moment)} ${moment.zone},
  ${ageTag(since, moment)}${isEvent ? ' ago' : ''}`;
}

/** The form sends back the alerts that the page showed, so that no other alert is acknowledged. */
function form({ recipient }: LinkedMessage, waiting: readonly LinkedAlert[], { now }: Moment): Html {
  const seen = waiting.map(
    (alert) => html`<input type="hidden" name="seen" value="${`${shownName(alert)}.${alert.seq ?? 0}`}" />`,
  );
  return html`<form class="card form" method="post">
    ${seen}<input type="hidden" name="form" value="${now}" />
    <p>You opened the link in a message to <b>${recipient}</b>. Nothing has changed yet: press a button.</p>
    <div class="acts wide">
      <button type="submit" class="main" name="do" value="acknowledge">Acknowledge</button>
      <button type="submit" name="do" value="snooze">Snooze 1 h</button>
    </div>
    <p class="small quiet">
      Acknowledge stops repeats and escalation until the alert ends, for 24 h at most; Snooze does for 1 h. The end of
      the alert is sent in any case.
    </p>
  </form>`;
}
