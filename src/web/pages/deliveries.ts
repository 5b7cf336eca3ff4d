// The page of deliveries: first those that were given up, then the pending ones, then those that were sent.
import type { DeliveryList, DeliveryRow } from '../../query/shapes/operators.ts';
import type { ChannelDebt } from '../../query/shapes/overview.ts';
import { DeliveryListFilter } from '../../query/shapes.ts';
import { counted, plural } from '../parts/amount.ts';
import { html, NOTHING, type Html } from '../parts/html.ts';
import { icon } from '../parts/icons.ts';
import { answerTag, recipientName } from '../parts/recipients.ts';
import { stateTag } from '../parts/states.ts';
import { ageTag, clockTime, timeTag, type Moment } from '../parts/time.ts';
import { alertPath, DELIVERIES_PATH as PATH } from './paths.ts';
import { buttonForm } from './frame/fill.ts';
import { FOLD, askedIn, linkTo, NO_SUCH_FILTER, nothingFound, pager, pills, sheet, type Asked } from './lists.ts';
import type { PageQueries } from './queries.ts';
import type { PageRequest, PageRoute } from './route.ts';

export function deliveriesPage({ deliveries }: Pick<PageQueries, 'deliveries'>): PageRoute {
  return {
    path: PATH,
    role: 'viewer',
    nav: 'Deliveries',
    async show(request) {
      const asked = askedIn(DeliveryListFilter, request);
      if (asked === null) return NO_SUCH_FILTER;
      return { title: 'Deliveries', main: content(await deliveries(asked.filter), asked, request) };
    },
  };
}

function content(found: DeliveryList, asked: Asked<DeliveryListFilter>, request: PageRequest): Html {
  const { filter, written } = asked;
  const { state } = filter;
  const next = found.next === null ? null : linkTo(PATH, { ...written, after: found.next });
  return html`<div>
      <h1>Deliveries</h1>
      <p class="lead">
        A delivery is one message to one recipient, with what its server answered. Given up first, then owed, then sent.
      </p>
    </div>
    ${found.failing.map((debt) => failingNote(debt, request))} ${statePills(found, asked)}
    ${givenUpNote(found, filter, request)}
    <div>
      ${found.items.length === 0 ? nothingFound(state === null ? 'No delivery yet.' : 'No delivery fits.', state === null ? null : PATH) : table(found.items, request)}${pager(`${counted(found.items.length)} shown`, next)}
    </div>`;
}

/** The filters of the list. Each failing channel has a filter of its own. */
function statePills({ counts, failing }: DeliveryList, { filter, written }: Asked<DeliveryListFilter>): Html {
  const { state, channel } = filter;
  const all = [
    ['All', null, null],
    ['Problems', 'problems', counts.problems],
    ['Given up', 'given-up', counts.given_up],
    ['Owed', 'owed', counts.owed],
    ['Sent', 'sent', counts.sent],
  ] as const;
  const states = all.map(([name, value, count]) => ({
    name,
    count,
    isCurrent: state === value,
    href: linkTo(PATH, { ...written, state: value }),
  }));
  const shown = new Map(failing.map((debt) => [debt.channel, debt.rows]));
  const known = channel === null || shown.has(channel) ? shown : new Map([...shown, [channel, null]]);
  const channels = [...known].map(([name, count]) => {
    const isCurrent = name === channel;
    return { name, count, isCurrent, href: linkTo(PATH, { ...written, channel: isCurrent ? null : name }) };
  });
  return html`<div class="filters">
    ${pills(states, 'State')}${channels.length === 0 ? NOTHING : pills(channels, 'Channel')}
  </div>`;
}

function failingNote(debt: ChannelDebt, request: PageRequest): Html {
  const { channel, rows, since, last_answer: answer } = debt;
  const path = channelPath(channel);
  const act =
    request.role === 'operator'
      ? html`<div class="acts">
          ${tryNow(debt)}${buttonForm({ action: `${path}/sample`, label: 'Send a sample', class: 'small' })}
        </div>`
      : NOTHING;
  return html`<div class="note alarm">
    ${icon('cross')}
    <div>
      <b>${channel} has not accepted its last message.</b> ${plural(rows, 'delivery is', 'deliveries are')} owed, the
      oldest for ${ageTag(since, request)}; the last answer was ${answerTag(answer) ?? 'none'}.${act}
    </div>
  </div>`;
}

/** The button costs each message an attempt, possibly its last one, so the page states this before the click. */
function tryNow({ channel, rows, tried_often: often }: ChannelDebt): Html {
  const last =
    often === 0 ? '' : ` Of ${plural(often, 'message')} that may be the last one: they are given up if it fails.`;
  const label = rows === 1 ? 'Try it now' : `Try all ${counted(rows)} now`;
  return html`<details>
    <summary class="button small">Try ${channel} now…</summary>
    <p class="small">
      This costs ${plural(rows, 'message')} a try. To see whether ${channel} works, send a sample.${last}
    </p>
    ${buttonForm({ action: `${channelPath(channel)}/retry`, label, class: 'small' })}
  </details>`;
}

