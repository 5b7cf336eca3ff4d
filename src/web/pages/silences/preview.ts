// What a silence would hold back, and the button that makes it.
import type { SilencePreview } from '../../api/operation.ts';
import { counted, plural } from '../../parts/amount.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { icon } from '../../parts/icons.ts';
import { stateTag } from '../../parts/states.ts';
import { clockTime, type Moment } from '../../parts/time.ts';
import { proofFields } from '../fill.ts';
import { sheet } from '../lists.ts';
import { FIELDS, type Draft } from './draft.ts';

export function previewSection(preview: SilencePreview, draft: Draft, moment: Moment): Html {
  return html`<div>
    <div class="head"><h2>What it would silence</h2></div>
    <div class="stack tight">
      ${
        preview.alerts === 0
          ? html`<div class="note warn">
              ${icon('warning')}
              <div>No alert has these labels.</div>
            </div>`
          : html`${summary(preview)}${table(preview)}${makeForm(preview, draft, moment)}`
      }
    </div>
  </div>`;
}

function summary({ open, rules, ofRules, alerts }: SilencePreview): Html {
  return html`<div class="note warn">
    ${icon('warning')}
    <div>
      <b>${plural(open.length, 'alert that is', 'alerts that are')} open now</b>, of ${plural(alerts, 'alert')} of
      ${counted(rules)} of ${plural(ofRules, 'rule')}.
    </div>
  </div>`;
}

const COLUMNS = [{ name: 'Alert' }, { name: 'Now' }, { name: 'Watches', class: 'num' }];
const MOST_SHOWN = 50;

function table({ silenced, open }: SilencePreview): Html {
  const isOpen = new Set(open.map(({ labels }) => `${labels['watch'] ?? ''}/${labels['alert'] ?? ''}`));
  const rows = silenced.slice(0, MOST_SHOWN).map(({ watch, alert, watches }) => {
    const name = `${watch}/${alert}`;
    const state = isOpen.has(name) ? stateTag('warn', 'warning', 'open') : html`<span class="quiet">quiet</span>`;
    return html`<tr>
      <td class="mono">${name}</td>
      <td data-name="Now">${state}</td>
      <td class="num" data-name="Watches"><span>${counted(watches)}</span></td>
    </tr>`;
  });
  const left = silenced.length - MOST_SHOWN;
  return html`${sheet('What it would silence', COLUMNS, rows)}${left > 0 ? html`<p class="small quiet">and ${counted(left)} more</p>` : NOTHING}`;
}

const ACTION = '/silences';

function makeForm({ alerts, isWide }: SilencePreview, draft: Draft, moment: Moment): Html {
  if (draft.until === null) return html`<p>Say until when: 08:00, or 2026-01-31 08:00. Then preview again.</p>`;
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
      ${proofFields(ACTION)}${hidden}${confirm}<button type="submit" class="main">
        Silence ${plural(alerts, 'alert')} until ${until}
      </button>
    </form>
  </div>`;
}
