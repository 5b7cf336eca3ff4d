// Watches of which nothing is known now, by cause.
import type { BlindCauseShape } from '../../../query/shapes/overview.ts';
import { counted, plural } from '../../parts/amount.ts';
import { causeWords } from '../../parts/causes.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { ageTag, timeTag, type Moment } from '../../parts/time.ts';

export function blindTable(causes: readonly BlindCauseShape[], moment: Moment): Html {
  if (causes.length === 0) return NOTHING;
  return html`<section>
    <div class="head">
      <h2>Blind</h2>
      <span class="quiet small">by cause</span>
    </div>
    <div class="sheet folds">
      <table>
        <thead>
          <tr>
            <th>Since</th>
            <th>Cause</th>
            <th>Watches</th>
          </tr>
        </thead>
        <tbody>
          ${causes.map((cause) => row(cause, moment))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function row({ cause, explorer, since, watches, rules, names, fields }: BlindCauseShape, moment: Moment): Html {
  const which = fields.length === 0 ? names.join(', ') : `no answer has ${fields.join(', ')}`;
  const more = watches > names.length && fields.length === 0 ? ` and ${counted(watches - names.length)} more` : '';
  return html`<tr class="blind">
    <td data-name="Since"><span>${timeTag(since, moment)} · ${ageTag(since, moment)}</span></td>
    <td><b>${explorer}: ${causeWords(cause)}</b><span class="sub">${which}${more}</span></td>
    <td data-name="Watches"><a href="/watches?state=blind">${counted(watches)}, of ${plural(rules, 'rule')}</a></td>
  </tr>`;
}
