// Watches with unknown values, and those that may become unknown soon, by cause.
import type { BlindCauseShape, Trust } from '../../../query/shapes/overview.ts';
import { counted, plural } from '../../parts/amount.ts';
import { causeWords } from '../../../query/shapes/common.ts';
import { html, NOTHING, type Html } from '../../parts/html.ts';
import { ageTag, timeTag, type Moment } from '../../parts/time.ts';

export function blindTable({ blind, overdue }: Pick<Trust, 'blind' | 'overdue'>, moment: Moment): Html {
  return html`${causeTable({ title: 'Blind', path: '/watches?state=blind' }, blind, moment)}${causeTable(
    { title: 'No usable answer', path: null },
    overdue,
    moment,
  )}`;
}

interface Heading {
  readonly title: string;
  /** The path of a page that lists these watches; null: there is none. */
  readonly path: string | null;
}

function causeTable({ title, path }: Heading, causes: readonly BlindCauseShape[], moment: Moment): Html {
  if (causes.length === 0) return NOTHING;
  return html`<section>
    <div class="head">
      <h2>${title}</h2>
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
          ${causes.map((cause) => row(cause, path, moment))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function row(
  { cause, explorer, since, watches, rules, names, fields }: BlindCauseShape,
  path: string | null,
  moment: Moment,
): Html {
  const number = `${plural(watches, 'watch', 'watches')} of ${plural(rules, 'rule')}`;
  const which = fields.length === 0 ? names.join(', ') : `no answer has ${fields.join(', ')}`;
  const more = watches > names.length && fields.length === 0 ? ` and ${counted(watches - names.length)} more` : '';
  return html`<tr class="blind">
    <td data-name="Since"><span>${timeTag(since, moment)} · ${ageTag(since, moment)}</span></td>
    <td><b>${explorer}: ${causeWords(cause)}</b><span class="sub">${which}${more}</span></td>
    <td data-name="Watches">${path === null ? number : html`<a href="${path}">${number}</a>`}</td>
  </tr>`;
}
