// The polled explorers, the age of their data, and the cost of the requests.
import type { CostRow, ExplorerRow, ExplorerList } from '../../../query/shapes/daemon.ts';
import type { Forecast } from '../../../query/shapes/overview.ts';
import { counted, grouped, plural } from '../../parts/amount.ts';
import { decline } from '../../parts/decline.ts';
import { headWords, isDoubtfulHead } from '../../parts/heads.ts';
import { html, NOTHING, type HtmlContent, type Html } from '../../parts/html.ts';
import { stateTag } from '../../parts/states.ts';
import { clockTime, duration, took, type Moment } from '../../parts/time.ts';
import { FOLD, linkTo, sheet } from '../lists.ts';
import type { PageQueries } from '../queries.ts';
import type { PageRoute } from '../route.ts';

export function explorersPage({ explorers }: Pick<PageQueries, 'explorers'>): PageRoute {
  return {
    path: '/explorers',
    role: 'viewer',
    nav: 'Explorers',
    async show(request) {
      return { title: 'Explorers and credits', main: content(await explorers(), request) };
    },
  };
}

type Paced = NonNullable<ExplorerRow['paced']>;

function content({ explorers, costs }: ExplorerList, moment: Moment): Html {
  return html`<div>
      <h1>Explorers and credits</h1>
      <p class="lead">The explorers that are polled, how fresh their data is, and what the requests cost.</p>
    </div>
    <section class="three" aria-label="Explorers">${explorers.map((one) => card(one, moment))}</section>
    ${costs.length === 0 ? NOTHING : costTable(costs)}`;
}