/** The note about all deliveries that were given up, on the selected channel or on all. */
function givenUpNote({ counts }: DeliveryList, { channel }: DeliveryListFilter, { role }: PageRequest): Html {
  if (counts.given_up === 0 || role !== 'operator') return NOTHING;
  const where = channel === null ? '' : ` to ${channel}`;
  const fields: Record<string, string> = channel === null ? {} : { channel };
  const button = (name: string, label: string): Html =>
    buttonForm({ action: `${PATH}/${name}`, label, fields, class: 'small' });
  return html`<details>
    <summary class="button small">All that were given up${where}…</summary>
    <p class="small">
      ${plural(counts.given_up, 'message was', 'messages were')} given up${channel === null ? '' : ' on all channels'}.
      Retry sends each of them again where no later one about the same arrived; dismiss counts them no more.
    </p>
    <div class="acts">${button('retry', `Retry all${where}`)}${button('dismiss', `Dismiss all${where}`)}</div>
  </details>`;
}

function channelPath(channel: string): string {
  return `/channels/${encodeURIComponent(channel)}`;
}

const COLUMNS = [
  { name: 'State' },
  { name: 'Decided' },
  { name: 'Message' },
  { name: 'To' },
  { name: 'Last answer' },
  { name: html`<span class="skip">Do</span>` },
];

function table(items: readonly DeliveryRow[], request: PageRequest): Html {
  return sheet(
    'Deliveries',
    COLUMNS,
    items.map((row) => oneRow(row, request)),
  );
}

function oneRow(row: DeliveryRow, request: PageRequest): Html {
  const { decided_at: at, recipient } = row;
  return html`<tr class="${toneOfRow(row)}">
    <td class="brief second" data-name="State"><span>${stateCell(row)}</span></td>
    <td data-name="Decided"><span class="nowrap">${timeTag(at, request)}</span></td>
    <td class="brief">${messageCell(row)}</td>
    <td class="brief side second" data-name="To"><span>${recipientName(recipient)}</span></td>
    <td class="wrap">${answerTag(recipient.answer)}<span class="sub">${triesLine(row, request)}</span></td>
    <td>${request.role === 'operator' ? buttons(row) : NOTHING}</td>
    ${FOLD}
  </tr>`;
}

function toneOfRow({ state, is_dismissed: isDismissed }: DeliveryRow): string {
  if (state === 'given-up') return isDismissed ? '' : 'alarm';
  return state === 'owed' ? 'warn' : '';
}

function stateCell({ state, is_dismissed: isDismissed }: DeliveryRow): Html {
  switch (state) {
    case 'given-up':
      return isDismissed ? stateTag('ok', 'cross', 'Given up, dismissed') : stateTag('alarm', 'cross', 'Given up');
    case 'owed':
      return stateTag('warn', 'glass', 'Owed');
    default:
      return stateTag('ok', 'ok', state === 'sent' ? 'Sent' : state);
  }
}

function messageCell({ title, key, episode, watch, alert, transition, members }: DeliveryRow): Html {
  const more = members > 1 ? html` <span class="quiet">and ${counted(members - 1)} more</span>` : NOTHING;
  const words = html`${title}${more}`;
  const linked =
    key === null || episode === null
      ? html`<b>${words}</b>`
      : html`<a class="strong" href="${alertPath(key, episode)}">${words}</a>`;
  return html`${linked}<span class="sub mono">${watch}${alert === null ? null : `/${alert}`}, ${transition}</span>`;
}

function triesLine({ state, recipient }: DeliveryRow, moment: Moment): string {
  const tries = plural(recipient.tries, 'try', 'tries');
  const next = recipient.next_try;
  if (state === 'owed') return next === null ? tries : `${tries}; next ${clockTime(next, moment)}`;
  return state === 'sent' && recipient.accepted_at !== null
    ? `${tries}, accepted ${clockTime(recipient.accepted_at, moment)}`
    : tries;
}

function buttons({ id, state, is_dismissed: isDismissed }: DeliveryRow): Html {
  if (state !== 'given-up') return NOTHING;
  const path = `${PATH}/${encodeURIComponent(id)}`;
  const retry = buttonForm({ action: `${path}/retry`, label: 'Retry', class: 'small' });
  const dismiss = isDismissed ? NOTHING : buttonForm({ action: `${path}/dismiss`, label: 'Dismiss', class: 'small' });
  return html`<div class="acts">${retry}${dismiss}</div>`;
}
