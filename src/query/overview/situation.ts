// The facts behind the verdict: open and pending alerts, and what could not be read or sent.
import type { Severity } from '../../core/model/ids.ts';
import { inHand, isHandled, isUnhandled, openAlerts, type OpenAlert } from '../alerts/open-alerts.ts';
import type { OutboxDepth } from '../../store/contract/deliveries.ts';
import { clusterOf } from '../daemon/cluster.ts';
import { GIVEN_UP_MS } from '../daemon/trust.ts';
import type { OverviewSummary, PageVerdict } from '../shapes/overview.ts';
import type { QueryContext } from '../view.ts';
import { watchFacts, type WatchFacts } from '../watches/watch-facts.ts';
import { cardGroups, countAlerts, type CardGroup } from '../alerts/card-groups.ts';
import { pendingAlerts, type Pending } from './pending.ts';
import { unseenIn, verdictOf, type VerdictFacts } from './verdict.ts';

export interface Situation {
  readonly open: readonly OpenAlert[];
  readonly pending: readonly Pending[];
  /** Open alerts that need attention. */
  readonly cards: readonly CardGroup[];
  readonly facts: VerdictFacts;
  readonly verdict: PageVerdict;
  /** Messages that were given up and not dismissed. */
  readonly givenUp: number;
}

/** The part of the overview that every page shows. */
export async function summary(view: QueryContext): Promise<OverviewSummary> {
  const { verdict, cards, givenUp } = await situation(view, await watchFacts(view));
  return { verdict, unhandled: countAlerts(cards), given_up: givenUp };
}

export async function situation(view: QueryContext, watches: readonly WatchFacts[]): Promise<Situation> {
  const { store, now } = view;
  const open = await openAlerts(view);
  const pending = pendingAlerts(watches);
  const { owed, dead } = await store.backlog(now - GIVEN_UP_MS);
  const cards = cardGroups(open.filter(isUnhandled));
  const facts = await verdictFacts(view, { open, pending, cards, owed });
  const givenUp = dead.reduce((sum, { rows }) => sum + rows, 0);
  return { open, pending, cards, facts, verdict: verdictOf(facts), givenUp };
}

const LATE_MS = 300_000;

interface Found extends Pick<Situation, 'open' | 'pending' | 'cards'> {
  readonly owed: readonly OutboxDepth[];
}

async function verdictFacts(view: QueryContext, { open, pending, cards, owed }: Found): Promise<VerdictFacts> {
  const { now } = view;
  const unheld = clusterOf(view.runtime)?.shards.filter(({ replica }) => replica === null).length ?? 0;
  const countOf = (severity: Severity): number =>
    countAlerts(cards.filter(({ first }) => first.row.severity === severity));
  const uncounted = unansweredChannels(view);
  return {
    ...unseenIn(view.runtime.health(), unheld),
    critical: countOf('critical'),
    warnings: countOf('warning'),
    unheard: await unheardOf(view, open, uncounted),
    isOwedLong: owed.some(({ channel, oldest }) => !uncounted.includes(channel) && now - oldest >= LATE_MS),
    inHand: open.filter(isHandled).length + pending.length,
  };
}

/** Channels that people may not read at once. Messages on them do not count as sent or pending here. */
function unansweredChannels({ runtime }: QueryContext): string[] {
  const channels = [...runtime.config().channels.values()];
  return channels.filter(({ type }) => type === 'log' || type === 'alertmanager').map(({ name }) => name);
}

/** Counts the critical alerts that need attention and have a message that has reached no recipient for five minutes. */
async function unheardOf(
  { store, now }: QueryContext,
  open: readonly OpenAlert[],
  uncounted: readonly string[],
): Promise<number> {
  const inHands = new Set(open.filter((one) => inHand(one) !== null).map(({ row }) => row.key));
  const all = await store.unheard(now - LATE_MS, uncounted);
  return new Set(all.flatMap(({ key }) => (inHands.has(key) ? [] : [key]))).size;
}
