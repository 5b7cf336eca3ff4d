// The first page: what fires, and whether the answer can be trusted.
import { showInstant } from '../../lib/clock.ts';
import { ackJson } from '../alerts/acks.ts';
import { days } from '../values/bars.ts';
import { cardsOf, newestOf, openMeasure } from '../alerts/cards.ts';
import { eventRows } from './events.ts';
import { headlineOf } from './headline.ts';
import { inHand, isUnhandled, openAlerts, type OpenAlert } from '../alerts/open-alerts.ts';
import { pendingAlerts, pendingRow, type Pending } from './pending.ts';
import type { AlertRow } from '../shapes/alerts.ts';
import type { Overview, Trust } from '../shapes/overview.ts';
import { trust } from '../daemon/trust.ts';
import { verdictOf, type VerdictFacts } from './verdict.ts';
import type { View } from '../view.ts';

const MOST_CARDS = 8;
const MOST_HANDLED = 50;
const MOST_BARS = 20;

export async function overview(view: View): Promise<Overview> {
  const open = await openAlerts(view);
  const pending = pendingAlerts(view);
  const trusted = await trust(view);
  const cards = open.filter(isUnhandled);
  const facts = await verdictFacts(view, { open, pending, cards, trusted });
  const verdict = verdictOf(facts);
  const owed = trusted.owed.reduce((sum, { rows }) => sum + rows, 0);
  const oldest = oldestOf(view, cards);
  const handled = open.filter((alert) => !isUnhandled(alert) && isShownAsHandled(alert));
  const more = cards.slice(MOST_CARDS);
  return {
    verdict,
    ...headlineOf({ ...facts, verdict, oldest, watches: trusted.watches, owed }),
    cards: await cardsOf(view, cards.slice(0, MOST_CARDS)),
    more: {
      alerts: more.length,
      rules: new Set(more.map(({ row }) => `${row.labels['watch'] ?? ''}/${row.alert}`)).size,
    },
    unhandled: cards.length,
    trust: trusted,
    handled: await handledRows(view, handled, pending),
    more_handled: Math.max(0, handled.length + pending.length - MOST_HANDLED),
    events: await eventRows(view),
    bars: await barRows(view),
    as_of: showInstant(view.now),
  };
}

/** Events that are no cards stand in the table of events, unless an operator did something about them. */
function isShownAsHandled(alert: OpenAlert): boolean {
  return !alert.row.isEvent || (alert.row.severity === 'critical' && inHand(alert) !== null);
}

interface Found {
  readonly open: readonly OpenAlert[];
  readonly pending: readonly Pending[];
  readonly cards: readonly OpenAlert[];
  readonly trusted: Trust;
}

const LATE_MS = 300_000;

async function verdictFacts(view: View, { open, pending, cards, trusted }: Found): Promise<VerdictFacts> {
  const conditions = open.filter(({ row }) => !row.isEvent);
  const held = open.filter((alert) => alert.row.isEvent && alert.row.severity === 'critical' && inHand(alert) !== null);
  const uncounted = unansweredChannels(view);
  return {
    isWorking: view.runtime.isWorking(),
    critical: cards.filter(({ row }) => row.severity === 'critical').length,
    warnings: cards.filter(({ row }) => row.severity === 'warning').length,
    unheard: await unheardOf(view, open, uncounted),
    storage: trusted.storage,
    blind: trusted.blind.reduce((sum, { watches }) => sum + watches, 0),
    isOwedLong: trusted.owed.some(
      ({ channel, since }) => !uncounted.includes(channel) && view.now - Date.parse(since) >= LATE_MS,
    ),
    inHand: conditions.length + pending.length + held.length,
    unpolled: view.runtime.unpolled()?.length ?? 0,
  };
}

/** Channels that no person reads at once. */
function unansweredChannels({ runtime }: View): string[] {
  const channels = [...runtime.config().channels.values()];
  return channels.filter(({ type }) => type === 'log' || type === 'alertmanager').map(({ name }) => name);
}

/** Neither held nor acknowledged. */
async function unheardOf(
  { store, now }: View,
  open: readonly OpenAlert[],
  uncounted: readonly string[],
): Promise<number> {
  const inHands = new Set(open.filter((one) => inHand(one) !== null).map(({ row }) => row.key));
  const all = await store.unheard(now - LATE_MS, uncounted);
  return new Set(all.flatMap(({ key }) => (inHands.has(key) ? [] : [key]))).size;
}

function oldestOf({ now }: View, cards: readonly OpenAlert[]): { title: string; ageMs: number } | null {
  const [oldest] = cards.toSorted((a, b) => a.row.since - b.row.since);
  return oldest === undefined ? null : { title: oldest.row.title, ageMs: Math.max(0, now - oldest.row.since) };
}

async function handledRows(
  view: View,
  handled: readonly OpenAlert[],
  pending: readonly Pending[],
): Promise<AlertRow[]> {
  const shown = handled.slice(0, MOST_HANDLED);
  const rows = await Promise.all(shown.map((alert) => handledRow(view, alert)));
  const others = pending.slice(0, MOST_HANDLED - shown.length);
  return [...rows, ...(await Promise.all(others.map((one) => pendingRow(view, one))))];
}

async function handledRow(view: View, alert: OpenAlert): Promise<AlertRow> {
  const { row, ack, silence } = alert;
  return {
    ...newestOf(alert),
    state: row.isEvent ? 'event' : 'firing',
    why: inHand(alert) ?? 'info',
    fires_at: null,
    measure: await openMeasure(view, alert),
    ack: ack && ackJson(ack),
    silence: silence && {
      id: silence.id,
      until: showInstant(silence.until),
      actor: silence.actor,
      comment: silence.comment,
    },
  };
}

async function barRows(view: View): Promise<Overview['bars']> {
  const { ids, of } = await days(view);
  const shown = view.runtime
    .watches()
    .filter(({ id }) => ids.has(id))
    .slice(0, MOST_BARS);
  const { barsOf } = await of(shown.map(({ id }) => id));
  return shown.map(({ id, name }) => ({ watch: name, bars: barsOf(id) }));
}
