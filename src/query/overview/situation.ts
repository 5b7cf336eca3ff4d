// What the verdict rests on: what is open or pending, and what was not seen or not sent.
import type { BlindWatch } from '../../core/model/quality/blind-cause.ts';
import { inHand, isUnhandled, openAlerts, type OpenAlert } from '../alerts/open-alerts.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import { GIVEN_UP_MS } from '../daemon/trust.ts';
import type { OverviewSummary, PageVerdict } from '../shapes/overview.ts';
import type { QueryContext } from '../view.ts';
import { watchFacts, type WatchFacts } from '../watches/watch-facts.ts';
import { pendingAlerts, type Pending } from './pending.ts';
import { verdictOf, type VerdictFacts } from './verdict.ts';

export interface Situation {
  readonly open: readonly OpenAlert[];
  readonly pending: readonly Pending[];
  /** Open alerts that nobody has in hand. */
  readonly cards: readonly OpenAlert[];
  readonly blind: readonly BlindWatch[];
  readonly facts: VerdictFacts;
  readonly verdict: PageVerdict;
  /** Messages that nobody dismissed. */
  readonly givenUp: number;
}

/** What every page shows of it. */
export async function summary(view: QueryContext): Promise<OverviewSummary> {
  const { verdict, cards, givenUp } = await situation(view, await watchFacts(view));
  return { verdict, unhandled: cards.length, given_up: givenUp };
}

export async function situation(view: QueryContext, watches: readonly WatchFacts[]): Promise<Situation> {
  const { store, now } = view;
  const open = await openAlerts(view);
  const pending = pendingAlerts(watches);
  const { owed, dead } = await store.backlog(now - GIVEN_UP_MS);
  const blind = view.runtime.blind();
  const facts = await verdictFacts(view, { open, pending, blind, owed });
  const givenUp = dead.reduce((sum, { rows }) => sum + rows, 0);
  return { open, pending, blind, cards: open.filter(isUnhandled), facts, verdict: verdictOf(facts), givenUp };
}

const LATE_MS = 300_000;

interface Found extends Pick<Situation, 'open' | 'pending' | 'blind'> {
  readonly owed: readonly OutboxDepth[];
}

async function verdictFacts(view: QueryContext, { open, pending, blind, owed }: Found): Promise<VerdictFacts> {
  const { runtime, now } = view;
  const cards = open.filter(isUnhandled);
  const conditions = open.filter(({ row }) => !row.isEvent);
  const held = open.filter((alert) => alert.row.isEvent && alert.row.severity === 'critical' && inHand(alert) !== null);
  const uncounted = unansweredChannels(view);
  return {
    isWorking: runtime.isWorking(),
    critical: cards.filter(({ row }) => row.severity === 'critical').length,
    warnings: cards.filter(({ row }) => row.severity === 'warning').length,
    unheard: await unheardOf(view, open, uncounted),
    storage: runtime.storage(),
    blind: blind.length,
    isOwedLong: owed.some(({ channel, oldest }) => !uncounted.includes(channel) && now - oldest >= LATE_MS),
    inHand: conditions.length + pending.length + held.length,
    unpolled: runtime.unpolled()?.length ?? 0,
  };
}

/** Channels that no person reads at once. */
function unansweredChannels({ runtime }: QueryContext): string[] {
  const channels = [...runtime.config().channels.values()];
  return channels.filter(({ type }) => type === 'log' || type === 'alertmanager').map(({ name }) => name);
}

/** Neither held nor acknowledged. */
async function unheardOf(
  { store, now }: QueryContext,
  open: readonly OpenAlert[],
  uncounted: readonly string[],
): Promise<number> {
  const inHands = new Set(open.filter((one) => inHand(one) !== null).map(({ row }) => row.key));
  const all = await store.unheard(now - LATE_MS, uncounted);
  return new Set(all.flatMap(({ key }) => (inHands.has(key) ? [] : [key]))).size;
}