function card(row: ExplorerRow, moment: Moment): Html {
  const { name, head, trouble, replica } = row;
  const isDoubtful = head !== null && isDoubtfulHead(head);
  return html`<div class="card stack tight${isDoubtful || trouble !== null ? ' blind' : ''}">
    <div class="head">
      <h2>${name}</h2>
      ${stateOf(row, moment)}
    </div>
    ${trouble === null ? NOTHING : html`<p>${trouble}</p>`}
    ${replica === null ? NOTHING : html`<p>${replica} asks it, and knows its head, its answers and its credits.</p>`}
    <dl class="facts">
      ${factsOf(row).map(
        ([key, value]) =>
          html`<dt>${key}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${row.paced === null ? NOTHING : pacedNote(row.paced)}
    ${row.credits === null ? NOTHING : burnDown(row.credits, moment)}
  </div>`;
}

function stateOf({ head, trouble, replica }: ExplorerRow, moment: Moment): Html {
  if (trouble !== null) return stateTag('blind', 'blind', 'in trouble');
  if (replica !== null) return html`<span class="quiet small">asked by another replica</span>`;
  if (head === null) return stateTag('blind', 'blind', 'not known');
  const [tone, name] = isDoubtfulHead(head) ? (['blind', 'blind'] as const) : (['ok', 'ok'] as const);
  return stateTag(tone, name, headWords(head, moment));
}

function factsOf({
  head,
  answers,
  p99_ms: p99,
  rate,
  watches,
  blind,
  name,
}: ExplorerRow): (readonly [string, HtmlContent])[] {
  const height = head?.height ?? null;
  const age = head?.age_ms ?? null;
  const said = (answers ?? []).map(({ outcome, count }) => `${counted(count)} ${outcome}`);
  return [
    ['Newest block', height === null || age === null ? 'not known' : `${grouped(height)}, ${duration(age)} old`],
    ['Answers, 1 h', answers === null ? 'not known' : said.length === 0 ? 'none' : said.join(', ')],
    ['Slowest 1 %', p99 === null ? 'not known' : took(p99)],
    [
      'Rate limit',
      rate === null
        ? 'not known'
        : `${counted(rate.remaining)}${rate.limit === null ? '' : ` of ${counted(rate.limit)}`} left`,
    ],
    [
      'Watches',
      html`<a href="${linkTo('/watches', { explorer: name })}">${counted(watches)}</a>,
        ${blind === 0 ? 'none blind' : `${counted(blind)} blind`}`,
    ],
  ];
}

function pacedNote({ requests_per_second: allowed, wanted_per_second: wanted, intervals }: Paced): Html {
  return html`<p>${stateTag('warn', 'warning', 'The rules ask for more requests than are allowed')}</p>
    <p class="small quiet">
      They want ${counted(wanted)} a second, ${counted(allowed)} are allowed. Intervals: ${intervals}.
    </p>`;
}

function burnDown(credits: Forecast, moment: Moment): Html {
  const { remaining, plan, at_reset: left, runs_out_at: at } = credits;
  if (remaining === null || left === null)
    return html`<p>${stateTag('ok', 'clock', 'The number of credits left is not known yet')}</p>
      <p class="small quiet">Their period began at ${clockTime(credits.from, moment)}.</p>`;
  const state =
    at === null
      ? stateTag('ok', 'ok', 'Credits last until the reset')
      : stateTag('warn', 'warning', 'Credits run out before the reset');
  return html`<p>${state}</p>
    ${decline(credits, { remaining, left }, moment)}
    <p class="small quiet">
      ${counted(remaining)} of ${counted(plan)} credits are left. ${paceWords(credits, left, moment)}
    </p>
    <p class="small quiet">${spentWords(credits, moment)}</p>
    ${wantedNote(credits)}`;
}

function paceWords(credits: Forecast, left: number, moment: Moment): string {
  const { planned_per_day: perDay, runs_out_at: at, resets_at: reset, reserve } = credits;
  const end =
    at === null
      ? `about ${counted(Math.max(0, left))} are left at ${clockTime(reset, moment)}`
      : `they run out at ${clockTime(at, moment)}`;
  const kept = reserve === 0 ? '' : `; the reserve of ${counted(reserve)} is for critical watches`;
  return `With ${counted(perDay)} a day, as it is planned, ${end}${kept}.`;
}

const SPENT_ON: Readonly<Record<string, string>> = { pages: 'second pages', sweep: 'sweeps', probe: 'probes' };

/** `Spent since 18:00: critical 3,620, warning 1,040, second pages 600, other programs 300. Intervals: warning ×3.2.` */
function spentWords({ spent, foreign, from, intervals }: Forecast, moment: Moment): string {
  const said = Object.entries({ ...spent, 'other programs': foreign }).flatMap(([name, credits]) =>
    credits > 0 ? [`${SPENT_ON[name] ?? name} ${counted(credits)}`] : [],
  );
  const words = said.length === 0 ? 'nothing' : said.join(', ');
  return `Spent since ${clockTime(from, moment)}: ${words}.${intervals === '' ? '' : ` Intervals: ${intervals}.`}`;
}

/** The note that the rules as written need more credits than the plan leaves; empty if they do not. */
function wantedNote({ wanted_share: share, wanted_per_day: perDay }: Forecast): Html {
  if (share === null || share <= 1) return NOTHING;
  return html`<p>
      ${stateTag('warn', 'warning', `The rules ask for ${counted(share * 100)} % of what the plan leaves`)}
    </p>
    <p class="small quiet">
      Their requests cost ${counted(perDay)} credits a day: watch less often, or take a larger plan.
    </p>`;
}

const COLUMNS = [
  { name: 'Rule' },
  { name: 'Request' },
  { name: 'Watches', class: 'num' },
  { name: 'Requests a day', class: 'num' },
  { name: 'Credits a day', class: 'num' },
  { name: 'Share', class: 'num' },
  { name: 'Cheaper' },
];

function costTable(costs: readonly CostRow[]): Html {
  return html`<section>
    <div class="head">
      <h2>Credits by rule</h2>
      <span class="quiet small">a day, as the rules are written, without paused watches</span>
    </div>
    ${sheet('Credits by rule', COLUMNS, costs.map(costLine))}
  </section>`;
}

function costLine(row: CostRow): Html {
  return html`<tr>
    <td class="mono brief"><span class="strong">${row.rule}</span><span class="sub">${row.explorer}</span></td>
    <td class="brief second" data-name="Request"><span>${row.request}, every ${duration(row.interval_ms)}</span></td>
    <td class="num" data-name="Watches"><span>${counted(row.watches)}</span></td>
    <td class="num" data-name="Requests"><span>${counted(row.requests_per_day)}</span></td>
    <td class="num brief side" data-name="Credits"><span>${counted(row.credits_per_day)}</span></td>
    <td class="num brief side second" data-name="Share">
      <span>${row.share === null ? 'not known' : `${Math.round(row.share * 100)} %`}</span>
    </td>
    <td class="small quiet">${cheaper(row)}</td>
    ${FOLD}
  </tr>`;
}

function cheaper({ cheaper: other, shared_with: shared }: CostRow): string {
  if (other !== null) return `every ${duration(other.interval_ms)} saves ${counted(other.saves)}`;
  return shared.length === 0
    ? ''
    : `shared with ${shared.slice(0, 3).join(', ')}${shared.length > 3 ? ` and ${plural(shared.length - 3, 'other')}` : ''}`;
}
