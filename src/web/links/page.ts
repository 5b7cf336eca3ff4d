// The page behind the link of a message. It changes nothing: programs that look at links before people do open it too.
import type { LinkedAlert, LinkedMessage } from '../../query/shapes/operators.ts';
import { html, NOTHING, type Html } from '../parts/html.ts';
import { severityTag } from '../parts/states.ts';
import { ageTag, clockTime, type Moment } from '../parts/time.ts';
import type { HtmlPage } from '../pages/frame/layout.ts';

/** `said`: what became of the request before. */
export function linkPage(message: LinkedMessage, moment: Moment, said: Html | null = null): HtmlPage {
  const waiting = message.alerts.filter(isWaiting);
  return {
    title: 'Acknowledge',
    main: html`<div class="centre stack">
      <div>
        <h1>${waiting.length === 0 ? 'Nothing to acknowledge' : 'Acknowledge'}</h1>
        <p class="lead">This is about a message to ${message.recipient}.</p>
      </div>
      ${said ?? NOTHING}
      <div class="card">
        <ul class="plain stack">
          ${message.alerts.map((alert) => alertItem(alert, moment))}
        </ul>
      </div>
      ${waiting.length === 0 ? NOTHING : form(waiting, moment.now)}
    </div>`,
  };
}

/** A link that is wrong, or too old, or of a message that is not kept. */
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

/** How the form names an alert. */
export function shownName({ key, episode }: Pick<LinkedAlert, 'key' | 'episode'>): string {
  return `${episode}.${key}`;
}

function alertItem({ title, severity, since, is_event: isEvent, seq, ack }: LinkedAlert, moment: Moment): Html {
  return html`<li>
    ${severityTag(severity, severity)} ${title}<br /><span class="small quiet"
      >${
        seq === null
          ? 'It is over.'
          : html`${isEvent ? 'At' : 'Since'} ${clockTime(since, moment)}, ${ageTag(since, moment)} ago.`
      }${ack === null ? NOTHING : html` Acknowledged by ${ack.actor} at ${clockTime(ack.at, moment)}, until ${clockTime(ack.until, moment)}.`}</span
    >
  </li>`;
}

/** Sent back with what was seen, so that nothing is acknowledged that nobody looked at. `now`: names this form. */
function form(waiting: readonly LinkedAlert[], now: number): Html {
  const seen = waiting.map(
    (alert) => html`<input type="hidden" name="seen" value="${`${shownName(alert)}.${alert.seq ?? 0}`}" />`,
  );
  return html`<form class="form" method="post">
    ${seen}<input type="hidden" name="form" value="${now}" />
    <div class="acts">
      <button type="submit" class="main" name="do" value="acknowledge">Acknowledge</button>
      <button type="submit" name="do" value="snooze">Snooze 1 h</button>
    </div>
  </form>`;
}
