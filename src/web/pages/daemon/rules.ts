// The rules in force, with their health.
import type { RuleList, RuleRow } from '../../../query/shapes/daemon.ts';
import { RuleListFilter } from '../../../query/shapes.ts';
import { counted, plural } from '../../parts/amount.ts';
import { html, NOTHING, trusted, type Html } from '../../parts/html.ts';
import { icon, type IconName } from '../../parts/icons.ts';
import { sourceLink } from '../../parts/source.ts';
import { capital, stateTag, type StateTone } from '../../parts/states.ts';
import { ageOf, clockTime, duration, type Moment } from '../../parts/time.ts';
import {
  FOLD,
  askedIn,
  linkTo,
  NO_SUCH_FILTER,
  nothingFound,
  pager,
  pills,
  searchForm,
  sheet,
  type Asked,
} from '../lists.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRoute } from '../route.ts';

const PATH = '/rules';

export function rulesPage({ rules }: Pick<PageQueries, 'rules'>): PageRoute {
  return {
    path: PATH,
    role: 'viewer',
    nav: 'Rules',
    async show(request) {
      const asked = askedIn(RuleListFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      return { title: 'Rules', main: content(await rules(asked.filter), asked, request) };
    },
  };
}

function content(found: RuleList, { filter: { state }, written }: Asked<RuleListFilter>, moment: Moment): Html {
  const { counts } = found;
  const next = found.next === null ? null : linkTo(PATH, { ...written, after: found.next });
  const kinds = [
    ['All', null, counts.all],
    ['Unhealthy', 'unhealthy', counts.unhealthy],
    ['Fired in 30 d', 'fired', counts.fired],
  ] as const;
  const which = kinds.map(([name, value, count]) => ({
    name,
    count,
    isCurrent: state === value,
    href: linkTo(PATH, { ...written, state: value }),
  }));
  return html`<div>
      <h1>Rules</h1>
      <p class="lead">
        ${plural(counts.rules, 'rule')} in ${plural(counts.files, 'file')}, ${plural(counts.all, 'alert')}. This page
        shows the rule files. To change a rule, edit its file.
      </p>
    </div>
    ${found.rejected === null ? NOTHING : rejectedNote(found.rejected, moment)}
    <div class="filters">
      ${searchForm({ path: PATH, placeholder: 'rule, alert', written })}${pills(which, 'Which')}
    </div>
    <div>
      ${found.items.length === 0 ? nothingFound('No rule fits.', PATH) : table(found.items, moment)}${pager(`${counted(found.items.length)} shown`, next)}
    </div>`;
}

function rejectedNote({ since, why, problems }: NonNullable<RuleList['rejected']>, moment: Moment): Html {
  return html`<div class="note alarm">
    ${icon('critical')}
    <div>
      <b>The files saved at ${clockTime(since, moment)} are not in force.</b> The former rules stay in force.
      ${problems.length === 0 ? why : NOTHING}${problems.map(problemBlock)}
    </div>
  </div>`;
}

type Problem = NonNullable<RuleList['rejected']>['problems'][number];

const NEW_LINE = trusted('\n');

function problemBlock({ file, line, column, message, hint, frame }: Problem): Html {
  const words = [`${file}:${line}:${column}  ${message}`, NEW_LINE, frame];
  const advice = hint === null ? [] : [NEW_LINE, html`<span class="caret">${hint}</span>`];
  return html`<pre tabindex="0" aria-label="The error">${[...words, ...advice]}</pre>`;
}

const COLUMNS = [
  { name: 'Health' },
  { name: 'Alert' },
  { name: 'Source' },
  { name: 'Last true' },
  { name: 'Notified in 30 d', class: 'num' },
];

function table(items: readonly RuleRow[], moment: Moment): Html {
  return sheet(
    'Rules',
    COLUMNS,
    items.map((row) => oneRow(row, moment)),
  );
}

const LOOKS: Readonly<Partial<Record<RuleRow['health'], readonly [StateTone, IconName]>>> = {
  'unknown-too-long': ['blind', 'blind'],
  'always-true': ['warn', 'warning'],
};

function oneRow(row: RuleRow, moment: Moment): Html {
  const { rule, alert, severity, health, sentence, source, last_true: last, notifications_30d: count } = row;
  const [tone, name] = LOOKS[health] ?? ['ok', 'info'];
  return html`<tr class="${tone === 'ok' ? '' : tone}">
    <td class="brief second" data-name="Health">
      <span>${stateTag(tone, name, capital(health.replaceAll('-', ' ')))}</span>
    </td>
    <td class="brief">
      <b class="mono">${rule}/${alert}</b><span class="sub">${capital(severity)}. ${sentence}</span>
    </td>
    <td data-name="Source"><span>${sourceLink(source)}</span></td>
    <td class="brief side second" data-name="Last true">
      <span>${last === null ? 'never' : `${duration(ageOf(last, moment))} ago`}</span>
    </td>
    <td class="num" data-name="Notified in 30 d"><span>${counted(count)}</span></td>
    ${FOLD}
  </tr>`;
}
