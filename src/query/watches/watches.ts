// The list of watches.
import type { Watch } from '../../core/model/watch/watch.ts';
import { days } from '../values/bars.ts';
import { pageOf, type Order } from '../cursor.ts';
import { isLabelled } from '../labels.ts';
import type { WatchListFilter, WatchSearch } from '../shapes.ts';
import { WATCH_STATES, type WatchList, type WatchState } from '../shapes/watches.ts';
import type { QueryContext } from '../view.ts';
import { watchFactsByName, type WatchFacts } from './watch-facts.ts';
import { costOfWatch, type PricesOf } from '../../rules/costs.ts';
import { pricesIn } from '../daemon/forecast.ts';
import { watchRow } from './watch-rows.ts';
import { watchStates, type WatchStates } from './watch-states.ts';
import { remembered } from '../../lib/remembered.ts';

/** Throws a `BadCursor`. */
export async function watches(view: QueryContext, filter: WatchListFilter): Promise<WatchList> {
  const states = await watchStates(view);
  const all = await watchFactsByName(view);
  const found = isAll(filter) ? all : all.filter(({ watch }) => fits(watch, filter));
  const shown = found.filter((facts) => hasState(facts, filter.state, states));
  const prices = pricesIn(view.runtime.health());
  const page = pageOf(shown, orderBy(filter.sort ?? 'problems', { states, prices }), filter);
  const { barsOf } = await (await days(view)).of(page.items.map(({ watch }) => watch.id));
  return {
    items: page.items.map((facts) => watchRow(view, facts, { states, barsOf })),
    next: page.next,
    all: found.length,
    counts: countsOf(found, states),
    unhealthy: found.filter((facts) => isUnhealthy(facts, states)).length,
  };
}

function isAll({ q, label, explorer, rule, severity }: WatchSearch): boolean {
  return label.length === 0 && [q ?? '', explorer ?? '', rule ?? '', severity ?? ''].every((one) => one === '');
}

/** True if the watch matches all filters. `q` may be a part of its name, rule, kind, explorer, address or token. */
export function fits(watch: Watch, { q, label, explorer, rule, severity }: WatchSearch): boolean {
  if (explorer !== null && watch.target.explorer !== explorer) return false;
  if (rule !== null && watch.rule !== rule) return false;
  if (severity !== null && watch.alerts.every((alert) => alert.severity !== severity)) return false;
  if (q !== null && q !== '' && !textOf(watch).includes(q.toLowerCase())) return false;
  return isLabelled(watch, label);
}

const textOf = remembered(({ name, rule, kind, target, of, token }: Watch): string => {
  const parts = [name, rule, kind.name, target.explorer, of?.name, of?.address, token?.name, token?.address];
  return parts
    .filter((part) => typeof part === 'string')
    .join('\n')
    .toLowerCase();
});

function hasState(facts: WatchFacts, state: WatchListFilter['state'], states: WatchStates): boolean {
  if (state === null) return true;
  if (state === 'blind') return states.blindOf(facts.watch.id) !== null;
  return state === 'unhealthy' ? isUnhealthy(facts, states) : states.stateOf(facts) === state;
}

/** A blind watch does not count as unhealthy, since it is reported as blind. */
function isUnhealthy({ watch, unhealthy }: WatchFacts, states: WatchStates): boolean {
  return unhealthy.length > 0 && states.blindOf(watch.id) === null;
}

interface Ranked {
  readonly states: WatchStates;
  readonly prices: PricesOf;
}

function orderBy(sort: NonNullable<WatchListFilter['sort']>, ranked: Ranked): Order<WatchFacts> {
  return {
    list: `watches-${sort}`,
    rankOf: rankBy(sort, ranked),
    tieOf: ({ watch }) => [watch.name],
    areInOrder: true,
  };
}

function rankBy(sort: NonNullable<WatchListFilter['sort']>, { states, prices }: Ranked): (facts: WatchFacts) => number {
  switch (sort) {
    case 'problems':
      return (facts) => problemRank(facts, states);
    case 'closest':
      return ({ closeness }) => Math.min(closeness, Number.MAX_VALUE);
    case 'oldest':
      return ({ memory }) => memory?.coveredUntil ?? 0;
    case 'credits':
      return ({ watch }) => -costOfWatch(watch, prices).credits;
  }
}

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** By state, then by severity; an unhealthy watch comes before a healthy one. */
function problemRank(facts: WatchFacts, states: WatchStates): number {
  const severity = facts.active?.severity ?? null;
  const bySeverity = severity === null ? 0 : SEVERITIES.indexOf(severity);
  return WATCH_STATES.indexOf(states.stateOf(facts)) * 8 + bySeverity * 2 + (isUnhealthy(facts, states) ? 0 : 1);
}

/** A watch that fires and is blind counts as both. */
function countsOf(found: readonly WatchFacts[], states: WatchStates): Record<WatchState, number> {
  const counts = { firing: 0, pending: 0, blind: 0, paused: 0, silenced: 0, starting: 0, ok: 0 };
  for (const facts of found) {
    const state = states.stateOf(facts);
    counts[state] += 1;
    if (state !== 'blind' && states.blindOf(facts.watch.id) !== null) counts.blind += 1;
  }
  return counts;
}
