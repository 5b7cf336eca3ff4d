// The list of open alerts, and one alert with its history.
import { labelsOfMessage } from '../../core/model/watch/identity.ts';
import { nameOfTransition } from '../../core/model/transition.ts';
import { RANK_OF, type Message } from '../../core/model/delivery.ts';
import { explorerLinks, headingOf, runbookOf } from '../../core/wording/words.ts';
import { showInstant } from '../../lib/clock.ts';
import type { EpisodeName } from '../../store/contract/alerts.ts';
import { cardsOf, firstLine, subjectOf } from './cards.ts';
import { pageOf, type Order } from '../cursor.ts';
import type { CardGroup } from './card-groups.ts';
import { earlierEpisodes } from './episodes.ts';
import { goneOf } from './gone.ts';
import { allOpenAlerts, inHand, openAlerts, type OpenAlert } from './open-alerts.ts';
import { recipientsOf } from './recipients.ts';
import { hasLabels } from '../labels.ts';
import type { AlertListFilter } from '../shapes.ts';
import type { AlertCard, AlertHistory, Gone } from '../shapes/alerts.ts';
import type { List } from '../shapes/common.ts';
import { fieldsOf } from './message-fields.ts';
import { timelineOf } from './timeline.ts';
import { toldIn } from './told.ts';
import type { QueryContext } from '../view.ts';
import { alertExplanation } from '../watches/watch.ts';

/** Critical alerts come first; among alerts of one severity, the oldest. Throws a `BadCursor`. */
export async function alerts(view: QueryContext, filter: AlertListFilter): Promise<List<AlertCard>> {
  const open = (await openAlerts(view)).filter((alert) => fits(alert, filter));
  const page = pageOf(open, ORDER, filter);
  return { items: await cardsOf(view, page.items.map(alone)), next: page.next };
}

function alone(alert: OpenAlert): CardGroup {
  return { first: alert, all: [alert] };
}

const ORDER: Order<OpenAlert> = {
  list: 'alerts',
  rankOf: ({ row }) => RANK_OF[row.severity],
  tieOf: ({ row }) => [row.since, row.key],
};

function fits(alert: OpenAlert, { q, label, explorer, rule, severity, state }: AlertListFilter): boolean {
  const { row } = alert;
  if (explorer !== null && row.labels['explorer'] !== explorer) return false;
  if (rule !== null && row.labels['watch'] !== rule) return false;
  if (severity !== null && row.severity !== severity) return false;
  if (state !== null && !isIn(state, alert)) return false;
  if (!hasLabels(row.labels, label)) return false;
  const text = [row.name, row.alert, row.title, ...Object.values(row.labels)].join('\n').toLowerCase();
  return q === null || text.includes(q.toLowerCase());
}

function isIn(state: NonNullable<AlertListFilter['state']>, alert: OpenAlert): boolean {
  if (state === 'silenced') return inHand(alert) === 'silenced';
  return alert.row.isEvent === (state === 'event');
}

/** `Gone`: this episode is no longer stored, but others of the alert are. Null: no message of the alert is stored. */
export async function alert(view: QueryContext, of: EpisodeName): Promise<AlertHistory | Gone | null> {
  const messages = await view.store.messages(of);
  const newest = messages.at(-1);
  if (newest === undefined) return goneOf(await view.store.messagesOfKey(of.key));
  const open = (await allOpenAlerts(view)).find(({ row }) => row.key === of.key && row.episode === of.episode);
  const [card] = open === undefined ? [] : await cardsOf(view, [alone(open)]);
  const watch = await view.store.watchOf(of.key);
  const progress = await view.store.progress([of]);
  const ruled = view.runtime.watches().find(({ id }) => id === watch);
  return {
    card: card ?? (await closedCard(view, of, messages, newest)),
    ended: card === undefined ? showInstant(newest.at) : null,
    timeline: await timelineOf(view, { ...of, messages, watch: watch ?? '' }, progress),
    fields: fieldsOf(newest, ruled?.pageUrl ?? view.runtime.config().explorers.get(newest.explorer)?.pageUrl ?? null),
    condition: ruled === undefined ? null : await alertExplanation(view, ruled, newest.alert),
    told: toldIn(progress, messages),
    ack: card?.ack ?? null,
    earlier: watch === null ? [] : await earlierEpisodes(view, watch, of),
  };
}

/** The card of a closed alert, from its last message. */
async function closedCard(
  view: QueryContext,
  of: EpisodeName,
  messages: readonly Message[],
  newest: Message,
): Promise<AlertCard> {
  const statusOf = await recipientsOf(view, [of]);
  const watch = view.runtime.watches().find(({ name }) => name === newest.watch) ?? null;
  const isEvent = messages.every((message) => nameOfTransition(message) !== 'firing');
  return {
    key: of.key,
    episode: of.episode,
    seq: newest.seq,
    watch: newest.watch,
    alert: newest.alert,
    rule: watch?.rule ?? newest.watch,
    labels: (await view.store.labelsOf(of)) ?? labelsOfMessage(newest),
    is_open: false,
    alerts: 1,
    up_to: showInstant(newest.at),
    title: headingOf(newest),
    severity: newest.severity,
    state: isEvent ? 'event' : 'firing',
    since: showInstant(newest.since),
    of: watch && subjectOf(watch),
    measure: null,
    count: null,
    detail: firstLine(newest),
    runbook: runbookOf(newest),
    links: explorerLinks(newest),
    line_has_limits: false,
    line: [],
    firings: 0,
    recipients: statusOf(of),
    ack: null,
    silence: null,
  };
}
