// The preview of a silence: the alerts that it would hold back, and the button that creates it.
import type { SilencePreview } from '../../../query/shapes/operators.ts';
import { counted, plural } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { icon } from '../../parts/icons.ts';
import { rowTone, severityTag } from '../../parts/states.ts';
import { clockTime, type Moment } from '../../parts/time.ts';
import { proofFields } from '../frame/fill.ts';
import { FOLD, sheet } from '../lists.ts';
import { FIELDS, type Draft } from './draft.ts';

export function previewSection(preview: SilencePreview, draft: Draft, moment: Moment): Html {
  return html`<div>
    <div class="head"><h2>What it would silence</h2></div>
    <div class="stack tight">${summary(preview)}${table(preview)}${makeForm(preview, draft, moment)}</div>
  </div>`;
}

function summary({ all, open, watches, share, notifications_24h: count, ...last }: SilencePreview): Html {
  const held =
    count === 0
      ? html`nothing`
      : html`<b>${plural(count, 'notification')}</b> to ${plural(last.recipients_24h, 'recipient')},
          ${last.critical_24h === 0 ? 'none' : counted(last.critical_24h)} of them critical`;
  return html`<div class="note warn">
    ${icon('warning')}
    <div>
      <b>${plural(all, 'alert')}</b> of ${plural(watches, 'watch', 'watches')} (${percent(share)}),
      <b>${counted(open)} of them open now</b>. In the last 24 hours it would have held back ${held}.
    </div>
  </div>`;
}

function percent(share: number): string {
  return share > 0 && share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`;
}

const COLUMNS = [
  { name: 'Alert' },
  { name: 'Now' },
  { name: 'Watches', class: 'num' },
  { name: 'Notifications, 24 h', class: 'num' },
  { name: 'To' },
];

function table({ alerts, left_out: left }: SilencePreview): Html {
  const rows = alerts.map(({ watch, alert, watches, open, severity, notifications_24h: count, to }) => {
    const state = open === 0 ? html`<span class="quiet">quiet</span>` : severityTag(severity, `${counted(open)} open`);
    return html`<tr class="${open === 0 ? '' : rowTone(severity)}">
      <td class="mono brief"><span class="strong">${watch}/${alert}</span></td>
      <td class="brief second" data-name="Now"><span>${state}</span></td>
      <td class="num" data-name="Watches"><span>${counted(watches)}</span></td>
      <td class="num" data-name="Notifications, 24 h"><span>${counted(count)}</span></td>
      <td data-name="To"><span>${to.length === 0 ? 'nobody' : to.join(', ')}</span></td>
      ${FOLD}
    </tr>`;
  });
  return html`${sheet('What it would silence', COLUMNS, rows)}${left > 0 ? html`<p class="small quiet">and ${counted(left)} more</p>` : NOTHING}`;
}

const ACTION = '/silences';

function makeForm({ needs_confirm: isWide }: SilencePreview, draft: Draft, moment: Moment): Html {
  if (draft.until === null || Object.keys(draft.mistakes).length > 0)
    return html`<p>Mend the times above, then preview again.</p>`;
  if (draft.comment === '') return html`<p>Say why, then preview again: others will want to know.</p>`;
  const hidden = FIELDS.map((name) => html`<input type="hidden" name="${name}" value="${draft.written[name]}" />`);
  const confirm = isWide
    ? html`<p>
        <label
          >It is about more than half of the rules, and meant to be<input
            type="checkbox"
            name="confirm"
            value="yes"
            required
        /></label>
      </p>`
    : NOTHING;
  const until = clockTime(new Date(draft.until).toISOString(), moment);
  return html`<div class="acts wide">
    <form method="post" action="${ACTION}">
      ${proofFields(ACTION)}${hidden}${confirm}<button type="submit" class="main">Silence until ${until}</button>
    </form>
  </div>`;
}
