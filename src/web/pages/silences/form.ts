// The form for a new silence. It asks for a preview; the button below the preview creates the silence.
import { html, NOTHING, trusted, type Html } from '../../parts/html.ts';
import { minuteOf, type Moment } from '../../parts/time.ts';
import { SEVERITIES, type Draft } from './draft.ts';

type Option = readonly [value: string, words: string];

export function silenceForm({ written, from, until, mistakes }: Draft, { zone }: Moment): Html {
  const picked = (at: number | null): string => (at === null ? '' : minuteOf(at, zone).replace(' ', 'T'));
  const ends: readonly Option[] = [
    ['no', 'no'],
    ['yes', 'yes'],
  ];
  return html`<div>
    <div class="head"><h2>New silence</h2></div>
    <div class="card">
      <form class="form" method="get" action="/silences">
        <div class="row">
          ${input('Watch', 'watch', written.watch, 'any, such as vault-*')}${input('Alert', 'alert', written.alert, 'any')}${select('Severity', 'severity', written.severity, SEVERITIES)}${input('Explorer', 'explorer', written.explorer, 'any')}
        </div>
        <div class="row">
          ${input('Address', 'of', written.of, 'any, by its name')}${input('Token', 'token', written.token, 'any')}${input('Other labels', 'labels', written.labels, 'such as team=treasury, tier=1')}
        </div>
        <div class="row times">
          ${time(`From (${zone}), empty: now`, 'from', picked(from), mistakes.from)}${time(`Until (${zone})`, 'until', picked(until), mistakes.until)}${select('Ends when resolved', 'ends', written.ends, ends)}
        </div>
        ${input('Why', 'comment', written.comment, '')}
        <div class="acts"><button type="submit">Preview</button></div>
      </form>
    </div>
  </div>`;
}

function input(label: string, name: string, value: string, placeholder: string): Html {
  return html`<label
    >${label}<input name="${name}" value="${value}" placeholder="${placeholder}" maxlength="500"
  /></label>`;
}

/** A field for a time, with the browser's picker. A mistake in the time is shown beside the field. */
function time(label: string, name: string, value: string, mistake: string | undefined): Html {
  const wrong = mistake === undefined ? NOTHING : trusted(`aria-invalid="true" aria-describedby="${name}-mistake"`);
  const why =
    mistake === undefined ? NOTHING : html`<b class="mistake" id="${name}-mistake" role="alert">${mistake}</b>`;
  return html`<label>${label}<input type="datetime-local" name="${name}" value="${value}" ${wrong} />${why}</label>`;
}

function select(label: string, name: string, value: string, options: readonly Option[]): Html {
  const all = options.map(
    ([one, words]) => html`<option value="${one}" ${one === value ? trusted(' selected') : NOTHING}>${words}</option>`,
  );
  return html`<label
    >${label}<select name="${name}">
      ${all}
    </select></label
  >`;
}
