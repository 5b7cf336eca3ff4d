// The first page: firing alerts, and whether the data can be trusted.
import { showTime } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import { ackJson } from '../../operators/shapes.ts';
import { days, type Days } from '../values/bars.ts';
import { cardsOf, firstToldOf, newestOf, standingOf } from '../alerts/cards.ts';
import { cardGroups, countAlerts, handledGroups, type CardGroup } from '../alerts/card-groups.ts';
import { eventRows } from './events.ts';
import { headlineOf, type HeadlineFacts } from './headline.ts';
import { inHand, isHandled, isUnhandled } from '../alerts/open-alerts.ts';
import { titlesOf } from '../alerts/titles.ts';
import { alertLabels, hasLabels, isLabelled } from '../labels.ts';
import type { OverviewFilter } from '../shapes.ts';
import { pendingRow, type Pending } from './pending.ts';
import { recentRows } from './recent.ts';
import type { AlertCard, AlertRow } from '../shapes/alerts.ts';
import type { Overview, Trust } from '../shapes/overview.ts';
import { trust } from '../daemon/trust.ts';
import { situation } from './situation.ts';
import type { QueryContext } from '../view.ts';
import { byId } from '../watch-by-id.ts';
import { watchFacts } from '../watches/watch-facts.ts';

const MOST_CARDS = 8;
const MOST_HANDLED = 50;
const MOST_BARS = 20;

/** The filter for labels does not affect verdict, headline and trust. */
export async function overview(view: QueryContext, { label }: OverviewFilter = { label: [] }): Promise<Overview> {
  const all = await watchFacts(view);
  const { open, pending, cards: waiting, facts, verdict } = await situation(view, all);
  const isMeant = alertLabels(view.runtime.watches(), label);
  const meant = label.length === 0 ? open : open.filter(({ row }) => hasLabels(row.labels, label));
  const cards = label.length === 0 ? waiting : cardGroups(meant.filter(isUnhandled));
  const trusted = await trust(view, all);
  const owed = trusted.owed.reduce((sum, { rows }) => sum + rows, 0);
  const shown = await cardsOf(view, cards.slice(0, MOST_CARDS));
  const [worst] = label.length === 0 ? shown : await cardsOf(view, waiting.slice(0, 1));
  const handled = handledGroups(meant.filter(isHandled));
  const pendingMeant = pending.filter(({ watch, rule }) => isMeant({ watch: watch.id, alert: rule.id }));
  const more = cards.slice(MOST_CARDS);
  const day = await days(view);
  return {
    verdict,
    waiting_since: waiting.length === 0 ? null : showInstant(Math.min(...waiting.map(firstToldOf))),
    ...headlineOf({
      ...facts,
      verdict,
      worst: worst === undefined ? null : titleOfWorst(worst),
      watches: trusted.watches,
      overdue: overdueOf(view, trusted),
      owed,
      silentSince: silentOf(view),
    }),
    cards: shown,
    more: {
      alerts: countAlerts(more),
      rules: new Set(more.map(({ first: { row } }) => `${row.rule}/${row.alert}`)).size,
    },
    unhandled: countAlerts(waiting),
    trust: trusted,
    handled: await handledRows(view, handled, pendingMeant),
    more_handled: Math.max(0, handled.length + pendingMeant.length - MOST_HANDLED),
    recent: await recentRows(view, day.ended().filter(isMeant)),
    events: await eventRows(view, isMeant),
    ...(await barRows(view, day, label)),
    calls_nobody: callsNobody(view),
    as_of: showInstant(view.now),
  };
}

function overdueOf({ runtime, now }: QueryContext, { overdue }: Trust): HeadlineFacts['overdue'] {
  const [first] = overdue;
  if (first === undefined) return null;
  const since = showTime(Date.parse(first.since), { now, zone: runtime.config().timeZone });
  return { since, watches: overdue.reduce((sum, { watches }) => sum + watches, 0) };
}

function silentOf({ runtime, now }: QueryContext): string | null {
  const { silentSince } = runtime;
  return silentSince === null ? null : showTime(silentSince, { now, zone: runtime.config().timeZone });
}

function titleOfWorst({ title, state, alerts }: AlertCard): string {
  const others = state === 'event' && alerts > 1 ? ` (the newest of ${alerts} events)` : '';
  return `${title}${others}`;
}

async function handledRows(
  view: QueryContext,
  handled: readonly CardGroup[],
  pending: readonly Pending[],
): Promise<AlertRow[]> {
  const shown = handled.slice(0, MOST_HANDLED);
  const titleOf = await titlesOf(
    view,
    shown.map(({ first }) => first),
  );
  const rows = await Promise.all(shown.map((group) => handledRow(view, group, titleOf(group.first))));
  const others = pending.slice(0, MOST_HANDLED - shown.length);
  return [...rows, ...(await Promise.all(others.map((one) => pendingRow(view, one))))];
}

async function handledRow(view: QueryContext, { first: alert, all }: CardGroup, title: string): Promise<AlertRow> {
  const { ack, silence } = alert;
  const { state, measure, count } = await standingOf(view, alert);
  return {
    ...newestOf(alert),
    title,
    alerts: all.length,
    state,
    why: inHand(alert) ?? 'info',
    fires_at: null,
    measure,
    count,
    ack: ack && ackJson(ack),
    silence: silence && {
      id: silence.id,
      until: showInstant(silence.until),
      actor: silence.actor,
      comment: silence.comment,
    },
  };
}

/** True if all channels write on this machine only. */
function callsNobody({ runtime }: QueryContext): boolean {
  return [...runtime.config().channels.values()].every(({ type }) => type === 'log');
}

async function barRows(
  view: QueryContext,
  { worstFirst, of }: Days,
  label: readonly string[],
): Promise<Pick<Overview, 'bars' | 'more_bars' | 'of_watches'>> {
  const watches = view.runtime.watches();
  const watchById = byId(label.length === 0 ? watches : watches.filter((watch) => isLabelled(watch, label)));
  const ids = worstFirst().filter((id) => watchById.has(id));
  const shown = ids.slice(0, MOST_BARS);
  const { barsOf, nowOf } = await of(shown);
  const bars = shown.map((id) => {
    const { state, since } = nowOf(id);
    return { watch: watchById.get(id)?.name ?? id, state, since: showInstant(since), bars: barsOf(id) };
  });
  return { bars, more_bars: ids.length - shown.length, of_watches: watchById.size };
}
